"""Text into values: strict JSON, the documents of a stream, and where in the text a problem is."""

import io
import json
from typing import Annotated, Any, Literal, NotRequired

import pydantic
import pytest
from typing_extensions import TypedDict

from chinese_poker import documents, presets
from chinese_poker.deal import Deal
from chinese_poker.documents import Document, line_of, loads, read_documents
from chinese_poker.errors import DealError, RuleSetError

# ----------------------------------------------------------------------------------------------------
# JSON, strictly

DEEP = "[" * 100 + "]" * 100
LOADED: list[tuple[str, Any]] = [
    (DEEP, json.loads(DEEP)),
    ('{"a":' * 100 + "1" + "}" * 100, json.loads('{"a":' * 100 + "1" + "}" * 100)),
    (f"[{'[],' * 200}[]]", [[]] * 201),
    (f'["{"[" * 200}", "\\"{"{" * 200}", [""]]', ["[" * 200, '"' + "{" * 200, [""]]),
    (f'{{"a": "{"]" * 200}", "b": {DEEP[1:-1]}}}', {"a": "]" * 200, "b": json.loads(DEEP[1:-1])}),
    (f"[[], {DEEP[1:-1]}]", [[], json.loads(DEEP[1:-1])]),
    ('\t\r\n "x\\n" \n', "x\n"),
    ("-0.5e-3", -0.0005),
    ("1e308", 1e308),
    ("9" * 4300, int("9" * 4300)),
    ('{"a": {"a": [{"a": 1}, {"a": 1}]}}', {"a": {"a": [{"a": 1}, {"a": 1}]}}),
]
DEEPER = "brackets nested too deep; a deal needs four levels"
NO_NUMBER = "is no number here; write one of a few digits or leave it out"
MISSPELT: list[tuple[str, tuple[int, str, str, str]]] = [
    (f"[{DEEP}]", (1, "", "bad_json", DEEPER)),
    (f'\n{{"a": {DEEP}}}', (1, "", "bad_json", DEEPER)),
    (f'["{"]" * 9}", {DEEP}]', (1, "", "bad_json", DEEPER)),
    # cut: the column is the first that is missing
    ("", (1, "", "cut_short", "it breaks off at column 1; the rest is missing")),
    ("[1,", (1, "", "cut_short", "it breaks off at column 4; the rest is missing")),
    ('\n{"a": [1,\n\n', (2, "", "cut_short", "it breaks off at column 10; the rest is missing")),
    ('{"a":\n "x', (2, "", "cut_short", "it breaks off at column 4; the rest is missing")),
    ("[\n1,\n 2", (3, "", "cut_short", "it breaks off at column 3; the rest is missing")),
    # misspelt: the column is that of the fault
    ("x", (1, "", "bad_json", "expecting value at column 1; write JSON, one deal a line")),
    ("\n\n x", (3, "", "bad_json", "expecting value at column 2; write JSON, one deal a line")),
    ("[1 2]", (1, "", "bad_json", "expecting ',' delimiter at column 4; write JSON, one deal a line")),
    ('["\t"]', (1, "", "bad_json", "invalid control character at column 3; write JSON, one deal a line")),
    ("[1\u00a0", (1, "", "bad_json", "expecting ',' delimiter at column 3; write JSON, one deal a line")),
    ("{}\n{}", (2, "", "bad_json", "extra data at column 1; write JSON, one deal a line")),
    # numbers that are none
    ("NaN", (1, "", "bad_json", f"'NaN' {NO_NUMBER}")),
    ("\n\n-Infinity", (3, "", "bad_json", f"'-Infinity' {NO_NUMBER}")),
    ("1e999", (1, "", "bad_json", f"'1e999' {NO_NUMBER}")),
    ('{"a": [\n0, 1.5, 1e308,\n-1e999]}', (3, "/a/3", "bad_json", f"'-1e999' {NO_NUMBER}")),
    ("[" + "9" * 4301 + "]", (1, "/0", "bad_json", f"'{'9' * 24}...' {NO_NUMBER}")),
    ('["NaN", {"k": "NaN", "j": NaN}]', (1, "/1/j", "bad_json", f"'NaN' {NO_NUMBER}")),
    ('{"a": {}, "b": [], "c": [[], {}, null, true, NaN]}', (1, "/c/4", "bad_json", f"'NaN' {NO_NUMBER}")),
    (
        ' { "a" \t: [ 1 \n , { "b"\n : \n[ NaN\n ] } ] } ',
        (4, "/a/1/b/0", "bad_json", f"'NaN' {NO_NUMBER}"),
    ),
    ('{"a":1,"b":[1,{"c":2,"d":NaN}]}', (1, "/b/1/d", "bad_json", f"'NaN' {NO_NUMBER}")),
    ('{"a":"","b":[[],"",NaN]}', (1, "/b/2", "bad_json", f"'NaN' {NO_NUMBER}")),
    # keys twice, at the second; the first fault of the text
    ('{"a~b/c": {"x": 1,\n "x":\n 2}}', (2, "/a~0b~1c/x", "repeated_key", "'x' is there twice; keep one")),
    ('{"é": 1, "b": 2,\n"\\u00e9": 1}', (2, "/é", "repeated_key", "'é' is there twice; keep one")),
    ('{"a": 1, "b": 1, "b": 2, "a": NaN}', (1, "/b", "repeated_key", "'b' is there twice; keep one")),
    ('{"a": NaN, "b": 1, "b": 2}', (1, "/a", "bad_json", f"'NaN' {NO_NUMBER}")),
    ('{"a": 1, "a": NaN}', (1, "/a", "repeated_key", "'a' is there twice; keep one")),
    ('[{"a": 1, "b": [{"a": 1}]},\n{"a": 1, "a": 1}]', (2, "/1/a", "repeated_key", "'a' is there twice; keep one")),
    ('{"": 1,\n"": 2}', (2, "/", "repeated_key", "'' is there twice; keep one")),
    ('{"{": "}", "[\\"": [1], "c": 1, "c": 2}', (1, "/c", "repeated_key", "'c' is there twice; keep one")),
]


