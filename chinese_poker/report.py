"""What a person sees: settlements in words, tables, standings, CSV."""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from .arrangement import SEGMENTS, Arrangement
from .cards import NAMES, Card, grouped
from .deal import Deal, Player, labels
from .errors import DealError
from .evaluate import Strength
from .matchup import Item, Reason
from .naturals import find_naturals
from .rules import FoulPays, HomeRunMode, RuleSet
from .score import DealResult, Matchup, PlayerResult
from .shown import ShownAsText
from .texts import quote

if TYPE_CHECKING:
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from .duel import Contestant, DuelResult, Estimate
    from .exploitability import Exploitability
    from .odds import Chance, OddsTable, Simulated
    from .suggest import Lapse, Suggestions
    from .wire import ResultDocument

CSV_HEADER = ("id", "rules", "seat", "name", "total", "foul", "natural", "front", "middle", "back")
"""The columns of a result, one row a player."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet takes for a formula."""
_SUIT_STYLES = {"c": "green", "d": "blue", "h": "red", "s": ""}


def _labels(result: DealResult) -> tuple[str, ...]:
    return labels([player.name if player else None for player in result.players])


def _units(units: int) -> str:
    return f"{units:+d}" if units else "0"


def explain(deal: Deal, result: DealResult) -> Iterator[str]:
    """The settlement as a person would say it, a line each.

    >>> from chinese_poker import Arrangement, Player, score
    >>> from chinese_poker.presets import load_rules
    >>> ann = Player("Ann", Arrangement.parse("QsQh4d | AsAh9c7d2s | KdKc8s8h3c"))
    >>> bo = Player("Bo", Arrangement.parse("JdJc5s | QdQc9d6s2c | AdAc5h5d3d"))
    >>> deal = Deal((ann, bo))
    >>> print("\\n".join(explain(deal, score(deal, load_rules("western")))))
    Ann wins 2 from Bo
      front: pair of queens, four kicker over pair of jacks, five kicker: Ann +1
      middle: pair of aces, nine-seven-deuce kickers over pair of queens, nine-six-deuce kickers: Ann +1
      back: aces and fives, three kicker over kings and eights, three kicker: Bo +1
      majority of the segments: Ann +1
    """
    names = _labels(result)
    for matchup in result.matchups:
        first, second = (names[seat] for seat in matchup.players)
        if matchup.total:
            winner, loser = (first, second) if matchup.total > 0 else (second, first)
            yield f"{winner} wins {abs(matchup.total)} from {loser}"
        else:
            yield f"{first} and {second} are even"
        for item in matchup.items:
            who = f": {first if item.units > 0 else second} {abs(item.units):+d}" if item.units else ": nothing"
            yield f"  {_why(item, matchup, result, names)}{who}"


def _why(item: Item, matchup: Matchup, result: DealResult, names: Sequence[str]) -> str:
    i, j = matchup.players
    rules = result.rules
    match item.reason:
        case Reason.SEGMENT:
            return _segment_words(item, result.players[i], result.players[j])
        case Reason.BONUS:
            return f"{item.segment}: bonus for {_bonus_words(item, matchup, result)}"
        case Reason.BONUS_CAP:
            return f"bonuses from one opponent are at most {rules.bonuses.cap}"
        case Reason.MAJORITY:
            return "majority of the segments"
        case Reason.SCOOP:
            return "scoop"
        case Reason.SCOOP_FACTOR:
            return f"scoop, {_times(rules.scoop.factor)}"
        case Reason.HOME_RUN:
            again = " again" if rules.home_run.mode is HomeRunMode.ON_TOP and rules.scoop.factor > 1 else ""
            return f"home run, {_times(rules.home_run.factor)}{again}"
        case Reason.FOUL:
            return _foul_words(matchup, result, names)
        case Reason.NATURAL:
            held = [(names[k], player.natural) for k in (i, j) if (player := result.players[k]) and player.natural]
            return " against ".join(f"{name}'s {_spaced(natural)}" for name, natural in held)
        case Reason.SURRENDER:
            return " and ".join(f"{names[k]} surrenders" for k in (i, j) if _surrendered(result.players[k]))
        case _:  # the cap
            return f"a matchup pays at most {rules.cap}"


