"""A light client to load a server from the machine it runs on: connections are kept, httptools reads the answers."""

import asyncio
import contextlib
import selectors
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import httptools

T = TypeVar("T")
HOST = "127.0.0.1"
JSON_TYPE = "application/json"


@dataclass
class Answer:
    """What a server answers; of headers the names are in small letters."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


def request_of(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    """A whole request; an underscore in a header's name stands for a hyphen."""
    given: Mapping[str, str] = {"Host": HOST, "Content_Type": JSON_TYPE, "Content_Length": str(len(body)), **headers}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name.replace('_', '-')}: {value}" for name, value in given.items())]
    return "\r\n".join([*lines, "\r\n"]).encode() + body


class Connection(asyncio.Protocol):
    """A connection that is asked one thing at a time."""

    def __init__(self) -> None:
        self.is_open = False
        self._waiting: asyncio.Future[Answer] | None = None

    @classmethod
    async def to(cls, port: int) -> "Connection":
        """A new one."""
        _, connection = await asyncio.get_running_loop().create_connection(cls, HOST, port)
        return connection

    async def ask(self, request: bytes, *, first_only: bool = False) -> Answer:
        """The answer to a request; with ``first_only`` what has come of it when its body begins.

        :raises ConnectionError: the server hangs up, or what it sends is not HTTP.
        """
        self.expect(first_only=first_only)
        self.send(request)
        return await self.answer()

    def expect(self, *, first_only: bool = False) -> None:
        """From here on an answer may come."""
        self._parser = httptools.HttpResponseParser(self)
        self._answer, self._first_only = Answer(), first_only
        self._waiting = asyncio.get_running_loop().create_future()
        if not self.is_open:
            self._end(ConnectionError("the connection is closed"))

    def send(self, data: bytes) -> None:
        """Send, without waiting."""
        self._transport.write(data)

    async def answer(self) -> Answer:
        """What :meth:`expect` has announced."""
        assert self._waiting
        try:
            return await self._waiting
        finally:
            if not self._waiting.done() or self._waiting.cancelled() or self._waiting.exception():
                self.hang_up()
            self._waiting = None

    def hang_up(self) -> None:
        """Close it; what has been sent arrives."""
        self.is_open = False
        self._transport.close()

    def _end(self, error: Exception | None = None) -> None:
        if self._waiting and not self._waiting.done():
            if error:
                self._waiting.set_exception(error)
            else:
                self._waiting.set_result(self._answer)

    # what asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport, self.is_open = transport, True

    def data_received(self, data: bytes) -> None:
        if self._waiting is None:
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._end(ConnectionError(f"not HTTP: {error}"))

    def connection_lost(self, error: Exception | None) -> None:
        self.is_open = False
        self._end(ConnectionError(f"closed before its answer was whole: {error or 'by the server'}"))

    # what httptools calls

    def on_header(self, name: bytes, value: bytes) -> None:
        self._answer.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self._answer.status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        self._answer.body += body
        if self._first_only:
            self._end()

    def on_message_complete(self) -> None:
        if not self._parser.should_keep_alive():
            self.hang_up()
        self._end()


class Pool:
    """So many connections at most, opened as they are needed and kept."""

    def __init__(self, port: int, size: int) -> None:
        self.port = port
        self._free: asyncio.LifoQueue[Connection | None] = asyncio.LifoQueue()
        for _ in range(size):
            self._free.put_nowait(None)

    async def ask(self, request: bytes) -> Answer:
        """The answer to a request, when a connection is free."""
        connection = await self._free.get()
        try:
            if connection is None or not connection.is_open:
                connection = await Connection.to(self.port)
            return await connection.ask(request)
        finally:
            self._free.put_nowait(connection)

    def close(self) -> None:
        """Hang up on all that are free."""
        while not self._free.empty():
            if connection := self._free.get_nowait():
                connection.hang_up()


@contextlib.contextmanager
def pool_of(port: int, size: int) -> Iterator[Pool]:
    """A pool, closed at the end."""
    pool = Pool(port, size)
    try:
        yield pool
    finally:
        pool.close()


async def closed_loop(clients: int, ask: Callable[[T], Awaitable[object]], work: Iterable[T]) -> float:
    """Seconds until all work is done by clients that each begin the next when they have their answer."""
    left = iter(work)

    async def client() -> None:
        for each in left:
            await ask(each)

    began = time.monotonic()
    await asyncio.gather(*(client() for _ in range(clients)))
    return time.monotonic() - began


async def open_loop(
    rate: float, begin: Callable[[T, float], Coroutine[None, None, None]], work: Iterable[T]
) -> list[float]:
    """Begin so much work a second, whether what came before is answered or not; wait for the last.

    Each is told when it was due, so that a late answer makes the next ones late in the figures too. On asyncio's own
    loop over ``select``, as of :func:`precise_loop`, the times are kept to a fraction of a millisecond.

    :return: how many seconds after its time each was begun.
    """
    late, began = [], time.monotonic()
    async with asyncio.TaskGroup() as group:
        for number, each in enumerate(work):
            due = began + number / rate
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            late.append(time.monotonic() - due)
            group.create_task(begin(each, due))
    return late


def precise_loop() -> asyncio.AbstractEventLoop:
    """A loop that wakes in time: those over ``epoll`` round to milliseconds. It bears a thousand connections."""
    return asyncio.SelectorEventLoop(selectors.SelectSelector())
