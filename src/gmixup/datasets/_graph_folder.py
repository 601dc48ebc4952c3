"""GraphFolder: a saved set of graphs as a PyG dataset."""

from collections.abc import Callable
from pathlib import Path

from torch_geometric.data import Data, InMemoryDataset

from gmixup.datasets._collated import read_collated, saved_file


class GraphFolder(InMemoryDataset):
    """The graphs of a saved file, or of the folder that holds one, ready for a PyG loader."""

    def __init__(self, path: str | Path, transform: Callable | None = None):
        file = saved_file(Path(path).expanduser())
        if file is None:
            raise ValueError(
                f"`path` is '{path}', where no saved set of graphs is; give the .pt file that "
                "`save_graphs` wrote, or its folder"
            )
        super().__init__(transform=transform)
        store, self.slices = read_collated(file)
        self.data = Data.from_dict(store)
