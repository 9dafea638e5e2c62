"""Mutation testing: ``python tests/mutation.py evaluate score`` changes a module in hundreds of small ways with mutmut.

Each change has to make a test fail. What survives is held against ``data/mutants.jsonl``, where changes that change
nothing are listed with the reason; any other survivor is printed, and the exit status is 1. Without arguments all
modules are changed, with ``wire:read_deal errors:ChinesePokerError.at`` these functions alone. It works on a copy in a
folder of its own, with the fast tests of the module.

mutmut leaves decorated functions alone, so in the copy each decorator is written as the call that it is; memories of
results are left out, for a test that is given a remembered one does not see that it depends on a function.
"""

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
LISTED = Path(__file__).parent / "data" / "mutants.jsonl"
ONE_BY_ONE = [
    *(
        f"test_every_matchup_is_that_of_the_core[{name}]"
        for name in ("western", "palomar-eastern", "home run of two", "home run against a banker", "suits and wheels")
    ),
    "test_who_hits_a_home_run_is_as_in_the_core[home run against a banker]",
    "test_the_largest_figures_fit",
    "test_safe_domination_is_known",
    "test_unsafe_domination_is_known",
    "test_a_home_run_that_costs_its_scoops_keeps_dominated_arrangements_in_play",
    "test_a_scoop_that_multiplies_what_it_loses_keeps_dominated_arrangements_in_play",
    "test_every_front_may_have_a_bonus",
    "test_one_segment_alone_may_cost_by_winning",
    "test_the_states_and_the_wheel_are_those_of_the_rules",
]
"""Of the tests of settlements those that are fast."""
TESTS = {
    "texts": ["test_texts"],
    "errors": ["test_texts"],
    "cards": ["test_cards"],
    "evaluate": ["test_evaluate"],
    "arrangement": ["test_arrangement", "test_cases"],
    "naturals": ["test_naturals"],
    "rules": ["test_rules", "test_score", "test_documents"],
    "deal": ["test_documents", "test_score"],
    "matchup": ["test_score"],
    "score": ["test_score", "test_documents"],
    "documents": ["test_streams"],
    "presets": ["test_rules"],
    "wire": ["test_wire"],
    "files": ["test_files"],
    "engine/tables": ["test_engine_tables"],
    "engine/settlement": [f"test_settlement::{name}" for name in ONE_BY_ONE],
    "engine/dealing": ["test_dealing"],
    "engine/declaring": ["test_declaring"],
    "engine/_kernels": [
        "test_kernels",
        "test_engine_search::test_the_sort_of_the_compiler_is_the_sort_of_the_interpreter",
        "test_engine_search::test_without_fronts_no_back_is_too_weak",
    ],
    "engine/search": ["test_searching"],
    "engine/batch": ["test_engine_batch::test_every_segment_has_a_slot_of_its_own", "test_settled_arrays"],
    "engine/field": ["test_field", "test_settled_arrays::test_seats_are_itemised_as_by_the_core"],
    "engine/reasons": ["test_settled_arrays"],
    "engine/matchups": ["test_settled_arrays"],
}
"""The fast tests that each module has to satisfy."""
SLOW = (
    "not all_five_card and not digest_over and not category_counts and not atheris "
    "and not equal_to_the_core and not natural_alone and not everywhere_and_after "
    "and not better_than and not is_suggested and not arrangements_of_the_hand"
)
"""Which of them are too slow to be run hundreds of times."""

MEMORY = 4 << 30
"""Bytes for each process."""
WITHOUT_EFFECT = re.compile(
    r", strict=\w+|, (dtype=[\w.]+|np\.u?int\d+|np\.float64)(?=[,)])|(?<=astype\()[\w.]+|(?<=\bcast\()\w+"
)
"""What may be left out or changed where no test notices: the tests look at the types of numbers of all results.

That two sequences are equally long is a safeguard that holds; in an array that is passed on within, or an argument,
numpy's own type of numbers holds the same numbers as a smaller one. A cast does nothing when it runs.
"""


def undecorated(source: str) -> str:
    """The same module, each function's decorators applied below it by hand.

    >>> print(undecorated("@cache\\ndef one():\\n    return 1\\n"))
    def one():
        return 1
    one = cache(one)
    """
    lines = source.split("\n")
    tree = ast.parse(source)
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    functions = [node for body in bodies for node in body if isinstance(node, ast.FunctionDef)]
    for node in sorted(functions, key=lambda node: -node.lineno):
        names = [ast.unparse(decorator) for decorator in reversed(node.decorator_list)]
        calls = [name for name in names if not name.startswith("lru_cache")]
        if not names or calls in (["staticmethod"], ["classmethod"]):
            continue
        indent = " " * node.col_offset
        lines[node.end_lineno : node.end_lineno] = [f"{indent}{node.name} = {call}({node.name})" for call in calls]
        del lines[node.decorator_list[0].lineno - 1 : node.lineno - 1]
    return "\n".join(lines)


