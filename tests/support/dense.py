"""The paper's network, and the remedies, straight from their formulas: one run, n × n matrices, float64, no dropout.

Nothing of the engine or of the plain model is used here, so that both can be compared with it.
"""

import math
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from mtgcn.data.arrays import Arrays


def renormalised_adjacency(
    edges: np.ndarray, nodes: int, loops: np.ndarray | None = None, adjacency: str = "symmetric"
) -> Tensor:
    """Â = D̃^-1/2 (A + I) D̃^-1/2, or D̃^-1 (A + I), (n, n); A has ones on its diagonal at ``loops``."""
    a_tilde = torch.eye(nodes, dtype=torch.float64)
    for u, v in edges.T.tolist():
        a_tilde[u, v] = a_tilde[v, u] = 1.0
    for node in [] if loops is None else loops.tolist():
        a_tilde[node, node] = 2.0
    d_tilde = torch.diag(a_tilde.sum(1))
    if adjacency == "row":
        return torch.linalg.inv(d_tilde) @ a_tilde
    return torch.linalg.inv(torch.sqrt(d_tilde)) @ a_tilde @ torch.linalg.inv(torch.sqrt(d_tilde))


class DenseNetwork:
    """One run of the paper's section 3.3.

    ``weights`` maps ``encoder.0.B``, ``main.B``, ``AE.0.B``, ``AE.1.B``, … to (inputs, outputs) matrices.
    """

    def __init__(
        self,
        graph: Arrays,
        hidden_layers: int,
        weights: Mapping[str, Tensor],
        remedy: str = "none",
        edges: np.ndarray | None = None,
        dense_ends: bool = False,
        adjacency: str = "symmetric",
    ) -> None:
        self.dense_ends = dense_ends
        self.a_hat = renormalised_adjacency(graph.edges if edges is None else edges, graph.nodes, None, adjacency)
        self.remedy = remedy
        self.x = torch.from_numpy(graph.features.toarray()).double()
        self.y = torch.from_numpy(graph.labels)
        self.hidden_layers, self.weights = hidden_layers, weights

    def gc(self, x: Tensor, name: str) -> Tensor:
        return self.a_hat @ x @ self.weights[f"{name}.B"]

    def dense(self, x: Tensor, name: str) -> Tensor:
        return x @ self.weights[f"{name}.B"] + self.weights[f"{name}.b"]

    def dense_gcnii(self, x: Tensor) -> Tensor:
        """GCNII's encoder as its authors have it: a dense layer and then the hidden ones."""
        h = h_0 = torch.relu(self.dense(x, "encoder.0"))
        for layer in range(1, self.hidden_layers + 1):
            h = self.gcnii(h, h_0, layer)
        return h

    def g_sh(self, x: Tensor) -> Tensor:
        if self.dense_ends:
            return self.dense_gcnii(x)
        h = h_0 = x
        for layer in range(self.hidden_layers):
            after = torch.relu(self.gc(h, f"encoder.{layer}"))
            if self.remedy == "residual" and layer > 0:
                after = after + h
            if self.remedy == "pairnorm":
                after = torch.relu(pair_norm(self.gc(h, f"encoder.{layer}")))
            if self.remedy == "gcnii" and layer > 0:
                after = self.gcnii(h, h_0, layer)
            h = after
            h_0 = h if layer == 0 else h_0
        return h

    def gcnii(self, h: Tensor, h_0: Tensor, layer: int) -> Tensor:
        """Equation 5 of Chen et al. with their α = 0.1 and λ = 0.5."""
        beta = math.log(0.5 / layer + 1)
        identity = torch.eye(h.shape[1], dtype=torch.float64)
        initial = 0.9 * self.a_hat @ h + 0.1 * h_0
        return torch.relu(initial @ ((1 - beta) * identity + beta * self.weights[f"encoder.{layer}.B"]))

    def g_main(self, embedding: Tensor) -> Tensor:
        layer = self.dense if self.dense_ends else self.gc
        return torch.softmax(layer(embedding, "main"), dim=1)

    def g_auxiliary(self, embedding: Tensor, task: str) -> Tensor:
        return self.gc(torch.relu(self.gc(embedding, f"{task}.0")), f"{task}.1")

    def probabilities(self) -> Tensor:
        return self.g_main(self.g_sh(self.x))

    def risk_main(self, nodes: np.ndarray) -> Tensor:
        probabilities = self.probabilities()
        return -probabilities[nodes, self.y[nodes]].log().mean()

    def risk_ae(self, nodes: np.ndarray) -> Tensor:
        return mean_squared_distance(self.x, self.g_auxiliary(self.g_sh(self.x), "AE"), nodes)

    def risk_fr(self, nodes: np.ndarray, m: np.ndarray, reconstruct: str) -> Tensor:
        p_m = torch.ones(self.x.shape[1], dtype=torch.float64)
        p_m[m] = 0
        rebuilt = self.g_auxiliary(self.g_sh(self.x @ torch.diag(p_m)), "FR")
        return mean_squared_distance(self.x[:, m] if reconstruct == "partial" else self.x, rebuilt, nodes)

    def risk_er(self, nodes: np.ndarray, n: np.ndarray, reconstruct: str, detach_target: bool) -> Tensor:
        embedding = self.g_sh(self.x)
        p_n = torch.ones(embedding.shape[1], dtype=torch.float64)
        p_n[n] = 0
        rebuilt = self.g_auxiliary(embedding @ torch.diag(p_n), "ER")
        target = embedding.detach() if detach_target else embedding
        return mean_squared_distance(target[:, n] if reconstruct == "partial" else target, rebuilt, nodes)


def pair_norm(x: Tensor) -> Tensor:
    """Equations 10 and 11 of Zhao & Akoglu with s = 1, and 1e-6 under the root as in their code."""
    centred = x - x.mean(0)
    return centred / torch.sqrt(1e-6 + centred.square().sum(1).mean())


def mean_squared_distance(target: Tensor, rebuilt: Tensor, nodes: np.ndarray) -> Tensor:
    """Mean over nodes of ‖target_i − rebuilt_i‖², the matrices being (n, columns)."""
    assert target.shape == rebuilt.shape
    return (target - rebuilt)[nodes].square().sum(1).mean()
