"""Files of every format on the command: tables, bridge deals, a hand a line."""

import io
import subprocess
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from commanding import DRAGON, NORTH, SOUTH, deal, json_lines, lines, run
from pyarrow import feather, parquet

from chinese_poker.adapters.importers import read_hands, read_pbn, read_text

GOOD = json_lines([deal(id=1, rules="mandarin"), deal(id=2, north={"name": "=1+1"})])


def totals(done):
    return [[player["total"] for player in result["players"]] for result in lines(done.stdout)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "night.jsonl").write_bytes(GOOD)
    return tmp_path


@pytest.mark.parametrize("suffix", ["parquet", "csv", "arrow"])
def test_deals_into_a_table_and_results_out_of_it(folder, suffix):
    expected = run("score", "night.jsonl", "--json", folder=folder)
    assert run("convert", "night.jsonl", "-o", f"n.{suffix}", folder=folder).returncode == 0
    assert totals(run("score", f"n.{suffix}", "--json", folder=folder)) == totals(expected)
    done = run("score", f"n.{suffix}", "-o", f"r.{suffix}", "--items", f"i.{suffix}", folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    read = {"parquet": pl.read_parquet, "csv": pl.read_csv, "arrow": pl.read_ipc}[suffix]
    results, items = read(folder / f"r.{suffix}"), read(folder / f"i.{suffix}")
    assert results["total"].to_list() == [total for deal in totals(expected) for total in deal]
    assert results["rules"].to_list() == ["mandarin", "mandarin", "basic", "basic"]
    by_matchup = [matchup["items"] for result in lines(expected.stdout) for matchup in result["matchups"]]
    assert items["units"].to_list() == [item["units"] for matchup in by_matchup for item in matchup]
    assert items["reason"].to_list() == [item["reason"] for matchup in by_matchup for item in matchup]
    assert {path.suffix for path in folder.iterdir()} == {".jsonl", f".{suffix}"}


def test_documents_into_tables_are_the_tables_of_a_table(folder):
    run("convert", "night.jsonl", "-o", "n.parquet", folder=folder)
    for source in ("night.jsonl", "n.parquet"):
        assert run("score", source, "-o", f"{source}.r.parquet", folder=folder).returncode == 0
    one, other = (pl.read_parquet(folder / f"{source}.r.parquet") for source in ("night.jsonl", "n.parquet"))
    assert one.equals(other)


def test_several_files_into_one_table(folder):
    (folder / "h.txt").write_text("QhQd2c|9s9h4d4c7s|AsKsJs8s3s\nAhKd5c|8h8d6h6c2s|TcTdThTs2h\n")
    assert run("score", "night.jsonl", "h.txt", "-o", "r.csv", folder=folder).returncode == 0
    found = pd.read_csv(folder / "r.csv")
    assert found["deal"].tolist() == ["1", "1", "2", "2", "h.txt:1", "h.txt:1"]


def test_no_cell_is_a_formula(folder):
    run("score", "night.jsonl", "-o", "r.csv", folder=folder)
    assert pd.read_csv(folder / "r.csv")["name"].tolist()[2] == "'=1+1"
    run("score", "night.jsonl", "-o", "r.parquet", folder=folder)
    assert pl.read_parquet(folder / "r.parquet")["name"].to_list()[2] == "=1+1"


def test_bad_rows_are_told_by_line_and_the_rest_scored(folder):
    rows = [
        "deal,seat,front,middle,back",
        "007,0,QhQd2c,9s9h4d4c7s,AsKsJs8s3s",
        "007,1,AhKd5c,8h8d6h6c2s,TcTdThTs2h",
        "",
        "8,0,QhQd2c,9s9h4d4c7s,AsKsJs8s3x",
        "8,1,AhKd5c,8h8d6h6c2s,TcTdThTs2h",
        "9,0,too,few",
        "9,zero,QhQd2c,9s9h4d4c7s,AsKsJs8s3s",
        "9,1,AhKd5c,8h8d6h6c2s,TcTdThTs2h",
        "10,0,QhQd2c,9s9h4d4c7s,AsKsJs8s3s",
        "10,1,AhKd5c,8h8d6h6c2s,TcTdThTs2h",
    ]
    (folder / "d.csv").write_text("\ufeff" + "\n".join(rows) + "\n")
    done = run("score", "d.csv", "-o", "r.csv", folder=folder)
    assert done.returncode == 1
    assert [line.split(": ")[:3] for line in done.stderr.decode().splitlines()] == [
        ["d.csv:5", "/back", "unknown_card"],
        ["d.csv:7", "bad_row", "4 columns where the first line names 5; write as many"],
        ["d.csv:8", "/seat", "bad_value"],
    ]
    found = pd.read_csv(folder / "r.csv", dtype={"deal": str})
    assert found["deal"].tolist() == ["007", "007", "8", "8", "9", "9", "10", "10"]
    assert found["total"].isna().tolist() == [False, False, True, True, True, True, False, False]
    done = run("score", "d.csv", "--json", "--errors", "json", folder=folder)
    assert [result["id"] for result in lines(done.stdout)] == ["007", "10"]
    assert [problem["line"] for problem in lines(done.stderr)] == [7, 5, 8]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.parquet", b"no parquet"),
        ("x.arrow", b"no arrow"),
        ("x.csv", b""),
        ("x.csv", b"deal,deal\n1,2\n"),
        ("x.csv", b"deal,front,middle,back\n1,\xff\xfe,x,y\n"),
        ("x.csv", b"deal,front,middle,back\n1,2,3,4\n1,\xee\n"),
        ("x.csv", b"a,b\n1,2\n"),
        ("x.csv", b"deal,hand\0,hand\n1,2,3\n"),
        ("x.csv", b"deal,hand,hand\n1,2,3\n"),
        ("x.pbn", b"no deal"),
        ("x.txt", b"\n# nothing\n"),
    ],
)
def test_files_that_hold_no_deals_are_told_in_one_line(folder, name, content):
    (folder / name).write_bytes(content)
    for arguments in (["score", name], ["score", name, "-o", "r.parquet"], ["convert", name]):
        done = run(*arguments, folder=folder)
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.count(b"\n") == 1
        assert done.stderr.startswith(name.encode() + b":")
    assert run("score", "nowhere.parquet", "-o", "r.csv", folder=folder).stderr.startswith(
        b"nowhere.parquet: unreadable: cannot be read: No such file"
    )


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("place", range(-200, -4, 23))
def test_a_damaged_table_is_told_in_one_line(folder, suffix, place):
    run("convert", "night.jsonl", "-o", f"t{suffix}", folder=folder)
    content = bytearray((folder / f"t{suffix}").read_bytes())
    content[place : place + 8] = b"\xff" * 8
    (folder / f"t{suffix}").write_bytes(content)
    done = run("convert", f"t{suffix}", folder=folder)
    assert b"None" not in done.stderr
    assert done.stderr.count(b"\n") == (done.returncode == 1)


