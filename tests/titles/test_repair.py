"""Repairs change how a title is spaced, never what it says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from titles import normalise, repair
from titles.repair import needs_repair


@pytest.mark.parametrize(
    ("title", "repaired", "reasons"),
    [
        ("股市 大涨", "股市 大涨", ()),
        ("股市大涨 ", "股市大涨", ("edge-spaces",)),
        ("股市  大涨", "股市 大涨", ("doubled-spaces",)),
        ("股市\u3000大涨", "股市 大涨", ("wide-spaces",)),
        ("股市\x00大\u200b涨", "股市大涨", ("control-characters",)),
        ("股市\n大涨", "股市 大涨", ("control-characters",)),
        (
            "\ufeff\u3000股市\xa0\t大涨",
            "股市 大涨",
            ("control-characters", "wide-spaces", "doubled-spaces", "edge-spaces"),
        ),
        ("&quot;股市&quot;<em>大涨</em>", '"股市"大涨', ("markup",)),
        ("A&amp;amp;B&nbsp; C", "A&B C", ("markup", "wide-spaces", "doubled-spaces")),
        ("股市&a\x00mp;大涨", "股市&大涨", ("markup", "control-characters")),
        ("AT&T 1<2 <三体>", "AT&T 1<2 <三体>", ()),
        ("一家\U0001f468\u200d\U0001f469", "一家\U0001f468\u200d\U0001f469", ()),
        ("生\ufffd字，ＡＢ", "生\ufffd字，ＡＢ", ()),
    ],
)
def test_what_is_repaired_and_why(title: str, repaired: str, reasons: tuple[str, ...]):
    assert repair(title) == (repaired, reasons)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_repair_is_final_announced_and_keeps_what_the_title_says(title: str):
    repaired, reasons = repair(title)

    assert repair(repaired) == (repaired, ())
    assert needs_repair(title) == (repaired != title) == bool(reasons)
    assert repaired == repaired.strip()


@given(
    st.lists(st.sampled_from([*"股AB，！ \u3000\t\x00\u200b\x85&;<>", "&amp;", "<br>"])).map(
        "".join
    )
)
def test_repaired_title_counts_as_the_same(title: str):
    assert normalise(repair(title)[0]) == normalise(title)
