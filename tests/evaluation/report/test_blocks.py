from evaluation.report.blocks import (
    Bullets,
    Fold,
    Gallery,
    Paragraph,
    Picture,
    Table,
    escape_markdown,
)

NASTY = "<b>A|B</b> & *x* [y](z) _q_"


def test_html_shows_text_as_it_is():
    for block in (Paragraph(NASTY), Bullets([("", NASTY)]), Table([NASTY], [[NASTY]])):
        written = block.to_html()
        assert "&lt;b&gt;A|B&lt;/b&gt; &amp; *x* [y](z) _q_" in written
        assert "<b>" not in written


def test_markdown_shows_text_as_it_is():
    assert escape_markdown(NASTY) == r"\<b\>A\|B\</b\> \& \*x\* \[y\](z) \_q\_"
    assert escape_markdown("two\nlines\t ok") == "two lines ok"


def test_a_table_is_the_same_in_both():
    table = Table(["model", "accuracy"], [["linear", "90.67 %"]])

    assert table.to_markdown() == "| model | accuracy |\n| --- | --: |\n| linear | 90.67 % |"
    assert '<th scope="row">linear</th><td class="number">90.67 %</td>' in table.to_html()
    assert table.to_html().startswith('<div class="wide"')  # scrolls by itself on a phone


def test_shades_are_a_background_in_html_alone():
    table = Table(["class", "a", "b"], [["a", "9", "1"]], shades=[[0.0, 0.9, 0.1]])

    assert '<td class="number" style="--shade:0.90">9</td>' in table.to_html()
    assert "0.90" not in table.to_markdown()


def test_a_lead_is_bold():
    assert Paragraph("text", "Lead.").to_html() == "<p><strong>Lead.</strong> text</p>"
    assert Paragraph("text", "Lead.").to_markdown() == "**Lead.** text"
    assert Bullets([("One:", "a"), ("Two:", "b")]).to_markdown() == "- **One:** a\n- **Two:** b"


def test_a_picture_is_inline_in_html_and_a_file_in_markdown():
    svg = '<?xml version="1.0"?>\n<svg fill="#6b7280"></svg>'
    gallery = Gallery([Picture("a.svg", svg, "A against B")])

    assert '<svg fill="currentColor"></svg>' in gallery.to_html()
    assert 'role="img" aria-label="A against B"' in gallery.to_html()
    assert "<?xml" not in gallery.to_html()
    assert gallery.to_markdown() == "![A against B](a.svg)"


def test_a_fold_opens_without_script():
    fold = Fold("More", [Paragraph("inside")])

    assert fold.to_html().startswith("<details><summary>More</summary>")
    assert fold.to_markdown() == "**More**\n\ninside"
