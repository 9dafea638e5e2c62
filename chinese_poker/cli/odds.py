"""How likely things are: ``odds``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import report
from ..presets import load_rules
from ..rules import RuleSet
from .common import (
    STRATEGY,
    Run,
    json_option,
    plot_option,
    print_all,
    progress_bar,
    rules_option,
    tell_what_takes_time,
    write_json,
    write_plot,
)

if TYPE_CHECKING:
    from ..odds import OddsTable

SUBJECTS = ("naturals", "deals", "segments", "hands", "best", "play", "strengths")
_SHOWN = SUBJECTS[:-1]


@click.command("odds")
@click.argument("subjects", nargs=-1, type=click.Choice(SUBJECTS), metavar="[SUBJECT]...")
@rules_option
@click.option("--strategy", type=STRATEGY, help="Who plays in all seats; the strongest where none is named.")
@click.option("--players", type=click.IntRange(2, 4), default=4, show_default=True, help="How many play.")
@click.option(
    "--deals", type=click.IntRange(2, 10**10), help="Deals to simulate; 2,500, or 100,000 where no hand is set."
)
@click.option("--seed", type=int, default=0, show_default=True)
@json_option
@plot_option
def odds_command(
    subjects: tuple[str, ...],
    rules: RuleSet | None,
    strategy: str | None,
    players: int,
    deals: int | None,
    seed: int,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Say how likely hands, naturals and wins are, exactly where counting can do it.

    \b
    Subjects; all but the last where none is named:
      naturals   each natural among all hands, and the best of those that the rule set plays
      deals      whether somebody at the table holds one
      segments   categories of five and of three cards
      hands      what five of 13 cards make
      best       what each segment can be set to legally at best
      play       what is set, what wins, and how matchups end, where all play one strategy
      strengths  what wins by category and leading rank

    Every figure is said to be exact, or simulated with its standard error.

    \b
    Examples:
      chinese-poker odds naturals --rules taiwan
      chinese-poker odds play --rules mandarin --deals 20000
      chinese-poker odds strengths --plot wins.svg
    """
    if plot and len(subjects) != 1:
        raise click.UsageError(f"A plot shows one subject; name one of {', '.join(SUBJECTS)}.")
    tell_what_takes_time()
    from ..odds import Play, best_odds, deals_odds, hands_odds, naturals_odds, play_odds, segments_odds

    in_force = rules or load_rules("basic")
    sample: dict[str, Any] = {"seed": seed} | ({"deals": deals} if deals else {})

    @cache
    def played() -> Play:
        with progress_bar("deals played") as progress:
            return play_odds(in_force, player=strategy, players=players, progress=progress, **sample)

    def tables_of(subject: str) -> list[OddsTable]:
        match subject:
            case "naturals":
                return [naturals_odds(in_force)]
            case "segments":
                return [segments_odds()]
            case "hands":
                return [hands_odds()]
            case "play":
                return [played().categories, played().wins, played().matchups]
            case "strengths":
                return [played().strengths]
        with progress_bar("deals looked at") as progress:
            look = {"deals": deals_odds, "best": best_odds}[subject]
            return [look(in_force, progress=progress, **sample)]

    run = Run()
    for place, subject in enumerate(subjects or _SHOWN):
        tables = tables_of(subject)
        for table in tables:
            if as_json:
                for document in table.documents():
                    write_json(document)
            else:
                print_all(*([""] if place or table is not tables[0] else []), *report.odds_table(table))
        if plot:
            from ..plot import odds, strengths

            if subject == "strengths":
                figure = strengths(played().points, title=tables[0].title, note=tables[0].how_known)
            else:
                figure = odds([table for table in tables if table.name != "matchups"])
            write_plot(run, figure, plot)
    run.end()