@pytest.mark.parametrize(("text", "value"), LOADED, ids=range(len(LOADED)))
def test_json_as_it_is_read(text: str, value: Any) -> None:
    assert loads(text) == value


@pytest.mark.parametrize(("text", "problem"), MISSPELT, ids=range(len(MISSPELT)))
def test_what_is_no_strict_json(text: str, problem: tuple[int, str, str, str]) -> None:
    with pytest.raises(DealError) as caught:
        loads(text)
    assert [(each.line, each.pointer, each.code, each.message) for each in caught.value.problems] == [problem]


@pytest.mark.parametrize(
    ("text", "pointer", "line"),
    [
        ('\n{"~1": 1,\n"/": 2,\n"~": 3}', "/~01", 2),
        ('\n{"~1": 1,\n"/": 2,\n"~": 3}', "/~1", 3),
        ('\n{"~1": 1,\n"/": 2,\n"~": 3}', "/~0", 4),
        ('{"a":\n\n1}', "/a", 3),
        ('{"a": 1,\n"a/b": {"a":\n2}}', "/a", 1),
        ('{"a": 1,\n"b": {"a":\n2}}', "/b/a", 3),
        ('["\n', "/0", 1),
        ("[0,\n[1,\n2]]", "/1/1", 3),
        ("[0,\n[1,\n2]]", "/1/2", 2),
        ('{"a":\n"{[",\n"b": 1}', "/a/0", 2),
        ("7\n", "", 1),
        ("\n7", "/0", 2),
        ('{"a": 1, "b": 2\n}', "/b", 1),
    ],
)
def test_the_line_of_a_pointer(text: str, pointer: str, line: int) -> None:
    assert line_of(text, pointer) == line


# ----------------------------------------------------------------------------------------------------
# Documents in a stream