def _surrendered(player: PlayerResult | None) -> bool:
    return bool(player and player.surrender)


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _times(factor: int) -> str:
    return {2: "doubled", 3: "tripled"}.get(factor, f"times {factor}")


def _segment_words(item: Item, first: PlayerResult | None, second: PlayerResult | None) -> str:
    index = SEGMENTS.index(item.segment) if item.segment else 0
    a, b = (player.strengths[index] if player else None for player in (first, second))
    if a is None or b is None or not (first and second) or first.foul or second.foul:
        return f"{item.segment}"
    if a == b:
        return f"{item.segment}: both {a.describe()}{', decided by the tie rule' if item.units else ''}"
    better, worse = (a, b) if a > b else (b, a)
    return f"{item.segment}: {better.describe()} over {worse.describe()}"


def _bonus_words(item: Item, matchup: Matchup, result: DealResult) -> str:
    holder = result.players[matchup.players[0] if item.units > 0 else matchup.players[1]]
    strength = holder.strengths[SEGMENTS.index(item.segment)] if holder and item.segment else None
    return strength.describe() if strength else ""


def _foul_words(matchup: Matchup, result: DealResult, names: Sequence[str]) -> str:
    fouls = [
        f"{names[k]} fouls ({', '.join(map(_spaced, player.foul.reasons))})"
        for k in matchup.players
        if (player := result.players[k]) and player.foul
    ]
    as_scooped = len(fouls) == 1 and result.rules.foul.pays is not FoulPays.FLAT
    return " and ".join(fouls) + (" and pays as if scooped" if as_scooped else "")


def plain_lines(renderables: Iterable[object], width: int | None = None) -> list[str]:
    """Tables and texts as lines of plain text.

    :param width: columns; those of the environment where it is not given.
    """
    from rich.console import Console

    console = Console(width=width, highlight=False, markup=False, emoji=False, color_system=None)
    with console.capture() as captured:
        for renderable in renderables:
            console.print(renderable)
    return [line.rstrip() for line in captured.get().splitlines()]


def card_text(cards: Sequence[Card]) -> Text:
    """Cards as a segment is read, each suit in its colour."""
    from rich.text import Text

    return Text(" ").join(Text(NAMES[card], _SUIT_STYLES[NAMES[card][1]]) for card in grouped(cards))


def deal_tables(deal: Deal, result: DealResult, place: str = "") -> tuple[Table, Table]:
    """A deal for a terminal: what each player set, and what each won from each.

    :param place: what to call a deal that has no id.
    """
    names = [f"{name} (bank)" if seat == deal.banker else name for seat, name in enumerate(_labels(result))]
    return _settled_tables(f"{place if deal.id is None else deal.id}: ", names, deal.players, result)


def result_tables(result: DealResult) -> tuple[Table, Table]:
    """The same where the cards are not at hand: each segment in words alone."""
    return _settled_tables("", _labels(result), [None] * len(result.players), result)


def _settled_tables(
    called: str, names: Sequence[str], players: Sequence[Player | None], result: DealResult
) -> tuple[Table, Table]:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    title = f"{called}{result.rules.name}, revision {result.rules.revision}"
    sets = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("player", *SEGMENTS):
        sets.add_column(heading, overflow="fold")
    sets.add_column("units", justify="right")
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("units from", overflow="fold")
    paid = {matchup.players: matchup.total for matchup in result.matchups}
    paid |= {(j, i): -units for (i, j), units in paid.items()}
    seated = [seat for seat, player in enumerate(result.players) if player]
    for seat in seated:
        grid.add_column(Text(names[seat]), justify="right", overflow="fold")
    grid.add_column("units", justify="right")
    for seat in seated:
        if outcome := result.players[seat]:
            total = Text(_units(outcome.total), "bold")
            sets.add_row(Text(names[seat], "bold"), *_segment_cells(players[seat], outcome, result.rules), total)
            cells = [_units(paid[seat, other]) if (seat, other) in paid else "" for other in seated]
            grid.add_row(Text(names[seat]), *cells, total)
    return sets, grid


