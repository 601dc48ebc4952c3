"""Prose: paragraphs, lists, `code`, **strong** and *stressed* words as HTML; links stay words."""

import re
from html import escape

CODE = re.compile(r"`([^`]+)`")
STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
STRESSED = re.compile(r"(?<!\w)\*(?=\S)(.+?)(?<=\S)\*(?!\w)")


def paragraphs(words: str) -> str:
    """HTML of text whose paragraphs are parted by empty lines; lines after "- " are a list."""
    blocks = re.split(r"\n\s*\n", words.strip())
    return "\n".join(_block(block.strip().splitlines()) for block in blocks if block.strip())


def in_line(words: str) -> str:
    """HTML of one run of words."""
    # Code is set apart first: stars within it are stars.
    pieces = CODE.split(words)
    return "".join(
        f"<code>{escape(piece)}</code>" if place % 2 else _stressed(escape(piece))
        for place, piece in enumerate(pieces)
    )


def _block(lines: list[str]) -> str:
    """A paragraph, or the list that its lines make from the first "- " on."""
    start = next((n for n, line in enumerate(lines) if line.startswith("- ")), len(lines))
    items: list[str] = []
    for line in lines[start:]:
        if line.startswith("- "):
            items.append(line[2:])
        else:  # a long item goes on in the next line
            items[-1] += " " + line.strip()
    html = [f"<p>{in_line(' '.join(lines[:start]))}</p>"] if start else []
    if items:
        html.append("<ul>" + "".join(f"<li>{in_line(item)}</li>" for item in items) + "</ul>")
    return "\n".join(html)


def _stressed(html: str) -> str:
    return STRESSED.sub(r"<em>\1</em>", STRONG.sub(r"<strong>\1</strong>", html))
