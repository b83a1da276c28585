"""The network of all runs: encoder, main head and the auxiliary tasks with their weights in the objective."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

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
from mtgcn.model.layer import Layer
from mtgcn.model.tasks import TASKS
from mtgcn.model.tasks.base import TaskParameters
from mtgcn.model.weighting import MAIN, WEIGHTINGS, Risks


class Network:
    """Encoder g_sh, main head g_main, and a head for each task (section 3.3 of the paper).

    Args:
        batch: the runs.
        tasks: parameters of each auxiliary task by its name.
        task_weights: where the weights of the objective differ by run: (runs,) values for a task.
        main_weight: w_main.
        weighting: whether these weights stay, or are learned: one of `WEIGHTINGS`.
        gradnorm_alpha: α of GradNorm.
    """

    def __init__(
        self,
        batch: Batch,
        tasks: Mapping[str, TaskParameters],
        task_weights: Mapping[str, Sequence[float]] | None = None,
        main_weight: float = 1.0,
        weighting: str = "static",
        gradnorm_alpha: float = 1.5,
    ) -> None:
        self.batch, self._parameters = batch, tasks
        self._settings = main_weight, weighting, gradnorm_alpha
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
        self.weighting = WEIGHTINGS[weighting if self.tasks else "static"](
            main_weight,
            {name: self._task_weights[name] for name in self.tasks},
            {name: task.likelihood for name, task in self.tasks.items()},
            gradnorm_alpha,
        )
        self._labels = {
            nodes.name: batch.labels(nodes).expand(batch.runs, -1).flatten()
            for nodes in (batch.labelled, batch.validation)
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
        layers = [architecture.first, *[architecture.layer] * (len(widths) - 2)]
        sites = {f"encoder.{i}": (layer, widths[i], widths[i + 1]) for i, layer in enumerate(layers)}
        sites["main"] = (architecture.classifier, units, self.batch.dataset.classes)
        for name, task in self.tasks.items():
            sites |= {f"{name}.{i}": site for i, site in enumerate(task.sites())}
        own = {f"weighting.{name}": shape for name, shape in self.weighting.shapes().items()}
        return {
            f"{site}.{part}": shape
            for site, (layer, inputs, outputs) in sites.items()
            for part, shape in layer.shapes(inputs, outputs).items()
        } | own

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
        corrupted = {f"{name}.encoder": task.features for name, task in self.tasks.items() if task.features}
        inputs = {"encoder": batch.features} | corrupted
        hidden = [f"{site}.{number}" for site in inputs for number in range(1, architecture.encoder_layers)]
        heads = {"main": architecture.classifier}
        for name, task in self.tasks.items():
            heads |= {f"{name}.{number}": layer for number, (layer, _, _) in enumerate(task.sites())}
        size = batch.dataset.nodes * architecture.hidden_units
        places = part.state_values(batch.runs, architecture.hidden_units)
        first = dict.fromkeys([f"{site}.0" for site in inputs], architecture.first)
        masks = self._link_dropouts(first | dict.fromkeys(hidden, architecture.layer) | heads)
        if architecture.dropout == 0:
            return masks

        def dropout(site: str, sizes: list[int], places: Tensor | None, reorder: Reorder | None = None) -> Dropout:
            return Dropout(site, batch.seeds, sizes, architecture.dropout, batch.device, places, reorder)

        masks |= {site: dropout(site, [size] * batch.runs, places) for site in [*hidden, *heads]}
        for site, features in inputs.items():
            stored, reorder = part.stored_values(features.matrices), features.at(part.members).reorder
            masks[f"{site}.0"] = dropout(f"{site}.0", [matrix.nnz for matrix in features.matrices], stored, reorder)
        return masks

    def _link_dropouts(self, layers: Mapping[str, Layer]) -> dict[str, Dropout]:
        """Return the masks of the layers that drop links, for all of the graph, by the names of their places."""
        batch, masks = self.batch, {}
        for site, layer in layers.items():
            if layer.link_dropout:
                sizes = [layer.link_values * batch.graph.all_links] * batch.runs
                masks[f"{site}.links"] = Dropout(f"{site}.links", batch.seeds, sizes, layer.link_dropout, batch.device)
        return masks

    def training_loss(self) -> Tensor:
        """Return the multi-task objective with dropout, (runs,) (equation 1)."""
        return self.weighting.objective(self._training_risks(), self.weights)

    def descend(self) -> Tensor:
        """Add the gradients of the objective with dropout to those of the weights, and return it, (runs,)."""
        return self.weighting.descend(self._training_risks(), self.weights, self.batch.architecture.encoder_layers)

    def _training_risks(self) -> Risks:
        self._training.draw()
        forward = Pass(self.batch, self._training, self.weights, self.dropouts)
        risk_nodes = {name: task.nodes for name, task in self.tasks.items()}
        main = self._main_risk(forward.main(self.batch.labelled), self.batch.labelled)
        return self._risks(forward, main, risk_nodes)

    @torch.no_grad()
    def validate(self, risk_nodes: NodeSet | None) -> tuple[Tensor, Tensor, Tensor]:
        """Return accuracy in percent, multi-task loss and R_main on the validation nodes, each (runs,) in float64.

        ``risk_nodes`` are those of the auxiliary risks.
        """
        graph = self.batch.graph if self.tasks and risk_nodes is None else self._validation
        forward = Pass(self.batch, graph, self.weights)
        logits = forward.main(self.batch.validation)
        main = self._main_risk(logits, self.batch.validation)
        risks = self._risks(forward, main, dict.fromkeys(self.tasks, risk_nodes))
        loss = self.weighting.objective(risks, self.weights)
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
        kept = Network(self.batch.keep(runs), self._parameters, chosen, *self._settings)
        for name, weight in kept.weights.items():
            weight.data.copy_(self.weights[name].data[runs])
        for site, dropout in kept.dropouts.items():
            dropout.go_on(self.dropouts[site], runs)
        kept._training.go_on(self._training, runs)
        return kept

    def random_state(self) -> dict[str, Any]:
        """Return where all random streams are, as JSON can hold it."""
        dropouts = {site: dropout.state() for site, dropout in self.dropouts.items()}
        return {"dropouts": dropouts, "edges": self._training.random_state()}

    def set_random_state(self, known: Mapping[str, Any]) -> None:
        """Draw on from a state."""
        for site, state in known["dropouts"].items():
            self.dropouts[site].restore(*state)
        self._training.set_random_state(known["edges"])

    def _main_risk(self, logits: Tensor, nodes: NodeSet) -> Tensor:
        """Return R_main at ``nodes``, (runs,): the mean cross-entropy of their (runs, size, classes) logits."""
        losses = cross_entropy(logits.flatten(0, 1), self._labels[nodes.name], reduction="none")
        return losses.view(self.batch.runs, -1).mean(1, dtype=torch.float64)

    def _risks(self, forward: Pass, main_risk: Tensor, risk_nodes: Mapping[str, NodeSet | None]) -> Risks:
        """Give every risk by its name, (runs,) each: first R_main, then each auxiliary one at its own nodes."""
        yield MAIN, main_risk
        for name, task in self.tasks.items():
            yield name, task.risk(forward, risk_nodes[name])
