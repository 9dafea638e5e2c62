"""Plots, from plain figures; they need matplotlib, the extra ``plot``.

Each function returns a matplotlib ``Figure`` that no window knows of; :func:`save` writes it, the same bytes for the
same figures. Colours are Okabe and Ito's, which everybody can tell apart; what they tell, shapes or places tell too.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from itertools import cycle
from math import ceil, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from .cards import RANKS
from .errors import ChinesePokerError
from .evaluate import Category
from .extras import needs
from .files import check_writable, faults_of, replacing
from .odds import in_words, one_in
from .texts import quote

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from .odds import OddsTable
    from .suggest import Suggestions

ENDINGS = (".png", ".svg", ".pdf")
_WITHOUT_DATES: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None, "Producer": None, "Creator": None},
}
_BLUE, _ORANGE, _GREEN, _VERMILION, _PURPLE, _SKY, _BLACK = (
    *("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000"),
)
_GREY = "#777777"
_LINES = tuple(
    (colour, marker, line)
    for line, markers in (("-", "osD^vPX"), ("--", "*<>hdp8"))
    for colour, marker in zip((_BLUE, _ORANGE, _GREEN, _VERMILION, _PURPLE, _SKY, _BLACK), markers, strict=True)
)
_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "font.sans-serif": ["DejaVu Sans"],
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e2e2e2",
    "grid.linewidth": 0.7,
    "figure.dpi": 150,
    "figure.titlesize": 10,
    "legend.frameon": False,
    "svg.hashsalt": "chinese-poker",
    "pdf.fonttype": 42,
}
_P = ParamSpec("_P")


def plot_path(text: str) -> Path:
    """Where a plot goes: what stands in its way is said before anything is reckoned.

    :raises ChinesePokerError: ``bad_plot``, ``missing_extra``, ``unwritable``.

    >>> plot_path("odds.gif")
    Traceback (most recent call last):
    chinese_poker.errors.ChinesePokerError: bad_plot: 'odds.gif' is no plot; let its name end in .png, .svg or .pdf
    """
    path = Path(text)
    if path.suffix.lower() not in ENDINGS:
        fault = f"{quote(text, 90)} is no plot; let its name end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        raise ChinesePokerError("bad_plot", fault)
    with needs("plot"):
        import_module("matplotlib")
    check_writable(path)
    return path


def save(figure: Figure, path: Path) -> None:
    """Write a figure in the format that the name ends in, whole or not at all.

    :raises ChinesePokerError: ``unwritable``.
    """
    ending = path.suffix.lower()
    with _styled(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # names in scripts that the font lacks
        with replacing(path) as file, faults_of(path):
            figure.savefig(file, format=ending[1:], metadata=_WITHOUT_DATES[ending])


@contextmanager
def _styled() -> Iterator[None]:
    """Our style alone, whatever the user's own is."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def _plot(draw: Callable[_P, Figure]) -> Callable[_P, Figure]:
    @wraps(draw)
    def drawn(*args: _P.args, **kwargs: _P.kwargs) -> Figure:
        with _styled():
            return draw(*args, **kwargs)

    return drawn


def _figure(width: float, height: float, title: str, note: str = "") -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    _caption(figure, title, note)
    return figure


def _caption(figure: Figure | SubFigure, title: str, note: str) -> None:
    figure.suptitle(title[:1].upper() + title[1:], x=0.01, ha="left", weight="bold")
    if note:
        figure.supxlabel(note, x=0.01, ha="left", size=7.5, color=_GREY)


