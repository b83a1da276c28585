import numpy as np
import pytest
import torch
from support.small import double_network, parameters, tiny

from mtgcn.analysis.literature import NETWORKS
from mtgcn.data import toy
from mtgcn.data.datasets import from_arrays, load
from mtgcn.engine import machine
from mtgcn.experiments import build, training
from mtgcn.experiments.best_epoch import EARLY_STOP, RULES, EarlyStop
from mtgcn.experiments.training import Progress, l2_of, train

TOY = load("toy")
# Nothing about its sizes is even: rows, labelled nodes, classes.
ODD = from_arrays(toy.generate(nodes=171, classes=7, features=61), "odd", "generated")
TASKS = {"AE": {}, "FR": {"size": 40}, "ER": {}}
# Runs end at different epochs, early.
ENDING = {"learning_rate": 0.1, "plateau_patience": 2, "plateau_tolerance": 0.02, "stop_below": 5e-4, "epochs": 50}
CURVES = ["training_loss", "validation_loss", "validation_accuracy", "learning_rate"]


def tasks_of(network):
    return {name: TASKS[name] for name in network.split("+") if name in TASKS}


def trained(network, graph=TOY, seeds=None, task_weights=None, poison=(), **values):
    """Train; the runs in ``poison`` start from a weight that is not a number."""
    chosen = parameters(network, tasks_of(network), **values)
    made = build.build(chosen, network, graph, seeds, task_weights)
    for run in poison:
        made.weights["main.B"].data[run, 0, 0] = float("nan")
    return train(made, chosen)


def assert_same_run(one, k, other, j):
    """Everything but the time taken, to the last bit."""
    for name in ("validation_accuracy", "best_epoch", "epochs", "learning_rate", "diverged"):
        np.testing.assert_array_equal(getattr(one, name)[k], getattr(other, name)[j], err_msg=name)
    for name in set(one.best_weights) & set(other.best_weights):
        assert torch.equal(one.best_weights[name][k], other.best_weights[name][j]), name
    epochs = one.epochs[k]
    for name in CURVES:
        mine, others = (np.stack(outcome.curves[name])[:epochs] for outcome in (one, other))
        np.testing.assert_array_equal(mine[:, k], others[:, j], err_msg=name)


@pytest.fixture
def two_threads(monkeypatch):
    """Let the training use two threads on small graphs too."""
    before = torch.get_num_threads()
    monkeypatch.setattr(machine, "WORTH_THREADS", 0)
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("network", NETWORKS)
def test_run_alone_equals_run_in_a_batch_of_ten(network):
    together = trained(network, runs=10, epochs=12)
    for seed in (0, 7):
        assert_same_run(together, seed, trained(network, seeds=[seed], epochs=12), 0)


@pytest.mark.parametrize("network", ["GCN", "AE+FR+ER"])
def test_number_of_threads_changes_nothing(network, two_threads):
    by_two = trained(network, runs=3, epochs=4)
    torch.set_num_threads(1)
    for seed in range(3):
        assert_same_run(by_two, seed, trained(network, seeds=[seed], epochs=4), 0)


@pytest.mark.parametrize("values", [{"hidden_units": 7, "hidden_layers": 3}, {"dropout": 0.2, "l2_layers": "all"}])
def test_run_alone_equals_run_in_a_batch_whatever_the_sizes(values):
    together = trained("AE+FR+ER", ODD, runs=10, epochs=6, **values)
    for seed in (3, 9):
        assert_same_run(together, seed, trained("AE+FR+ER", ODD, seeds=[seed], epochs=6, **values), 0)


@pytest.mark.parametrize("network", NETWORKS)
def test_run_goes_on_alike_when_others_have_ended(network):
    together = trained(network, runs=8, **ENDING)
    assert len(set(together.epochs)) > 2, "the runs should end at different epochs"
    for seed in (int(together.epochs.argmin()), int(together.epochs.argmax())):
        assert_same_run(together, seed, trained(network, seeds=[seed], **ENDING), 0)


