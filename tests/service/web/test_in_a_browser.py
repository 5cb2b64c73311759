"""The page in Chromium: in both languages, wide and narrow, light and dark."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.programs import needed

from ..test_serve import Server, running

pytestmark = pytest.mark.slow

PROGRAM = """
import sys
from service.run import serve
from service.settings import read_settings
serve(read_settings(port=0, feedback=f"sqlite:///{sys.argv[1]}"))
"""
LOOKS = [
    (1100, "light", "zh-CN"),
    (1100, "dark", "en-US"),
    (390, "light", "en-US"),
    (390, "dark", "zh-CN"),
]
"""Each pair of a width, a scheme and a language is among them."""
SPORT = "国足客场一球小胜 小组赛取得开门红"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("feedback") / "feedback.db"


@pytest.fixture(scope="module")
def server(database: Path) -> Iterator[Server]:
    """The service with the model that ships, which keeps corrections."""
    with running(PROGRAM, str(database)) as server:
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=needed("chromium"),
            args=["--no-sandbox", "--disable-background-networking", "--disable-component-update"],
        )
        yield browser
        browser.close()


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}-{look[2][:2]}")
def look(request: pytest.FixtureRequest) -> tuple[int, str, str]:
    return request.param


@pytest.fixture
def page(browser: Browser, server: Server, look: tuple[int, str, str]) -> Iterator[Page]:
    """The page, which asks nobody but its own server and logs nothing."""
    width, scheme, language = look
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, locale=language
    )
    page = context.new_page()
    page.set_default_timeout(20_000)
    home = f"http://127.0.0.1:{server.port}/"
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request", lambda asked: asked.url.startswith((home, "blob:")) or wrong.append(asked.url)
    )
    page.goto(home)
    yield page
    assert wrong == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    report = Axe().run(page)
    assert report.violations_count == 0, report.generate_report()
    context.close()


def said(look: tuple[int, str, str], chinese: str, english: str) -> str:
    return chinese if look[2].startswith("zh") else english


def test_titles_are_typed_classified_and_corrected(page, look, database):
    page.fill("#titles", f"{SPORT}\n？？？？？？\n\n")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#results > li:nth-child(2)")
    first, second = page.locator("#results > li").all()
    expect(first.locator("strong")).to_have_text(said(look, "体育", "sports"))
    expect(first.locator(".bars dt")).to_have_count(3)
    expect(second.locator(".badge").first).to_have_text(said(look, "无法读懂", "cannot be read"))

    first.locator("summary").click()
    first.locator("select").select_option("game")
    expect(first.locator("[role=status]")).to_have_text(
        said(look, "已记录，谢谢", "kept, thank you")
    )
    with sqlite3.connect(database) as kept:
        rows = kept.execute("select title, label from feedback").fetchall()
    assert (SPORT, "game") in rows


def test_a_file_is_dropped_scored_and_downloaded(page, look, tmp_path):
    file = tmp_path / "titles.csv"
    file.write_text(f'编号,标题\n1,{SPORT}\n2,"A股三大指数, 集体收涨"\n3,\n', encoding="gb18030")
    page.set_input_files("#file", file)
    expect(page.locator("#column")).to_have_value("1")
    page.click("#score")
    expect(page.locator("#done-text")).to_contain_text(
        said(look, "3 条标题，其中 1 条无法分类", "3 titles, of which 1 could not be classified")
    )
    with page.expect_download() as download:
        page.click("#download")
    assert download.value.suggested_filename == "titles-biaoti.csv"
    content = Path(download.value.path()).read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    header, *rows = csv.reader(content.decode("utf-8-sig").splitlines())
    assert header[:3] == ["编号", "标题", said(look, "类别", "class")]
    assert [row[2] for row in rows] == ["sports", "stocks", ""]


def test_how_the_service_does_is_shown(page, look, server):
    server.classify(SPORT)
    page.click("#examples")
    page.wait_for_selector("#results > li:nth-child(4)")
    expect(page.locator("#charts svg")).to_have_count(2)
    expect(page.locator("#charts rect.best").first).to_be_attached()
    expect(page.locator("#hour-shares tbody")).to_contain_text(said(look, "体育", "sports"))


def test_the_other_language_is_a_click_away_and_kept(page, look):
    page.click("#language")
    other = said(look, "Classify", "分类")
    expect(page.locator("#classify")).to_have_text(other)
    page.reload()
    expect(page.locator("#classify")).to_have_text(other)
    expect(page.locator("html")).to_have_attribute("lang", said(look, "en", "zh-CN"))
