"""Settings of the documentation; reference and gallery are made from the code at every build."""

import shutil
import sys
from pathlib import Path

import gmixup

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from reference import write_reference  # noqa: E402

write_reference(HERE / "_reference")


def pictures_of_example(_, block_vars, gallery_conf):
    """What an example has written as .png, moved to where the gallery shows it."""
    from sphinx_gallery.scrapers import figure_rst

    written = sorted(Path(block_vars["src_file"]).parent.glob("*.png"))
    paths = [next(block_vars["image_path_iterator"]) for _ in written]
    for file, path in zip(written, paths, strict=True):
        shutil.move(file, path)
    return figure_rst(paths, gallery_conf["src_dir"])


project = "gmixup"
author = "The gmixup developers"
project_copyright = f"2026, {author}"
version = release = gmixup.__version__
extensions = ["myst_parser", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"gmixup {release}"
myst_heading_anchors = 3
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "_gallery",
    "ignore_pattern": "mutag",  # scripts on real data: see the page on PyG
    "image_scrapers": (pictures_of_example,),
    "download_all_examples": False,
    "abort_on_example_error": True,
    "show_signature": False,
}
# Signatures are shown as Python but hold what is none, such as <class 'float'>; and the gallery's
# settings hold a function.
suppress_warnings = ["misc.highlighting_failure", "config.cache"]