@pytest.mark.parametrize(
    ("hand", "other", "fault"),
    [(b"hand", b"hand", b"a column is there twice"), (b"hand", b"h\xa5nd", b"codec can't decode byte 0xa5")],
)
def test_columns_of_an_arrow_file_whose_names_cannot_be(folder, hand, other, fault):
    path = folder / "x.arrow"
    feather.write_feather(pa.table({"deal": ["1"], "hand": ["x"], "zzzz": ["y"]}), path, compression="uncompressed")
    path.write_bytes(path.read_bytes().replace(b"hand", hand).replace(b"zzzz", other))
    for arguments in (["score", "x.arrow"], ["score", "x.arrow", "-o", "r.csv"], ["convert", "x.arrow"]):
        done = run(*arguments, folder=folder)
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
        assert done.stderr.startswith(b"x.arrow:")
        assert b"bad_table" in done.stderr
        assert fault in done.stderr


def test_the_line_that_is_not_utf_8_is_named(folder):
    for name, content in (("x.csv", b"\xff\xfed\0"), ("y.csv", b"deal,hand\n1,2\n1,\xee,3\n")):
        (folder / name).write_bytes(content)
    assert run("score", "x.csv", folder=folder).stderr.startswith(b"x.csv:1: not_utf8: byte 0xff at column 1 ")
    assert run("score", "y.csv", folder=folder).stderr.startswith(b"y.csv:3: not_utf8: byte 0xee at column 3 ")


@pytest.mark.parametrize(
    "arguments",
    [["-o", "r.xls"], ["-o", "r.csv", "--json"], ["--items", "i.csv", "--standings"], ["-o", "r.csv", "--csv"]],
)
def test_options_that_do_not_go_together(folder, arguments):
    assert run("score", "night.jsonl", *arguments, folder=folder).returncode == 2


def test_what_cannot_be_written_is_told_and_nothing_is_left(folder):
    done = run("score", "night.jsonl", "-o", "missing/r.csv", folder=folder)
    assert done.returncode == 1
    fault = b"'missing/r.csv' cannot be written: No such file or directory; make its folder first"
    assert done.stderr == b"Error: %b\n" % fault


