"""Hostile inputs: good ones, broken in many ways, for every command that reads something."""

import io
import json
import os
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save
from support.search_files import TOY as SEARCH

from mtgcn.data import toy

Line = list[str]
MARKER = "pwned"  # a file of this name appears where data is executed
ONCE = ["--runs", "1", "--set", "epochs=1"]
PARAMETERS = (
    "notebook: train\ndataset: toy\nruns: 2\nepochs: 3\nhidden_layers: 1\nnetworks: {GCN: {}, AE: {AE: {weight: 3}}}\n"
)
# What has broken programs before: numbers beyond sense, paths that lead elsewhere, code, aliases, other alphabets.
TOKENS = [
    "9" * 500, "-1", "0", "1e999", ".nan", ".inf", "0x" + "f" * 50, "10000000000000", "2024-02-30", "null", "true",
    "[]", "{}", "''", "../../outside", "/etc/passwd", "..", ".", "~", "x" * 5000, "a\\0b", "\u202e", "é", "日本",
    "\ud7ff", f"!!python/object/apply:os.system ['touch {MARKER}']", f"$(touch {MARKER})", f"`touch {MARKER}`",
    "&a [*a]", "*b", "<<: *c", "{" * 60, "[" * 60, "- - - -", "? x", "!!binary eA==", "|", ">", "%", "@", "\t", "'",
    '"', "#", ": :", "--set", "--runs", "--help", "networks", "AE+FR", "ER", "hidden_units: 100000000000",
    "hidden_layers: 100000000", "runs: 1000000000000", "notebook: ../../x", "split_seed: 3", "depths: [1, 2]",
    "dataset: cora.npz", "weight: -5", "size: 99999999", "toy", "cora", "epochs=1", "params/a.yaml",
]  # fmt: skip


def text(rng: random.Random, good: str) -> str:
    """Return ``good`` after a few changes: tokens put in or in place of others, pieces left out, doubled, moved."""
    for _ in range(rng.randint(1, 4)):
        place, length = rng.randrange(len(good) + 1), rng.randint(1, 12)
        piece = good[place : place + length]
        new = rng.choice([rng.choice(TOKENS), "", piece * 2, piece[::-1], chr(rng.randrange(1, 0x3000))])
        good = good[:place] + new + good[place + length * rng.randint(0, 1) :]
        if rng.random() < 0.3:
            lines = good.split("\n")
            rng.shuffle(lines)
            good = "\n".join(lines)
    return good


def damaged(rng: random.Random, good: bytes) -> bytes:
    """Return ``good`` cut, with some bytes changed, or with a piece of it elsewhere."""
    content = bytearray(good[: rng.randrange(len(good) + 1)] if rng.random() < 0.3 else good)
    for _ in range(rng.randint(1, 8)):
        if content:
            # The heads of files decide most.
            content[rng.randrange(min(len(content), rng.choice([64, 1024, 10**9])))] = rng.randrange(256)
    return bytes(content)


class Code:
    """Executed by whoever unpickles it."""

    def __reduce__(self) -> Any:
        return os.system, (f"touch {MARKER}",)


def graph(rng: random.Random) -> bytes:
    """Return a .npz file with one or two arrays that are not what they should be."""
    data = toy.generate()
    arrays: dict[str, Any] = {name: getattr(data, name) for name in ("edges", "labels", "train", "validation", "test")}
    arrays["features"] = data.features.toarray()
    for name in rng.sample(sorted(arrays), rng.randint(1, 2)):
        array = arrays[name]
        change = rng.randrange(10)
        if change == 0:
            del arrays[name]
        elif change == 1:
            arrays[name] = array.astype(
                rng.choice(["float16", "float64", "int8", "uint64", "complex64", "S3", "bool", "M8[s]"])
            )
        elif change == 2:
            arrays[name] = np.array([Code()], dtype=object)
        elif change == 3:
            arrays[name] = array[:0]
        elif change == 4:
            arrays[name] = array[..., None]
        elif change == 5:
            arrays[name] = array.T
        elif change == 6:
            arrays[name] = array[: len(array) // 2]
        else:
            flat = array.copy().ravel()
            worst = [-1, 2**31, 2**62, 0] if flat.dtype.kind == "i" else [np.nan, np.inf, -1.0, 1e38]
            flat[rng.randrange(len(flat))] = rng.choice(worst)
            arrays[name] = flat.reshape(array.shape)
    out = io.BytesIO()
    np.savez(out, **arrays)
    content = out.getvalue()
    return damaged(rng, content) if rng.random() < 0.3 else content


def state(rng: random.Random, good: bytes) -> bytes:
    """Return a state with other bytes, other metadata or other weights."""
    if rng.random() < 0.5:
        return damaged(rng, good)
    length = int.from_bytes(good[:8], "little")
    header = json.loads(good[8 : 8 + length])
    about = text(rng, header["__metadata__"]["mtgcn"])
    shapes = {name: one["shape"] for name, one in header.items() if name != "__metadata__"}
    for name in rng.sample(sorted(shapes), 1):
        shapes[name] = rng.choice([[0], [1], [2, 0, 3], [2, 3], shapes[name][::-1], [3, *shapes[name][1:]]])
    kept = [name for name in shapes if rng.random() < 0.9]
    return save({name: torch.zeros(shapes[name]) for name in kept}, {"mtgcn": about})


def inputs(good_state: bytes) -> dict[str, Callable[[random.Random, Path], Line]]:
    """Return what makes an input of each kind in a folder, and the command line that reads it."""

    def written(folder: Path, name: str, content: bytes) -> str:
        (folder / name).write_bytes(content)
        return name

    def raw(rng: random.Random, folder: Path) -> Line:
        place = folder / f"raw{next(number)}"
        place.mkdir()
        for part in ("x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"):
            content = pickle.dumps(Code()) if rng.random() < 0.5 else rng.randbytes(rng.randrange(200))
            written(place, f"ind.cora.{part}", content)
        return [f"MTGCN_DATA={place}", "train", "cora", *ONCE]

    def line(rng: random.Random, folder: Path) -> Line:
        first = rng.choice(
            [
                ["status"],
                ["search", "--status"],
                ["verify"],
                ["predict"],
                ["train", "toy", *ONCE],
                ["run", "none"],
                ["data"],
                [],
            ]
        )
        return [*first, *(rng.choice(TOKENS).replace("\0", "") for _ in range(rng.randint(1, 3)))]

    number = iter(range(10**9))
    return {
        "parameter files": lambda rng, folder: [
            "status", written(folder, f"p{next(number)}.yaml", text(rng, PARAMETERS).encode(errors="replace"))
        ],
        "search files": lambda rng, folder: [
            "search", "--status", written(folder, f"s{next(number)}.yaml", text(rng, SEARCH).encode(errors="replace"))
        ],
        "graphs": lambda rng, folder: ["train", written(folder, f"g{next(number)}.npz", graph(rng)), *ONCE],
        "raw files": raw,
        "states": lambda rng, folder: [
            "predict", written(folder, f"w{next(number)}.safetensors", state(rng, good_state)), "toy"
        ],
        "command lines": line,
    }  # fmt: skip
