"""The report as one HTML page that needs nothing else: no script, no font, no network."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.report.blocks import escape_html
from evaluation.report.section import Content, Section

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2937; --paper: #ffffff; --line: #d1d5db;
  --soft: #f3f4f6; --link: #1d4ed8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e5e7eb; --paper: #111827; --line: #374151; --soft: #1f2937; --link: #93c5fd; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.55;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC",
    "Microsoft YaHei", "Noto Sans CJK SC", "WenQuanYi Zen Hei", sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0.5rem 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.75rem; border-bottom: 1px solid var(--line); }
p, ul { max-width: 46rem; overflow-wrap: anywhere; }
ul { padding-left: 1.2rem; }
li { margin: 0.35rem 0; }
a { color: var(--link); }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin-top: 1.5rem; font-size: 0.9rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: max-content; font-size: 0.9rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.6rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; min-width: 3rem; max-width: 22rem; }
td { background: rgba(59, 130, 246, calc(var(--shade, 0) * 0.75)); }
thead th { background: var(--soft); vertical-align: bottom; }
tbody th { font-weight: 500; position: sticky; left: 0; background: var(--paper); }
thead th:first-child { position: sticky; left: 0; }
.number { text-align: right; white-space: nowrap; }
thead .number { white-space: normal; max-width: 8rem; }
figure { margin: 0; flex: 1 1 20rem; max-width: 36rem; }
figure svg { width: 100%; height: auto; }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1rem 0; }
details { margin: 0.4rem 0; }
summary { cursor: pointer; padding: 0.3rem 0; }
@media (max-width: 40rem) {
  main { padding: 0.75rem 0.75rem 3rem; }
  table { font-size: 0.82rem; }
  td { max-width: 15rem; }
  th, td { padding: 0.3rem 0.45rem; }
  tbody th, thead th:first-child { max-width: 9rem; overflow-wrap: break-word; }
}
""".strip()


def write_page(title: str, parts: Sequence[tuple[Section, Content]]) -> str:
    """The page: the first section stands before the links to the others."""
    sections = [_section(section, content) for section, content in parts]
    links = "\n".join(
        f'<a href="#{escape_html(section.id)}">{escape_html(section.title)}</a>'
        for section, _ in parts[1:]
    )
    body = "\n".join([sections[0], f"<nav>{links}</nav>", *sections[1:]])
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape_html(title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n"
        f"<body>\n<main>\n<h1>{escape_html(title)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _section(section: Section, content: Content) -> str:
    blocks = "\n".join(block.to_html() for block in content.blocks)
    return (
        f'<section id="{escape_html(section.id)}">\n'
        f"<h2>{escape_html(section.title)}</h2>\n{blocks}\n</section>"
    )