@_plot
def suggestions(found: Suggestions) -> Figure:
    """What a hand's leading arrangements are worth."""
    rows = found.suggestions
    note = f"{found.rules.name}, {found.opponents} opponent{'s' if found.opponents > 1 else ''}; "
    note += "exact" if found.how == "exact" else f"{found.samples:,} hands as {found.against} plays them"
    for words, offer in (("declaring", found.declare), ("surrender", found.surrender)):
        note += f"; {words} is worth {offer.ev:+.2f}" if offer else ""
    figure = _figure(7.5, 1.4 + 0.38 * len(rows), "Leading arrangements", note)
    axes = figure.add_subplot()
    values, places = [suggestion.ev for suggestion in rows], list(range(len(rows)))
    if found.how != "exact":
        errors = [suggestion.error for suggestion in rows]
        thin: dict[str, Any] = {"ecolor": "#888888", "elinewidth": 1, "capsize": 3, "label": "error of the value"}
        axes.errorbar(values, places, xerr=errors, fmt="none", **thin)
        errors = [suggestion.behind_error for suggestion in rows[1:]]
        thick: dict[str, Any] = {"ecolor": _ORANGE, "elinewidth": 5, "label": "error of the distance to the best"}
        axes.errorbar(values[1:], places[1:], xerr=errors, fmt="none", **thick)
        figure.legend(loc="outside upper right", ncols=2, fontsize=7.5)
    axes.plot(values[:1], places[:1], "D", color=_GREEN, ms=6)
    axes.plot(values[1:], places[1:], "o", color=_BLUE, ms=4)
    for place, value in enumerate(values):
        axes.annotate(f"{value:+.2f}", (value, place), (0, 7), textcoords="offset points", ha="center", size=7)
    cards = [str(suggestion.arrangement).replace(" | ", "   ") for suggestion in rows]
    axes.set_yticks(places, cards, family="DejaVu Sans Mono", size=8)
    axes.set_ylim(len(rows) - 0.5, -0.7)
    axes.set_xlabel("value, units from each opponent")
    axes.margins(x=0.12)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    return figure


@_plot
def odds(tables: Sequence[OddsTable]) -> Figure:
    """Chances as bars: a row of panels for each table, a panel for each column."""
    heights = [0.75 + 0.21 * len(table.rows) for table in tables]
    figure = _figure(8, sum(heights) + 0.35 * len(tables) + 0.2, "")
    parts = figure.subfigures(len(tables), height_ratios=heights, squeeze=False)[:, 0]
    for part, table in zip(parts, tables, strict=True):
        _caption(part, table.title, table.how_known)
        panels = part.subplots(1, len(table.columns), sharex=True, sharey=True, squeeze=False)[0]
        for axes, column in zip(panels, table.columns, strict=True):
            _bars(axes, table, column)
    return figure


_RARE = 0.01
"""Of the highest chance; where more than a quarter of the chances are rarer, their scale is logarithmic."""


def _bars(axes: Axes, table: OddsTable, column: str) -> None:
    chances = [chance.chance for row in table.rows.values() for chance in row.values() if chance.chance]
    logarithmic = sum(chance < _RARE * max(chances) for chance in chances) > len(chances) / 4
    names = list(table.rows)
    held = {names.index(name): row[column] for name, row in table.rows.items() if column in row}
    percents = [100 * chance.chance for chance in held.values()]
    errors = [100 * getattr(chance, "error", 0.0) for chance in held.values()]
    axes.barh(list(held), percents, height=0.68, color=_SKY)
    axes.errorbar(percents, list(held), xerr=errors, fmt="none", ecolor=_BLACK, elinewidth=1)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.set_title(column if len(table.columns) > 1 else "")
    least, most = 100 * min(chances), 100 * max(chances)
    if logarithmic:
        axes.set_xscale("log")
        axes.set_xlim(least / 2, most * (most / least) ** 0.5)
    else:
        axes.set_xlim(0, most * 1.25)
    right = min(100, axes.get_xlim()[1])
    ticks = [tick for tick in axes.get_xticks() if least / 2 <= tick <= right or tick == 0]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("%, logarithmic" if logarithmic else "%")
    for place, percent, error in zip(held, percents, errors, strict=True):
        rounded = f"{percent:#.3g}".removesuffix(".")
        words = rounded if not logarithmic else f"1 in {one_in(percent / 100)}" if percent < 10 else f"{rounded} %"
        axes.annotate(
            words, (percent + error, place), (4, 0), textcoords="offset points", va="center", size=7, color="#333333"
        )


