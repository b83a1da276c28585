import pytest
from pydantic import ValidationError

from mtgcn.analysis.literature import NETWORKS
from mtgcn.errors import MtgcnError
from mtgcn.experiments.experiment import parameters_of
from mtgcn.experiments.network_names import tasks_of
from mtgcn.experiments.parameters import Parameters


def test_defaults_are_those_of_the_paper():
    chosen = Parameters(dataset="cora")
    assert chosen.networks == {"GCN": {}}
    assert (chosen.hidden_layers, chosen.hidden_units, chosen.layer) == (1, 16, "GC")
    assert (chosen.runs, chosen.epochs, chosen.learning_rate) == (10, 5000, 0.01)
    assert (chosen.dropout, chosen.l2) == (0.5, 5e-4)
    assert (chosen.plateau_patience, chosen.plateau_factor) == (40, 0.1)


def test_open_points_of_the_paper_have_the_documented_defaults():
    chosen = Parameters(dataset="cora")
    assert (chosen.l2_layers, chosen.best_epoch_by) == ("first", "accuracy")
    assert (chosen.validation_risk_nodes, chosen.plateau_tolerance) == ("validation", 1e-4)
    assert chosen.normalise_features is True
    tasks = tasks_of("AE+FR+ER")
    assert (tasks["FR"].size_means, tasks["ER"].detach_target) == ("zeroed", False)


def test_seeds_are_listed_from_the_first():
    assert Parameters(dataset="cora", runs=3, first_seed=5).seeds == [5, 6, 7]


@pytest.mark.parametrize("network", NETWORKS)
def test_name_of_a_network_lists_its_tasks(network):
    tasks = Parameters(dataset="cora", networks={network: {}}).networks[network]
    assert "+".join(tasks) == ("" if network == "GCN" else network)


def test_parameters_survive_a_file():
    given = {"FR": {"weight": 3.0, "size": 7, "reconstruct": "partial"}, "AE": {"nodes": "labelled"}}
    chosen = Parameters(dataset="toy", networks={"AE+FR": given, "ER": {"ER": {"detach_target": True}}}, l2=0.25)
    assert list(chosen.networks["AE+FR"]) == ["AE", "FR"]
    assert Parameters.model_validate_json(chosen.model_dump_json()) == chosen
    assert Parameters.model_validate(chosen.model_dump()) == chosen
    assert chosen.networks["AE+FR"]["FR"].size == 7


def test_parameters_cannot_be_changed_afterwards():
    chosen = Parameters(dataset="toy")
    with pytest.raises(ValidationError):
        chosen.runs = 3


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"networks": {"AF": {}}}, "there is no network 'AF'; did you mean 'AE'?"),
        ({"networks": {"FR+AE": {}}}, "there is no network 'FR+AE'; did you mean 'AE+FR'?"),
        ({"networks": {"AE+AE": {}}}, "there is no network 'AE+AE'; did you mean 'AE'?"),
        ({"networks": {"gco+nc+AE": {}}}, "there is no network 'gco+nc+AE'; did you mean 'AE+NC+GCo'?"),
        ({"networks": {"AE+GCN": {}}}, "there is no network 'AE+GCN'; it is GCN, or some of AE, FR, ER, NC"),
        ({"networks": {"xyz": {}}}, "there is no network 'xyz'; it is GCN, or some of AE, FR, ER, NC"),
        ({"networks": {}}, "networks"),
        ({"networks": {"AE": {"FR": {}}}}, "network 'AE' has no task 'FR'; choose one of AE."),
        ({"networks": {"GCN": {"AE": {}}}}, "network 'GCN' has no task 'AE'"),
        ({"networks": {"AE": {"AE": {"weight": -1}}}}, "greater than or equal to 0"),
        ({"networks": {"AE": {"AE": {"weight": float("nan")}}}}, "finite number"),
        ({"networks": {"AE": {"AE": {"wieght": 1}}}}, "there is no parameter 'wieght'; did you mean 'weight'?"),
        ({"networks": {"FR": {"FR": {"size": 0}}}}, "greater than or equal to 1"),
        ({"networks": {"FR": {"FR": {"size_means": "zero"}}}}, "'zeroed' or 'kept'"),
        ({"runs": 0}, "runs is 0: input should be greater than or equal to 1"),
        ({"hidden_units": 0}, "hidden_units is 0: input should be greater than or equal to 1"),
        ({"hidden_layers": 0}, "hidden_layers is 0: input should be greater than or equal to 1"),
        ({"epochs": 0}, "epochs is 0"),
        ({"learning_rate": 0}, "learning_rate is 0: input should be greater than 0"),
        ({"learning_rate": float("inf")}, "learning_rate is inf: input should be a finite number"),
        ({"dropout": 1}, "dropout is 1: input should be less than 1"),
        ({"l2": -1e-4}, "l2 is -0.0001"),
        ({"main_weight": -1}, "main_weight is -1"),
        ({"first_seed": -1}, "first_seed is -1"),
        ({"plateau_factor": 1}, "plateau_factor is 1"),
        ({"stop_below": -1}, "stop_below is -1"),
        ({"l2_layers": "last"}, "'first' or 'all'"),
        ({"device": "gpu"}, "'auto', 'cpu' or 'cuda'"),
        ({"layer": "GIN"}, "there is no layer 'GIN'"),
        ({"hidden_unit": 8}, "there is no parameter 'hidden_unit'; did you mean 'hidden_units'?"),
        ({"dataset": "coar"}, "there is no data set 'coar'"),
    ],
    ids=str,
)
def test_mistake_is_one_sentence_with_its_place(values, sentence):
    with pytest.raises(MtgcnError) as caught:
        parameters_of(**({"dataset": "toy"} | values))
    message = str(caught.value)
    assert sentence in message
    assert "\n" not in message
    assert message.startswith(next(iter(values)))
    assert message[-1] in ".?"
