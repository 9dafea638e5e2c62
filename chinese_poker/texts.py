"""Foreign texts: which may stand in a document, and how any of them is shown on one line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

LONGEST_TEXT = 100
"""Characters of a name, an id, or another short text."""

UNFIT = r"\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
"""What no text may hold, as the inside of a regular expression's class: what terminals obey, and lone surrogates."""

_unfit = re.compile(f"[{UNFIT}]")


def one_line(text: str, limit: int) -> str:
    """A text fit to stand in a line: shortened as it is shown, and nothing in it that a terminal obeys.

    >>> one_line("x" * 9, 6), one_line("a\\x1b[2J", 24)
    ('xxxxxx...', 'a\\\\x1b[2J')
    """
    shown = text[:limit]
    if not shown.isprintable():
        shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)
    return shown if len(text) <= limit >= len(shown) else shown[:limit] + "..."


def quote(text: str, limit: int = 24) -> str:
    """A text fit to stand in a message, in quotes.

    >>> quote("x" * 30), quote("a\\x1b[2J")
    ("'xxxxxxxxxxxxxxxxxxxxxxxx...'", "'a\\\\x1b[2J'")
    """
    return f"'{one_line(text, limit)}'"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """What comes between a word that is not known and the known ones: the nearest of them, if one is near.

    >>> did_you_mean("Fornt", ["front", "back"]), did_you_mean("x", ["front", "back"])
    (", did you mean 'front'?", ';')
    """
    near = difflib.get_close_matches(word[:LONGEST_TEXT].lower(), list(known), n=1)
    return f", did you mean '{near[0]}'?" if near else ";"


def text_fault(text: str, *, least: int = 1, most: int = LONGEST_TEXT) -> str | None:
    """What keeps a text out of a document, if anything.

    >>> text_fault("Ann"), text_fault("a\\x1b[2J")
    (None, 'U+001B cannot stand in a text; leave it out')
    """
    if not least <= len(text) <= most:
        return f"{len(text):,} characters; write {least} to {most:,}"
    if not text.isprintable() and (unfit := _unfit.search(text)):
        return f"U+{ord(unfit[0]):04X} cannot stand in a text; leave it out"
    return None