@pytest.mark.parametrize("network", NETWORKS[1:])
def test_weights_of_zero_give_the_plain_network(network):
    names = tasks_of(network)
    plain = trained("GCN", runs=2)
    everywhere = trained(network, runs=2, task_weights={name: [0, 0] for name in names})
    in_one_run = trained(network, runs=2, task_weights={name: [0, 5.0] for name in names})
    for run in range(2):
        assert_same_run(plain, run, everywhere, run)
    assert_same_run(plain, 0, in_one_run, 0)
    assert not torch.equal(plain.best_weights["main.B"][1], in_one_run.best_weights["main.B"][1])


def first(score):
    return score.argmax(0) + 1


def last(score):
    return len(score) - score[::-1].argmax(0)


@pytest.mark.parametrize("by", RULES)
def test_best_epoch_is_that_of_the_curves(by):
    outcome = trained("AE", best_epoch_by=by, runs=3, epochs=40)
    accuracy = np.stack(outcome.curves["validation_accuracy"])
    loss = np.stack(outcome.curves["validation_loss"])
    if by != "main-loss":  # which has no curve
        of_equals = np.where(accuracy == accuracy.max(0), -loss, -np.inf)
        rules = {"accuracy": first(accuracy), "accuracy-last": last(accuracy)}
        rules |= {"accuracy-loss": first(of_equals), "loss": first(-loss)}
        assert outcome.best_epoch.tolist() == rules[by].tolist()
    at_best = accuracy[outcome.best_epoch - 1, np.arange(3)]
    np.testing.assert_allclose(outcome.validation_accuracy, at_best, rtol=1e-6)
    # The weights kept are those of that epoch: a training that ends there has the same ones last.
    for run in range(3):
        shorter = trained("AE", seeds=[run], epochs=int(outcome.best_epoch[run]), best_epoch_by=by)
        for name, value in shorter.best_weights.items():
            assert torch.equal(value[0], outcome.best_weights[name][run])


def test_all_rules_are_followed_whichever_counts():
    one, other = (trained("ER", best_epoch_by=by, runs=3, **ENDING) for by in ("accuracy", "loss"))
    for rule in RULES:
        assert one.best[rule].epoch.tolist() == other.best[rule].epoch.tolist()
        for name, value in one.best[rule].weights.items():
            assert torch.equal(value, other.best[rule].weights[name])
    assert one.best_epoch.tolist() != other.best_epoch.tolist()


@pytest.mark.parametrize("by", ["accuracy", "loss"])
def test_an_early_stop_keeps_the_weights_of_the_epoch_where_the_loss_rises(by):
    outcome = trained("GCN", runs=3, epochs=120, learning_rate=0.1, best_epoch_by=by)
    loss = np.stack(outcome.curves["validation_loss"]).astype(float)  # without a task that of the main risk
    stopped = outcome.best[EARLY_STOP]
    for run in range(3):
        losses = loss[:, run].tolist()
        ends = [e for e in range(12, 121) if losses[e - 1] > sum(losses[e - 11 : e - 1]) / 10]
        assert 12 <= ends[0] < 120
        assert stopped.epoch[run] == ends[0]
        shorter = trained("GCN", seeds=[run], epochs=ends[0], learning_rate=0.1).best[EARLY_STOP]
        for name, value in shorter.weights.items():
            assert torch.equal(value[0], stopped.weights[name][run])


def test_a_run_that_never_stops_early_has_its_last_epoch_and_one_that_diverges_the_last_good_one():
    stop, moving = EarlyStop(2), np.arange(2)
    for number in range(1, 40):
        falling, broken = 1 / number, np.nan if number > 5 else 1 / number
        score, tie = stop.scores(number, moving, np.array([falling, broken]))
        assert score.tolist() == [number, number]
        assert np.isfinite(tie).tolist() == [True, number <= 5]