Read = tuple[int, str | None, Any]
STREAMS: dict[str, tuple[bytes, list[Read]]] = {
    "a line each": (b'{"a": 1}\n \n\r\n[]\n"x"', [(1, None, {"a": 1}), (4, None, []), (5, None, "x")]),
    "over lines": (b'{"a":\n\n1\n}\n{"b": 2}', [(1, None, {"a": 1}), (5, None, {"b": 2})]),
    "a brace after a bracket": (b'{"a": [\n{"b": 1}\n]}\n3', [(1, None, {"a": [{"b": 1}]}), (4, None, 3)]),
    "a brace after a colon": (b'{"a":  \n{"b": 1}}\n3', [(1, None, {"a": {"b": 1}}), (3, None, 3)]),
    "a brace after a comma": (b'[{"a": 1},\n\n{"b": 1}]\n3', [(1, None, [{"a": 1}, {"b": 1}]), (4, None, 3)]),
    "a brace where no value begins": (b'{"a": [1\n{"b": 2}\n', [(1, "cut_short", None), (2, None, {"b": 2})]),
    "a brace indented alike": (b'  {"a": [1\n  {"b": 2}\n', [(1, "cut_short", None), (2, None, {"b": 2})]),
    "a brace indented less": (b'  {"a": [1\n {"b": 2}\n', [(1, "cut_short", None), (2, None, {"b": 2})]),
    "a brace indented more": (b' {"a": [1\n  {"b": 2}\n]}\n{"c": 3}', [(2, "bad_json", None), (4, None, {"c": 3})]),
    "cut after a comma": (
        b'{"a": 1,\n{"b": 2}\n{"c": 3}',
        [(1, "cut_short", None), (2, None, {"b": 2}), (3, None, {"c": 3})],
    ),
    "cut, and one over lines that were drawn": (
        b'{"a": [1,\n{"b":\n2}\n{"c": 3}',
        [(1, "cut_short", None), (2, None, {"b": 2}), (4, None, {"c": 3})],
    ),
    "a blank that is none of JSON's": (b"\xc2\xa0\n1", [(1, "bad_json", None), (2, None, 1)]),
    "two that are cut": (b'{"a": [\n{"b": [\n', [(1, "cut_short", None), (2, "cut_short", None)]),
    "cut, then whole over lines": (
        b'{"a": [1,\n2\n{"b":\n3}\n{"c": 4}',
        [(2, "cut_short", None), (3, None, {"b": 3}), (5, None, {"c": 4})],
    ),
    "cut at the end": (b'{"a": 1}\n{"b": [\n1,\n', [(1, None, {"a": 1}), (3, "cut_short", None)]),
    "one bracket too many": (b'{"a": 1}}\n{"b": 2}', [(1, "bad_json", None), (2, None, {"b": 2})]),
    "more closed than open within": (b'{"a": [\n]]]\n{"b": 2}', [(2, "bad_json", None), (3, None, {"b": 2})]),
    "a bad byte": (b'"\xff"\n{"a": 1}', [(1, "not_utf8", None), (2, None, {"a": 1})]),
    "bad bytes within": (
        b'{"a": [\n"\xff",\n"\xfe"\n]}\n{"b": 1}',
        [(2, "not_utf8", None), (3, "not_utf8", None), (5, None, {"b": 1})],
    ),
    "a bad byte in one that is cut": (
        b'{"a": [\n"\xff"\n{"b": 1}',
        [(2, "not_utf8", None), (1, "cut_short", None), (3, None, {"b": 1})],
    ),
    "a bad byte after a comma": (b'{"a": [1,\n\xff\n{"b": 2}]}\n3', [(2, "not_utf8", None), (4, None, 3)]),
    "the next begins before the brackets close": (
        b'{"a": [1\n{"b": 2}]}\n3',
        [(1, "cut_short", None), (2, "bad_json", None), (3, None, 3)],
    ),
    "one bracket too deep": (b"[\n" * 100 + b"{}\n" + b"]" * 100 + b"\n3", [(1, "bad_json", None), (103, None, 3)]),
    "two brackets too deep": (
        b"[\n" * 101 + b"{}\n" + b"]" * 101 + b"\n3",
        [(1, "bad_json", None), (102, None, {}), (103, "bad_json", None), (104, None, 3)],
    ),
    "NUL as the fourth byte": (b"[0,\x00]\n1", [(1, "not_utf8", None)]),
    "NUL as the fifth byte": (b"[0, \x00]\n1", [(1, "bad_json", None), (2, None, 1)]),
    "NUL in the second line": (b"0\n\x00\n1", [(1, None, 0), (2, "bad_json", None), (3, None, 1)]),
    "a mark and nothing": (b"\xef\xbb\xbf", [(1, "empty_input", None)]),
    "a mark and a line": (b"\xef\xbb\xbf1\n2", [(1, None, 1), (2, None, 2)]),
    "two marks": (b"\xef\xbb\xbf\xef\xbb\xbf1\n2", [(1, "bad_json", None), (2, None, 2)]),
    "nothing": (b"", [(1, "empty_input", None)]),
    "blanks": (b"\n\t \r\n", [(1, "empty_input", None)]),
}


