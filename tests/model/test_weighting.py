"""Learned weights of the risks, each step against its formula in float64 on a small graph."""

import numpy as np
import pytest
import torch
from support.small import double_network, parameters, tiny

from mtgcn.engine.adam import Adam
from mtgcn.errors import MtgcnError
from mtgcn.experiments import experiment
from mtgcn.experiments.plateau import Plateau
from mtgcn.experiments.training import l2_of

pytestmark = pytest.mark.usefixtures("one_thread")

GRAPH = tiny()
TASKS = {"AE": {"weight": 30.0}, "NC": {"weight": 0.5, "clusters": 5}, "GCo": {"weight": 0.3, "size": 4}}
NAME = "AE+NC+GCo"


def chosen(weighting: str, **values):
    defaults = {"dropout": 0, "hidden_units": 6, "hidden_layers": 2, "weighting": weighting}
    return parameters(NAME, TASKS, **(defaults | values))


def network_of(values):
    return double_network(GRAPH, values)


def risks_of(network) -> dict[str, torch.Tensor]:
    return dict(network._training_risks())


def test_static_weights_are_those_given():
    network = network_of(chosen("static", main_weight=1.3))
    risks = risks_of(network)
    expected = 1.3 * risks["main"] + 30 * risks["AE"] + 0.5 * risks["NC"] + 0.3 * risks["GCo"]
    torch.testing.assert_close(network.training_loss(), expected)
    assert not [name for name in network.weights if name.startswith("weighting.")]


def test_equal_weights_are_one():
    network = network_of(chosen("equal"))
    torch.testing.assert_close(network.training_loss(), sum(risks_of(network).values()))


def test_uncertainty_is_the_formula_with_its_gradients():
    network = network_of(chosen("uncertainty"))
    learned = network.weights["weighting.log_sigma"]
    assert learned.shape == (3, 4)
    assert not learned.any()
    with torch.no_grad():
        learned.copy_(torch.linspace(-0.6, 0.7, 12).view(3, 4))
    network.descend()
    sigma, risks = learned.detach().exp(), {name: risk.detach() for name, risk in risks_of(network).items()}
    expected = (
        risks["main"] / sigma[:, 0] ** 2
        + risks["AE"] / (2 * sigma[:, 1] ** 2)
        + risks["NC"] / sigma[:, 2] ** 2
        + risks["GCo"] / sigma[:, 3]
        + sigma.log().sum(1)
    )
    torch.testing.assert_close(network.training_loss().detach(), expected)
    by_log_sigma = [
        1 - 2 * risks["main"] / sigma[:, 0] ** 2,
        1 - risks["AE"] / sigma[:, 1] ** 2,
        1 - 2 * risks["NC"] / sigma[:, 2] ** 2,
        1 - risks["GCo"] / sigma[:, 3],
    ]
    torch.testing.assert_close(network.weights.gradient("weighting.log_sigma"), torch.stack(by_log_sigma, dim=1))


def differences(network, name: str, run: int, step: float = 1e-6) -> dict[str, np.ndarray]:
    """The gradient of every risk of a run by a weight, by finite differences."""
    value = network.weights[name]
    found = {task: np.zeros(value.shape[1:]) for task in risks_of(network)}
    for place in np.ndindex(*value.shape[1:]):
        for sign in (1, -1):
            with torch.no_grad():
                value[(run, *place)] += sign * step
                for task, risk in risks_of(network).items():
                    found[task][place] += sign * float(risk[run]) / (2 * step)
                value[(run, *place)] -= sign * step
    return found


