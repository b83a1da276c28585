import numpy as np
import pytest
import scipy.sparse as sp
import torch
from support.dense import renormalised_adjacency
from support.small import BACKENDS, CPU

from mtgcn.engine.graph import Graph
from mtgcn.engine.part import NodeSet, Part, around

pytestmark = pytest.mark.usefixtures("one_thread")

# A path, a triangle, and node 7 alone.
EDGES = np.array([[0, 1, 3, 3, 4], [1, 2, 4, 5, 5]])
NODES, RUNS = 8, 3
SOME = Part(NODES, NodeSet("some", np.array([1, 2, 6])))


def test_around_is_what_powers_of_the_matrix_reach():
    a_hat = renormalised_adjacency(EDGES, NODES)
    for hops in range(4):
        reached = torch.linalg.matrix_power(a_hat, hops)[:, [3, 0]].sum(1).nonzero().flatten().numpy()
        assert np.array_equal(around(EDGES, NodeSet("two", np.array([3, 0])), hops, NODES).index, reached)


def test_nearly_all_is_all():
    whole = Graph(EDGES, NODES, RUNS, CPU)
    everywhere = NodeSet("everywhere", np.array([1, 3, 7, 6]))
    assert around(EDGES, everywhere, 1, NODES) == Part(NODES)
    assert whole.around(everywhere, 1) is whole


@pytest.mark.parametrize("backend", BACKENDS)
def test_part_gives_the_same_where_no_neighbour_is_missing(backend):
    whole = Graph(EDGES, NODES, RUNS, CPU, backend=backend)
    inside = NodeSet("one", np.array([0]))  # its neighbour 1 has another one, which is not a member
    part = whole.around(inside, 1)
    assert part.part.index.tolist() == [0, 1]
    x = torch.randn(RUNS, NODES, 5, generator=torch.Generator().manual_seed(0))
    here = whole.take(x, part.part.members)
    assert torch.equal(here, x[:, [0, 1]])
    assert torch.equal(part.propagate(here, inside), whole.propagate(x, inside))
    assert torch.equal(part.take(part.propagate(here), inside), whole.propagate(x, inside))
    assert torch.equal(part.take(here, inside), x[:, [0]])
    assert part.take(here, None) is here


def test_rows_are_found_where_the_part_has_them():
    assert SOME.places(NodeSet("last", np.array([6, 1]))).tolist() == [2, 0]
    assert Part(NODES).places(NodeSet("last", np.array([6, 1]))).tolist() == [6, 1]
    assert (SOME.nodes, Part(NODES).nodes) == (3, NODES)


def test_values_of_a_state_are_found_in_that_of_the_whole():
    whole = torch.arange(RUNS * NODES * 4).view(RUNS, NODES, 4)
    assert torch.equal(whole.flatten()[SOME.state_values(RUNS, 4)].view(RUNS, 3, 4), whole[:, [1, 2, 6]])
    assert Part(NODES).state_values(RUNS, 4) is None


def test_stored_values_of_some_rows_are_found_among_those_of_all():
    random = np.random.default_rng(0)
    matrices = [sp.csr_matrix(random.random((NODES, 5)) * (random.random((NODES, 5)) < 0.5)) for _ in range(RUNS)]
    everything = np.concatenate([matrix.data for matrix in matrices])
    expected = np.concatenate([matrix[[1, 2, 6]].data for matrix in matrices])
    assert np.array_equal(everything[SOME.stored_values(matrices)], expected)
    assert Part(NODES).stored_values(matrices) is None
