"""Phrases that stand in many places."""


def layers(depth: int) -> str:
    """Return e.g. "2 hidden layers"."""
    return f"{depth} hidden layer{'' if depth == 1 else 's'}"


def place(dataset: str, depth: int) -> str:
    """Return e.g. "Cora, 2 hidden layers"."""
    return f"{dataset.capitalize()}, {layers(depth)}"
