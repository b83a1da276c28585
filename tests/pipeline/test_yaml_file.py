"""Parameter files: values as written, mistakes by line."""

import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from mtgcn.errors import MtgcnError
from mtgcn.pipeline import yaml_file

HERE = Path("params/x.yaml")


def test_every_key_knows_its_line() -> None:
    file = yaml_file.parse("a: 1\nb:\n  c: {d: 2}\n  e:\n  - 5\n  - 6\n", HERE)
    assert file.data == {"a": 1, "b": {"c": {"d": 2}, "e": [5, 6]}}
    assert file.where(("a",)) == "params/x.yaml:1"
    assert file.where(("b", "c", "d")) == "params/x.yaml:3"
    assert file.where(("b", "e", 1)) == "params/x.yaml:6"


def test_an_unknown_place_falls_back_to_what_surrounds_it() -> None:
    file = yaml_file.parse("a: 1\nb:\n  c: 2\n", HERE)
    assert file.where(("b", "missing", "deeper")) == "params/x.yaml:2"
    assert file.where(("missing",)) == "params/x.yaml"


@pytest.mark.parametrize("written", ["5e-4", "0.0005", "5.0e-4", "5E-4", "+5e-4"])
def test_scientific_notation_is_a_number(written: str) -> None:
    assert yaml_file.parse(f"l2: {written}\n", HERE).data == {"l2": 0.0005}


def test_digits_with_letters_stay_text() -> None:
    assert yaml_file.parse("a: 5e\nb: e5\nc: '5e-4'\n", HERE).data == {"a": "5e", "b": "e5", "c": "5e-4"}


@pytest.mark.filterwarnings("error")
def test_shared_parts_by_anchor() -> None:
    assert yaml_file.parse("a: &b 1\nc: &b 2\nd: *b\n", HERE).data["d"] == 2
    file = yaml_file.parse("base: &b {x: 1}\nuse:\n  <<: *b\n  y: 2\n", HERE)
    assert file.data["use"] == {"x": 1, "y": 2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: [1, 2\n", r"params/x\.yaml:3: not valid YAML"),
        ("a: 1\n\tb: 2\n", r"params/x\.yaml:2: not valid YAML"),
        ("a: 1\nb: 2\na: 3\n", r"params/x\.yaml:3: .*'a' stands twice, first in line 1"),
        ("n:\n  a: 1\n  a: 1\n", r"params/x\.yaml:3: .*'a' stands twice, first in line 2"),
        ("", r"params/x\.yaml:1: expected lines of the form 'name: value'"),
        ("- a\n- b\n", r"expected lines of the form"),
        ("a: 1\n2: 3\n", r"params/x\.yaml:2: .*the name 2 has to be text"),
        ("a: 1\nb: {true: 3}\n", r"x\.yaml:2: .*the name True has to be text"),
        ("a: 1\n? [b]\n: 3\n", r"x\.yaml:2: .*a name has to be text"),
        ("a: !!python/object/apply:os.system ['true']\n", r"params/x\.yaml:1: not valid YAML"),
        ("a: \x00\n", r"params/x\.yaml: not valid YAML"),
        (
            "a: 1\ntitle: 2024-02-30\n",
            r"x\.yaml:2: not valid YAML, '2024-02-30' is no possible timestamp; put it in quo",
        ),
        ("a: 1\nb: [1, 2024-13-45 10:00:00]\n", r"x\.yaml:2: .* is no possible timestamp"),
        ("a: !!bool maybe\n", r"x\.yaml:1: .*'maybe' is no possible bool"),
        ("a: !!timestamp soon\n", r"x\.yaml:1: .*timestamp.*soon"),
        ("a: !!binary eA==\n", r"x\.yaml:1: .*binary"),
        ("a: !!set {b, c}\n", r"x\.yaml:1: .*set"),
        ("a: !!int ''\n", r"x\.yaml:1: .*'' is no possible int"),
        (f"a: {'9' * 5000}\n", r"x\.yaml:1: .*'9+' is no possible int"),
        ("a: 1\nepochs: &x [*x]\n", r"x\.yaml:2: .*the value stands within itself; write it out"),
        ("a: &x\n  b:\n    c: *x\n", r"x\.yaml:[12]: .*the value stands within itself"),
        ("&x\na: *x\n", r"x\.yaml: .*the value stands within itself"),
        (f"a: {'[' * 5000}\n", r"x\.yaml:1: not valid YAML, it has more than 50 levels"),
    ],
)
def test_mistakes_name_file_and_line(text: str, message: str) -> None:
    with pytest.raises(MtgcnError, match=message):
        yaml_file.parse(text, HERE)


