"""Puts the man page and the completion files into a wheel, where a release has made them."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Share(BuildHookInterface):  # type: ignore[type-arg]
    """Installed below the environment's ``share``, where man and the shells look."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add them, but to an editable install."""
        share = Path(self.root, "build", "share")
        if version == "standard" and share.is_dir():
            build_data["shared_data"][str(share)] = "share"
