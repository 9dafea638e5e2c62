"""``chinese-poker serve`` run as a process, to be asked over HTTP."""

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil
from commanding import COMMAND

JSON, LINES = {"Content-Type": "application/json"}, {"Content-Type": "application/x-ndjson"}


class Held(NamedTuple):
    """What processes hold of a machine."""

    memory: float
    """MB."""
    files: int
    threads: int


def processor_time(pid: int) -> float:
    """Seconds of a processor that a process has had."""
    used = psutil.Process(pid).cpu_times()
    return used.user + used.system


@dataclass
class Server:
    """A server that answers at ``url``."""

    process: subprocess.Popen[bytes]
    url: str
    log: Path

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def client(self, **options: object) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=60, trust_env=False, **options)

    def workers(self) -> list[int]:
        """The processes that answer: the children, or the one process."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        children = [int(pid) for pid in path.read_text().split()] if path.exists() else []
        return [pid for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()] or [
            self.process.pid
        ]

    def memory(self) -> float:
        """MB in memory of what answers."""
        return sum(psutil.Process(pid).memory_info().rss for pid in self.workers()) / 2**20

    def held(self) -> "Held":
        """What the server and all its children hold."""
        server = psutil.Process(self.process.pid)
        every = [server, *server.children(recursive=True)]
        return Held(
            sum(each.memory_info().rss for each in every) / 2**20,
            sum(each.num_fds() for each in every),
            sum(each.num_threads() for each in every),
        )


@contextlib.contextmanager
def serving(*arguments: str | Path, **environment: str) -> Iterator[Server]:
    """A server on a free port, ended at the end; whatever it wrote is in its log."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                [*COMMAND, "serve", "--port", "0", *map(str, arguments)],
                stdout=file,
                stderr=file,
                env={**os.environ, **environment},
            )
        try:
            yield Server(process, _address(process, log), log)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + 90
    while time.monotonic() < end and process.poll() is None:
        found = re.search(r"http://(\S+?):(\d+)/", log.read_text())
        if found:
            url = f"http://{found[1].replace('0.0.0.0', '127.0.0.1')}:{found[2]}"
            with contextlib.suppress(httpx.HTTPError):
                httpx.get(f"{url}/api/health", trust_env=False)
                return url
        time.sleep(0.05)
    raise AssertionError(f"the server did not start: {log.read_text()}")
