"""The adviser: ``suggest`` and ``review``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from .. import report, wire
from ..answers import suggestions_answer
from ..arrangement import HAND_SIZE, Arrangement
from ..cards import parse_cards
from ..documents import Document
from ..errors import ChinesePokerError
from ..presets import load_rules
from ..rules import RuleSet
from ..texts import quote
from .common import (
    ARRANGEMENT,
    LARGE_TO_VALUE,
    STRATEGY,
    Run,
    errors_option,
    is_file,
    joined,
    json_option,
    place_of,
    plot_option,
    print_all,
    rules_option,
    strategy_of,
    tell_what_takes_time,
    write_json,
    write_plot,
)


@click.command("suggest")
@click.argument("hands", nargs=-1, required=True, metavar="HAND|FILE...")
@rules_option
@click.option("--opponents", type=click.IntRange(1, 3), help="How many; all known ones, else 3 or as many as can be.")
@click.option("--against", type=STRATEGY, help="How the unknown ones play.")
@click.option("--opponent", "known", multiple=True, type=ARRANGEMENT, help="A known opponent's arrangement.")
@click.option("--dead", default="", help="Cards that no opponent holds.")
@click.option("--bank", type=click.Choice(["mine", "theirs"]), help="Whose the bank is, in a banker game.")
@click.option("--top", type=click.IntRange(1), default=3, show_default=True, help="How many suggestions.")
@click.option("--all", "every", is_flag=True, help="Every arrangement that can be best.")
@click.option("--samples", type=click.IntRange(1), default=10_000, show_default=True, help="Opponents at most.")
@click.option("--seed", type=int, default=0, show_default=True)
@json_option
@click.option("--explain", is_flag=True, help="Say where the value comes from.")
@plot_option
@errors_option
def suggest_command(
    hands: tuple[str, ...],
    rules: RuleSet | None,
    opponents: int | None,
    against: str | None,
    known: tuple[Arrangement, ...],
    dead: str,
    bank: str | None,
    top: int,
    every: bool,
    samples: int,
    seed: int,
    as_json: bool,
    explain: bool,
    plot: Path | None,
    errors: str,
) -> None:
    """Suggest the arrangement to play, by expected value.

    Give 13 cards, or files (or -) of {"hand", "dead"}, one a line.

    \b
    Examples:
      chinese-poker suggest "As Ad Kd Qc Jd Tc 9s 8h 7h 6h 4h 3h 2c" --explain
      chinese-poker suggest "AsAdKdQcJdTc9s8h7h6h4h3h2c" --rules mandarin --opponents 1 --dead "Ks Kh"
      chinese-poker suggest hands.jsonl --json
    """
    from ..suggest import AGAINST, explain_suggestions, suggest

    if plot and (len(joined(hands, HAND_SIZE, "hand")) > 1 or is_file(hands[0])):
        raise click.UsageError("A plot shows one hand; give its 13 cards.")
    tell_what_takes_time()
    run = Run(errors, LARGE_TO_VALUE)
    in_force = rules or load_rules("basic")
    player = strategy_of(against) or AGAINST
    for source, document in _hands(run, hands):
        try:
            read = wire.read_hand(document.value)
            found = suggest(
                read["hand"],
                in_force,
                opponents=opponents,
                against=player,
                known=known,
                dead=(*read.get("dead", ()), *parse_cards(dead)),
                samples=samples,
                seed=seed,
                top=72_072 if every else top,
                banks=None if bank is None else bank == "mine",
            )
        except ChinesePokerError as error:
            run.report(source, document.place(error))
            continue
        if as_json:
            write_json(suggestions_answer(document.value, found))
        else:
            print_all(*report.suggestion_tables(found))
            if explain:
                print_all(" ".join(explain_suggestions(found)))
        if plot:
            from ..plot import suggestions

            write_plot(run, suggestions(found), plot)
    run.end()


def _hands(run: Run, hands: tuple[str, ...]) -> Iterator[tuple[str, Document]]:
    for hand in joined(hands, HAND_SIZE, "hand"):
        if is_file(hand):
            yield from run.documents([hand], hands=True)
        else:
            yield quote(hand, 60), Document(0, "", {"hand": hand})


@click.command("review")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@rules_option
@click.option("--against", type=STRATEGY, help="How opponents are thought to play.")
@click.option("--samples", type=click.IntRange(1), default=10_000, show_default=True, help="Opponents at most.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--top", type=click.IntRange(1), default=10, show_default=True, help="How many mistakes.")
@json_option
@errors_option
def review_command(
    files: tuple[str, ...],
    rules: RuleSet | None,
    against: str | None,
    samples: int,
    seed: int,
    top: int,
    as_json: bool,
    errors: str,
) -> None:
    """Say what the arrangements of played deals gave away, dearest first.

    Each is held against the best one before any other card was seen, and against what the others set.

    \b
    Example:
      chinese-poker review night.jsonl --rules mandarin
    """
    from ..suggest import AGAINST, review_deal

    tell_what_takes_time()
    run = Run(errors, LARGE_TO_VALUE)
    lapses = []
    player = strategy_of(against) or AGAINST
    for file, document in run.documents(files):
        try:
            deal, in_force = wire.read_deal(document.value, rules)
            lapses += review_deal(
                deal,
                in_force,
                place=place_of(file, document),
                against=player,
                samples=samples,
                seed=seed,
            )
        except ChinesePokerError as error:
            run.report(file, document.place(error))
    lapses.sort(key=lambda lapse: -lapse.review.given_away)
    if as_json:
        for lapse in lapses:
            write_json(lapse.document())
    else:
        print_all(*report.review_tables(lapses, top))
    run.end()
