"""How strong a player is: ``exploitability`` and ``train``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from time import monotonic

import click

from .. import report
from ..presets import load_rules
from ..rules import RuleSet
from .common import (
    STRATEGY,
    RulesType,
    Run,
    json_option,
    plot_option,
    print_all,
    progress_bar,
    tell_what_takes_time,
    write_json,
    write_plot,
)

_seed_option = click.option("--seed", type=int, default=0, show_default=True)
_players_option = click.option(
    "--players", type=click.IntRange(2, 4), default=2, show_default=True, help="At the table."
)


@click.command("exploitability")
@click.argument("strategies", nargs=-1, type=STRATEGY, metavar="STRATEGY...")
@click.option("--rules", "rule_sets", multiple=True, type=RulesType(), help="A rule set; give it once for each.")
@_players_option
@click.option("--hands", type=click.IntRange(2, 10**7), default=1_000, show_default=True, help="To be set both ways.")
@_seed_option
@json_option
def exploitability_command(
    strategies: tuple[str, ...], rule_sets: tuple[RuleSet, ...], players: int, hands: int, seed: int, as_json: bool
) -> None:
    """Measure what a best response gains against strategies.

    Fresh hands are set by the strategy and by a best response to it over all arrangements, against opponents out of the
    cards that the hand leaves. The response is chosen against one half of them and valued against the other.

    \b
    Examples:
      chinese-poker exploitability equilibrium --rules basic --rules mandarin
      chinese-poker exploitability greedy heuristic --rules eastern --hands 300 --json
    """
    from ..exploitability import exploitability
    from ..strategy import strategy

    tell_what_takes_time()
    measured = []
    for rules in rule_sets or (load_rules("basic"),):
        for name in strategies or ("equilibrium",):
            with progress_bar(f"{name}, {rules.name}") as progress:
                found = exploitability(strategy(name), rules, players, hands=hands, seed=seed, progress=progress)
            if as_json:
                low, high = found.interval
                write_json({**asdict(found), "low": low, "high": high})
            measured.append(found)
    if not as_json:
        print_all(report.exploitability_table(measured))


@click.command("train")
@click.option("--rules", type=RulesType(), help="A preset's name, or a rule file (./my-club.toml).")
@_players_option
@click.option("--seed", type=int, help="Of the hands that are set; that of the shipped strategies if left out.")
@click.option(
    "--measure", type=click.IntRange(2), help="Measure what a best response gains after each round, over so many hands."
)
@json_option
@plot_option
def train_command(
    rules: RuleSet | None, players: int, seed: int | None, measure: int | None, as_json: bool, plot: Path | None
) -> None:
    """Train the equilibrium strategy of a rule set, and say whether it is the one in use.

    The same rules, players and seed give the same strategy on any machine. A house's strategy is trained when it is
    first needed, and kept; nothing has to be trained for a preset.

    \b
    Example:
      chinese-poker train --rules mandarin --players 4
    """
    from .. import equilibrium
    from ..engine.response import Response
    from ..exploitability import exploitability
    from ..strategy import Responding

    if plot and not measure:
        raise click.UsageError("--plot draws what --measure finds after each round.")
    tell_what_takes_time()
    run = Run()
    in_force = rules or load_rules("basic")
    curve = []
    began = monotonic()
    with progress_bar(f"{in_force.name}, {players} players") as progress:

        def after_round(done: int, of: int, best: Response) -> None:
            if measure:
                responding = Responding(f"round {done}", lambda _rules, _players: best)
                curve.append((done, exploitability(responding, in_force, players, hands=measure)))
            if progress:
                progress(done, of)

        seeded = equilibrium.SEED if seed is None else seed
        trained = equilibrium.trained(in_force, players, seeded, progress=after_round)
    document = {
        "rules": in_force.name,
        "players": players,
        "seed": seeded,
        "strategy": equilibrium.strategy_digest(trained),
        "in_use": equilibrium.is_in_use(trained, in_force, players),
        "seconds": round(monotonic() - began, 1),
        "rounds": [{"round": number, "gain": found.gain, "error": found.error} for number, found in curve],
    }
    if as_json:
        write_json(document)
    else:
        print_all(*report.training_lines(document))
    if plot:
        from ..plot import convergence

        points = [(number, found.gain, found.error) for number, found in curve]
        title = f"Convergence of training: {in_force.name}, {players} players"
        write_plot(run, convergence({"": points}, title=title), plot)
    run.end()