def _segment_cells(player: Player | None, outcome: PlayerResult, rules: RuleSet) -> list[Text]:
    from rich.text import Text

    note = Text("surrenders" if outcome.surrender else _spaced(outcome.natural or ""), "bold green")
    if outcome.foul:
        note = Text(f"foul: {', '.join(map(_spaced, outcome.foul.reasons))}", "bold red")
    if player is None:
        front, *fives = (Text(_described(strength) if strength else "") for strength in outcome.strengths)
        return [Text("\n").join([text for text in (front, note) if text]), *fives]
    if player.arrangement is None:
        if not (player.hand and outcome.natural):
            return [note, Text(), Text()]
        shown = find_naturals(player.hand, big=rules.naturals.big, small=rules.naturals.small)[outcome.natural]
        front, middle, back = map(card_text, shown.segments)
        return [Text("\n").join([front, note]), middle, back]
    cells = []
    for cards, strength in zip(player.arrangement.segments, outcome.strengths, strict=True):
        words = Text(_described(strength) if strength else f"{len(cards)} cards", "dim")
        cells.append(Text("\n").join([card_text(cards), words]))
    if note:
        cells[0] = Text("\n").join([cells[0], note])
    return cells


def _described(strength: Strength) -> str:
    return strength.describe().replace("-", " ")


def deal_table(deal: Deal) -> Table:
    """A deal that is not settled: what each player holds."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    title = None if deal.id is None else Text(str(deal.id))
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("player", *SEGMENTS):
        table.add_column(heading, overflow="fold")
    for seat, name in enumerate(labels([player.name if player else None for player in deal.players])):
        if player := deal.players[seat]:
            note = "surrenders" if player.surrender else f"declares {_spaced(player.declare)}" if player.declare else ""
            cells = [card_text(cards) for cards in player.parts.values()] or [Text()]
            cells[0] = Text("\n").join([text for text in (cells[0], Text(note, "bold green")) if text])
            called = f"{name} (bank)" if seat == deal.banker else name
            table.add_row(Text(called, "bold"), *cells)
    return table


def arrangement_table(arrangement: Arrangement) -> Table:
    """An arrangement, each segment in words, and whether it is legal where nothing is said of the rules."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    for _ in range(3):
        table.add_column()
    foul, strengths = arrangement.judge()
    for segment, cards, strength in zip(SEGMENTS, arrangement.segments, strengths, strict=True):
        table.add_row(segment, card_text(cards), _described(strength) if strength else f"{len(cards)} cards")
    verdict = Text(f"foul: {', '.join(map(_spaced, foul.reasons))}", "bold red") if foul else Text("legal", "dim")
    table.add_row("", verdict, "")
    return table


def csv_rows(deal: Deal, result: DealResult) -> Iterator[tuple[str | int, ...]]:
    """One row a player, under :data:`CSV_HEADER`; texts that a spreadsheet would take for a formula are quoted."""
    for seat, (player, outcome) in enumerate(zip(deal.players, result.players, strict=True)):
        if player and outcome:
            segments = player.arrangement.segments if player.arrangement else ((), (), ())
            yield (
                plain_cell("" if deal.id is None else str(deal.id)),
                plain_cell(result.rules.name),
                seat,
                plain_cell(player.name),
                outcome.total,
                ";".join(outcome.foul.reasons),
                outcome.natural or "",
                *(" ".join(NAMES[card] for card in segment) for segment in segments),
            )


def plain_cell(text: str) -> str:
    """Text for a spreadsheet, never a formula.

    >>> plain_cell("=1+1"), plain_cell("Ann")
    ("'=1+1", 'Ann')
    """
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


