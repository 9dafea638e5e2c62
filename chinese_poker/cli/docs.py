"""The pages that come with the package: ``docs``."""

from __future__ import annotations

import sys

import click

from ..docs import page, page_names, page_title
from .common import ReadType, print_all, write_file


@click.command("docs")
@click.argument("text", required=False, metavar="[PAGE]", type=ReadType("page", page))
def docs_command(text: str | None) -> None:
    """Show a page of the documentation, or list the pages.

    At a terminal it is laid out; into a file or a pipe it is Markdown.

    \b
    Examples:
      chinese-poker docs
      chinese-poker docs tutorial
      chinese-poker docs rules > rules.md
    """
    if text is None:
        for name in page_names():
            click.echo(f" {name:12} {page_title(name)}")
    elif sys.stdout.isatty():
        from rich.markdown import Markdown

        print_all(Markdown(text))
    else:
        write_file(text)