def test_values_are_python_s_own() -> None:
    """What comes after (pydantic, JSON, papermill) must not meet ruamel.yaml's own classes."""
    text = (
        "a: &x true\nb: *x\nc: 0x1F\nd: 1.50e2\ne: |\n  lines\nf: 'quoted'\ng: [1, {h: ~}]\n'i': 2024-02-29\nj: 1_000\n"
    )
    data = yaml_file.parse(text, HERE).data
    assert data == {
        **{"a": True, "b": True, "c": 31, "d": 150.0, "e": "lines\n", "f": "quoted", "g": [1, {"h": None}]},
        **{"i": date(2024, 2, 29), "j": 1000},
    }
    values = [*data.values(), *data, *data["g"], *data["g"][1]]
    assert {type(value) for value in values} == {bool, int, float, str, list, dict, date}


def bomb(item: str, wrapped: str) -> str:
    """Write nine aliases of nine aliases, and so on: 387 million values in half a kilobyte."""
    lines = [f"a0: &a0 {item}"]
    lines += [f"a{n}: &a{n} {wrapped.format(', '.join([f'*a{n - 1}'] * 9))}" for n in range(1, 9)]
    return "\n".join(lines)


NINE = bomb("[1, 2, 3, 4, 5, 6, 7, 8, 9]", "[{}]")


HUGE = [
    NINE,
    bomb("{x: 1}", "{{<<: [{}]}}"),
    f"{NINE}\n? *a8\n: 1",
    f"{NINE}\nb: !!set *a8",
    "a: [" + "1," * 49_000 + "]",
    "a: " + "{" * 49_000,
    "a: 0x" + "f" * 90_000,
    "a: 0b" + "1" * 90_000,
]
# With little more memory than it needs for itself, and less time than one of them would take.
READ = """\
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
from mtgcn.errors import MtgcnError
from mtgcn.pipeline import yaml_file
for path in sys.argv[1:]:
    try:
        yaml_file.read(path)
    except MtgcnError as error:
        print(error)
"""


def test_a_small_file_does_not_eat_memory_or_time(tmp_path: Path) -> None:
    names = [f"{number}.yaml" for number in range(len(HUGE))]
    for name, text in zip(names, HUGE, strict=True):
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-c", READ, *names]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    for name, line in zip(names, ended.stdout.splitlines(), strict=True):
        assert re.fullmatch(rf"{name}:\d+: not valid YAML, .{{10,150}}\.", line)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("# " + "x" * yaml_file.LARGEST)
    for path in (tmp_path / "x.yaml", Path("/dev/zero")):
        with pytest.raises(MtgcnError, match=rf"^{path}: more than 100,000 bytes"):
            yaml_file.read(path)


def test_one_value() -> None:
    assert yaml_file.value("", "--set a") is None
    assert yaml_file.value("{a: &x [1], b: *x}", "--set a") == {"a": [1], "b": [1]}
    assert yaml_file.value("'2024-02-30'", "--set a") == "2024-02-30"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MtgcnError, match=r"none\.yaml: cannot be read"):
        yaml_file.read(tmp_path / "none.yaml")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"a: \xff\xfe\n")
    with pytest.raises(MtgcnError, match=r"x\.yaml: not text in UTF-8"):
        yaml_file.read(tmp_path / "x.yaml")
