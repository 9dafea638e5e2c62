"""The site: the README, the pages that ship with the package, and the reference from the docstrings."""

import chinese_poker

project = "chinese-poker"
release = version = chinese_poker.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = f"chinese-poker {release}"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": True, "ignore-module-all": True}
autodoc_inherit_docstrings = False  # an inherited one speaks of the library that it comes from
autodoc_typehints = "none"
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]  # colours alone: quotes over several lines
nitpicky = True  # a name that leads nowhere is an error, but for private and for other packages' names
_OTHERS = "click|collections|enum|open_spiel|orjson|pettingzoo|pyspiel|starlette|typing_extensions"
nitpick_ignore_regex = [("py:.*", r".*\._\w+"), ("py:.*", rf"({_OTHERS})\..*")]
