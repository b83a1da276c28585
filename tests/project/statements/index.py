"""Statements of the first page's answer, which the README repeats."""

from project.statements import TASKS, Statement, page, sides, wide
from project.statements.which_protocol import nearest_in_step_1


def a_little_on_citeseer() -> bool:
    """Most networks gain there, and no gain elsewhere is clear."""
    return sides("citeseer-1").count(1) > len(TASKS) / 2 and sides("cora-1", "pubmed-1").count(1) == 0


def nothing_to_rescue() -> bool:
    """The plain network is above all that the paper has, and no task is clearly better."""
    return wide("cora-5")["GCN"].mean() > 55 and sides("cora-5").count(1) == 0


def collapses_as_reported() -> bool:
    """The nearest candidate is within two errors of the paper with five layers."""
    own = page("which_protocol", "readings").query("reading == 'the nearest' and hidden_layers == 5")
    return bool(own["errors apart"].abs().item() < 2) and nearest_in_step_1()


STATEMENTS = [
    Statement("With one layer, a little on Citeseer, and not on Cora and Pubmed.", a_little_on_citeseer),
    Statement(
        "taken at its word, its plain network does not collapse, and the tasks have little to rescue.",
        nothing_to_rescue,
    ),
    Statement(
        "Under the settings that fit the paper's own figures best, the plain network collapses as the paper reports.",
        collapses_as_reported,
    ),
]
