"""The network of all runs: encoder, main head and the auxiliary tasks with their weights in the objective."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from mtgcn.batch import Batch
from mtgcn.dropout import Dropout
from mtgcn.errors import MtgcnError
from mtgcn.graph import NodeSet
from mtgcn.passes import Pass
from mtgcn.tasks import TASKS, TaskParameters
from mtgcn.weights import Weights


class Network:
    """Encoder g_sh, main head g_main, and a head for each task (section 3.3 of the paper).

    Args:
        batch: the runs.
        tasks: parameters of each auxiliary task by its name.
        task_weights: where the weights of the objective differ by run: (runs,) values for a task.
        main_weight: w_main.
    """

    def __init__(
        self,
        batch: Batch,
        tasks: Mapping[str, TaskParameters],
        task_weights: Mapping[str, Sequence[float]] | None = None,
        main_weight: float = 1.0,
    ) -> None:
        self.batch, self.main_weight = batch, main_weight
        self._parameters = tasks
        given = task_weights or {}
        for name, values in given.items():
            if len(values) != batch.runs:
                raise MtgcnError(f"task '{name}' has {len(values)} weights for {batch.runs} runs; it needs one a run.")
        self._task_weights = {name: list(given.get(name, [p.weight] * batch.runs)) for name, p in tasks.items()}
        # A task without weight in any run would only cost time.
        active = {name: p for name, p in tasks.items() if any(self._task_weights[name])}
        self.tasks = {name: TASKS[name](parameters, batch) for name, parameters in active.items()}
        self._columns = {
            name: torch.tensor(self._task_weights[name], device=batch.device, dtype=torch.float64) for name in active
        }
        self.weights = Weights(self._shapes(), batch.seeds, batch.device, batch.dtype)
        self.dropouts: dict[str, Dropout] = {}
        self._remedy = batch.architecture.remedy
        self._thinning = self._remedy.thinning(batch.dataset.edges, batch.dataset.nodes, batch.seeds)
        everywhere = any(task.nodes is None for task in self.tasks.values())
        self._training = batch if everywhere else self._around(batch.labelled)
        self._validation = self._around(batch.validation)
        self._labels = {
            nodes.name: batch.labels(nodes).repeat(batch.runs) for nodes in (batch.labelled, batch.validation)
        }

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        architecture = self.batch.architecture
        units = architecture.hidden_units
        widths = [self.batch.features.columns, *[units] * architecture.encoder_layers]
        sites = {f"encoder.{i}": widths[i : i + 2] for i in range(len(widths) - 1)}
        sites["main"] = [units, self.batch.dataset.classes]
        for name, task in self.tasks.items():
            sites |= {f"{name}.0": [units, units], f"{name}.1": [units, task.outputs]}
        layers = dict.fromkeys(sites, architecture.layer) | dict.fromkeys(("encoder.0", "main"), architecture.ends)
        return {
            f"{site}.{part}": shape
            for site, (inputs, outputs) in sites.items()
            for part, shape in layers[site].shapes(inputs, outputs).items()
        }

    def _around(self, nodes: NodeSet) -> Batch:
        """Return the part of the graph that a risk over these nodes can see through encoder and head."""
        if self._remedy.all_nodes:
            return self.batch
        head = max((task.layers for task in self.tasks.values()), default=1)
        layers = self.batch.architecture.hidden_layers + head
        return self.batch.around(nodes, layers * self.batch.architecture.layer.hops)

    def training_loss(self) -> Tensor:
        """Return the multi-task objective with dropout, (runs,) (equation 1)."""
        batch = self._training
        if self._thinning is not None:
            batch = batch.on(self._thinning.thin(batch.graph))
        forward = Pass(batch, self.weights, self.dropouts)
        loss = self.main_weight * self._main_risk(forward.main(self.batch.labelled), self.batch.labelled)
        for name, task in self.tasks.items():
            loss = loss + self._columns[name] * task.risk(forward, task.nodes)
        return loss

    @torch.no_grad()
    def validate(self, risk_nodes: NodeSet | None) -> tuple[np.ndarray, np.ndarray]:
        """Return accuracy in percent and multi-task loss on the validation nodes, each (runs,).

        ``risk_nodes`` are those of the auxiliary risks.
        """
        seen = self.batch if self.tasks and risk_nodes is None else self._validation
        forward = Pass(seen, self.weights)
        logits = forward.main(self.batch.validation)
        loss = self.main_weight * self._main_risk(logits, self.batch.validation)
        for name, task in self.tasks.items():
            loss = loss + self._columns[name] * task.risk(forward, risk_nodes)
        right = logits.argmax(2).flatten() == self._labels["validation"]
        accuracy = right.view(self.batch.runs, -1).double().mean(1) * 100
        both = torch.stack([accuracy, loss]).cpu().numpy()
        return both[0], both[1]

    @torch.no_grad()
    def predict(self, nodes: NodeSet | None = None) -> Tensor:
        """Return the most probable class of these nodes, (runs, size)."""
        return Pass(self.batch, self.weights).main(nodes).argmax(2)

    @torch.no_grad()
    def embed(self) -> list[Tensor]:
        """Return the clean output of every hidden layer, each (runs, n, hidden units)."""
        return Pass(self.batch, self.weights).hidden(self.batch.features, "encoder")

    def keep(self, runs: Sequence[int]) -> "Network":
        """Return the network of these runs only, which goes on as if the others had never been there."""
        chosen = {name: [values[run] for run in runs] for name, values in self._task_weights.items()}
        kept = Network(self.batch.keep(runs), self._parameters, chosen, self.main_weight)
        for name in kept.weights:
            kept.weights[name].data.copy_(self.weights[name].data[list(runs)])
        if self._thinning is not None:
            kept._thinning = self._thinning.keep(runs)
        kept.dropouts = self.dropouts
        for dropout in kept.dropouts.values():
            dropout.keep(runs)
        return kept

    def _main_risk(self, logits: Tensor, nodes: NodeSet) -> Tensor:
        losses = cross_entropy(logits.flatten(0, 1), self._labels[nodes.name], reduction="none")
        return losses.view(self.batch.runs, -1).mean(1, dtype=torch.float64)