def read(stream: bytes) -> list[Read]:
    """Values, and the problems of documents that are none at their lines."""
    found: list[Read] = []
    for document in read_documents(io.BytesIO(stream)):
        if document.error:
            found += [(each.line or 0, each.code, None) for each in document.place(document.error)]
        else:
            found.append((document.line, None, document.value))
    return found


@pytest.mark.parametrize("name", STREAMS)
def test_the_documents_of_a_stream(name: str) -> None:
    stream, expected = STREAMS[name]
    assert read(stream) == expected


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b'"%s"\n1\n' % (b"x" * 17), [(1, None, "x" * 17), (2, None, 1)]),
        (b'"%s"\n1\n' % (b"x" * 18), [(1, "too_long", None), (2, None, 1)]),
        (b'"%s"\n1\n' % (b"x" * 90), [(1, "too_long", None), (2, None, 1)]),
        (b'"%s"' % (b"x" * 90), [(1, "too_long", None)]),
        (b'[\n"%s"\n]\n1' % (b"x" * 13), [(1, None, ["x" * 13]), (4, None, 1)]),
        (b'[\n"%s"\n]\n1' % (b"x" * 14), [(1, "too_long", None), (4, None, 1)]),
        (b'["%s",\n2]\n1' % (b"x" * 11), [(1, None, ["x" * 11, 2]), (3, None, 1)]),
        (b'[\n"%s"\n]\n1' % (b"x" * 90), [(2, "too_long", None), (4, None, 1)]),
    ],
)
def test_how_long_a_line_and_a_document_may_be(
    monkeypatch: pytest.MonkeyPatch, stream: bytes, expected: list[Read]
) -> None:
    """Twenty bytes, the ends of lines counted."""
    monkeypatch.setattr(documents, "MOST_BYTES", 20)
    assert read(stream) == expected
    told = [document.error.message for document in read_documents(io.BytesIO(stream)) if document.error]
    kinds = ("line", "document")
    assert all(text in [f"more than 20 bytes in one {kind}; write one deal a line" for kind in kinds] for text in told)


def test_a_problem_of_a_document_over_lines_is_told_at_its_line() -> None:
    [_, document] = read_documents(io.BytesIO(b'1\n{"a":\n2}'))
    [problem] = document.place(DealError("bad_value", "x", pointer="/a"))
    assert (document.line, problem.line) == (2, 3)


class Measured(io.BytesIO):
    """A stream that tells how much of it is asked for at once."""

    most = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        assert size is not None
        assert size > 0
        self.most = max(self.most, size)
        return super().readline(size)


def test_no_more_is_read_at_once_than_a_line_may_hold() -> None:
    stream = Measured(b"x" * 3_000_000 + b"\n1\n")
    assert [document.line for document in read_documents(stream)] == [1, 2]
    assert stream.most == documents.MOST_BYTES + 1


def test_what_is_not_utf8_is_told_by_byte_and_column() -> None:
    told = [document.error.message for document in read_documents(io.BytesIO(b'"\xff"\n\x80')) if document.error]
    assert told == [
        "byte 0xff at column 2 is not UTF-8; save the text as UTF-8",
        "byte 0x80 at column 1 is not UTF-8; save the text as UTF-8",
    ]
    for mark in (b"\xff\xfe", b"\xfe\xff"):
        [only] = read_documents(io.BytesIO(mark + b"xxxx\n1"))
        assert only.error is not None
        assert (only.line, only.error.message) == (1, "the text is UTF-16; save it as UTF-8")
    [only] = read_documents(io.BytesIO(b"\n"))
    assert only.error is not None
    assert only.error.message == "there is nothing here; write a JSON object"


