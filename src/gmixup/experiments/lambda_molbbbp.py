"""Lambda on ogbg-molbbbp: the paper's table of ten mixing ratios, and its p-values."""

from dataclasses import dataclass
from typing import ClassVar

from gmixup.experiments._molecules import AbstractLambda


@dataclass(frozen=True)
class LambdaMolbbbp(AbstractLambda):
    """Ten fixed λ, four networks, ogbg-molbbbp."""

    name: ClassVar[str] = "lambda-molbbbp"
    title: ClassVar[str] = "ROC-AUC on ogbg-molbbbp by λ"
    published: ClassVar[str] = "lambda-molbbbp"
    data: ClassVar[str] = "ogbg-molbbbp"
    printed_p: ClassVar[dict[str, float]] = {
        "gcn": 0.00515,
        "gcn-virtual": 0.0994,
        "gin": 0.0109,
        "gin-virtual": 0.0471,
    }
