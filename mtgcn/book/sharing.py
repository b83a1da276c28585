"""What others show when somebody shares a page: its description, and one picture for the whole book."""

import html
from pathlib import Path
from typing import Any

from docutils import nodes
from matplotlib.figure import Figure
from sphinx.application import Sphinx

from mtgcn.files import replacing

CARD = "social-card.png"
LONGEST = 200  # letters of a description; search engines cut off what is longer
TITLE = "Graph networks with\nself-supervised auxiliary tasks"
QUESTION = "Does a graph network classify better\nwhen it also has to rebuild what it sees?"


def draw_card(path: Path) -> None:
    """Write the picture, 1200 × 630 pixels."""
    figure = Figure(figsize=(12, 6.3), facecolor="#14181e")
    figure.text(0.07, 0.78, "[Re]  a paper you can rerun", color="#6fcfc6", fontsize=24)
    figure.text(0.07, 0.50, TITLE, color="#ffffff", fontsize=40, fontweight="bold", linespacing=1.25)
    figure.text(0.07, 0.20, QUESTION, color="#dbe3e2", fontsize=26, linespacing=1.3)
    figure.text(0.07, 0.08, "mtgcn", color="#f0a48f", fontsize=22, fontweight="bold")
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png", dpi=100, metadata={"Software": None})


def describe(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Give a page its description, its title and the picture, in the words that search engines and others read."""
    if doctree is None:
        return
    description = first_sentences(doctree)
    title = doctree.next_node(nodes.title)
    base = (app.config.html_baseurl or "").rstrip("/")
    tags = {
        ("name", "description"): description,
        ("property", "og:type"): "article",
        ("property", "og:title"): title.astext() if title else app.config.html_title,
        ("property", "og:description"): description,
        ("property", "og:url"): f"{base}/{pagename}.html",
        ("property", "og:image"): f"{base}/{CARD}",
        ("name", "twitter:card"): "summary_large_image",
    }
    lines = [f'<meta {kind}="{name}" content="{html.escape(text)}" />' for (kind, name), text in tags.items() if text]
    context["metatags"] = context.get("metatags", "") + "\n".join(["", *lines])


def first_sentences(doctree: nodes.document) -> str:
    """Return the beginning of a page: its first paragraph of some length, cut off after a word."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if len(text) >= 60 and "notebook-bar" not in paragraph["classes"]:
            return text if len(text) <= LONGEST else text[: LONGEST - 2].rsplit(" ", 1)[0].rstrip(",;:") + " …"
    return ""
