import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from support.dense import renormalised_adjacency
from support.small import BACKENDS, CPU

from mtgcn.engine import compiled, machine, propagation
from mtgcn.engine.graph import Graph
from mtgcn.engine.part import NodeSet
from mtgcn.errors import MtgcnError

pytestmark = pytest.mark.usefixtures("one_thread")

# A path, a triangle, and node 7 alone.
EDGES = np.array([[0, 1, 3, 3, 4], [1, 2, 4, 5, 5]])
NODES, RUNS = 8, 3
ROWS = NodeSet("some", np.array([7, 0, 4, 3]))


def states(channels: int = 5, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(RUNS, NODES, channels, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("rows", [None, ROWS])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-14), (torch.float32, 1e-6)])
@pytest.mark.parametrize("loops", [[], [0, 4, 7]])
@pytest.mark.parametrize("adjacency", ["symmetric", "row"])
def test_propagation_is_the_dense_formula_forward_and_backward(backend, rows, dtype, tolerance, loops, adjacency):
    itself = np.array(loops, dtype=np.int64)
    copies = Graph(EDGES, NODES, RUNS, CPU, dtype, backend, loops=itself, adjacency=adjacency)
    a_hat = renormalised_adjacency(EDGES, NODES, itself, adjacency)
    a_hat = a_hat if rows is None else a_hat[rows.index]
    x, expected_x = states(dtype=dtype), states()
    result, expected = copies.propagate(x, rows), a_hat @ expected_x
    torch.testing.assert_close(result.double(), expected, rtol=tolerance, atol=tolerance)
    upstream = torch.linspace(-1, 1, expected.numel(), dtype=torch.float64).view(expected.shape)
    result.backward(upstream.to(dtype))
    expected.backward(upstream)
    torch.testing.assert_close(x.grad.double(), expected_x.grad, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradient_is_what_small_steps_give(backend):
    copies = Graph(EDGES, NODES, RUNS, CPU, torch.float64, backend)
    for rows in (None, ROWS):
        assert torch.autograd.gradcheck(lambda x, rows=rows: copies.propagate(x, rows), states(2))


@pytest.mark.parametrize("backend", BACKENDS)
def test_copies_do_not_touch_each_other(backend):
    copies = Graph(EDGES, NODES, RUNS, CPU, torch.float64, backend)
    x = states().detach()
    before = copies.propagate(x)
    x[1] += 1
    after = copies.propagate(x)
    assert torch.equal(before[[0, 2]], after[[0, 2]])
    assert not torch.equal(before[1], after[1])


@pytest.mark.parametrize("backend", BACKENDS)
def test_graph_without_edges_changes_nothing(backend):
    copies = Graph(np.empty((2, 0), dtype=np.int64), NODES, RUNS, CPU, torch.float64, backend)
    assert torch.equal(copies.propagate(states()), states())


@pytest.mark.parametrize("rows", [None, ROWS])
def test_backends_agree(rows):
    x = [states(dtype=torch.float32) for _ in BACKENDS]
    results = [Graph(EDGES, NODES, RUNS, CPU, backend=b).propagate(x[k], rows) for k, b in enumerate(BACKENDS)]
    for result in results:
        result.square().sum().backward()
    for k in range(1, len(BACKENDS)):
        torch.testing.assert_close(results[0], results[k])
        torch.testing.assert_close(x[0].grad, x[k].grad)


def test_a_part_knows_the_loops_of_its_nodes():
    whole = Graph(EDGES, NODES, RUNS, CPU, torch.float64, loops=np.array([4]))
    part = whole.around(NodeSet("one", np.array([3])), 1)
    places = part.part.index
    assert set(places) == {3, 4, 5}
    x = states()
    torch.testing.assert_close(part.propagate(x[:, places])[:, 0], whole.propagate(x)[:, 3])


def test_input_is_left_as_it_was():
    x = states()
    for backend in BACKENDS:
        Graph(EDGES, NODES, RUNS, CPU, torch.float64, backend).propagate(x).sum().backward()
    assert torch.equal(x, states())


def test_backend_is_the_first_that_can_be_had(monkeypatch):
    assert Graph(EDGES, NODES, RUNS, CPU).backend == "compiled"
    assert Graph(EDGES, NODES, RUNS, CPU, backend="torch").backend == "torch"
    monkeypatch.setattr(compiled, "library", lambda dtype: None)  # as without a compiler
    assert Graph(EDGES, NODES, RUNS, CPU).backend == "dgl"
    with pytest.raises(MtgcnError, match="'compiled' needs a C compiler called cc, and runs on a CPU; use backend"):
        Graph(EDGES, NODES, RUNS, CPU, backend="compiled")
    try:
        propagation.dgl_module().graph(([0], [0]), device="cuda")
    except Exception:
        assert propagation.choose_backend("auto", torch.device("cuda"), torch.float32) == "torch"
    else:
        assert propagation.choose_backend("auto", torch.device("cuda"), torch.float32) == "dgl"


def test_device_is_chosen_by_what_is_there(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert machine.choose_device("auto") == machine.choose_device("cpu") == CPU
    with pytest.raises(MtgcnError, match="'cuda' was asked for, but torch finds no GPU here; use device 'auto'"):
        machine.choose_device("cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert machine.choose_device("auto") == machine.choose_device("cuda") == torch.device("cuda")
    assert machine.choose_device("cpu") == CPU


def test_dgl_is_imported_without_a_word_and_without_a_file_in_the_home_folder(tmp_path):
    environment = {k: v for k, v in os.environ.items() if k not in ("DGLBACKEND", "DGLDEFAULTDIR")}
    code = "from mtgcn.engine import propagation; propagation.dgl_module()"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment | {"HOME": str(tmp_path)}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []
