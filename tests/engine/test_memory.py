"""No n × d array: what a step of training needs does not grow with the number of features."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from support.small import parameters
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from mtgcn.data import toy
from mtgcn.data.datasets import from_arrays
from mtgcn.experiments import build

NODES = 6000
STEP = """
import sys
from pathlib import Path
from mtgcn.data import toy
from mtgcn.experiments import build, experiment
from mtgcn.data.datasets import from_arrays
from mtgcn.experiments.training import train

def peak():
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])

graph = from_arrays(toy.generate(nodes=int(sys.argv[1]), features=int(sys.argv[2])), "generated", "generated")
values = {"dataset": "toy", "runs": 1, "epochs": 2, "device": "cpu", "networks": {"AE+FR+ER": {}}}
chosen = experiment.parameters_of(**values)
before = peak()
train(build.build(chosen, "AE+FR+ER", graph), chosen)
print(peak() - before)
"""


def peak_of_training(features: int) -> int:
    """Bytes by which two epochs of all tasks raise the peak memory of a process of their own."""
    command = [sys.executable, "-c", STEP, str(NODES), str(features)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak memory is read from Linux's /proc")
def test_peak_memory_does_not_grow_with_the_features():
    few, many = 1_000, 30_000
    growth = peak_of_training(many) - peak_of_training(few)
    # One n × d array of one run would take this; the weights and their moments, d × 16, take a fraction.
    assert growth < 0.3 * NODES * (many - few) * 4


class LargestTensor(TorchDispatchMode):
    """Notes the largest tensor that any operation of torch makes."""

    largest = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for part in tree_leaves(result):
            if isinstance(part, torch.Tensor) and part.layout == torch.strided:
                self.largest = max(self.largest, part.untyped_storage().nbytes() // part.element_size())
        return result


@pytest.mark.parametrize("reconstruct", ["full", "partial"])
def test_no_operation_makes_an_array_of_nodes_times_features(reconstruct):
    features = 2_000
    graph = from_arrays(toy.generate(nodes=NODES, features=features), "generated", "generated")
    tasks = {"FR": {"size": 1_900, "reconstruct": reconstruct}}
    network = build.build(parameters("AE+FR+ER", tasks, runs=1), "AE+FR+ER", graph)
    with LargestTensor() as seen:
        network.training_loss().sum().backward()
        network.validate(None)
    assert 16 * NODES <= seen.largest < NODES * features / 20
