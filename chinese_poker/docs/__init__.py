"""The pages that come with the package: Markdown files, and the page of the rules, which the presets write."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ..errors import ChinesePokerError
from ..texts import did_you_mean, quote
from .rule_page import rules_page

_FOLDER = Path(__file__).parent
_ORDER = ("tutorial", "house-rules", "ledger", "bot", "cluster", "algorithm")
RULES = "rules"
"""The name of the page that is written from the presets."""


@cache
def page_names() -> tuple[str, ...]:
    """The pages in the order in which one would read them.

    >>> page_names()[0], page_names()[-1]
    ('tutorial', 'rules')
    """
    names = {path.stem for path in _FOLDER.glob("*.md")}
    return (*_ORDER, *sorted(names.difference(_ORDER)), RULES)


def page(name: str) -> str:
    """A page as Markdown.

    :raises ChinesePokerError: ``unknown_page``.

    >>> page("tutorial").splitlines()[0]
    '# From a first deal to a first study'
    """
    if name == RULES:
        return rules_page()
    if name not in page_names():
        fault = f"{quote(name)} is no page{did_you_mean(name, page_names())} known: {', '.join(page_names())}"
        raise ChinesePokerError("unknown_page", fault)
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8")


def page_title(name: str) -> str:
    """What a page is about: its heading.

    >>> page_title("rules")
    'The rule sets, side by side'
    """
    return page(name).partition("\n")[0].removeprefix("# ")
