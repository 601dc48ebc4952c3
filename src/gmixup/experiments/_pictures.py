"""Pictures of experiments as small files."""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = 128  # more than drawings of few inks need


def save_compact(figure: "Figure", path: str | Path) -> None:
    """Writes a PNG with a palette; the same figure always gives the same bytes."""
    from PIL import Image

    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=130, metadata={"Software": ""})
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with Image.open(drawn) as picture:
        picture.convert("RGB").quantize(COLOURS).save(path, optimize=True)