def prepared(folder: Path, module: str) -> None:
    """Copy the project into a folder, ready for mutmut."""
    for name in ("chinese_poker", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    target = folder / "chinese_poker" / f"{module}.py"
    target.write_text(undecorated(target.read_text(encoding="utf-8")), encoding="utf-8")
    config = {
        "source_paths": [f"chinese_poker/{module}.py"],
        "also_copy": ["chinese_poker", "tests"],
        "pytest_add_cli_args": ["-x", "-q", "-k", SLOW, "-p", "no:cacheprovider", "-p", "no:unraisableexception"],
        "pytest_add_cli_args_test_selection": [
            "tests/" + re.sub("(?=::)|$", ".py", name, count=1) for name in TESTS[module]
        ],
        "process_isolation": "forkserver",
        "use_git_change_detection": False,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in config.items()]
    (folder / "pyproject.toml").write_text("\n".join(["[tool.mutmut]", *lines, ""]), encoding="utf-8")


def ends_of(folder: Path) -> dict[str, str]:
    """How each change that was tried ended, by mutmut's name of it."""
    listed = _mutmut(folder, "results", "--all", "true").stdout
    found = re.findall(r"^\s*(\S+): (.+)$", listed, re.MULTILINE)
    return {name: end for name, end in found if end != "not checked"}


def change(folder: Path, module: str, name: str) -> dict[str, str]:
    """A change: the function, the line before and after."""
    shown = _mutmut(folder, "show", name).stdout.splitlines()
    before, after = (
        " ".join(line[1:].strip() for line in shown if re.match(sign, line)) for sign in (r"-(?!--)", r"\+(?!\+\+)")
    )
    function = re.sub(r".*\.(x_|xǁ)|__mutmut_\d+$", "", name).replace("ǁ", ".")
    return {"module": module, "function": function, "before": before, "after": after}


def is_of_no_effect(change: dict[str, str]) -> bool:
    """Whether a survivor differs from the code in what is without effect only.

    >>> is_of_no_effect({"before": "x = zeros(n, np.int8)", "after": "x = zeros(n, )"})
    True
    >>> is_of_no_effect({"before": "x = zeros(n, m)", "after": "x = zeros(n, )"})
    False
    """
    after = re.sub(", (None)?(?=[,)])", "", change["after"])
    return WITHOUT_EFFECT.sub("", change["before"]) == WITHOUT_EFFECT.sub("", after)


def _mutmut(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CHINESE_POKER_DEALS": "10", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "mutmut", *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=_with_little_memory,
    )


def _with_little_memory() -> None:
    """A change may ask for ever more of it."""
    import resource  # which Windows has not

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def stale() -> list[dict[str, str]]:
    """The listed changes of lines that their modules no longer hold."""
    listed = [json.loads(line) for line in LISTED.read_text(encoding="utf-8").splitlines()]
    files = {module: ROOT / "chinese_poker" / f"{module}.py" for module in {each["module"] for each in listed}}
    texts = {module: _spaced(undecorated(path.read_text(encoding="utf-8"))) for module, path in files.items()}
    return [each for each in listed if _spaced(each["before"]) not in texts[each["module"]]]


def _spaced(text: str) -> str:
    return " ".join(text.split())


def tested(module: str, functions: Sequence[str], children: int) -> tuple[Counter[str], list[dict[str, str]]]:
    """How many changes of a module, or of some functions of it, ended how, and the survivors that are not listed."""
    known = [json.loads(line) for line in LISTED.read_text(encoding="utf-8").splitlines()]
    equal = [{key: value for key, value in each.items() if key != "why"} for each in known]
    patterns = [f"*.x{'ǁ' if '.' in each else '_'}{each.replace('.', 'ǁ')}__mutmut_*" for each in functions]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepared(folder, module)
        done = _mutmut(folder, "run", "--max-children", str(children), *patterns)
        ends = ends_of(folder)
        if done.returncode or not ends:
            sys.exit(f"{module}: mutmut did not get through\n{done.stdout[-3_000:]}\n{done.stderr[-2_000:]}")
        alive = [change(folder, module, name) for name, end in ends.items() if end not in ("killed", "timeout")]
    unlisted = [each for each in alive if each not in equal and not is_of_no_effect(each)]
    late = sum(end == "timeout" for end in ends.values())
    counts = Counter(changes=len(ends), listed=len(alive) - len(unlisted), alive=len(unlisted), late=late)
    return counts, unlisted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", metavar="MODULE[:FUNCTION]", help="all modules where not given")
    parser.add_argument("--children", type=int, default=1, help="processes (1)")
    given = parser.parse_args()
    wanted: dict[str, list[str]] = {}
    for each in given.modules or TESTS:
        module, _, function = each.partition(":")
        wanted.setdefault(module, []).extend([function] if function else [])
    if unknown := wanted.keys() - TESTS:
        parser.error(f"no tests are known of {', '.join(sorted(unknown))}; known: {', '.join(TESTS)}")
    gone = stale()
    for each in gone:
        print(f"no longer a line of {each['module']}: {each['before']}")
    print(f"{len(wanted)} modules, one to four minutes each where nothing else runs", file=sys.stderr)
    everything = Counter[str]()
    for module, functions in wanted.items():
        began = time.monotonic()
        ends, alive = tested(module, functions, given.children)
        everything += ends
        for each in alive:
            print(json.dumps(each, ensure_ascii=False))
        print(_told(module, ends), f"{time.monotonic() - began:.0f} s", flush=True)
    print(_told("in all", everything))
    sys.exit(everything["alive"] > 0 or bool(gone))


def _told(what: str, ends: Counter[str]) -> str:
    effective = ends["changes"] - ends["listed"]
    killed = effective - ends["alive"]
    late = f", {ends['late']} of them by time or on import" if ends["late"] else ""
    return (
        f"{what}: {ends['changes']} changes, {ends['listed']} change nothing, {killed} of {effective} killed{late} "
        f"({killed / max(1, effective):.1%})"
    )


if __name__ == "__main__":
    main()
