"""Figures one at a time, chosen with a slider."""

from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from mtgcn.analysis.figures.style import Figure


class Step(NamedTuple):
    """A position of the slider: its name, the figure that shows there, and the sentence under it."""

    label: str
    figure: Figure
    caption: str


class Slider:
    """What a notebook shows as a slider in the book; without the book's script all figures stand one below the other.

    Args:
        name: what the slider moves through, as "Steps".
        steps: in their order.
    """

    def __init__(self, name: str, steps: Sequence[Step]) -> None:
        self.name, self.steps = name, steps

    def __repr__(self) -> str:
        return f"{self.name}: {', '.join(step.label for step in self.steps)}"

    def _repr_html_(self) -> str:
        """Return the figures as pictures: SVG inside a page would share identifiers with the page's other figures."""
        labels = "|".join(step.label for step in self.steps)
        pictures = "\n".join(_picture(step) for step in self.steps)
        return (
            f'<div class="slider" data-name="{escape(self.name)}" data-labels="{escape(labels)}">\n{pictures}\n</div>'
        )


def _picture(step: Step) -> str:
    data = b64encode(step.figure.svg().encode()).decode()
    image = f'<img alt="{escape(step.figure.alt)}" src="data:image/svg+xml;base64,{data}">'
    return f"<figure>{image}<figcaption><p>{escape(step.caption)}</p></figcaption></figure>"
