"""Small wrong changes to a file of code, one at a time.

A mutant is the code with a comparison turned (`<` to `<=`), a sign turned, `and` for `or`, a
condition negated, a number one higher or twice as large, `True` for `False`, `min` for `max`, the
two results of a conditional exchanged, or a call left out.
Source: DeMillo, Lipton and Sayward 1978, "Hints on Test Data Selection".

Left alone is what a test could only repeat, not check: what is said to people, in errors, logs and
pictures; and the numbers that a module or a class gives a name, such as bounds and time-outs.
Source: Petrović and Ivanković 2018, "State of Mutation Testing at Google", which calls these arid.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

TURNED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
LOOKS = {"figsize", "fontsize", "linewidth", "alpha", "dpi", "rotation", "color", "cmap", "pad"}
"""Arguments that say how a picture looks, which is for people to judge."""
UNTESTED = LOOKS | {"strict", "timeout"}
"""Arguments that are left alone; `strict`, of zip, is an assertion."""
LOGGERS = {"logger", "_logger"}
DRAWN = {"annotate", "colorbar", "grid", "imshow", "legend", "loglog", "margins", "plot", "text"}
SET = {"set", "set_title", "set_xlabel", "set_xscale", "set_xticks", "set_yticks"}
"""Methods of a picture's axes."""
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """A file with one piece of it replaced; `start` and `end` are bytes of UTF-8."""

    file: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def applied_to(self, source: bytes) -> bytes:
        """The file with the piece replaced."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def find_mutants(file: str, source: bytes) -> Iterator[Mutant]:
    """All mutants of a file, in the order of its tree; what only speaks to people is left alone."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in _code(ast.parse(source)):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        for after in _changed(node):
            yield Mutant(file, node.lineno, begin, end, source[begin:end].decode(), after)


def _code(node: ast.AST, named: bool = False) -> Iterator[ast.expr | ast.stmt]:
    """Nodes that do something when the program runs, and that have a place of their own.

    Args:
        named: the node is the value of a name in a module or a class.
    """
    outside = isinstance(node, ast.Module | ast.ClassDef)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_arid(child, named):
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield child
            given = outside and isinstance(child, ast.Assign | ast.AnnAssign)
            yield from _code(child, named or given)


def _is_arid(node: ast.AST, named: bool) -> bool:
    """Nothing in it is worth a mutant; see the top."""
    match node:
        case ast.JoinedStr() | ast.Raise():  # f-strings have no places, either
            return True
        case ast.keyword(arg=name):
            return name in UNTESTED
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=method))):
            return method in DRAWN | SET or (isinstance(value, ast.Name) and value.id in LOGGERS)
        case ast.Constant(value=value):
            return named and isinstance(value, int | float) and not isinstance(value, bool)
        case _:
            return False


def _changed(node: ast.AST) -> Iterator[str]:
    """What may stand in a node's place."""
    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                turned = copy.deepcopy(node)
                turned.ops[i] = TURNED[type(op)]()
                yield f"({ast.unparse(turned)})"
        case ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in TURNED:
            turned = copy.deepcopy(node)
            turned.op = TURNED[type(op)]()
            yield f"({ast.unparse(turned)})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int(value)):
            yield str(value + 1)
        case ast.Constant(value=float(value)):
            yield str(2 * value if value else 1.0)
        case ast.Call(func=ast.Name(id=name)) if name in NAMES:
            turned = copy.deepcopy(node)
            turned.func = ast.Name(NAMES[name])
            yield ast.unparse(turned)
        case ast.Expr(value=ast.Call()):
            yield "pass"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield f"({ast.unparse(orelse)} if {ast.unparse(test)} else {ast.unparse(body)})"
