"""The verdict: what the tested differences of a comparison say, in a word and in a sentence."""

from collections.abc import Sequence
from typing import Literal

from gmixup.evidence.paired import LEVEL, Difference

Word = Literal[
    "helps", "hurts", "no difference seen", "no better than its control", "not tested", "baseline"
]


def word(against: Difference, controls: Sequence[Difference] = (), level: float = LEVEL) -> Word:
    """The verdict on `against.first`, from its corrected tests after Holm.

    A method that beats the baseline helps only where it beats each of its controls too.
    """
    if against.p_holm is None or against.mean is None:
        return "not tested"
    if against.p_holm > level:
        return "no difference seen"
    if against.mean < 0:
        return "hurts"
    return "helps" if not unbeaten(controls, level) else "no better than its control"


def unbeaten(controls: Sequence[Difference], level: float = LEVEL) -> list[Difference]:
    """The differences to controls that are not above zero for certain."""
    return [
        against
        for against in controls
        if against.p_holm is None or against.p_holm > level or (against.mean or 0) < 0
    ]


def sentence(
    against: Difference, controls: Sequence[Difference] | None = None, level: float = LEVEL
) -> str:
    """The answer for new graphs of this kind.

    `controls` None: the method needs none. Empty: it needs some, and none was run.
    """
    first, second = against.first, against.second
    match word(against, controls or (), level):
        case "not tested":
            return f"{first}: not tested, on {against.fits} fits{_on_split(against)}."
        case "no difference seen" if against.smallest is None:
            return f"{first}: no difference to {second} seen, the same score in every fit."
        case "no difference seen":
            seen = f"the smallest difference that could have been seen: {points(against.smallest)}"
            return f"{first}: no difference to {second} seen ({gain(against)}; {seen})."
        case "hurts":
            return f"{first} hurts: {gain(against)} to {second} ({interval(against.for_new)})."
        case "helps":
            beaten = " and ".join(control.second for control in controls or ())
            also = f"; better than its controls too ({beaten})" if beaten else ""
            if controls is not None and not beaten:
                also = "; without a control beside it, the gain need not be the method's own"
            return (
                f"{first} helps: {gain(against)} to {second} ({interval(against.for_new)}){also}."
            )
    better = f"{first}: better than {second} ({gain(against)})"
    return f"{better}, but {_beside(unbeaten(controls or (), level))}."


def collection_sentence(differences: Sequence[Difference]) -> str:
    """The answer on this collection, which is no verdict: other graphs are not asked."""
    known = [
        f"{one.first} {signed(one.mean)} ± {points(_half(one.on_collection))}"
        for one in differences
        if one.mean is not None and one.on_collection is not None
    ]
    bare = [one.first for one in differences if one.mean is None or one.on_collection is None]
    told = []
    if known:
        told.append(f"{listed(known)} to {differences[0].second}, over splits of these same graphs")
    if bare:
        told.append(f"too few runs for a difference of {listed(bare)}")
    return f"On this collection: {'; '.join(told)}." if told else ""


def gain(against: Difference) -> str:
    """The mean difference, e.g. `+1.3 points`."""
    return "no number" if against.mean is None else f"{signed(against.mean)} points"


def points(value: float | None) -> str:
    """A size of a difference, e.g. `1.3 points`."""
    return "not known" if value is None else f"{100 * value:.1f} points"


def signed(value: float, digits: int = 1) -> str:
    """A share as points with its sign, e.g. `+1.3` or `−0.2`; what rounds to zero has none."""
    shown = f"{100 * value:+.{digits}f}".replace("-", "−")
    return shown if shown.strip("+−0.") else shown[1:]


def interval(ends: tuple[float, float] | None) -> str:
    """The interval of a difference, e.g. `95 % interval +0.4 to +2.2`."""
    return (
        "no interval" if ends is None else f"95 % interval {signed(ends[0])} to {signed(ends[1])}"
    )


def listed(names: Sequence[str]) -> str:
    """Names as one says them: a, b and c."""
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def _beside(controls: Sequence[Difference]) -> str:
    """Why a gain is not the method's own, naming each control that is not beaten."""
    above = [against.second for against in controls if (against.mean or 0) <= 0 and against.fits]
    if above:
        return f"no better than its control {listed(above)}: the gain is not the mixing's"
    names = listed([f"{against.second} ({gain(against)})" for against in controls])
    return f"not seen to be better than its control {names}: the gain may not be the mixing's"


def _half(ends: tuple[float, float]) -> float:
    return (ends[1] - ends[0]) / 2


def _on_split(against: Difference) -> str:
    return "" if against.mean is None or against.fits < 5 else " that do not vary the split"
