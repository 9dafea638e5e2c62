"""The server: ``serve``."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from pathlib import Path
from urllib.parse import urlsplit

import click

from ..errors import ChinesePokerError, LedgerError
from ..extras import needs

_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
@click.option("--data", type=click.Path(path_type=Path, dir_okay=False), help="The ledger's file.")
@click.option("--token", envvar="CHINESE_POKER_TOKEN", help="What clients must know; also $CHINESE_POKER_TOKEN.")
@click.option("--origin", "origins", multiple=True, help="A proxy's address, as in https://poker.example.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes.")
def serve_command(
    host: str, port: int, data: Path | None, token: str | None, origins: tuple[str, ...], workers: int
) -> None:
    """Serve the page and the HTTP API on this machine, or with a token to others.

    \b
    Examples:
      chinese-poker serve
      CHINESE_POKER_TOKEN=a-long-secret chinese-poker serve --host 0.0.0.0 --data nights.db
    """
    try:
        with needs("web"):
            import uvicorn

            from ..web.app import Settings
        from ..ledger import Ledger
    except ChinesePokerError as error:
        raise click.ClickException(error.message) from None
    for origin in origins:
        if not urlsplit(origin).netloc or urlsplit(origin).path:
            raise click.BadParameter("write it as https://poker.example", param_hint="--origin")
    if token is not None and not (len(token) >= 8 and token.isascii() and token.isprintable() and " " not in token):
        raise click.BadParameter("a token has 8 printable ASCII characters or more, no space", param_hint="--token")
    if not _is_loopback(host):
        if not token:
            fault = f"{host} is open to other machines: everybody who reaches it could read and write the ledger; "
            raise click.UsageError(fault + "give a --token that they must know, or leave --host out")
        click.echo(f"{host} is open to other machines; who knows the token may read and write the ledger.", err=True)
        click.echo("What is sent is not encrypted: put a proxy with TLS before it (README, Serve).", err=True)
    try:
        Ledger(data).close()
    except LedgerError as error:
        raise click.ClickException(error.message) from None
    listening = _listening(host, port)
    with contextlib.closing(listening):
        names = () if token else (*_LOOPBACK, _in_url(host), *(urlsplit(origin).hostname or "" for origin in origins))
        Settings(
            None if data is None else str(data.absolute()), token, names, tuple(map(str.lower, origins)), warm=True
        ).to_environment()
        address = f"http://{_in_url(host)}:{listening.getsockname()[1]}/"
        click.echo(f"chinese-poker at {address}{f'#token={token}' if token else ''} (Ctrl-C ends it)", err=True)
        config = uvicorn.Config(
            "chinese_poker.web.app:from_environment",
            factory=True,
            workers=workers,
            log_level="warning",
            server_header=False,
            timeout_keep_alive=75,  # longer than clients keep a connection, so that none is closed as they use it
            timeout_graceful_shutdown=3,
            timeout_worker_healthcheck=60,
            limit_concurrency=1000,
        )
        if workers > 1:
            from uvicorn.supervisors import Multiprocess

            Multiprocess(config, [listening]).run()
        else:
            uvicorn.Server(config).run(sockets=[listening])


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        fault = f"cannot listen on {host}, port {port}: {why}; choose another --host or --port"
        raise click.ClickException(fault) from None