def test_main_loss_is_that_of_a_network_without_tasks():
    plain = trained("GCN", runs=3, epochs=30)
    assert plain.best["main-loss"].epoch.tolist() == plain.best["loss"].epoch.tolist()
    decayed = trained("GCN", runs=3, epochs=30, l2=3.0, l2_in_validation_loss=True)
    assert decayed.best["main-loss"].epoch.tolist() != decayed.best["loss"].epoch.tolist()


def test_a_run_ends_with_its_learning_rate_and_its_curve_with_the_run():
    outcome = trained("GCN", runs=6, **ENDING)
    rates = np.stack(outcome.curves["learning_rate"])
    assert len(set(outcome.epochs)) > 2
    assert len(rates) == outcome.epochs.max()
    for run, epochs in enumerate(outcome.epochs):
        assert (rates[:epochs, run] >= np.float32(5e-4)).all()
        assert epochs == 50 or rates[epochs - 1, run] < np.float32(5e-3)  # one more cut was due
        for name in CURVES:
            ended = np.isnan(np.stack(outcome.curves[name])[:, run])
            assert ended.tolist() == [False] * epochs + [True] * (len(rates) - epochs)
    assert outcome.learning_rate == pytest.approx([rates[e - 1, r] for r, e in enumerate(outcome.epochs)])


def test_zero_never_stops_a_run():
    outcome = trained("GCN", epochs=80, plateau_patience=1, plateau_tolerance=0.5, stop_below=0)
    assert outcome.epochs.tolist() == [80] * 3
    assert (outcome.learning_rate < 1e-20).all()


@pytest.mark.parametrize("network", ["GCN", "AE+FR+ER"])
def test_diverged_run_is_marked_and_does_not_touch_the_others(network):
    healthy = trained(network)
    outcome = trained(network, poison=[1])
    assert outcome.diverged.tolist() == [False, True, False]
    assert outcome.epochs.tolist() == [30, 1, 30]
    assert (outcome.best_epoch[1], np.isnan(outcome.validation_accuracy[1])) == (0, True)
    for run in (0, 2):
        assert_same_run(healthy, run, outcome, run)


def test_run_that_diverges_on_its_way_keeps_what_it_had_reached():
    chosen = parameters("GCN")
    network = build.build(chosen, "GCN", TOY)

    def poison(progress: Progress) -> None:
        if progress.epoch == 10:
            network.weights["main.B"].data[2, :, 0] = float("nan")

    outcome = train(network, chosen, poison)
    assert outcome.diverged.tolist() == [False, False, True]
    assert outcome.epochs.tolist() == [30, 30, 11]
    assert 1 <= outcome.best_epoch[2] <= 10
    assert all(value[2].isfinite().all() for value in outcome.best_weights.values())


def test_all_runs_may_diverge():
    outcome = trained("AE", learning_rate=1e30)
    assert outcome.diverged.all()
    assert (outcome.epochs < 30).all()


def test_interrupted_training_hands_over_what_it_has():
    chosen = parameters("GCN")

    def interrupt(progress: Progress) -> None:
        if progress.epoch == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        train(build.build(chosen, "GCN", TOY), chosen, interrupt)
    outcome = caught.value.args[0]
    assert outcome.epochs.tolist() == [7] * 3
    assert len(outcome.curves["training_loss"]) == 7


def test_progress_tells_epoch_mean_accuracy_and_runs_still_moving():
    seen: list[Progress] = []
    chosen = parameters(runs=6, **ENDING)
    outcome = train(build.build(chosen, "GCN", TOY), chosen, seen.append)
    assert [p.epoch for p in seen] == list(range(1, outcome.epochs.max() + 1))
    assert [p.moving for p in seen] == [(outcome.epochs >= p.epoch).sum() for p in seen]
    assert seen[-1].validation_accuracy == pytest.approx(outcome.validation_accuracy.mean())


