"""Do the stored results still come out? Some of their runs, or all, are trained again and compared row by row."""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from mtgcn.errors import MtgcnError
from mtgcn.experiments.engine_digest import engine_digest
from mtgcn.experiments.label_study import LABELS
from mtgcn.experiments.parameters import Parameters
from mtgcn.experiments.readings import READING, READINGS
from mtgcn.experiments.split_study import SPLIT
from mtgcn.experiments.variant_study import VARIANT
from mtgcn.pipeline.states import Page

EQUAL, CLOSE, DIFFERENT = "equal", "within tolerance", "different"
ACCURACIES = ("test_accuracy", "validation_accuracy")
# Points of accuracy. Another processor or library rounds differently, and after a thousand epochs a few of the
# test nodes fall elsewhere; a mistake in the engine moves more.
TOLERANCE = 1.0
WHERE = (LABELS, SPLIT, READING, VARIANT, "hidden_layers", "network", "seed")  # the columns that say which run a row is


@dataclass(frozen=True)
class Check:
    """A stored run to train again: its page, what tells it from the page's other runs, and its row."""

    page: str
    parameters: dict[str, Any]
    run: Mapping[str, Any]
    row: Mapping[str, Any]


@dataclass(frozen=True)
class Verdict:
    """What came out: one of the three words above, and which columns differ how."""

    page: str
    run: Mapping[str, Any]
    word: str
    differences: str = ""


def checks(page: Page, table: pd.DataFrame, everything: bool = False) -> list[Check]:
    """Return the runs of a page to train again: every one, or one of each network.

    Which one is drawn from the names of page and engine: each new engine meets other runs.
    """
    assert page.file.experiment is not None
    if not everything:
        random = np.random.default_rng([crc32(page.name.encode()), int(engine_digest()[:8], 16)])
        places = [random.choice(rows.index) for _, rows in table.groupby("network", sort=False)]
        table = table.loc[places]
    rows = [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
    return [
        Check(page.name, _alone(page.file.experiment, row), {name: row[name] for name in WHERE if name in row}, row)
        for row in rows
    ]


def verdicts(chosen: Sequence[Check], processes: int) -> Iterator[Verdict]:
    """Train the chosen runs again, in so many processes of one thread each, and give a verdict on each."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by torch and DGL in the processes that start
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=_end_with_parent) as pool:
        futures = [pool.submit(verdict, check) for check in chosen]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool as error:
            raise MtgcnError(
                "a process that trained has died, perhaps for want of memory: what was verified is stamped, and"
                " the next call goes on with the others, with fewer --processes if need be."
            ) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    """Let a process of the pool end when the one that has started it is killed; it would wait for work for ever."""
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def verdict(check: Check) -> Verdict:
    """Train one run again and compare it with its row."""
    from mtgcn.experiments import experiment

    again = experiment.run(Parameters.model_validate(check.parameters), progress=False).table.iloc[0].to_dict()
    return Verdict(check.page, check.run, *compared(again, check.row))


def compared(again: Mapping[Any, Any], row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the word for a run and its stored ``row``, and what differs, without how long it took."""
    columns = [str(name) for name in again if name != "seconds" and name in row]
    different = [name for name in columns if not _same(again[name], row[name])]
    text = ", ".join(f"{name} {again[name]} instead of {row[name]}" for name in different)
    if not different:
        return EQUAL, ""
    near = all(abs(float(again[name]) - float(row[name])) <= TOLERANCE for name in ACCURACIES)  # never so with NaN
    return (CLOSE if near and again["diverged"] == row["diverged"] else DIFFERENT), text


def _same(one: Any, other: Any) -> bool:
    return one == other or bool(pd.isna(one) and pd.isna(other))


def _alone(parameters: Parameters, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the one run that a row of the table stands for."""
    network, seed = str(row["network"]), int(row["seed"])
    changes: dict[str, Any] = {"hidden_layers": int(row["hidden_layers"]), "runs": 1, "first_seed": seed}
    if LABELS in row:
        changes[LABELS] = [int(row[LABELS])]
    if SPLIT in row:
        changes["split_seed"] = int(row[SPLIT])
    if VARIANT in row:
        changes |= parameters.variants[str(row[VARIANT])]
    if READING in row:
        from mtgcn.experiments.reading_study import changed

        (reading,) = [reading for reading in READINGS if reading.name == row[READING]]
        parameters = changed(parameters, network, reading)
    tasks = {name: task.model_dump() for name, task in parameters.networks[network].items()}
    alone = parameters.at(**changes, networks={network: tasks}, measure_every=0)
    return alone.model_dump(mode="json")
