"""One pass through the network, as section 3.3 of the paper has it: the encoder and the heads, dropout or none."""

from collections.abc import Mapping
from functools import cached_property

from torch import Tensor

from mtgcn.engine.dropout import Dropout
from mtgcn.engine.graph import Graph
from mtgcn.engine.kernels import drop
from mtgcn.engine.linear import Linear
from mtgcn.engine.part import NodeSet
from mtgcn.engine.sparse import Features
from mtgcn.engine.weights import Weights
from mtgcn.model.batch import Batch
from mtgcn.model.layer import Activation, Factors, Layer, activated


class Pass:
    """A forward pass of all runs.

    Args:
        batch: the runs.
        graph: theirs, or a part of it; n is the number of its nodes.
        weights: of all runs.
        dropouts: the masks by the name of their place; none for a pass without dropout, as in evaluation.
    """

    def __init__(
        self, batch: Batch, graph: Graph, weights: Weights, dropouts: Mapping[str, Dropout] | None = None
    ) -> None:
        self.batch, self.graph, self.weights, self.dropouts = batch, graph, weights, dropouts or {}
        self.architecture = batch.architecture

    def on(self, graph: Graph) -> "Pass":
        """Return the same pass on other links between the same nodes."""
        return Pass(self.batch, graph, self.weights, self.dropouts)

    @cached_property
    def embedding(self) -> Tensor:
        """g_sh(X) of the clean features, (runs, n, hidden units)."""
        return self.encode(self.batch.features, "encoder")

    def encode(self, features: Features, site: str) -> Tensor:
        """Return g_sh(X) of these features, (runs, n, hidden units)."""
        return self.hidden(features, site)[-1]

    def hidden(self, features: Features, site: str) -> list[Tensor]:
        """Return H_1 to H_L, the outputs of the hidden layers of g_sh, each (runs, n, hidden units).

        H_1 = ReLU(GC(Dropout(X))) and H_l+1 = ReLU(GC(Dropout(H_l))), or another layer with its activation; the remedy
        may mix other things into the convolution, and has the last word on what comes out.
        """
        layer, remedy = self.architecture.layer, self.architecture.remedy
        x = self.drop_features(features, f"{site}.0")
        first = self.at(self.architecture.first, f"{site}.0").first(self.graph, self.weights.of("encoder.0"), x)
        states = [remedy.activate(first, [], layer.activation)]
        for number in range(1, self.architecture.encoder_layers):
            h = self.drop(states[-1], f"{site}.{number}")
            here, weights = self.at(layer, f"{site}.{number}"), self.weights.of(f"encoder.{number}")
            convolved = remedy.convolve(here, self.graph, weights, h, states)
            states.append(remedy.activate(convolved, states, layer.activation))
        return states[-self.architecture.hidden_layers :]

    def main(self, nodes: NodeSet | None) -> Tensor:
        """Return the logits of g_main = GC(Dropout(g_sh)) at these nodes, (runs, size, classes)."""
        h = self.drop(self.embedding, "main")
        layer = self.at(self.architecture.classifier, "main")
        return layer.apply(self.graph, self.weights.of("main"), h, nodes)

    def head(self, embedding: Tensor, site: str, nodes: NodeSet | None, layers: int = 2) -> Factors:
        """Apply an auxiliary head, GC(Dropout(ReLU(GC(Dropout(embedding))))), and leave the last GC as two factors.

        Their product, (runs, size, outputs), is what the head puts out at these nodes. With another number of
        ``layers`` the head has so many GC, and a ReLU between two of them.
        """
        layer, h, last = self.architecture.layer, embedding, layers - 1
        for number in range(last):
            h = self.drop(h, f"{site}.{number}", layer.activation if number else None)
            h = self.at(layer, f"{site}.{number}").apply(self.graph, self.weights.of(f"{site}.{number}"), h)
        h = self.drop(h, f"{site}.{last}", layer.activation if last > 0 else None)
        decoder = self.at(layer.decoder, f"{site}.{last}")
        return decoder.factors(self.graph, self.weights.of(f"{site}.{last}"), h, nodes)

    def at(self, layer: Layer, site: str) -> Layer:
        """Return a layer as it is at this place of the pass: with its own links dropped, where it drops some."""
        dropout = self.dropouts.get(f"{site}.links")
        return layer if dropout is None else layer.dropping(dropout.mask())

    def drop(self, x: Tensor, site: str, activation: Activation | None = None) -> Tensor:
        """Apply dropout to (runs, n, hidden units) in a pass that has it, after an activation where there is one."""
        if site in self.dropouts and self.graph.backend == "compiled" and activation != "elu":
            return drop(x, self.dropouts[site].mask(), activation == "relu")
        x = x if activation is None else activated(x, activation)
        if site not in self.dropouts:
            return x
        mask = self.dropouts[site].mask()
        return x * mask.factors(mask.kept).view(x.shape)

    def drop_features(self, features: Features, site: str) -> Linear:
        """Return sparse X, (runs, n, d); in a pass with dropout some of its stored values are 0."""
        x = features.at(self.graph.part.members)
        return x.masked(self.dropouts[site].mask()) if site in self.dropouts else x