def test_gradnorm_is_the_formula():
    """One step from the second epoch on, with norms by finite differences."""
    network, alpha, run = network_of(chosen("gradnorm", gradnorm_alpha=0.7)), 0.7, 1
    network.descend()
    first = {name: float(risk[run].detach()) for name, risk in risks_of(network).items()}
    Adam(network.weights, {}).step([0.05] * 3)
    network.weighting.after_step(network.weights)
    w = (1 + network.weights["weighting.beyond_one"][run]).detach().numpy()
    assert w.sum() == pytest.approx(4)
    assert len(set(w.round(6))) > 1
    loss = network.descend()

    now = {name: float(risk[run].detach()) for name, risk in risks_of(network).items()}
    assert float(loss[run]) == pytest.approx(sum(w * list(now.values())))
    gradients = differences(network, "encoder.1.B", run)
    norms = np.array([np.linalg.norm(one) for one in gradients.values()])
    ratios = np.array([now[name] / first[name] for name in now])
    target = (w * norms).mean() * (ratios / ratios.mean()) ** alpha
    expected = np.sign(w * norms - target) * norms
    found = network.weights.gradient("weighting.beyond_one")[run].numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    total = sum(weight * one for weight, one in zip(w, gradients.values(), strict=True))
    np.testing.assert_allclose(network.weights.gradient("encoder.1.B")[run].numpy(), total, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("weighting", ["equal", "uncertainty", "gradnorm"])
def test_gradients_of_all_weights_are_those_of_the_objective(weighting):
    by_descend, by_loss = (network_of(chosen(weighting)) for _ in range(2))
    by_descend.descend()
    by_loss.training_loss().sum().backward()
    for name in by_loss.weights:
        if not name.startswith("weighting."):
            torch.testing.assert_close(by_descend.weights.gradient(name), by_loss.weights.gradient(name))


@pytest.mark.parametrize("weighting", ["uncertainty", "gradnorm"])
def test_run_alone_equals_run_in_company(weighting):
    values = {"hidden_layers": 1, "dropout": 0.5, "epochs": 25, "weighting": weighting}
    tasks = {"AE": {}, "GP": {"parts": 3}}
    both = experiment.run(parameters("AE+GP", tasks, **values), GRAPH, progress=False)
    alone = experiment.run(parameters("AE+GP", tasks, **(values | {"runs": 1, "first_seed": 1})), GRAPH, progress=False)
    one, other = both.trained["AE+GP"].best_weights, alone.trained["AE+GP"].best_weights
    for name in one:
        assert torch.equal(one[name][1], other[name][0]), name
    learned = {"uncertainty": "weighting.log_sigma", "gradnorm": "weighting.beyond_one"}[weighting]
    assert one[learned].abs().max() > 0


@pytest.mark.parametrize("weighting", ["uncertainty", "gradnorm"])
def test_what_is_learned_has_no_l2_and_goes_on_with_fewer_runs(weighting):
    values = chosen(weighting, l2_layers="all")
    network = network_of(values)
    assert {name for name, l2 in l2_of(network, values).items() if not l2} == {
        name for name in network.weights if name.startswith("weighting.")
    }
    network.descend()
    Adam(network.weights, {}).step([0.01] * 3)
    network.weighting.after_step(network.weights)
    kept = network.keep([0, 2])
    torch.testing.assert_close(kept.training_loss(), network.training_loss()[[0, 2]])


@pytest.mark.parametrize("weighting", ["equal", "uncertainty", "gradnorm"])
def test_a_network_without_tasks_is_the_plain_one(weighting):
    runs = [
        experiment.run(parameters(epochs=15, weighting=one), GRAPH, progress=False).table["validation_accuracy"]
        for one in ("static", weighting)
    ]
    assert runs[0].equals(runs[1])


def test_an_unknown_weighting_is_one_sentence():
    with pytest.raises(MtgcnError, match="weighting is 'learned': input should be 'static', 'equal', 'uncertainty' or"):
        parameters(weighting="learned")


def test_a_negative_loss_that_rises_is_no_improvement():
    plateau = Plateau(2, 0.1, 2, 0.5, 1e-2)
    for losses in ([-1.0, -1.0], [-1.001, -1.2], [-1.002, -1.3]):
        plateau.update(np.array(losses))
    assert plateau.learning_rates.tolist() == [0.05, 0.1]
