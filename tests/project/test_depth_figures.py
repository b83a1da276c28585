"""What the three pages on depth draw and tabulate from the committed results is what these say."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from scipy import sparse, stats
from scipy.sparse import csgraph
from support.drawn import ROOT, Shown, check_two, executed, line_of, of, starting

from mtgcn.analysis import statistics
from mtgcn.analysis.figures import style
from mtgcn.experiments import stored

PAGES = ("depth_accuracy", "depth_inside", "depth_remedies")
AUTHORS = "remedy-gcnii-cora-authors"


@pytest.fixture(scope="module")
def committed() -> dict[str, Shown]:
    """The pages on the committed results."""
    shown = {}
    for page in PAGES:
        with pytest.MonkeyPatch.context() as patch:
            shown[page] = executed(page, ROOT / "book" / "results", patch)
    return shown


def test_accuracy_has_intervals_and_the_paper_s_open_marks(committed: dict[str, Shown]) -> None:
    names, figures = committed["depth_accuracy"]
    ax = {ax.get_title(): ax for ax in starting(figures, "Test accuracy").axes}["Cora"]
    for network in ("GCN", "AE+FR+ER"):
        runs = names["plain"].query("dataset == 'cora' and protocol == 'text' and network == @network")
        runs = runs.groupby("hidden_layers")["test_accuracy"]
        assert list(line_of(network, ax).values()) == pytest.approx(runs.mean().tolist())
        (bars,) = [
            one.lines[2][0] for one in ax.containers if to_hex(one.lines[0].get_color()) == style.of(network).colour
        ]
        ends = np.array(bars.get_segments())[:, :, 1]
        assert ends == pytest.approx(np.array([statistics.interval(values) for _, values in runs]))
    (marks,) = [
        line for line in of("GCN", ax) if line.get_linestyle() == "None" and line.get_markerfacecolor() == "none"
    ]
    assert marks.get_ydata()[2] == 16.47


def test_remedies_have_ours_with_and_without_intervals_and_theirs(committed: dict[str, Shown]) -> None:
    names, figures = committed["depth_remedies"]
    panels = {ax.get_title(): ax for ax in starting(figures, "Test accuracy").axes}
    remedies = {"dropedge": "DropEdge", "gcnii": "GCNII", "pairnorm": "PairNorm", "residual": "residual"}
    assert list(panels)[:4] == list(remedies.values())
    diamonds = {}
    for remedy, title in (*remedies.items(), ("gcnii, authors' settings", "GCNII\nauthors' settings")):
        ax = panels[title]
        runs = names["mended"].query("remedy == @remedy and network == 'ER' and tuned_for == 1")
        runs = runs.groupby("hidden_layers")["test_accuracy"]
        assert line_of("ER", ax) == pytest.approx(runs.mean().to_dict())
        bars = next(
            one.lines[2][0] for one in ax.containers if to_hex(one.lines[0].get_color()) == style.of("ER").colour
        )
        ends = np.array(bars.get_segments())[:, :, 1]
        assert ends == pytest.approx(np.array([statistics.interval(values) for _, values in runs]))
        thin = [line for line in of("ER", ax) if line.get_linewidth() < 1 and line.get_alpha()]
        assert len(thin) == (remedy != "gcnii, authors' settings")
        plain = names["without"].query("remedy == 'none' and tuned_for == 1 and network == 'ER'")
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
    # The task with a weight tuned for the remedy has a line of its own.
    tuned = [one for one in of("ER", panels["GCNII\nauthors' settings"]) if one.get_markerfacecolor() == "none"]
    runs = pd.concat(pd.read_csv(stored.path(f"{AUTHORS}-tuned{more}")) for more in ("", "-64"))
    expected = runs.groupby("hidden_layers")["test_accuracy"].mean().to_numpy()
    assert [line.get_ydata().tolist() for line in tuned] == [pytest.approx(expected)]


def test_ours_stand_beside_what_others_have_published_for_the_same_depth(committed: dict[str, Shown]) -> None:
    shown = committed["depth_remedies"][0]["published"]
    assert shown.columns.tolist() == [2, 4, 8, 16, 32, 64]
    assert shown.loc[("GCNII", "Chen et al. (2020)")].tolist() == ["–"] * 5 + ["85.5"]
    assert shown.loc[("GCNII", "Chen et al. (2021)")].tolist() == ["–"] * 4 + ["85.3", "–"]
    for remedy, layers, name, hidden in (
        ("no remedy", 4, "depth-cora-shallow", 3),
        ("GCNII, authors' settings", 64, f"{AUTHORS}-64", 64),
    ):
        table = pd.read_csv(stored.path(name))
        runs = table[(table["network"] == "GCN") & (table["hidden_layers"] == hidden)]["test_accuracy"]
        assert shown.loc[(remedy, "here"), layers] == f"{runs.mean():.1f} ± {runs.sem():.1f}"


def test_every_run_is_a_point_and_its_rank_correlation_in_the_table(committed: dict[str, Shown]) -> None:
    names, figures = committed["depth_inside"]
    figure = starting(figures, "Test accuracy of every run")
    assert [ax.get_title() for ax in figure.axes] == ["Citeseer", "Cora", "Pubmed"]
    for ax in figure.axes:
        own = names["judged"][names["judged"]["dataset"] == ax.get_title().lower()]
        points = [points for points in ax.collections if len(points.get_offsets())]
        assert sum(len(one.get_offsets()) for one in points) == len(own)
        assert all(one.get_rasterized() for one in points)  # or the page is too large for a phone
        rho = stats.spearmanr(*own[["effective_rank", "test_accuracy"]].dropna().to_numpy().T).statistic
        assert names["correlations"][ax.get_title()]["effective rank"] == pytest.approx(rho)


def test_maps_have_all_nodes_and_classes_by_colour_and_marker(committed: dict[str, Shown]) -> None:
    figure = starting(committed["depth_inside"][1], "Maps")
    titles = [ax.get_title() for ax in figure.axes]
    assert titles[::3] == ["GCN, 1 hidden layer", "GCN, 16 hidden layers", "AE+FR+ER, 5 hidden layers"]
    for ax in figure.axes:
        assert sum(len(points.get_offsets()) for points in ax.collections) == 500
        assert len({to_hex(points.get_facecolor()[0]) for points in ax.collections}) == 7
        assert len({points.get_paths()[0].vertices.tobytes() for points in ax.collections}) == 7


def test_of_two_runs_one_is_said_to_learn(committed: dict[str, Shown]) -> None:
    names, figures = committed["depth_inside"]
    check_two(starting(figures, "Two runs"), names["two"])
    assert len(set(names["two"]["results"])) == 1


def test_the_slider_shows_what_the_graph_alone_leaves(committed: dict[str, Shown]) -> None:
    names, _ = committed["depth_inside"]
    steps = {int(step.label): step.figure.axes[0] for step in names["steps"]}
    assert list(steps) == [0, 1, 2, 4, 8, 16, 32, 64]
    energies = [float(ax.get_title().split()[1]) for ax in steps.values()]
    assert energies == sorted(energies, reverse=True)
    arrays = names["arrays"]
    edges = sparse.coo_array((np.ones(arrays.edges.shape[1]), arrays.edges), shape=(arrays.nodes, arrays.nodes))
    parts, _ = csgraph.connected_components(edges, directed=False)
    assert 1 < float(steps[64].get_title().split()[-1]) <= parts < float(steps[0].get_title().split()[-1])
    html = names["figures"].Slider("Steps", names["steps"])._repr_html_()
    assert html.count("<figure>") == html.count('alt="The nodes of the toy graph') == 8
    assert 'data-labels="0|1|2|4|8|16|32|64"' in html