PLACED = Document(5, '{"a/b": [1,\n{"0": 2}],\n"c": 3}', {"a/b": [1, {"0": 2}], "c": 3})


@pytest.mark.parametrize(
    ("document", "pointer", "line", "expected"),
    [
        (PLACED, "", None, (5, "")),
        (PLACED, "/a~1b/1/0", None, (6, "/a~1b/1/0")),
        (PLACED, "/a~1b/2", None, (5, "/a~1b")),
        (PLACED, "/a~1b/-1", None, (5, "/a~1b")),
        (PLACED, "/a~1b/x", None, (5, "/a~1b")),
        (PLACED, "/c/0/1", None, (7, "/c")),
        (PLACED, "/d/c", None, (5, "")),
        (PLACED, "/c", 2, (6, "/c")),
        (PLACED, "/c", 1, (5, "/c")),
        (Document(0, "", {"c": 3}), "/c", None, (None, "/c")),
        (Document(4, "", {"c": 3}), "/d", None, (4, "")),
        (Document(4, "", error=DealError("bad_json", "x")), "/d/e", 3, (6, "/d/e")),
    ],
)
def test_where_a_problem_of_a_document_is(
    document: Document, pointer: str, line: int | None, expected: tuple[int | None, str]
) -> None:
    first = RuleSetError("bad_value", "write it", pointer=pointer, line=line)
    placed = document.place(DealError.of([first, DealError("bad_text", "x")]))
    assert [type(each) for each in placed] == [RuleSetError, DealError]
    assert (placed[0].code, placed[0].message) == ("bad_value", "write it")
    assert (placed[0].line, placed[0].pointer) == expected


@pytest.mark.parametrize(
    ("pointer", "line"),
    [("", 2), ("/a", 2), ("/a/0", 3), ("/a/1", 4), ("/a/1/b~1c", 5), ("/a/2", 2), ("/x", 2), ("/a/0/x", 3), ("/d", 6)],
)
def test_the_line_of_a_place_or_of_the_last_part_of_it_that_there_is(pointer: str, line: int) -> None:
    text = '\n{"a": [\n"x",\n{\n"b/c": 2}],\n"d": 1}\n'
    assert line_of(text, pointer) == line
    assert line_of("\n\n 7", pointer) == 3


