"""Statements of the page with the paper's tables."""

import numpy as np
from project.statements import (
    PLACES,
    TASKS,
    Statement,
    best,
    collapsed,
    gains,
    number,
    our_reading,
    page,
    paper,
    printed_gain,
    side,
    sides,
    signed,
    wide,
)
from scipy import stats

from mtgcn.analysis import literature


def no_gain_is_clear(*names: str) -> bool:
    return 1 not in sides(*names)


def the_best() -> list[str]:
    assert best("citeseer-1") == "AE+ER"
    assert sides("citeseer-1").count(1) > len(TASKS) / 2
    return [signed(gains("citeseer-1", "AE+ER").mean())]


def best_with_five() -> list[str]:
    values = gains("cora-5", best("cora-5"))
    assert side(values) == 1
    return [signed(values.mean())]


def clear_with_five() -> list[str]:
    found = dict(zip(TASKS, sides("cora-5"), strict=True))
    assert {name: sign for name, sign in found.items() if sign} == {"ER": 1, "AE+ER": 1, "AE+FR+ER": 1, "FR": -1}
    return best_with_five()


def plain_with_five() -> list[str]:
    return [number(wide("cora-5")["GCN"].mean()), number(paper("cora-5").loc["GCN", "mean"])]


def agreeing() -> list[str]:
    count = 0
    for name in PLACES[:3]:
        ours, theirs = wide(name), paper(name)
        difference = ours.mean() - theirs["mean"]
        count += int((difference.abs() <= 2 * np.sqrt(ours.sem() ** 2 + theirs["sem"] ** 2)).sum())
    return [str(count), str(3 * len(literature.NETWORKS))]


def differences_go_both_ways() -> bool:
    citeseer, cora = (wide(name).mean() - paper(name)["mean"] for name in PLACES[:2])
    return bool((citeseer > 0).all() and (cora[TASKS] < 0).all())


def seeds_matter_more() -> bool:
    """A network's gain on Pubmed is smaller than what one of its runs differs from another; on Cora two are not."""
    larger = {
        (name, task) for name in PLACES[1:3] for task in TASKS if abs(gains(name, task).mean()) > wide(name)[task].std()
    }
    return larger == {("cora-1", "ER"), ("cora-1", "AE+ER")} and all(gains(*one).mean() < 0 for one in larger)


def left_after_holm() -> set[tuple[str, str, int]]:
    """Return data set, network and sign of the gains of Table 1 with a corrected p below 0.05, by Student's test."""
    found = {(name, task): gains(name, task) for name in PLACES[:3] for task in TASKS}
    p = {key: stats.ttest_1samp(values, 0).pvalue if values.any() else 1.0 for key, values in found.items()}
    ordered = sorted(p, key=p.__getitem__)
    failing = next(place for place, key in enumerate(ordered) if p[key] * (len(p) - place) >= 0.05)
    return {(name, task, side(found[name, task])) for name, task in ordered[:failing]}


def significant() -> list[str]:
    """The page's permutations and Student's test leave the same gains."""
    table = page("tables", "table-1-gains")
    left = table[table["p_holm"] < 0.05]
    assert set(zip(left["dataset"] + "-1", left["network"], strict=True)) == {one[:2] for one in left_after_holm()}
    signs = sorted((name, sign) for name, _, sign in left_after_holm())
    above, below = signs.count(("citeseer-1", 1)), signs.count(("cora-1", -1))
    assert above + below == len(left)
    return [str(len(table)), str(len(left)), "0.05", str(above), str(below)]


def paper_gains_are_positive() -> list[str]:
    every = [paper(name)["mean"][TASKS] - paper(name)["mean"]["GCN"] for name in PLACES[:3]]
    assert all((one > 0).all() for one in every)
    return [str(sum(len(one) for one in every))]


def largest_paper_gain() -> list[str]:
    means = paper("cora-5")["mean"]
    return [signed((means - means["GCN"]).max())]


def best_gains() -> bool:
    share = gains("citeseer-1", best("citeseer-1")).mean() / printed_gain(literature.PAPER, "citeseer")
    others = [gains(name, best(name)).mean() for name in PLACES[1:3]]
    return bool(0.62 < share < 0.72 and max(map(abs, others)) < 0.1)


def tasks_of_you() -> list[str]:
    """The best of the three by test accuracy clearly gains on Citeseer, and on Cora and Pubmed none does."""
    means = {}
    for place in ("citeseer-1", "cora-1", "pubmed-1"):
        values = {task: gains(f"rivals-{place}", task) for task in ("NC", "GP", "GCo")}
        assert (1 in map(side, values.values())) == (place == "citeseer-1")
        means[place] = max(one.mean() for one in values.values())
    return [signed(means["citeseer-1"]), signed(gains("citeseer-1", best("citeseer-1")).mean())]


STATEMENTS = [
    Statement(
        "With one layer most tasks help a little on Citeseer: the best network, AE+ER, gains +0.89 points over the "
        "plain GCN.",
        the_best,
    ),
    Statement("The paper's best gains +1.30.", lambda: [signed(printed_gain(literature.PAPER, "citeseer"))]),
    Statement(
        "With five layers on Cora our plain GCN reaches 64.78 percent, the paper's 16.47, and our best network gains "
        "+4.05.",
        lambda: [*plain_with_five(), *best_with_five()],
    ),
    Statement(
        "trained as the paper says, with L2 on the first layer only and the best epoch by validation accuracy",
        lambda: our_reading(*PLACES),
    ),
    Statement("9,999 are drawn, and p is never below 0.0002.", lambda: [f"{9_999:,}", f"{2 / 10_000:.4f}"]),
    Statement("8 of 21 cells agree with the paper's.", agreeing),
    Statement("on Citeseer ours are higher, on Cora the networks with tasks are lower.", differences_go_both_ways),
    Statement(
        "what a network adds is smaller than what another seed does. On Cora ER and AE+ER fall below.",
        seeds_matter_more,
    ),
    Statement("On Citeseer nearly every network gains.", lambda: sides("citeseer-1").count(1) == len(TASKS) - 1),
    Statement(
        "After the correction for 18 gains, 8 keep a p below 0.05: 5 on Citeseer are above zero, 3 on Cora below.",
        significant,
    ),
    Statement("On Cora and Pubmed no gain is clear.", lambda: no_gain_is_clear("cora-1", "pubmed-1")),
    Statement("In the paper all 18 gains are positive.", paper_gains_are_positive),
    Statement(
        "no better than guessing, with 16.47 percent. Ours has 64.78.",
        lambda: plain_with_five()[::-1],
    ),
    Statement("with L2 on every layer and the best epoch by loss, ours falls to 34.42", lambda: [collapsed()]),
    Statement("With two layers no gain is clear.", lambda: no_gain_is_clear("cora-2")),
    Statement(
        "With five, ER, AE+ER and AE+FR+ER clearly gain, by up to +4.05 points, and FR clearly loses.", clear_with_five
    ),
    Statement("The paper gains up to +34.58 points with five layers", largest_paper_gain),
    Statement(
        "Our best gain on Citeseer is two thirds of the paper's. On Cora and Pubmed ours is near zero.", best_gains
    ),
    Statement(
        "The tasks of You et al. do as well on Citeseer when they are measured here, +0.85 beside +0.89,", tasks_of_you
    ),
]
