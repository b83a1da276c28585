"""Graph neural networks with self-supervised auxiliary tasks, after Manessi & Rozza (2021)."""

from importlib.metadata import version

__version__ = version("mtgcn")
