import numpy as np
import pytest
import torch
from support.dense import renormalised_adjacency
from support.small import BACKENDS, CPU, tiny

from mtgcn.engine import propagation
from mtgcn.engine.dropout import Mask
from mtgcn.engine.graph import Graph
from mtgcn.engine.part import NodeSet
from mtgcn.engine.sparse import BlockSparse
from mtgcn.model.layers import GC

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
    torch.testing.assert_close(GC.apply(copies, b, stacked), expected)
    torch.testing.assert_close(GC.apply(copies, b, stacked, rows), expected[:, data.test])
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
    ours = GC.apply(copies, b, x.expand(RUNS, -1, -1))
    first = GC.first(copies, b, BlockSparse([data.features] * RUNS, CPU, torch.float32))
    for run in range(RUNS):
        conv.weight.data = b["B"][run]
        theirs = conv(with_loops, x)
        torch.testing.assert_close(ours[run], theirs)
        torch.testing.assert_close(first[run], theirs)