@dataclass
class Standing:
    """One player's sums over a night."""

    deals: int = 0
    units: int = 0
    best: int = 0
    worst: int = 0
    fouls: int = 0
    naturals: int = 0

    def add(self, total: int, foul: bool, natural: bool) -> None:
        """Count a deal: its units, and whether it was a foul or a natural."""
        self.best = max(self.best, total) if self.deals else total
        self.worst = min(self.worst, total) if self.deals else total
        self.deals += 1
        self.units += total
        self.fouls += foul
        self.naturals += natural

    def merge(self, other: Standing) -> None:
        """Count all that another has counted."""
        self.best = max(self.best, other.best) if self.deals else other.best
        self.worst = min(self.worst, other.worst) if self.deals else other.worst
        self.deals += other.deals
        self.units += other.units
        self.fouls += other.fouls
        self.naturals += other.naturals


@dataclass
class Standings(ShownAsText):
    """A night summed over its deals, by name; by name and seat where two in one deal share a name.

    >>> from chinese_poker import Arrangement, Player, score
    >>> ann = Player("Ann", Arrangement.parse("QsQh4d | AsAh9c7d2s | KdKc8s8h3c"))
    >>> bo = Player("Bo", Arrangement.parse("JdJc5s | QdQc9d6s2c | AdAc5h5d3d"))
    >>> night = Standings()
    >>> for deal in (Deal((ann, bo)), Deal((bo, ann))):
    ...     night.add(score(deal, RuleSet(name="plain")))
    >>> [(name, standing.deals, standing.units) for name, standing in night.by_player()]
    [('Ann', 2, 2), ('Bo', 2, -2)]
    """

    _by_seat: dict[tuple[str, int], Standing] = field(default_factory=dict)
    _shared: set[str] = field(default_factory=set)

    def add(self, result: DealResult) -> None:
        """Count every player of a settled deal."""
        self._add(
            (seat, player.name, player.total, bool(player.foul), player.natural is not None)
            for seat, player in enumerate(result.players)
            if player
        )

    def add_document(self, result: ResultDocument) -> None:
        """Add a deal by what was written of it."""
        self._add(
            (player["seat"], player["name"], player["total"], player["foul"], player["natural"] is not None)
            for player in result["players"]
            if "vacant" not in player
        )

    def _add(self, rows: Iterable[tuple[int, str, int, bool, bool]]) -> None:
        players = list(rows)
        names = [name for _, name, *_ in players]
        self._shared.update(name for name in names if names.count(name) > 1)
        for seat, name, total, foul, natural in players:
            self._by_seat.setdefault((name, seat), Standing()).add(total, foul, natural)

    def by_player(self) -> list[tuple[str, Standing]]:
        """Every player with the sums, best first."""
        merged: dict[str, Standing] = {}
        for (name, seat), standing in self._by_seat.items():
            label = f"{name} (seat {seat})" if name in self._shared else name
            merged.setdefault(label, Standing()).merge(standing)
        return sorted(merged.items(), key=lambda entry: (-entry[1].units, entry[0]))


def money(units: int, unit: Decimal, currency: str) -> str:
    """What units come to, to the cent or finer where the unit is.

    >>> money(-13, Decimal("0.25"), "EUR"), money(3, Decimal("0.125"), "EUR")
    ('-3.25 EUR', '+0.375 EUR')
    """
    exponent = unit.as_tuple().exponent
    places = max(2, -exponent if isinstance(exponent, int) else 0)
    return f"{units * unit:+,.{places}f}{' ' if currency else ''}{currency}"


def read_unit(text: str) -> Decimal:
    """Money for one unit.

    :raises DealError: ``bad_value``.

    >>> read_unit("0.25")
    Decimal('0.25')
    """
    try:
        unit = Decimal(text)
    except InvalidOperation:
        unit = Decimal("nan")
    if not (unit.is_finite() and 0 < unit < 10**9):
        raise DealError("bad_value", f"{quote(text)} is no amount above 0; write one as 0.25")
    return unit


def standings_rows(standings: Standings, unit: Decimal | None) -> list[dict[str, Any]]:
    """The standings as JSON values, best first; with money where a unit is worth some."""
    return [
        {"name": name, **asdict(standing)} | ({"money": f"{standing.units * unit:f}"} if unit is not None else {})
        for name, standing in standings.by_player()
    ]


