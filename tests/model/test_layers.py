import numpy as np
import pytest
import torch
from support.dense import renormalised_adjacency
from support.small import BACKENDS, CPU, tiny

from mtgcn.engine import propagation
from mtgcn.engine.dropedge import ThinnedGraph
from mtgcn.engine.dropout import Mask
from mtgcn.engine.graph import Graph
from mtgcn.engine.part import NodeSet
from mtgcn.engine.sparse import BlockSparse
from mtgcn.model.layers import GC, SAGE

pytestmark = pytest.mark.usefixtures("one_thread")

RUNS, OUTPUTS = 3, 6


@pytest.fixture(scope="module")
def data():
    return tiny()


def weights(inputs: int, dtype: torch.dtype = torch.float64) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    ((name, shape),) = GC.shapes(inputs, OUTPUTS).items()
    return {name: torch.randn(RUNS, *shape, generator=generator, dtype=torch.float64).to(dtype)}


def test_gc_has_one_weight_matrix_and_no_bias():
    assert GC.shapes(7, 4) == {"B": (7, 4)}


@pytest.mark.parametrize("backend", BACKENDS)
def test_gc_is_the_dense_formula(data, backend):
    copies = Graph(data.edges, data.nodes, RUNS, CPU, torch.float64, backend)
    a_hat = renormalised_adjacency(data.edges, data.nodes)
    x = torch.from_numpy(data.features.toarray()).double()
    b = weights(x.shape[1])
    expected = torch.stack([a_hat @ x @ b["B"][run] for run in range(RUNS)])
    stacked, rows = x.expand(RUNS, -1, -1), NodeSet("test", data.test)
    sparse = BlockSparse([data.features] * RUNS, CPU, torch.float64)
    torch.testing.assert_close(GC.first(copies, b, sparse), expected)
    torch.testing.assert_close(GC().apply(copies, b, stacked), expected)
    torch.testing.assert_close(GC().apply(copies, b, stacked, rows), expected[:, data.test])
    z, factor = GC.factors(copies, b, stacked, rows)
    torch.testing.assert_close(z @ factor, expected[:, data.test])


@pytest.mark.parametrize("backend", BACKENDS)
def test_first_layer_scales_the_stored_features(data, backend):
    copies = Graph(data.edges, data.nodes, RUNS, CPU, torch.float64, backend)
    sparse = BlockSparse([data.features] * RUNS, CPU, torch.float64, backend)
    kept = torch.randint(0, 2, (RUNS * data.features.nnz,), generator=torch.Generator().manual_seed(2)).byte()
    b = weights(sparse.columns)
    result = GC.first(copies, b, sparse.masked(Mask(kept, sparse.reorder(kept), 0, 2.0)))
    a_hat = renormalised_adjacency(data.edges, data.nodes)
    for run, part in enumerate(kept.split([data.features.nnz] * RUNS)):
        scaled = data.features.copy()
        scaled.data = scaled.data * (2.0 * part.numpy())
        torch.testing.assert_close(result[run], a_hat @ torch.from_numpy(scaled.toarray()).double() @ b["B"][run])


@pytest.mark.parametrize("backend", BACKENDS)
def test_dgl_graph_conv_gives_the_same(data, backend):
    dgl = propagation.dgl_module()
    from dgl.nn import GraphConv

    directed = torch.from_numpy(np.concatenate([data.edges, data.edges[::-1]], axis=1))
    with_loops = dgl.add_self_loop(dgl.graph((directed[0], directed[1]), num_nodes=data.nodes))
    conv = GraphConv(data.features.shape[1], OUTPUTS, norm="both", bias=False)
    x = torch.from_numpy(data.features.toarray())
    b = weights(x.shape[1], torch.float32)
    copies = Graph(data.edges, data.nodes, RUNS, CPU, backend=backend)
    ours = GC().apply(copies, b, x.expand(RUNS, -1, -1))
    first = GC.first(copies, b, BlockSparse([data.features] * RUNS, CPU, torch.float32))
    for run in range(RUNS):
        conv.weight.data = b["B"][run]
        theirs = conv(with_loops, x)
        torch.testing.assert_close(ours[run], theirs)
        torch.testing.assert_close(first[run], theirs)


def mean_of_neighbours(edges: np.ndarray, nodes: int) -> torch.Tensor:
    a = torch.zeros(nodes, nodes, dtype=torch.float64)
    for u, v in edges.T.tolist():
        a[u, v] = a[v, u] = 1.0
    return a / a.sum(1, keepdim=True).clamp_min(1)


def sage_weights(inputs: int) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(2)
    shapes = SAGE.shapes(inputs, OUTPUTS).items()
    return {name: torch.randn(RUNS, *shape, generator=generator, dtype=torch.float64) for name, shape in shapes}


@pytest.mark.parametrize("backend", BACKENDS)
def test_sage_is_the_dense_formula_and_dgl_gives_the_same(data, backend):
    copies = Graph(data.edges, data.nodes, RUNS, CPU, torch.float64, backend)
    x = torch.from_numpy(data.features.toarray()).double()
    w, stacked, rows = sage_weights(x.shape[1]), x.expand(RUNS, -1, -1), NodeSet("test", data.test)
    mean = mean_of_neighbours(data.edges, data.nodes)
    expected = torch.stack([mean @ x @ w["B"][run] + x @ w["C"][run] for run in range(RUNS)])
    torch.testing.assert_close(SAGE.first(copies, w, BlockSparse([data.features] * RUNS, CPU, torch.float64)), expected)
    torch.testing.assert_close(SAGE().apply(copies, w, stacked), expected)
    torch.testing.assert_close(SAGE().apply(copies, w, stacked, rows), expected[:, data.test])
    near = copies.around(NodeSet("one", data.test[:1]), 1)
    inner = near.take(stacked, None) if near.part.members is None else stacked[:, near.part.index]
    torch.testing.assert_close(SAGE().apply(near, w, inner, NodeSet("one", data.test[:1])), expected[:, data.test[:1]])

    dgl = propagation.dgl_module()
    from dgl.nn import SAGEConv

    directed = torch.from_numpy(np.concatenate([data.edges, data.edges[::-1]], axis=1))
    graph = dgl.graph((directed[0], directed[1]), num_nodes=data.nodes)
    conv = SAGEConv(x.shape[1], OUTPUTS, "mean", bias=False).double()
    for run in range(RUNS):
        conv.fc_neigh.weight.data, conv.fc_self.weight.data = w["B"][run].T, w["C"][run].T
        torch.testing.assert_close(expected[run], conv(graph, x))


def test_sage_sees_the_edges_that_dropedge_leaves(data):
    thinned = ThinnedGraph(Graph(data.edges, data.nodes, RUNS, CPU, torch.float64), list(range(RUNS)), 0.4)
    thinned.draw()
    x = torch.randn(RUNS, data.nodes, 3, dtype=torch.float64, requires_grad=True)
    result = thinned.average(x)
    result.square().sum().backward()
    for run in range(RUNS):
        mean = mean_of_neighbours(data.edges[:, thinned._stays[run] > 0], data.nodes)
        torch.testing.assert_close(result[run], mean @ x[run])
        torch.testing.assert_close(x.grad[run], (2 * mean.T @ mean @ x[run]).detach())