def test_a_document_of_many_lines_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept of one that is too long, and what comes after it is read."""
    monkeypatch.setattr(documents, "MOST_BYTES", 60)
    stream = b'{"a": [\n' + b'"xxxxxxxxxxxxxxxxxxxx",\n' * 4 + b'1]}\n{"b": 1}\n{"c": [\n' + b"2,\n" * 30
    read = list(read_documents(io.BytesIO(stream)))
    assert [(each.line, each.error and each.error.code, each.value) for each in read] == [
        (1, "too_long", None),
        (7, None, {"b": 1}),
        (8, "too_long", None),
    ]


def test_a_line_that_is_no_text_within_a_document_is_told_at_its_line() -> None:
    whole = list(read_documents(io.BytesIO(b'{"a":\n"\xff",\n"b": 1}\n{"c": 1}')))
    assert [(each.line, each.error and each.error.code, each.value) for each in whole] == [
        (2, "not_utf8", None),
        (4, None, {"c": 1}),
    ]
    cut = list(read_documents(io.BytesIO(b'{"a":\n"\xff",\n"b": 1\n')))
    assert [(each.line, each.error and each.error.code) for each in cut] == [(2, "not_utf8"), (1, "bad_json")]


# ----------------------------------------------------------------------------------------------------
# What pydantic complains of


@pydantic.with_config(pydantic.ConfigDict(extra="forbid", strict=True))
class Innermost(TypedDict):
    """Within an object of a list."""

    size: int


@pydantic.with_config(pydantic.ConfigDict(extra="forbid", strict=True))
class Inner(TypedDict):
    """Within a list."""

    front: Literal["ace", "king"]
    back: int
    most: NotRequired[Innermost]


@pydantic.with_config(pydantic.ConfigDict(extra="forbid", strict=True))
class Outer(TypedDict, total=False):
    """As a document of some reader."""

    inner: list[Inner]
    named: dict[Literal["a", "b"], bool]
    word: str
    deal: Annotated[Any, pydantic.PlainValidator(lambda value: Deal((value,)))]
    score: Annotated[int, pydantic.Field(ge=1)]


GOOD = {"front": "ace", "back": 1}


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ({"x": 1}, [("/x", "unknown_key", "'x' is no key here; known: inner, named, word, deal, score")]),
        (
            {"inner": [GOOD, {**GOOD, "fornt": 1}]},
            [
                (
                    "/inner/1/fornt",
                    "unknown_key",
                    "'fornt' is no key here, did you mean 'front'? known: front, back, most",
                )
            ],
        ),
        (
            {"inner": [{**GOOD, "most": {"size": 1, "x": 1}}]},
            [("/inner/0/most/x", "unknown_key", "'x' is no key here; known: size")],
        ),
        (
            {"inner": [{"front": "Kings"}]},
            [
                ("/inner/0/front", "bad_value", "'Kings' is not known, did you mean 'king'? write 'ace' or 'king'"),
                ("/inner/0/back", "missing_key", "'back' is missing; write it"),
            ],
        ),
        ({"inner": [{**GOOD, "front": 3}]}, [("/inner/0/front", "bad_value", "write 'ace' or 'king'")]),
        (
            {"named": {"c": True, "a": 1}},
            [
                ("/named/c", "bad_value", "'c' is not known; write 'a' or 'b'"),
                ("/named/a", "bad_value", "write true or false"),
            ],
        ),
        (
            {"inner": {}, "word": 1},
            [("/inner", "bad_value", "write a list"), ("/word", "bad_value", "write a text in quotes")],
        ),
        ({"named": []}, [("/named", "bad_value", "write an object")]),
        ({"score": 0.5}, [("/score", "bad_value", "write a whole number")]),
        ({"score": 0}, [("/score", "bad_value", "write greater than or equal to 1")]),
        (
            {"deal": None},
            [("/deal/players", "too_few_players", "0 players; a deal has 2 to 4")],
        ),
    ],
    ids=range(11),
)
def test_complaints_are_told_as_problems(value: Any, problems: list[tuple[str, str, str]]) -> None:
    adapter = pydantic.TypeAdapter(Outer)
    with pytest.raises(pydantic.ValidationError) as caught:
        adapter.validate_python(value)
    error = documents.problems_of(caught.value, adapter.json_schema(), RuleSetError)
    assert [(each.pointer, each.code, each.message) for each in error.problems] == problems
    assert type(error) is RuleSetError
    assert {type(each) for each in error.problems} <= {RuleSetError, DealError}


def test_complaints_of_a_rule_set() -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        presets.adapter().validate_json('{"fowl": 1, "ties": "Pusch"}')
    error = documents.problems_of(caught.value, presets.adapter().json_schema(), RuleSetError)
    told = {each.pointer: (each.code, each.message) for each in error.problems}
    assert told.keys() == {"/name", "/fowl", "/ties"}
    assert told["/name"] == ("missing_key", "'name' is missing; write it")
    assert told["/ties"][1] == "'Pusch' is not known, did you mean 'push'? write 'push', 'banker' or 'suit'"
    assert told["/fowl"][0] == "unknown_key"
    assert told["/fowl"][1].startswith("'fowl' is no key here, did you mean 'foul'? known: name, title, ")


def test_where_no_schema_tells_the_known_keys_there_is_a_remedy() -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        pydantic.TypeAdapter(Outer).validate_python({"inner": [{**GOOD, "most": {"size": 1, "x": 1}}]})
    error = documents.problems_of(caught.value, {}, DealError)
    assert (error.pointer, error.message) == ("/inner/0/most/x", "'x' is no key here; leave it out")


def test_a_hundred_complaints_are_told() -> None:
    adapter = pydantic.TypeAdapter(list[int])
    with pytest.raises(pydantic.ValidationError) as caught:
        adapter.validate_python(["x"] * 150)
    error = documents.problems_of(caught.value, {}, DealError)
    assert [each.pointer for each in error.problems] == [f"/{place}" for place in range(100)]