@pytest.mark.parametrize(("layers", "names"), [("first", {"encoder.0.B"}), ("all", None)])
def test_l2_acts_on_the_first_layer_or_on_all(layers, names):
    """With no risk at all a step moves what L2 acts on, and nothing else."""
    chosen = parameters("AE", {"AE": {"weight": 1.0}}, hidden_layers=2, main_weight=0, l2_layers=layers, epochs=1)
    network = double_network(tiny(), chosen)
    acted_on = {name for name, coefficient in l2_of(network, chosen).items() if coefficient}
    assert acted_on == (names or set(network.weights))
    chosen = parameters("GCN", hidden_layers=2, main_weight=0, l2_layers=layers, l2=0.1, epochs=1)
    network = double_network(tiny(), chosen)
    before = {name: value.detach().clone() for name, value in network.weights.items()}
    train(network, chosen)
    for name, value in network.weights.items():
        moved = value.detach() - before[name]
        gradient = l2_of(network, chosen)[name] * before[name]
        expected = -0.01 * gradient / (gradient.abs() + 1e-8)  # Adam's first step
        torch.testing.assert_close(moved, expected, rtol=1e-6, atol=1e-12)


def test_half_or_whole_is_a_factor_of_two():
    one, other = (trained("GCN", runs=2, epochs=5, l2=l2, l2_counts=c) for l2, c in ((0.02, "half"), (0.01, "whole")))
    assert_same_run(one, 1, other, 1)


def test_the_penalty_in_the_validation_loss_is_that_of_the_formula():
    shown = {"epochs": 1, "l2": 0.1, "l2_layers": "all", "hidden_layers": 2}
    outside, inside = (trained("AE", **shown, l2_in_validation_loss=i) for i in (False, True))
    squares = sum(value[0].double().square().sum() for value in inside.best_weights.values())
    difference = inside.curves["validation_loss"][0][0] - outside.curves["validation_loss"][0][0]
    assert difference == pytest.approx(0.05 * squares.item(), rel=1e-4)


def test_biases_are_not_decayed():
    chosen = parameters("AE", {"AE": {}}, layer="GC+bias", l2_layers="all")
    network = double_network(tiny(), chosen)
    coefficients = l2_of(network, chosen)
    assert {name for name, value in coefficients.items() if not value} == {
        f"{site}.bias" for site in ("encoder.0", "main", "AE.0", "AE.1")
    }


def test_validation_risk_nodes_decide_on_the_validation_loss():
    losses = [np.stack(trained("AE", validation_risk_nodes=v).curves["validation_loss"]) for v in ("validation", "all")]
    assert not np.allclose(*losses)


@pytest.mark.parametrize(("large", "epochs"), [(0, [5, 9, 13, 17]), (1 << 24, [])])
def test_on_a_large_graph_free_memory_is_given_back_every_fourth_epoch(monkeypatch, large, epochs):
    seen, given_back = [], []
    monkeypatch.setattr(training, "LARGE", large)
    monkeypatch.setattr(training, "give_back", lambda: given_back.append(len(seen) + 1))
    chosen = parameters(runs=1, epochs=18)
    train(build.build(chosen, "GCN", TOY), chosen, seen.append)
    assert given_back == epochs


def test_a_gpu_would_be_waited_for_once_an_epoch(monkeypatch):
    """Counted on the CPU, with the path that a GPU takes: nothing else brings a tensor to the host."""
    waits = []
    for name in ("cpu", "item", "tolist", "__bool__", "__float__"):
        usual = getattr(torch.Tensor, name)
        monkeypatch.setattr(
            torch.Tensor, name, lambda x, *a, _name=name, _usual=usual: waits.append(_name) or _usual(x, *a)
        )
    chosen = parameters("AE+FR+ER", runs=2, epochs=12, backend="torch")
    network = build.build(chosen, "AE+FR+ER", TOY)
    waits.clear()
    train(network, chosen)
    assert waits == ["cpu"] * 12
