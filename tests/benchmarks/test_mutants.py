import ast
from pathlib import Path

import pytest
from mutants import find_mutants


def _changes(code: str) -> list[str]:
    """The code after each change."""
    source = code.encode()
    return [mutant.applied_to(source).decode() for mutant in find_mutants("a.py", source)]


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("a < b <= c", ["(a <= b <= c)", "(a < b < c)"]),
        ("a == b", ["(a != b)"]),
        ("a in b", ["(a not in b)"]),
        ("a + b", ["(a - b)"]),
        ("a and b", ["(a or b)"]),
        ("x = not a", ["x = (a)"]),
        ("x = True", ["x = False"]),
        ("f(3)", ["pass", "f(4)"]),
        ("x[0.5, 0.0]", ["x[1.0, 0.0]", "x[0.5, 1.0]"]),
        ("class A:\n    x = b < 3", ["class A:\n    x = (b <= 3)"]),
        ("x = min(a)", ["x = max(a)"]),
        ("a.append(b)", ["pass"]),
        ("x = a if b else c", ["x = (c if b else a)"]),
    ],
)
def test_each_kind_of_change_is_made(code: str, changed: list[str]):
    assert _changes(code) == changed


@pytest.mark.parametrize(
    "code",
    [
        '"""What 1 + 1 is."""',
        'raise ValueError(f"{1 + 1} is not {a}", 2)',
        'x = f"{a + 1}"',
        "def f(a: Literal[1]) -> Literal[2]: ...",
        "@cache(1)\ndef f(): ...",
        "if TYPE_CHECKING:\n    x = 1",
        "zip(a, b, strict=True)[c]",
        "a = run(timeout=3)",
        "logger.info(1)",
        "axes[0].set(xticks=range(1 + 2))",
        "LIMIT_MB = 3",
        "class A:\n    share: float = 0.5",
        "LIMITS = {2: (3, 4.0)}",
    ],
)
def test_what_speaks_to_people_or_to_the_type_checker_is_left_alone(code: str):
    assert _changes(code) == []


def test_a_change_behind_chinese_characters_stands_where_it_belongs():
    code = 'a = "国足"\nb = "小胜" + c  # 开门红\n'

    assert _changes(code) == ["a = \"国足\"\nb = ('小胜' - c)  # 开门红\n"]


def test_every_change_to_a_file_of_ours_is_code_and_another_one():
    source = Path(find_mutants.__code__.co_filename).read_bytes()

    mutants = list(find_mutants("mutants.py", source))

    assert len(mutants) > 30
    trees = {ast.dump(ast.parse(mutant.applied_to(source))) for mutant in mutants}
    assert len(trees) == len(set(mutants))
    assert ast.dump(ast.parse(source)) not in trees
