"""Answer: what one comparison or many say, as the head of a page."""

from collections import Counter
from collections.abc import Mapping, Sequence

from gmixup.evidence import verdict
from gmixup.evidence.comparison import Comparison, Row
from gmixup.evidence.page import Headline
from gmixup.evidence.verdict import Word

# The order in which verdicts are told.
TOLD: tuple[Word, ...] = (
    "helps",
    "hurts",
    "no better than its control",
    "no difference seen",
    "not tested",
)
MOST_TOLD = 8  # methods that are told one by one


def answer(comparison: Comparison) -> Headline:
    """The verdict on each method in a line, and below it what it rests on."""
    rows = methods(comparison)
    if not rows:
        return Headline(f"Nothing but `{comparison.baseline}` and controls has been run.")
    named: dict[Word, list[str]] = {word: [] for word in TOLD}
    for row in rows:
        named[row.verdict].append(row.method)
    words = "; ".join(
        _said(word, names, comparison.baseline) for word, names in named.items() if names
    )
    return Headline(
        words[0].upper() + words[1:] if words.startswith("no ") else words,
        (f"For new graphs of this kind: {comparison.verdict}", comparison.on_collection),
        _outcome({row.verdict for row in rows}),
    )


def answers(comparisons: Mapping[str, Comparison]) -> Headline:
    """How often each method helps, over several comparisons; of one: its own answer."""
    if len(comparisons) == 1:
        return answer(next(iter(comparisons.values())))
    counts: dict[str, Counter[Word]] = {}
    for comparison in comparisons.values():
        for row in methods(comparison):
            counts.setdefault(row.method, Counter())[row.verdict] += 1
    if not counts:
        return Headline("Nothing but baselines and controls has been run.")
    total = sum(counts.values(), Counter())
    who = next(iter(counts)) if len(counts) == 1 else "Augmentation"
    words = f"{who} helps in {total['helps']} of {total.total()} comparisons"
    several = len(comparisons)
    remarks = [
        *_by_method(counts),
        f"Each of the {several} groups of runs is corrected for its own tests only: at 5 %, up to "
        f"{several / 20:.2g} of them would hold a finding where there is nothing to be found.",
    ]
    return Headline(words, remarks, _outcome(set(total)))


def methods(comparison: Comparison) -> list[Row]:
    """The rows on which there is a verdict: neither the baseline nor a control."""
    return [row for row in comparison.rows if row.role == "method"]


def _said(word: Word, names: Sequence[str], baseline: str) -> str:
    who, several = verdict.listed(names), len(names) > 1
    are, their = ("are", "their") if several else ("is", "its")
    match word:
        case "helps" | "hurts":
            return f"{who} {word.removesuffix('s') if several else word}"
        case "no better than its control":
            return f"{who} {are} no better than {their} controls"
        case "no difference seen":
            if several:
                return f"no difference to {baseline} seen for {who}"
            return f"no difference between {baseline} and {who} seen"
    return f"{who} {are} not tested"


def _by_method(counts: Mapping[str, Mapping[Word, int]]) -> list[str]:
    """What came out how often: by method, where these are several but not too many for a head."""
    if 1 < len(counts) <= MOST_TOLD:
        return ["; ".join(f"`{name}` {_counted(own)}" for name, own in counts.items()) + "."]
    total = sum((Counter(own) for own in counts.values()), Counter())
    return [_counted(total).capitalize() + "."]


def _counted(words: Mapping[Word, int]) -> str:
    return ", ".join(f"{word} {words[word]}×" for word in TOLD if words.get(word))


def _outcome(words: set[Word]) -> str:
    """Which way the page's sign points: none, if some point up and others down."""
    tested: Sequence[str] = [word for word in words if word != "not tested"]
    if not tested or {"helps", "hurts"} <= words:
        return ""
    return next((word for word in ("helps", "hurts") if word in words), "no difference")
