"""Stores: the whole set of graphs in the forms in which runs share it, each made once."""

from dataclasses import dataclass, field

from gmixup.graphs import GraphSet
from gmixup.store import Store
from gmixup.training.layout import store_of


@dataclass(frozen=True, eq=False)
class Stores:
    """One data set."""

    graphs: GraphSet
    made: dict[tuple[bool, bool], Store] = field(default_factory=dict, repr=False)

    def whole(self, merged: bool, by_degree: bool) -> Store:
        """The set with alike nodes merged or not, with degrees for features or its own."""
        if (merged, by_degree) not in self.made:
            self.made[merged, by_degree] = store_of(self.graphs, merged, by_degree)
        return self.made[merged, by_degree]
