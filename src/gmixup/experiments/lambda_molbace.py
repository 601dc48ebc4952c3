"""Lambda on ogbg-molbace: the paper's table of ten mixing ratios, and its p-values."""

from dataclasses import dataclass
from typing import ClassVar

from gmixup.experiments._molecules import AbstractLambda


@dataclass(frozen=True)
class LambdaMolbace(AbstractLambda):
    """Ten fixed λ, four networks, ogbg-molbace."""

    name: ClassVar[str] = "lambda-molbace"
    title: ClassVar[str] = "ROC-AUC on ogbg-molbace by λ"
    published: ClassVar[str] = "lambda-molbace"
    data: ClassVar[str] = "ogbg-molbace"
    printed_p: ClassVar[dict[str, float]] = {
        "gcn": 0.0227,
        "gcn-virtual": 0.0375,
        "gin": 0.0401,
        "gin-virtual": 0.0427,
    }
