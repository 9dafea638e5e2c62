"""What a person sees: settlements in words, tables, standings, CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from .arrangement import SEGMENTS
from .cards import NAMES, Card, grouped
from .deal import Deal, Player, labels
from .matchup import Item, Reason
from .naturals import find_naturals
from .rules import FoulPays, HomeRunMode, RuleSet
from .score import DealResult, Matchup, PlayerResult

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from .suggest import Lapse, Suggestions

CSV_HEADER = ("id", "rules", "seat", "name", "total", "foul", "natural", "front", "middle", "back")
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


def _cards(cards: Sequence[Card]) -> Text:
    from rich.text import Text

    return Text(" ").join(Text(NAMES[card], _SUIT_STYLES[NAMES[card][1]]) for card in grouped(cards))


def deal_tables(deal: Deal, result: DealResult, place: str = "") -> tuple[Table, Table]:
    """A deal for a terminal: what each player set, and what each won from each.

    :param place: what to call a deal that has no id.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    names = [f"{name} (bank)" if seat == deal.banker else name for seat, name in enumerate(_labels(result))]
    title = f"{place if deal.id is None else deal.id}: {result.rules.name}, revision {result.rules.revision}"
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
        player, outcome = deal.players[seat], result.players[seat]
        if player and outcome:
            total = Text(_units(outcome.total), "bold")
            sets.add_row(Text(names[seat], "bold"), *_segment_cells(player, outcome, result.rules), total)
            cells = [_units(paid[seat, other]) if (seat, other) in paid else "" for other in seated]
            grid.add_row(Text(names[seat]), *cells, total)
    return sets, grid


def _segment_cells(player: Player, outcome: PlayerResult, rules: RuleSet) -> list[Text]:
    from rich.text import Text

    note = Text("surrenders" if outcome.surrender else _spaced(outcome.natural or ""), "bold green")
    if outcome.foul:
        note = Text(f"foul: {', '.join(map(_spaced, outcome.foul.reasons))}", "bold red")
    if player.arrangement is None:
        if not (player.hand and outcome.natural):
            return [note, Text(), Text()]
        shown = find_naturals(player.hand, big=rules.naturals.big, small=rules.naturals.small)[outcome.natural]
        front, middle, back = map(_cards, shown.segments)
        return [Text("\n").join([front, note]), middle, back]
    cells = []
    for cards, strength in zip(player.arrangement.segments, outcome.strengths, strict=True):
        words = Text(strength.describe().replace("-", " ") if strength else f"{len(cards)} cards", "dim")
        cells.append(Text("\n").join([_cards(cards), words]))
    if note:
        cells[0] = Text("\n").join([cells[0], note])
    return cells


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
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


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
        self.best = max(self.best, total) if self.deals else total
        self.worst = min(self.worst, total) if self.deals else total
        self.deals += 1
        self.units += total
        self.fouls += foul
        self.naturals += natural

    def merge(self, other: Standing) -> None:
        self.best = max(self.best, other.best) if self.deals else other.best
        self.worst = min(self.worst, other.worst) if self.deals else other.worst
        self.deals += other.deals
        self.units += other.units
        self.fouls += other.fouls
        self.naturals += other.naturals


@dataclass
class Standings:
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
        names = [player.name for player in result.players if player]
        self._shared.update(name for name in names if names.count(name) > 1)
        for seat, player in enumerate(result.players):
            if player:
                standing = self._by_seat.setdefault((player.name, seat), Standing())
                standing.add(player.total, bool(player.foul), player.natural is not None)

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
            *(Text.assemble(_cards(cards), ("\n" + _percent("wins", chance), "dim")) for cards, chance in segments),
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
                Text("\n").join(map(_cards, found.played.segments)),
                Text("\n").join(map(_cards, found.best.segments)),
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
