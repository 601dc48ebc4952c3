"""Settings of the documentation; the reference is written from the code at every build."""

import sys
from pathlib import Path

import gmixup

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from reference import write_reference  # noqa: E402

write_reference(HERE / "_reference")

project = "gmixup"
author = "The gmixup developers"
project_copyright = f"2026, {author}"
version = release = gmixup.__version__
extensions = ["myst_parser"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"gmixup {release}"
myst_heading_anchors = 3
# Signatures are shown as Python but hold what is none, such as <class 'float'>.
suppress_warnings = ["misc.highlighting_failure"]
