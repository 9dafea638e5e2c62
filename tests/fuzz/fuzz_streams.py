"""Bytes as a stream of documents: nothing good is lost behind anything bad."""

import io
import json

from fuzzing import DATA, check_told

from chinese_poker.documents import Document, read_documents

GOOD = {"id": "good", "players": [None, None]}
_LINE = json.dumps(GOOD)
_DEALS = [json.loads(line)["deal"] for line in (DATA / "presets.jsonl").read_text(encoding="utf-8").splitlines()[:3]]
SEEDS = [
    b"".join(json.dumps(deal).encode() + b"\n" for deal in _DEALS),
    json.dumps(_DEALS[0], indent=2).encode() + b"\r\n\r\n" + json.dumps(_DEALS[1], indent="\t").encode(),
    b'{"a": [1}\n{"b": 2}\n',
    b'{"id":\n{"id": 1}\n}\n[\n{"b": "x\n',
    b'\xef\xbb\xbf{"a": 1, "a": 2}\n  {"b": NaN,\n  "c": "\\ud800"}\n\xff\n',
    b'{"a": "{[", "b":\n[{},\n {"c": "\\"}"}\n]}\n',
    b"",
]


def one(data: bytes) -> None:
    documents = list(read_documents(io.BytesIO(data)))
    assert documents
    for document in documents:
        _check(document, data)
    utf16 = b"\0" in data[:4] or data[:2] in (b"\xff\xfe", b"\xfe\xff")
    if not utf16:
        longer = list(read_documents(io.BytesIO(data + b"\n" + _LINE.encode() + b"\n")))
        assert longer[-1].value == GOOD or _LINE in longer[-1].text, "a good deal at the end is read"


def _check(document: Document, data: bytes) -> None:
    lines = data.count(b"\n") + 1
    assert 1 <= document.line <= lines
    if document.error is None:
        assert json.loads(document.text) == document.value
        return
    check_told(document.error)
    for problem in document.place(document.error):
        check_told(problem)
        assert 1 <= (problem.line or 1) <= lines