def test_rules_written_out_have_no_place_in_a_table(folder):
    (folder / "own.jsonl").write_bytes(json_lines([deal(rules={"base": "basic", "cap": 2}), deal()]))
    done = run("convert", "own.jsonl", "-o", "own.parquet", folder=folder)
    assert done.returncode == 1
    assert done.stderr.startswith(b"own.jsonl:1: /rules: bad_value: ")
    assert pl.read_parquet(folder / "own.parquet").height == 2


def test_without_the_extra_one_line_says_what_to_install(folder):
    (folder / "d.csv").write_text("deal\n")
    code = "import sys; sys.modules['pyarrow'] = None; from chinese_poker.cli import main; main()"
    for arguments in (
        ["score", "d.csv"],
        ["score", "night.jsonl", "-o", "r.csv"],
        ["convert", "night.jsonl", "-o", "r.csv"],
    ):
        done = subprocess.run([sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, check=False)
        assert done.returncode == 1
        assert done.stderr.count(b"\n") == 1
        assert b"pip install 'chinese-poker[tables]'" in done.stderr
    done = subprocess.run([sys.executable, "-c", code, "score", "night.jsonl", "--json"], cwd=folder, check=True)


# ----------------------------------------------------------------------------------------------------
# Bridge deals

# the example of the PBN standard 2.1, section 3.4.11 (https://www.tistis.nl/pbn/pbn_v21.txt), with all 52 cards
STANDARD = "N:.63.AKQ987.A9732 A8654.KQ5.T.QJT6 J973.J98742.3.K4 KQT2.AT.J6542.85"
HANDS = [
    "6h 3h Ad Kd Qd 9d 8d 7d Ac 9c 7c 3c 2c",
    "As 8s 6s 5s 4s Kh Qh 5h Td Qc Jc Tc 6c",
    "Js 9s 7s 3s Jh 9h 8h 7h 4h 2h 3d Kc 4c",
    "Ks Qs Ts 2s Ah Th Jd 6d 5d 4d 2d 8c 5c",
]


def pbn(*tags):
    return "\n".join(f'[{name} "{value}"]' for name, value in tags) + "\n\n"


def imported(text, read=read_pbn):
    return list(read(io.BytesIO(text if isinstance(text, bytes) else text.encode())))


def test_the_deal_of_the_standard():
    (document,) = imported(pbn(("Event", "x"), ("Board", "1"), ("West", "Wanda"), ("Deal", STANDARD)))
    assert document.line == 4
    assert document.value["id"] == "1"
    assert [player["hand"] for player in document.value["players"]] == HANDS
    assert [player.get("name") for player in document.value["players"]] == [None, None, None, "Wanda"]


@pytest.mark.parametrize("turn", range(4))
def test_the_first_hand_is_whose_the_letter_says(turn):
    hands = STANDARD[2:].split()
    text = "NESW"[turn] + ":" + " ".join(hands[turn:] + hands[:turn])
    (document,) = imported(pbn(("Deal", text)))
    assert [player["hand"] for player in document.value["players"]] == HANDS


def test_what_else_a_pbn_file_holds_is_passed_over():
    text = (
        "% PBN 2.1\r\n% EXPORT\r\n"
        + pbn(("Event", "a; b {c"), ("Board", "1"), ("Deal", STANDARD))
        + '; a comment [Deal "x"]\n{ over\nlines [Deal "y"] }\n'
        + pbn(("Board", "2"), ("Deal", STANDARD)).strip()
        + '\n[Auction "N"]\n1C Pass =1= 2H\n*\n[Play "W"]\nSK H3 S4 *\n'
        + pbn(("Board", "3"), ("Deal", STANDARD))
    )
    assert [document.value["id"] for document in imported(text)] == ["1", "2", "3"]


def test_a_comment_without_an_end_is_told():
    first, last = imported(
        pbn(("Board", "1"), ("Deal", STANDARD)) + "{ open\n" + pbn(("Board", "2"), ("Deal", STANDARD))
    )
    assert first.value["id"] == "1"
    assert (last.line, last.error.code) == (4, "open_comment")
    (document,) = imported("{ open\n}\n\n; {\n{\n")
    assert (document.line, document.error.code) == (5, "open_comment")


def test_names_in_latin_1():
    (document,) = imported(pbn(("North", "Jürg"), ("Deal", STANDARD)).encode("latin-1"))
    assert document.value["players"][0]["name"] == "Jürg"


FAULTY = {
    "no seat": (STANDARD[2:], "bad_pbn"),
    "another seat": ("X" + STANDARD[1:], "bad_pbn"),
    "three hands": (STANDARD.rpartition(" ")[0], "bad_pbn"),
    "a hand not known": (STANDARD.rpartition(" ")[0] + " -", "bad_pbn"),
    "three suits": (STANDARD.replace("KQT2.AT", "KQT2AT"), "bad_pbn"),
    "no card": (STANDARD.replace("KQT2", "KQX2"), "unknown_card"),
    "twelve cards": (STANDARD.replace("KQT2", "KQT"), "wrong_count"),
    "a card twice": (STANDARD.replace("KQT2", "KQT8"), "duplicate_card"),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_a_bad_deal_is_told_by_line_and_skipped(tmp_path, fault):
    text, code = FAULTY[fault]
    good = pbn(("Board", "1"), ("Deal", STANDARD))
    (tmp_path / "night.pbn").write_text(good + pbn(("Board", "2"), ("Deal", text)) + good.replace('"1"', '"3"'))
    done = run("convert", "night.pbn", folder=tmp_path)
    assert done.returncode == 1
    assert [document["id"] for document in lines(done.stdout)] == ["1", "3"]
    assert done.stderr.startswith(b"night.pbn:5: ")
    assert f" {code}: ".encode() in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_bridge_deals_are_set_and_scored(tmp_path):
    (tmp_path / "night.pbn").write_text(pbn(("Board", "1"), ("Deal", STANDARD)))
    done = run("score", "night.pbn", "--strategy", "greedy", "--json", folder=tmp_path)
    converted = run("convert", "night.pbn", folder=tmp_path)
    again = run("score", "-", "--strategy", "greedy", "--json", stdin=converted.stdout)
    assert (done.returncode, done.stdout) == (0, again.stdout)
    (result,) = lines(done.stdout)
    assert sum(player["total"] for player in result["players"]) == 0
    assert run("score", "night.pbn", folder=tmp_path).stderr.startswith(b"night.pbn:2: /players/0/hand: not_set: ")


# ----------------------------------------------------------------------------------------------------
# A hand a line


def test_hands_that_follow_each_other_are_a_deal():
    text = f"""# Thursday
Ann: {DRAGON}
Bo:  QhQd2c | 9s9h4d4c7s | AsKsJs8s3s   # set


{DRAGON}
# a comment within
Cy: AhKd5c | 8h8d6h6c2s | TcTdThTs2h"""
    first, second = imported(text, read_text)
    assert (first.line, second.line) == (2, 6)
    assert first.value["players"] == [
        {"name": "Ann", "hand": DRAGON},
        {"name": "Bo", "front": "QhQd2c", "middle": "9s9h4d4c7s", "back": "AsKsJs8s3s"},
    ]
    assert [player.get("name") for player in second.value["players"]] == [None, "Cy"]


def test_a_bad_hand_is_told_by_its_line_and_its_deal_skipped(tmp_path):
    north, south = (" | ".join(player[key] for key in ("front", "middle", "back")) for player in (NORTH, SOUTH))
    deals = [f"{north}\n{south}", f"{north}\n# two lines on\n{south[:-2]}2x", f"{north}\n{south} | 2c", north]
    text = "\n\n".join([*deals, deals[0], ""])
    (tmp_path / "night.txt").write_text(text)
    done = run("score", "night.txt", "--json", folder=tmp_path)
    assert len(lines(done.stdout)) == 2
    assert [line.split(": ")[:3] for line in done.stderr.decode().splitlines()] == [
        ["night.txt:6", "/players/1/back", "unknown_card"],
        ["night.txt:9", "wrong_segments", "4 segments; write 'front | middle | back'"],
        ["night.txt:11", "/players", "too_few_players"],
    ]


def test_lines_are_hands_where_hands_are_asked_for(tmp_path):
    (tmp_path / "hands.txt").write_text(f"Ann: {DRAGON}\n{DRAGON}\n\nQhQd2c9s9h4d4c7sAsKsJs8s3x\n")
    done = run("suggest", "hands.txt", "--json", "--samples", "50", folder=tmp_path)
    found = lines(done.stdout)
    assert [suggested.get("id") for suggested in found] == ["Ann", None]
    assert done.stderr.startswith(b"hands.txt:4: /hand: unknown_card: ")
    done = run("check", "hands.txt", "--json", folder=tmp_path)
    assert lines(done.stdout)[0]["naturals"][0] == "dragon"
    assert [document.line for document in imported(f"{DRAGON}\n\n{DRAGON}", read_hands)] == [1, 3]


def test_parquet_as_a_simulation_writes_it(tmp_path):
    rows = [
        {"deal": 5, "seat": seat, **player, "strategy": "greedy", "units": 0}
        for seat, player in ((0, NORTH), (1, SOUTH))
    ]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "deals.parquet")
    done = run("score", "deals.parquet", "-o", "results.parquet", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (
        pl.read_parquet(tmp_path / "results.parquet")["total"].to_list()
        == totals(run("score", "-", "--json", stdin=json_lines([deal()])))[0]
    )