def csv_lines(header: Iterable[str], rows: Iterable[Iterable[str | int]]) -> Iterator[str]:
    """CSV, a line each; texts are quoted for CSV, not against formulas: that is :func:`plain_cell`."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in itertools.chain([header], rows):
        writer.writerow(row)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def standings_table(standings: Standings, unit: Decimal | None, currency: str) -> Table:
    """The standings for a terminal."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("player", overflow="fold")
    for heading in ("deals", "units", *(["money"] if unit is not None else []), "best", "worst", "fouls", "naturals"):
        table.add_column(heading, justify="right")
    for name, standing in standings.by_player():
        paid = [money(standing.units, unit, currency)] if unit is not None else []
        sums = (standing.best, standing.worst)
        table.add_row(
            Text(name, "bold"),
            str(standing.deals),
            Text(_units(standing.units), "bold"),
            *paid,
            *map(_units, sums),
            str(standing.fouls),
            str(standing.naturals),
        )
    return table


def totals_words(result: ResultDocument) -> str:
    """What the players of a deal won, after a colon; nothing where nothing was settled."""
    totals = [f"{player['name']} {_units(player['total'])}" for player in result.get("players", ()) if "name" in player]
    return f": {', '.join(totals)}" if totals else ""


def nights_table(nights: Iterable[Mapping[str, Any]]) -> Table:
    """Nights, as their documents, for a terminal."""
    table = _plain_table("night", "begun", "title", "rules", "deals", "players")
    for night in nights:
        rules = f"{night['rules']}, revision {night['revision']}"
        cells = (night["id"], night["created"], night["title"], rules, str(night["deals"]), ", ".join(night["players"]))
        table.add_row(*map(_plain, cells))
    return table


def actions_table(actions: Iterable[Mapping[str, Any]]) -> Table:
    """What happened in a night, as documents, for a terminal."""
    table = _plain_table("deal", "", "at", "units")
    for action in actions:
        words = totals_words(action["result"]).removeprefix(": ")
        cells = (str(action["number"]), action["kind"], action["recorded"], words)
        table.add_row(*map(_plain, cells))
    return table


def _plain(text: str) -> Text:
    from rich.text import Text

    return Text(text)