@_plot
def strengths(
    points: Mapping[str, Mapping[str, Sequence[tuple[int, float, float]]]],
    *,
    title: str = "Chance to win by strength",
    note: str = "",
) -> Figure:
    """The chance to win a segment by how strong it is, against one opponent.

    :param points: segment to category, in words, to leading rank (2 to 14), chance and standard error. What is known
        to no better than 6 points in a hundred is left out.
    """
    figure = _figure(8.5, 3.7, title, note)
    panels = figure.subplots(1, len(points), sharex=True, sharey=True, squeeze=False)[0]
    found = {category for lines in points.values() for category in lines}
    names = [name for name in (in_words(category.word) for category in Category) if name in found]
    for axes, (segment, lines) in zip(panels, points.items(), strict=True):
        for category, line in lines.items():
            known = {rank: (100 * chance, 100 * error) for rank, chance, error in line if error <= _LEAST_KNOWN}
            if known:
                colour, marker, dashes = _LINES[names.index(category) % len(_LINES)]
                ranks = range(min(known), max(known) + 1)
                chances, errors = zip(*(known.get(rank, (nan, nan)) for rank in ranks), strict=True)
                style: dict[str, Any] = {"color": colour, "marker": marker, "ls": dashes, "label": category}
                axes.errorbar(ranks, chances, errors, ms=3.5, lw=1.1, elinewidth=0.8, **style)
        axes.set_title(segment)
        axes.set_xticks(range(2, 15), RANKS)
        axes.set_xlabel("leading rank")
        axes.set_ylim(-3, 103)
    panels[0].set_ylabel("wins against one opponent, %")
    handles = {
        label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    order = [name for name in reversed(names) if name in handles]
    figure.legend([handles[name] for name in order], order, loc="outside right upper", fontsize=8)
    return figure


_LEAST_KNOWN = 0.06


@_plot
def scores(histograms: Mapping[str, Mapping[int, int]], *, title: str = "Scores of a deal", note: str = "") -> Figure:
    """How often each score came, a panel for each seat.

    :param histograms: seat to score, in units a deal, to how many deals.
    """
    figure = _figure(6.5, 0.9 + 1.15 * len(histograms), title, note)
    panels = figure.subplots(len(histograms), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    every = [score for counts in histograms.values() for score in counts] or [0]
    low, high = min(every), max(every)
    width = ceil((high - low + 1) / _MOST_BARS)
    for axes, (seat, counts) in zip(panels, histograms.items(), strict=True):
        deals = sum(counts.values()) or 1
        bars: dict[int, int] = {}
        for score, count in counts.items():
            start = score // width * width
            bars[start] = bars.get(start, 0) + count
        middles = [start + (width - 1) / 2 for start in bars]
        axes.bar(middles, [100 * count / deals for count in bars.values()], width=0.86 * width, color=_SKY)
        mean = sum(score * count for score, count in counts.items()) / deals
        axes.axvline(mean, color=_VERMILION, lw=1.2)
        axes.set_title(f"{seat}: mean {mean:+.3f}", color="#333333")
        axes.grid(axis="x", visible=False)
    panels[-1].set_xlabel("score, units a deal" + (f" (bars of {width})" if width > 1 else ""))
    figure.supylabel("deals, %", size=9)
    return figure


_MOST_BARS = 100


@_plot
def convergence(
    series: Mapping[str, Sequence[tuple[float, float, float]]],
    *,
    measure: str = "gain of the best response,\nunits per opponent and hand",
    title: str = "Convergence of training",
    note: str = "",
) -> Figure:
    """A figure over the rounds of training, with standard errors.

    :param series: name to (round, value, standard error) each; where values span more than a factor of 20 the scale is
        logarithmic.
    """
    from matplotlib.ticker import MaxNLocator

    figure = _figure(6.5, 3.6, title, note)
    axes = figure.add_subplot()
    values = [value for points in series.values() for _, value, _ in points]
    for (name, points), (colour, marker, dashes) in zip(series.items(), cycle(_LINES), strict=False):
        rounds, means, errors = zip(*points, strict=True)
        style: dict[str, Any] = {"color": colour, "marker": marker, "ls": dashes, "label": name}
        axes.errorbar(rounds, means, errors, ms=3.5, lw=1.2, elinewidth=0.9, capsize=2, **style)
    if values and min(values) > 0 and max(values) > 20 * min(values):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
    else:
        axes.set_ylim(min([0, *values]), None)
    axes.set_xlabel("round of training")
    axes.set_ylabel(measure)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if len(series) > 1:
        axes.legend()
    return figure
