"""Parameter files: values as written, mistakes by line."""

from pathlib import Path

import pytest

from mtgcn import yamlfile
from mtgcn.errors import MtgcnError

HERE = Path("params/x.yaml")


def test_every_key_knows_its_line() -> None:
    file = yamlfile.parse("a: 1\nb:\n  c: {d: 2}\n  e:\n  - 5\n  - 6\n", HERE)
    assert file.data == {"a": 1, "b": {"c": {"d": 2}, "e": [5, 6]}}
    assert file.where(("a",)) == "params/x.yaml:1"
    assert file.where(("b", "c", "d")) == "params/x.yaml:3"
    assert file.where(("b", "e", 1)) == "params/x.yaml:6"


def test_an_unknown_place_falls_back_to_what_surrounds_it() -> None:
    file = yamlfile.parse("a: 1\nb:\n  c: 2\n", HERE)
    assert file.where(("b", "missing", "deeper")) == "params/x.yaml:2"
    assert file.where(("missing",)) == "params/x.yaml"


@pytest.mark.parametrize("written", ["5e-4", "0.0005", "5.0e-4", "5E-4", "+5e-4"])
def test_scientific_notation_is_a_number(written: str) -> None:
    assert yamlfile.parse(f"l2: {written}\n", HERE).data == {"l2": 0.0005}


def test_digits_with_letters_stay_text() -> None:
    assert yamlfile.parse("a: 5e\nb: e5\nc: '5e-4'\n", HERE).data == {"a": "5e", "b": "e5", "c": "5e-4"}


def test_shared_parts_by_anchor() -> None:
    file = yamlfile.parse("base: &b {x: 1}\nuse:\n  <<: *b\n  y: 2\n", HERE)
    assert file.data["use"] == {"x": 1, "y": 2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: [1, 2\n", r"params/x\.yaml:3: not valid YAML"),
        ("a: 1\n\tb: 2\n", r"params/x\.yaml:2: not valid YAML"),
        ("a: 1\nb: 2\na: 3\n", r"params/x\.yaml:3: 'a' stands twice, first in line 1"),
        ("n:\n  a: 1\n  a: 1\n", r"params/x\.yaml:3: 'a' stands twice, first in line 2"),
        ("", r"params/x\.yaml:1: expected lines of the form 'name: value'"),
        ("- a\n- b\n", r"expected lines of the form"),
        ("a: 1\n2: 3\n", r"params/x\.yaml:2: the name 2 has to be text"),
        ("a: !!python/object/apply:os.system ['true']\n", r"params/x\.yaml:1: not valid YAML"),
        ("a: \x00\n", r"params/x\.yaml: not valid YAML"),
        (
            "a: 1\ntitle: 2024-02-30\n",
            r"x\.yaml:2: not valid YAML, '2024-02-30' is no possible timestamp; put it in quo",
        ),
        ("a: 1\nb: [1, 2024-13-45 10:00:00]\n", r"x\.yaml:2: .* is no possible timestamp"),
        ("a: !!bool maybe\n", r"x\.yaml:1: .*'maybe' is no possible bool"),
        ("a: !!timestamp soon\n", r"x\.yaml:1: .*'soon' is no possible timestamp"),
        ("a: !!int ''\n", r"x\.yaml:1: .*'' is no possible int"),
        (f"a: {'9' * 5000}\n", r"x\.yaml:1: .*'9+' is no possible int"),
        (f"a: 1{':59' * 200}.5\n", r"x\.yaml:1: .* is no possible float"),
        ("a: 1\nepochs: &x [*x]\n", r"x\.yaml:2: the value stands within itself; write it out"),
        ("a: &x\n  b:\n    c: *x\n", r"x\.yaml:3: the value stands within itself"),
        (f"a: {'[' * 5000}\n", r"x\.yaml: not valid YAML, it is nested too deeply"),
    ],
)
def test_mistakes_name_file_and_line(text: str, message: str) -> None:
    with pytest.raises(MtgcnError, match=message):
        yamlfile.parse(text, HERE)


def test_one_value() -> None:
    assert yamlfile.value("", "--set a") is None
    assert yamlfile.value("{a: &x [1], b: *x}", "--set a") == {"a": [1], "b": [1]}
    assert yamlfile.value("'2024-02-30'", "--set a") == "2024-02-30"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MtgcnError, match=r"none\.yaml: cannot be read"):
        yamlfile.read(tmp_path / "none.yaml")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"a: \xff\xfe\n")
    with pytest.raises(MtgcnError, match=r"x\.yaml: not text in UTF-8"):
        yamlfile.read(tmp_path / "x.yaml")