def _plain_table(*headings: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def rules_lines(rules: RuleSet) -> Iterator[tuple[str, str]]:
    """What a rule set says, as pairs of a question and its answer."""
    for segment in SEGMENTS:
        regulars, bonuses = getattr(rules.units.by_category, segment), getattr(rules.bonuses, segment)
        values = [f"{getattr(rules.units, segment)} a win"]
        values += [f"{_spaced(category)} {units} in place of it" for category, units in regulars.items()]
        kind = " in place of it" if rules.bonuses.mode == "replace" else " more"
        values += [f"{_spaced(category)} {units}{kind}" for category, units in bonuses.items()]
        yield segment, ", ".join(values)
    if rules.bonuses != type(rules.bonuses)():
        cap = "" if rules.bonuses.cap is None else f", at most {rules.bonuses.cap} from one opponent"
        yield "bonuses", f"paid to {'the winner' if rules.bonuses.paid_to == 'winner' else 'both, win or lose'}{cap}"
    if rules.majority.units:
        yield "majority", f"{rules.majority.units} more ({_spaced(rules.majority.rule)})"
    on_all = "everything, bonuses too," if rules.scoop.factor_on == "all" else "the segments' regular units"
    scoop = [f"{rules.scoop.units} more"] if rules.scoop.units else []
    scoop += [f"{on_all} {_times(rules.scoop.factor)}"] if rules.scoop.factor > 1 else []
    yield "scoop", ", ".join(scoop) or "nothing more"
    if rules.home_run.factor > 1:
        mode = "again" if rules.home_run.mode is HomeRunMode.ON_TOP else "in place of the scoop's factor"
        counts = "".join(
            f", {what} count" for what in ("fouls", "naturals") if getattr(rules.home_run, f"counts_{what}")
        )
        yield "home run", f"{_times(rules.home_run.factor)} {mode}, from {rules.home_run.players} players{counts}"
    bonuses_too = ", bonuses too" if rules.foul.pays is FoulPays.SCOOP_WITH_BONUSES else ", without bonuses"
    is_flat = rules.foul.pays is FoulPays.FLAT
    yield "foul", f"pays {rules.foul.units} to each" if is_flat else f"pays each as if scooped{bonuses_too}"
    if rules.surrender is not None:
        yield "surrender", f"pays {rules.surrender} to each who neither surrendered nor fouled"
    worths = [f"{_spaced(natural)} {rules.naturals.worth[natural]}" for natural in rules.naturals.ranking]
    yield "naturals", ", ".join(worths) or "none"
    if worths:
        yield "two naturals", f"{_spaced(rules.naturals.between)}, by {rules.naturals.order}"
    yield "ties", {"push": "nothing", "banker": "to the banker", "suit": f"by suit, {rules.suits}"}[rules.ties]
    yield "banker", rules.banker
    yield "A-2-3-4-5", f"the {_spaced(rules.wheel)} straight"
    yield "middle = back", "legal" if rules.middle_may_equal_back else "a foul"
    if rules.cap is not None:
        yield "cap", f"{rules.cap} units a matchup"


def rules_table(rules: RuleSet) -> Table:
    """A rule set for a terminal: values, sources, what is inferred, what is open."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    title = f"{rules.name}, revision {rules.revision}{': ' if rules.title else ''}{rules.title}"
    table = Table(title=Text(title), title_justify="left", box=box.SIMPLE, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for question, answer in rules_lines(rules):
        table.add_row(question, Text(answer))
    for heading in ("aliases", "sources", "inferred", "open"):
        for number, text in enumerate(getattr(rules, heading)):
            table.add_row(heading if not number else "", Text(text))
    return table


def rules_compared(rule_sets: Sequence[RuleSet]) -> Table:
    """Rule sets side by side for a terminal, a row a question; ``-`` where a rule set has no answer."""
    from rich.text import Text

    answers = [dict(rules_lines(rules)) for rules in rule_sets]
    questions: list[str] = []
    for answered in answers:
        place = 0
        for question in answered:
            if question not in questions:
                questions.insert(place, question)
            place = questions.index(question) + 1
    table = _plain_table("", *(rules.name for rules in rule_sets))
    table.columns[0].no_wrap = True
    for question in questions:
        table.add_row(question, *(Text(answered.get(question, "-")) for answered in answers))
    return table


def rules_list(presets: Iterable[RuleSet]) -> Table:
    """The presets for a terminal."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for rules in presets:
        aliases = f" (also {', '.join(rules.aliases)})" if rules.aliases else ""
        table.add_row(rules.name, Text(rules.title + aliases))
    return table


def suggestion_tables(found: Suggestions) -> tuple[Table | Text, ...]:
    """Suggestions for a terminal."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    ways = {"separated": ", the best surely leads", "budget": ", the lead is not sure"}
    unsure = ", exact" if found.how == "exact" else f", {found.samples:,} sampled{ways[found.how]}"
    title = f"{found.rules.name}, {found.opponents} opponent{'s' if found.opponents > 1 else ''}{unsure}"
    table = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in (*SEGMENTS, "units each", "behind the best"):
        table.add_column(heading)
    exact = found.how == "exact"
    for suggestion in found.suggestions:
        odds = suggestion.odds
        segments = zip(suggestion.arrangement.segments, odds.win, strict=True)
        behind = f"{suggestion.behind:.3f}" + ("" if exact else f" ± {suggestion.behind_error:.3f}")
        leads = suggestion is found.best
        table.add_row(
            *(Text.assemble(card_text(cards), ("\n" + _percent("wins", chance), "dim")) for cards, chance in segments),
            Text.assemble(
                (f"{suggestion.ev:+.2f}" + ("" if exact else f" ± {suggestion.error:.2f}"), "bold"),
                ("\n" + _percent("scoops", odds.scoop), "dim"),
                (f"\nbonus {odds.bonus:+.2f}" if abs(odds.bonus) >= 0.005 else "", "dim"),
            ),
            Text.assemble("" if leads else behind, ("\n" + _percent("scooped", odds.scooped), "dim")),
        )
    counts = Text(f"{found.legal:,} legal arrangements, {found.undominated:,} undominated", "dim")
    if not found.declare:
        return table, counts
    names = ", ".join(map(_spaced, found.naturals))
    witness = next(iter(found.naturals.values()))
    natural = Text.assemble((f"natural: {names}", "bold green"), f" ({witness}), declared {found.declare.ev:+.2f} each")
    return natural, table, counts


def _percent(what: str, chance: float) -> str:
    return f"{what} {chance:.0%}"


def review_tables(lapses: Sequence[Lapse], top: int) -> tuple[Table, Table]:
    """What was given away, for a terminal: the dearest mistakes, and the sums by player."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    mistakes = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("deal", "player", "played", "better"):
        mistakes.add_column(heading, overflow="fold")
    for heading in ("units given away", "as it fell"):
        mistakes.add_column(heading, justify="right")
    sums: dict[str, list[float]] = {}
    for lapse in lapses:
        found = lapse.review
        total = sums.setdefault(lapse.name, [0, 0, 0])
        for i, amount in enumerate((1, found.given_away, found.given_away_seen)):
            total[i] += amount
    for lapse in lapses[:top]:
        found = lapse.review
        if found.given_away > 2 * found.error:
            mistakes.add_row(
                Text(str(lapse.deal)),
                Text(lapse.name),
                Text("\n").join(map(card_text, found.played.segments)),
                Text("\n").join(map(card_text, found.best.segments)),
                f"{found.given_away:.2f} ± {found.error:.2f}",
                str(found.given_away_seen),
            )
    players = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    players.add_column("player", overflow="fold")
    for heading in ("deals", "units given away", "as it fell"):
        players.add_column(heading, justify="right")
    for name, (deals, given, seen) in sorted(sums.items(), key=lambda entry: -entry[1][1]):
        players.add_row(Text(name), f"{deals:.0f}", f"{given:.2f}", f"{seen:.0f}")
    return mistakes, players


def duel_tables(result: DuelResult) -> Iterator[Table | Text | Padding]:
    """A duel for a terminal: what each contestant gains, where from, and who leads."""
    from rich import box
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    found = result.contestants
    title = (
        f"{result.rules.name}, {result.players} players, {result.deals:,} deals, each in {result.seatings} seatings"
        f"{', interrupted' if result.stopped == 'interrupted' else ''}\nunits per deal and opponent, 95 % intervals"
    )
    digits = 3 if len(found) > 3 or result.half_width >= 0.01 else 4
    yield Text(title)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("", overflow="fold")
    for each in found:
        table.add_column(Text(each.name), justify="right", overflow="fold", min_width=digits + 11)

    def add(heading: str, cells: Iterable[str], style: str = "") -> None:
        table.add_row(Text(heading), *(Text(cell, style) for cell in cells))

    add("units", (_estimate(each.units, digits) for each in found), "bold")
    for other in found if len(found) > 2 else ():
        over = (_estimate(each.over[other.name], digits) if each is not other else "" for each in found)
        add(f"from {other.name}", over)
    table.add_section()
    for part in found[0].gained:
        if any(each.gained[part] for each in found):
            add(f"by {_spaced(part)}", (_signed(each.shares[part], digits) for each in found), "dim")
    table.add_section()
    for i, segment in enumerate(SEGMENTS):
        add(f"wins {segment}", (f"{each.won[i]:.1%}" for each in found))
    add("scoops", (f"{each.scoops:.1%}" for each in found))
    for what in ("naturals", "surrenders", "fouls", "bad_answers"):
        if any(getattr(each, what) for each in found):
            add(_spaced(what), (f"{getattr(each, what) / each.hands:.2%}" for each in found))
    yield table
    yield Text(_verdict(found))
    for each in found:
        if each.bad_answers:
            whose = f"{each.name} gave {each.bad_answers:,} bad answers to {each.hands:,} hands, which are fouls"
            yield Text(f"{whose}; the first:")
            for hand, fault in each.quoted:
                yield Padding(Text(f"{hand}\n  {fault}", "dim"), (0, 0, 0, 2))


def _verdict(found: Sequence[Contestant]) -> str:
    best = max(found, key=lambda each: each.units.mean)
    if not any(each.units.mean or each.units.half_width for each in found):
        return "No deal made a difference."
    beaten = [name for name, estimate in best.over.items() if estimate.mean > estimate.half_width]
    unsure = [name for name in best.over if name not in beaten]
    sure = f"{best.name} beats {' and '.join(beaten)}" if beaten else f"{best.name} is ahead"
    return f"{sure}, not told apart from {' and '.join(unsure)}." if unsure else f"{sure}."


def _signed(units: float, digits: int) -> str:
    return f"{round(units, digits) + 0.0:+.{digits}f}"


def _estimate(estimate: Estimate, digits: int) -> str:
    return f"{_signed(estimate.mean, digits)} ± {estimate.half_width:.{digits}f}"


def check_lines(checked: Mapping[str, Any]) -> Iterator[str]:
    """What ``check`` says of one arrangement or hand, for a terminal."""
    natural_names = ", ".join(map(_spaced, checked["naturals"])) or "no natural"
    if "front" in checked:
        for segment in SEGMENTS:
            yield f"{segment:7}{checked[segment]['cards']:16}{checked[segment]['words']}"
        verdict = ", ".join(map(_spaced, checked["foul_reasons"]))
        yield f"foul: {verdict}; {natural_names}" if checked["foul"] else f"legal; {natural_names}"
    else:
        yield natural_names


def odds_table(odds: OddsTable) -> tuple[Text, Table]:
    """Chances for a terminal, each said to be exact or simulated."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from .odds import Exact, one_in

    def cells(chance: Chance | None, counted: bool) -> tuple[str, ...]:
        if chance is None:
            return ("",) * (3 if counted else 1)
        if not isinstance(chance, Exact):
            return (_with_error(chance),)
        percent = f"{100 * chance.chance:#.4g}"
        return (f"{chance.count:,}", percent, one_in(chance.chance)) if counted else (f"{percent} exact",)

    table = Table("", box=box.SIMPLE_HEAD, pad_edge=False)
    columns = {
        column: all(isinstance(row.get(column), Exact | None) for row in odds.rows.values()) for column in odds.columns
    }
    for column, counted in columns.items():
        for heading in (column, "%", "1 in") if counted else (f"{column} %",):
            table.add_column(heading, justify="right")
    for name, row in odds.rows.items():
        table.add_row(name, *(cell for column, counted in columns.items() for cell in cells(row.get(column), counted)))
    return Text.assemble((odds.title, "bold"), (f"\n{odds.how_known}", "dim")), table


def _with_error(chance: Simulated) -> str:
    """Percent, to the two leading digits of the error."""
    percent, error = 100 * chance.chance, 100 * chance.error
    places = max(0, 1 - math.floor(math.log10(error)))
    return f"{percent:.{places}f} ± {error:.{places}f}"


def exploitability_table(measured: Sequence[Exploitability]) -> Table:
    """What best responses gain, for a terminal."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("strategy", "rules"):
        table.add_column(heading)
    for heading in ("players", "hands", "gained by a best response", "95 % interval", "set otherwise"):
        table.add_column(heading, justify="right")
    for found in measured:
        low, high = found.interval
        table.add_row(
            found.strategy,
            found.rules,
            str(found.players),
            f"{found.hands:,}",
            f"{found.gain:.5f} ± {found.error:.5f}",
            f"{low:.4f} to {high:.4f}",
            f"{found.changed:.1%}",
        )
    return table


def training_lines(trained: Mapping[str, Any]) -> Iterator[str]:
    """What ``train`` says, for a terminal."""
    for measured in trained["rounds"]:
        gained = f"{measured['gain']:.5f} ± {measured['error']:.5f}"
        yield f"round {measured['round']:2}: a best response gains {gained} units per opponent and hand"
    yield f"{trained['rules']}, {trained['players']} players, seed {trained['seed']}: {trained['seconds']:.0f} s"
    use = "the one in use" if trained["in_use"] else "not the one in use, which is of another seed or sample"
    yield f"strategy {trained['strategy'][:16]}, {use}"
