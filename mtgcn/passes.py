"""One pass through the network: the encoder and the heads, with or without dropout."""

from functools import cached_property

from torch import Tensor

from mtgcn.batch import Batch, Rows
from mtgcn.dropout import Dropout
from mtgcn.graph import NodeSet
from mtgcn.weights import Weights


class Pass:
    """A forward pass of all runs.

    Args:
        batch: the runs, on the whole graph or on a part of it; n is the number of its nodes.
        weights: of all runs.
        dropouts: the masks by the name of their place, filled on first use; ``None`` for a pass without
            dropout, as in evaluation.
    """

    def __init__(self, batch: Batch, weights: Weights, dropouts: dict[str, Dropout] | None = None) -> None:
        self.batch, self.weights, self.dropouts = batch, weights, dropouts
        self.layer = batch.architecture.layer

    @cached_property
    def embedding(self) -> Tensor:
        """g_sh of the clean features, (runs, n, hidden units)."""
        return self.encode(self.batch.features, "encoder")

    def encode(self, features: Rows, site: str) -> Tensor:
        """Return g_sh(features), (runs, n, hidden units): per hidden layer Dropout, GC, ReLU, and the remedy's part."""
        return self.hidden(features, site)[-1]

    def hidden(self, features: Rows, site: str) -> list[Tensor]:
        """Return the output of every hidden layer of g_sh, each (runs, n, hidden units)."""
        graph, masks = self.batch.graph, None
        architecture = self.batch.architecture
        remedy = architecture.remedy
        if self.dropouts is not None and architecture.dropout > 0:
            masks = self._dropout(f"{site}.0", features.sizes).masks(*features.orders(graph.members))
        first = architecture.ends.first(graph, self.weights.of("encoder.0"), features.at(graph.members), masks)
        states = [remedy.first(first)]
        for number in range(1, architecture.encoder_layers):
            dropped = self.drop(states[-1], f"{site}.{number}")
            weights = self.weights.of(f"encoder.{number}")
            states.append(remedy.further(self.layer, graph, weights, dropped, states))
        return states[-architecture.hidden_layers :]

    def main(self, nodes: NodeSet | None) -> Tensor:
        """Return the logits of g_main at these nodes, (runs, size, classes)."""
        dropped = self.drop(self.embedding, "main")
        return self.batch.architecture.ends.apply(self.batch.graph, self.weights.of("main"), dropped, nodes)

    def head(self, embedding: Tensor, site: str, nodes: NodeSet | None) -> tuple[Tensor, Tensor]:
        """Apply an auxiliary head: Dropout, GC, ReLU, Dropout, GC, the last one left as its two factors.

        Their product, (runs, size, c) times (runs, c, outputs), is what the head puts out at these nodes.
        """
        graph = self.batch.graph
        dropped = self.drop(embedding, f"{site}.0")
        hidden = self.layer.apply(graph, self.weights.of(f"{site}.0"), dropped).relu()
        return self.layer.factors(graph, self.weights.of(f"{site}.1"), self.drop(hidden, f"{site}.1"), nodes)

    def take(self, x: Tensor, nodes: NodeSet | None) -> Tensor:
        """Return the rows of these nodes, (runs, n, c) to (runs, size, c)."""
        return self.batch.graph.take(x, nodes)

    def drop(self, x: Tensor, site: str) -> Tensor:
        """Apply dropout to (runs, n, c) in a pass that has it."""
        if self.dropouts is None or self.batch.architecture.dropout == 0:
            return x
        sizes = [self.batch.dataset.nodes * x.shape[2]] * self.batch.runs
        (mask,) = self._dropout(site, sizes).masks(self.batch.places(x.shape[2]))
        return x * mask.view(x.shape)

    def _dropout(self, site: str, sizes: list[int]) -> Dropout:
        assert self.dropouts is not None
        if site not in self.dropouts:
            rate = self.batch.architecture.dropout
            self.dropouts[site] = Dropout(site, self.batch.seeds, sizes, rate, self.batch.device)
        return self.dropouts[site]
