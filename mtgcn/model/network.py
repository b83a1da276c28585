"""The network of all runs: encoder, main head and the auxiliary tasks with their weights in the objective."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from mtgcn.engine.dropout import Dropout, Reorder
from mtgcn.engine.graph import Graph
from mtgcn.engine.part import NodeSet
from mtgcn.engine.weights import Weights
from mtgcn.errors import MtgcnError
from mtgcn.model.batch import Batch
from mtgcn.model.forward import Pass
from mtgcn.model.tasks import TASKS
from mtgcn.model.tasks.base import TaskParameters


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
        self.batch, self.main_weight, self._parameters = batch, main_weight, tasks
        given = task_weights or {}
        for name, values in given.items():
            if len(values) != batch.runs:
                raise MtgcnError(f"task '{name}' has {len(values)} weights for {batch.runs} runs; it needs one a run.")
        self._task_weights = {
            name: torch.tensor(given.get(name, [task.weight] * batch.runs), device=batch.device, dtype=torch.float64)
            for name, task in tasks.items()
        }
        # A task without weight in any run would only cost time.
        self.tasks = {name: TASKS[name](tasks[name], batch) for name in tasks if self._task_weights[name].any()}
        self._labels = {
            nodes.name: batch.labels(nodes).repeat(batch.runs) for nodes in (batch.labelled, batch.validation)
        }
        self.weights = Weights(self._shapes(), batch.seeds, batch.device, batch.dtype)
        self._whole = any(task.whole_graph for task in self.tasks.values())
        everywhere = self._whole or any(task.nodes is not batch.labelled for task in self.tasks.values())
        seen = batch.graph if everywhere else self._around(batch.labelled)
        self._training = batch.architecture.remedy.training_graph(seen, batch.seeds)
        self._validation = self._around(batch.validation)

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        architecture = self.batch.architecture
        units = architecture.hidden_units
        widths = [self.batch.features.columns, *[units] * architecture.encoder_layers]
        sites = {f"encoder.{i}": widths[i : i + 2] for i in range(len(widths) - 1)}
        sites["main"] = [units, self.batch.dataset.classes]
        for name, task in self.tasks.items():
            head = [*[units] * task.layers, task.outputs]
            sites |= {f"{name}.{i}": head[i : i + 2] for i in range(task.layers)}
        layers = dict.fromkeys(sites, architecture.layer) | dict.fromkeys(("encoder.0", "main"), architecture.ends)
        return {
            f"{site}.{part}": shape
            for site, (inputs, outputs) in sites.items()
            for part, shape in layers[site].shapes(inputs, outputs).items()
        }

    def _around(self, nodes: NodeSet) -> Graph:
        """Return the part of the graph that a risk over these nodes can see through encoder and head."""
        architecture = self.batch.architecture
        if architecture.remedy.all_nodes or self._whole:
            return self.batch.graph
        head = max((task.layers for task in self.tasks.values()), default=1)
        return self.batch.graph.around(nodes, (architecture.hidden_layers + head) * architecture.layer.hops)

    @cached_property
    def dropouts(self) -> dict[str, Dropout]:
        """The masks of every place that has dropout, by its name, for the part of the graph that training sees."""
        batch, part, architecture = self.batch, self._training.part, self.batch.architecture
        if architecture.dropout == 0:
            return {}
        corrupted = {f"{name}.encoder": task.features for name, task in self.tasks.items() if task.features}
        inputs = {"encoder": batch.features} | corrupted
        hidden = [f"{site}.{number}" for site in inputs for number in range(1, architecture.encoder_layers)]
        heads = ["main", *(f"{name}.{number}" for name, task in self.tasks.items() for number in range(task.layers))]
        size = batch.dataset.nodes * architecture.hidden_units
        places = part.state_values(batch.runs, architecture.hidden_units)

        def dropout(site: str, sizes: list[int], places: Tensor | None, reorder: Reorder | None = None) -> Dropout:
            return Dropout(site, batch.seeds, sizes, architecture.dropout, batch.device, places, reorder)

        masks = {site: dropout(site, [size] * batch.runs, places) for site in hidden + heads}
        for site, features in inputs.items():
            stored, reorder = part.stored_values(features.matrices), features.at(part.members).reorder
            masks[f"{site}.0"] = dropout(f"{site}.0", [matrix.nnz for matrix in features.matrices], stored, reorder)
        return masks

    def training_loss(self) -> Tensor:
        """Return the multi-task objective with dropout, (runs,) (equation 1)."""
        self._training.draw()
        forward = Pass(self.batch, self._training, self.weights, self.dropouts)
        risk_nodes = {name: task.nodes for name, task in self.tasks.items()}
        main = self._main_risk(forward.main(self.batch.labelled), self.batch.labelled)
        return self._objective(forward, main, risk_nodes)

    @torch.no_grad()
    def validate(self, risk_nodes: NodeSet | None) -> tuple[Tensor, Tensor, Tensor]:
        """Return accuracy in percent, multi-task loss and R_main on the validation nodes, each (runs,) in float64.

        ``risk_nodes`` are those of the auxiliary risks.
        """
        graph = self.batch.graph if self.tasks and risk_nodes is None else self._validation
        forward = Pass(self.batch, graph, self.weights)
        logits = forward.main(self.batch.validation)
        main = self._main_risk(logits, self.batch.validation)
        loss = self._objective(forward, main, dict.fromkeys(self.tasks, risk_nodes))
        right = logits.argmax(2).flatten() == self._labels["validation"]
        return right.view(self.batch.runs, -1).double().mean(1) * 100, loss, main

    @torch.no_grad()
    def predict(self, nodes: NodeSet | None = None) -> Tensor:
        """Return the most probable class of these nodes, (runs, size)."""
        return Pass(self.batch, self.batch.graph, self.weights).main(nodes).argmax(2)

    @torch.no_grad()
    def embed(self) -> list[Tensor]:
        """Return the clean output of every hidden layer, each (runs, n, hidden units)."""
        return Pass(self.batch, self.batch.graph, self.weights).hidden(self.batch.features, "encoder")

    def keep(self, runs: Sequence[int]) -> "Network":
        """Return the network of these runs only, which goes on as if the others had never been there."""
        runs = list(runs)
        chosen = {name: values[runs].tolist() for name, values in self._task_weights.items()}
        kept = Network(self.batch.keep(runs), self._parameters, chosen, self.main_weight)
        for name, weight in kept.weights.items():
            weight.data.copy_(self.weights[name].data[runs])
        for site, dropout in kept.dropouts.items():
            dropout.go_on(self.dropouts[site], runs)
        kept._training.go_on(self._training, runs)
        return kept

    def _main_risk(self, logits: Tensor, nodes: NodeSet) -> Tensor:
        """Return R_main at ``nodes``, (runs,): the mean cross-entropy of their (runs, size, classes) logits."""
        losses = cross_entropy(logits.flatten(0, 1), self._labels[nodes.name], reduction="none")
        return losses.view(self.batch.runs, -1).mean(1, dtype=torch.float64)

    def _objective(self, forward: Pass, main_risk: Tensor, risk_nodes: Mapping[str, NodeSet | None]) -> Tensor:
        """Return w_main R_main + Σ w_k R_k, (runs,), each auxiliary risk at its own nodes."""
        loss = self.main_weight * main_risk
        for name, task in self.tasks.items():
            loss = loss + self._task_weights[name] * task.risk(forward, risk_nodes[name])
        return loss
