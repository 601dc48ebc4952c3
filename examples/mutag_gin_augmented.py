"""The script of mutag_gin.py with synthetic graphs in its training set.

python examples/mutag_gin_augmented.py [--root data/TU] [--epochs 100] [--seed 0]
"""

from argparse import ArgumentParser

import torch
from torch.nn.functional import cross_entropy
from torch_geometric.datasets import TUDataset
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GIN, MLP, global_add_pool

from gmixup import GMixup

parser = ArgumentParser()
parser.add_argument("--root", default="data/TU")
parser.add_argument("--epochs", type=int, default=100)
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()

torch.manual_seed(args.seed)
dataset = TUDataset(args.root, "MUTAG").shuffle()
train_set, test_set = dataset[len(dataset) // 5 :], dataset[: len(dataset) // 5]
augmented = GMixup(ratio=0.2).augment(train_set, seed=args.seed)
train_loader = DataLoader(augmented, batch_size=32, shuffle=True)
test_loader = DataLoader(test_set, batch_size=128)


class Net(torch.nn.Module):
    """Five GIN layers, summed over the nodes, and two dense ones."""

    def __init__(self):
        super().__init__()
        self.layers = GIN(dataset.num_features, 32, num_layers=5)
        self.head = MLP([32, 32, dataset.num_classes], norm=None, dropout=0.5)

    def forward(self, data):
        """(B, C) logits."""
        return self.head(global_add_pool(self.layers(data.x, data.edge_index), data.batch))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


def train():
    """One epoch; the mean loss."""
    model.train()
    total = 0.0
    for data in train_loader:
        optimizer.zero_grad()
        loss = cross_entropy(model(data), data.y)
        loss.backward()
        optimizer.step()
        total += loss.item() * data.num_graphs
    return total / len(train_loader.dataset)


@torch.no_grad()
def accuracy(loader):
    """The share of graphs whose class is found."""
    model.eval()
    right = sum(int((model(data).argmax(1) == data.y).sum()) for data in loader)
    return right / len(loader.dataset)


for epoch in range(1, args.epochs + 1):
    loss = train()
    print(f"epoch {epoch:3d}  loss {loss:.4f}  test accuracy {accuracy(test_loader):.3f}")
