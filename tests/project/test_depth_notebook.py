"""The pages on depth, executed as they stand: on made-up runs whose failures are known, on committed ones, on none."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from scipy import stats

import mtgcn
from mtgcn.analysis import page, statistics
from mtgcn.analysis.figures import style
from mtgcn.experiments import problems, running, stored
from mtgcn.experiments.columns import MEASURES
from mtgcn.pipeline import parameter_file

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "notebooks" / "over_smoothing.py"
AUTHORS = "remedy-gcnii-cora-authors"
# What others have published for a network of a page: the paper's, or with a remedy that of the remedy without tasks.
OPEN = [
    ("depth-cora-shallow", "AE", [82.17, 81.10, 49.57]),
    ("depth-cora-tuned-5", "GCN", [16.47]),
    ("remedy-dropedge-cora", "GCN", [82.8, 82.0, 75.8, 75.7, 62.5, 49.5]),
    (f"{AUTHORS}-tuned", "GCN", [85.5, 85.29]),
]
HEALTHY = {"effective_rank": 6.0, "mad_remote": 0.4, "gradient_norm": 0.05, "dead_units": 0.1}
# What is wrong in the last (or first) of two layers, and what that is called. All but two runs have 16 %.
VERDICTS: list[tuple[dict[str, float], str]] = [
    ({}, "none of the three"),
    ({"effective_rank": 1.1}, "over-smoothing"),
    ({"mad_remote": 0.05}, "over-smoothing"),
    ({"gradient_norm": 1e-5}, "vanishing gradients"),
    ({"dead_units": 15 / 16}, "dead units"),
    ({"first_dead_units": 1.0}, "dead units"),
    ({"first_effective_rank": 1.0}, "none of the three"),
    ({"effective_rank": 1.0, "gradient_norm": 1e-7}, "over-smoothing and vanishing gradients"),
    ({"effective_rank": 0.0, "mad_remote": np.nan, "dead_units": 1.0}, "over-smoothing and dead units"),
    ({"effective_rank": 1.1, "test_accuracy": 80.0}, "learns"),
    ({"effective_rank": 1.1, "test_accuracy": 36.0}, "over-smoothing"),
    ({"test_accuracy": np.nan}, "diverged"),
]


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[style.Figure]:
    """The figures that the cells make, in their order."""
    return recorded(monkeypatch)


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[style.Figure]:
    made: list[style.Figure] = []
    panels = style.panels

    def remembered(*args: Any, **options: Any) -> tuple[style.Figure, list[Axes]]:
        figure, axes = panels(*args, **options)
        made.append(figure)
        return figure, axes

    monkeypatch.setattr(style, "panels", remembered)
    return made


def executed(results: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv(stored.RESULTS, str(results))
    return runpy.run_path(str(NOTEBOOK))


def test_the_page_says_what_ails_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, rows = [], []
    marks = {"dataset": "cora", "remedy": "none", "tuned_for": 1, "chance": 31.9, "seconds": 1.0}
    for seed, (wrong, _) in enumerate(VERDICTS):
        run = {"hidden_layers": 2, "seed": seed}
        accuracy = wrong.get("test_accuracy", 16.0)
        table += [marks | run | {"network": "AE", "test_accuracy": accuracy}]
        table += [marks | run | {"network": "GCN", "test_accuracy": 70.0 + 2 * (seed % 2)}]
        first = {name[6:]: value for name, value in wrong.items() if name.startswith("first_")}
        for layer, own in ((1, first), (2, {name: value for name, value in wrong.items() if name in HEALTHY})):
            measured = dict.fromkeys(MEASURES, 1.0) | HEALTHY | {"epoch": 90, "layer": layer}
            rows += [run | measured | {"network": "GCN"}, run | measured | own | {"network": "AE"}]
    pd.DataFrame(table).to_csv(tmp_path / "depth-x.csv", index=False)
    (tmp_path / "depth-x").mkdir()
    pd.DataFrame(rows).to_csv(tmp_path / "depth-x" / "measures.csv", index=False)

    names = executed(tmp_path, monkeypatch)
    judged = names["judged"].set_index(["network", "seed"])["verdict"]
    assert judged["AE"].tolist() == [verdict for _, verdict in VERDICTS]
    assert set(judged["GCN"]) == {"learns"}
    counts = names["failures"](names["plain"], ["network", "hidden_layers"]).loc["AE", 2]
    assert counts.to_dict() == {
        "runs": 12,
        "failed": 11,
        "over-smoothing": 5,
        "vanishing gradients": 2,
        "dead units": 3,
        "none of the three": 2,
    }
    # Paired by seed; the run that diverged has no gain.
    gains = np.array(
        [wrong.get("test_accuracy", 16.0) - 70 - 2 * (seed % 2) for seed, (wrong, _) in enumerate(VERDICTS)]
    )
    row = names["gains"].reset_index().set_index("variant").loc["AE"]
    assert row["mean"] == pytest.approx(np.nanmean(gains))
    half = 2.2281389 * np.nanstd(gains, ddof=1) / np.sqrt(11)  # Student's t with ten degrees of freedom
    assert (row["low"], row["high"]) == pytest.approx((row["mean"] - half, row["mean"] + half))


def test_the_page_without_results_is_empty_and_no_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figures: list[style.Figure]
) -> None:
    names = executed(tmp_path, monkeypatch)
    assert names["table"].empty
    assert names["judged"].empty
    assert all(figure.svg() for figure in figures)


Page = tuple[dict[str, Any], list[style.Figure]]


@pytest.fixture(scope="module")
def committed() -> Page:
    """The names and the figures of the page on the committed results."""
    with pytest.MonkeyPatch.context() as patch:
        figures = recorded(patch)
        return executed(ROOT / "book" / "results", patch), figures


def starting(figures: list[style.Figure], alt: str) -> list[style.Figure]:
    return [figure for figure in figures if figure.alt.startswith(alt)]


def of(network: str, ax: Axes) -> list[Line2D]:
    """The lines in the colour of a network that hold anything."""
    return [line for line in ax.lines if to_hex(line.get_color()) == style.of(network).colour and len(line.get_xdata())]


def test_remedies_have_ours_with_and_without_intervals_and_theirs(committed: Page) -> None:
    names, figures = committed
    (figure,) = starting(figures, "Test accuracy on cora")
    remedies = ["dropedge", "gcnii", "gcnii, authors' settings", "pairnorm", "residual"]
    assert [ax.get_title() for ax in figure.axes] == remedies
    diamonds = {}
    for ax, remedy in zip(figure.axes, remedies, strict=True):
        runs = names["mended"].query("remedy == @remedy and network == 'ER'").groupby("hidden_layers")["test_accuracy"]
        lines = of("ER", ax)
        (ours,) = [line for line in lines if line.get_marker() == style.of("ER").marker]
        assert ours.get_ydata() == pytest.approx(runs.mean().to_numpy())
        ends = [line.get_ydata() for line in lines if line.get_linewidth() == 1]
        assert np.array(ends) == pytest.approx(np.array([statistics.interval(values) for _, values in runs]))
        thin = [line for line in lines if line.get_linewidth() < 1]
        assert len(thin) == (remedy != "gcnii, authors' settings")
        plain = names["plain"].query("dataset == 'cora' and network == 'ER'")
        for line in thin:
            assert line.get_ydata() == pytest.approx(plain.groupby("hidden_layers")["test_accuracy"].mean().to_numpy())
        (theirs,) = [line for line in ax.lines if line.get_marker() == "D" and line.get_markerfacecolor() == "none"]
        diamonds[remedy] = dict(zip(theirs.get_xdata(), theirs.get_ydata(), strict=True))
        bottom, top = ax.get_ylim()
        assert all(bottom <= value <= top for line in ax.lines for value in line.get_ydata() if not np.isnan(value))
    assert diamonds["gcnii"] == diamonds["gcnii, authors' settings"] == {64: 85.5, 32: 85.29}
    assert list(diamonds["residual"]) == [3, 7, 15, 31, 63]  # theirs count the layer that gives the classes
    assert diamonds["dropedge"][1] == 82.8
    assert diamonds["pairnorm"] == {}


def test_ours_stand_beside_what_others_have_published_for_the_same_depth(committed: Page) -> None:
    shown = committed[0]["published"]
    assert shown.columns.tolist() == [2, 4, 8, 16, 32, 64]
    assert shown.loc[("gcnii", "Chen et al. (2020)")].tolist() == ["–"] * 5 + ["85.5"]
    assert shown.loc[("gcnii", "Chen et al. (2021)")].tolist() == ["–"] * 4 + ["85.3", "–"]
    assert shown.loc[("no remedy", "here")].tolist()[2:] == ["–"] * 4  # eight of theirs are seven here
    here = [remedy for remedy, source in shown.index if source == "here"]
    assert here == ["gcnii", "gcnii, authors' settings", "no remedy"]
    for remedy, layers, name, depth in ((here[2], 4, "depth-cora-shallow", 3), (here[1], 64, f"{AUTHORS}-64", 64)):
        table = pd.read_csv(stored.path(name))
        runs = table[(table["network"] == "GCN") & (table["hidden_layers"] == depth)]["test_accuracy"]
        assert shown.loc[(remedy, "here"), layers] == f"{runs.mean():.1f} ± {runs.sem():.1f}"


def test_every_run_is_a_point_below_its_rank_correlation(committed: Page) -> None:
    names, figures = committed
    (figure,) = starting(figures, "Test accuracy of every run")
    plain = names["plain"]
    assert [ax.get_xlabel() for ax in figure.axes] == list(names["names"].values())
    for ax, column in zip(figure.axes, names["names"], strict=True):
        assert sum(len(points.get_offsets()) for points in ax.collections) == plain[column].notna().sum()
        rho = stats.spearmanr(*plain[[column, "test_accuracy"]].dropna().to_numpy().T).statistic
        assert ax.get_title() == f"ρ {rho:+.2f}".replace("-", "−")


def test_maps_have_all_nodes_and_classes_by_colour_and_marker(committed: Page) -> None:
    (figure,) = starting(committed[1], "Maps")
    titles = [ax.get_title() for ax in figure.axes]
    assert titles[::5] == [
        "GCN, 1 hidden layer",
        "AE, 2 hidden layers",
        "ER, 5 hidden layers",
        "AE+FR+ER, 16 hidden layers",
    ]
    for ax in figure.axes:
        assert sum(len(points.get_offsets()) for points in ax.collections) == 500
        assert len({to_hex(points.get_facecolor()[0]) for points in ax.collections}) == 7
        assert len({points.get_paths()[0].vertices.tobytes() for points in ax.collections}) == 7


def test_of_two_runs_one_is_said_to_learn(committed: Page) -> None:
    names, figures = committed
    two = starting(figures, "Two runs")
    assert len(two) == 2
    for figure, (_, both) in zip(two, names["two"].groupby("results", sort=False), strict=True):
        check_two(figure, both)


def check_two(figure: style.Figure, both: pd.DataFrame) -> None:
    """Both runs are drawn from their own numbers, with dashes of their own, and named in the legend."""
    columns = ["validation_accuracy", "training_loss", "effective_rank", "gradient_norm"]
    said = [text.get_text() for text in figure.legends[0].get_texts()]
    assert sorted(text.split(": ")[1] for text in said) == ["collapses", "learns"]
    assert [ax.get_yscale() for ax in figure.axes] == ["linear", "log", "linear", "log"]
    for ax, column in zip(figure.axes, columns, strict=True):
        assert ax.get_xscale() == "log"
        assert len({line.get_linestyle() for line in ax.lines}) == 2
        for line, text in zip(ax.lines, said, strict=True):
            own = both[both["run"] == text.split(": ")[1]].dropna(subset=column).sort_values("epoch")
            assert line.get_ydata() == pytest.approx(own[column].to_numpy())


@pytest.mark.parametrize(("name", "network", "published"), OPEN)
def test_a_page_of_one_data_set_has_intervals_and_open_marks(
    name: str, network: str, published: list[float], monkeypatch: pytest.MonkeyPatch, figures: list[style.Figure]
) -> None:
    parameters = parameter_file.load(ROOT / "params" / f"{name}.yaml", ROOT / "notebooks").experiment
    outcome = running.read(name)
    assert parameters is not None
    assert outcome is not None
    monkeypatch.setattr(problems, "parameters_in", lambda _: parameters)
    monkeypatch.setattr(mtgcn, "load", lambda *_, **__: None)
    monkeypatch.setattr(mtgcn, "run", lambda *_, **__: outcome)
    monkeypatch.setattr(page, "data_facts", lambda _: None)
    runpy.run_path(str(ROOT / "notebooks" / "depth.py"))

    (figure,) = starting(figures, "Test accuracy on cora")
    (ax,) = figure.axes
    drawn = {container.lines[0].get_color(): container for container in ax.containers}
    for one, own in outcome.table.groupby("network"):
        runs = own.groupby("hidden_layers")["test_accuracy"]
        line, _, (bars,) = drawn[style.of(str(one)).colour].lines
        assert line.get_ydata() == pytest.approx(runs.mean().to_numpy())
        ends = np.array(bars.get_segments())[:, :, 1]
        assert ends == pytest.approx(np.array([statistics.interval(values) for _, values in runs]))
    (marks,) = [line for line in of(network, ax) if line.get_markerfacecolor() == "none"]
    assert marks.get_ydata().tolist() == published
    (figure,) = starting(figures, "Two runs")
    check_two(figure, pd.concat([outcome.curves, outcome.kept["examples"]]))
