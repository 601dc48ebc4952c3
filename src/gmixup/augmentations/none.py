"""No augmentation: the training set, its batches and their embeddings as they are."""

from dataclasses import dataclass
from typing import ClassVar

from gmixup.augmentations._base import AbstractAugmentation


@dataclass(frozen=True)
class NoAugmentation(AbstractAugmentation):
    """What everything else is compared with."""

    name: ClassVar[str] = "none"
