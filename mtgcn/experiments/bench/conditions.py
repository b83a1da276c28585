"""Where and with what a benchmark was made: cores, load, processor, versions."""

import os
import platform
from collections.abc import Iterator
from importlib.metadata import version

PACKAGES = ("torch", "torch-geometric", "dgl", "numpy", "scipy")


def conditions() -> Iterator[dict[str, object]]:
    """Yield names and values."""
    values = {
        "cores": os.cpu_count(),
        "load average at the start": ", ".join(f"{value:.1f}" for value in os.getloadavg()),
        "processor": platform.processor() or platform.machine(),
        "Python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
    }
    for name, value in values.items():
        yield {"what": name, "value": str(value)}
