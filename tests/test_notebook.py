"""What notebooks show: the example runs, every view is there, and nothing that a user wrote is markup."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from IPython.core.formatters import DisplayFormatter
from nbclient import NotebookClient

import chinese_poker
from chinese_poker import Arrangement, Card, Deal, Player, parse_hand, score
from chinese_poker.adapters.notebook import _STYLES, _VIEWS, html, text
from chinese_poker.presets import load_rules, rule_names
from chinese_poker.report import Standings
from chinese_poker.suggest import suggest

EXAMPLE = Path(chinese_poker.__file__).parent / "examples" / "night.ipynb"
EVIL = "<script>alert('&')</script>"
NORTH = Arrangement.parse("QhQd2c | 9s9h4d4c7s | AsKsJs8s3s")
SOUTH = Arrangement.parse("AhKd5c | 8h8d6h6c2s | TcTdThTs2h")
DRAGON = parse_hand("2s3s4d5c6d7c8c9cTsJhQdKcAs")


def evil_deal():
    return Deal((Player(EVIL, NORTH), Player("[bold]b", SOUTH), None), id="<b>&\"'")


def standings():
    night = Standings()
    night.add(score(evil_deal(), load_rules("basic")))
    return night


VALUES = {
    "Card": lambda: Card["Qh"],
    "Arrangement": lambda: NORTH,
    "Deal": evil_deal,
    "DealResult": lambda: score(evil_deal(), load_rules("basic")),
    "Suggestions": lambda: suggest(DRAGON, load_rules("taiwan"), samples=200, top=2),
    "RuleSet": lambda: load_rules("taiwan"),
    "Standings": standings,
}


class Outline(HTMLParser):
    """The tags of a text, checked to be closed in turn, and the words between them."""

    def __init__(self, markup):
        super().__init__()
        self.tags, self.open, self.words = set(), [], []
        self.feed(markup)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert {name for name, _ in attrs} <= {"style"}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_every_view_has_a_value_here():
    assert set(VALUES) == set(_VIEWS)


@pytest.mark.parametrize("name", VALUES)
def test_views_are_whole_small_and_of_plain_tags(name):
    value = VALUES[name]()
    outline = Outline(value._repr_html_())
    assert outline.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "span", "div", "br"}
    assert len(value._repr_html_()) < 8000
    assert value._repr_html_() == html(value)


@pytest.mark.parametrize("name", ["Deal", "DealResult", "Standings"])
def test_what_users_wrote_is_text(name):
    value = VALUES[name]()
    outline = Outline(html(value))
    assert EVIL in "".join(outline.words)
    assert "[bold]b" in "".join(outline.words)
    assert EVIL in text(value)
    assert "[bold]b" in str(value)


def test_html_says_what_the_terminal_says():
    for name, make in VALUES.items():
        value = make()
        shown = " ".join(" ".join(Outline(html(value).replace("<br>", " ")).words).split())
        for word in re.findall(r"\w+", text(value)):
            assert word in shown or len(word) < 3, (name, word)


def luminance(colour):
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_colours_can_be_read_on_white_and_on_a_dark_theme():
    """WCAG 2's contrast: no colour has 4.6 or more on both, so 4 is near the best there is."""
    css = ";".join(_STYLES.values())
    assert "background" not in css
    colours = re.findall(r"color:(#\w{6})", css)
    assert len(colours) == 3
    for colour in colours:
        on_white = 1.05 / (luminance(colour) + 0.05)
        on_dark = (luminance(colour) + 0.05) / (luminance("#111111") + 0.05)
        assert on_white > 4, colour
        assert on_dark > 4, colour


def test_ipython_shows_both_views():
    formatter = DisplayFormatter()
    shown, _ = formatter.format(evil_deal())
    assert shown["text/html"] == html(evil_deal())
    assert shown["text/plain"] == text(evil_deal())
    shown, _ = formatter.format(NORTH)
    assert shown["text/html"] == html(NORTH)


def test_the_core_imports_nothing_that_shows():
    code = (
        "import sys, chinese_poker; from chinese_poker.presets import load_rules;"
        "found = {'rich', 'html', 'pyarrow', 'chinese_poker.adapters', 'chinese_poker.report'} & set(sys.modules);"
        "assert not found, found"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", rule_names())
def test_results_of_every_rule_set_are_shown(name):
    rules = load_rules(name)
    deal = Deal((Player("A", NORTH), Player("B", SOUTH)), 0 if rules.banker != "none" else None)
    assert "units" in html(score(deal, rules))


def test_the_example_runs(tmp_path):
    notebook = nbformat.read(EXAMPLE, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    done = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in done.cells for output in cell.get("outputs", ())]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    shown = [output["data"]["text/html"] for output in outputs if "data" in output and "text/html" in output["data"]]
    totals = {"Mei": "+68", "Jonas": "-6", "Luz": "-30", "Anh": "-32"}  # as the README's `score --example --standings`
    night = next(page for page in shown if "worst" in page)
    for player, units in totals.items():
        words = Outline(night).words
        assert words[words.index(player) + 2] == units
    assert any("behind the best" in page for page in shown)
    assert any("taiwan" in page for page in shown)
