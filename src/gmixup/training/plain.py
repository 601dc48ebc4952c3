"""Plain: training as one would write it down, graph by graph over PyG's DataLoader.

This loop is the definition of a run. The fast loop does the same mathematics; a person's own
network, which may do anything with a PyG batch, is trained here.
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch_geometric.loader import DataLoader

from gmixup.backbones import numbered_dropouts
from gmixup.batch import Batch
from gmixup.training.curve import Curve, Point
from gmixup.training.objective import in_full, score, soft_cross_entropy
from gmixup.training.run import Run
from gmixup.training.state import Watch


def train(run: Run, device: str = "cpu", watch: Watch | None = None) -> Curve:
    """Trains one network and returns what it reached, epoch by epoch."""
    recipe, watch = run.cell.recipe, watch or Watch()
    network = run.network().to(device)
    optimizer = torch.optim.Adam(
        network.parameters(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay
    )
    curve = watch.resume(run, network, optimizer)
    graphs = run.featured(run.training_graphs(len(curve))[0]).to_pyg()
    rest = {"validation": run.validation, "test": run.test}
    parts = {name: run.featured(part).to_pyg() for name, part in rest.items()}
    for epoch in range(len(curve), recipe.epochs):
        if curve.stopped(recipe.patience) is not None:
            break
        optimizer.param_groups[0]["lr"] = recipe.rate(epoch)
        if run.cell.augmentation.fresh:
            graphs = run.featured(run.training_graphs(epoch)[0]).to_pyg()
        point = {"train": train_epoch(run, epoch, graphs, network, optimizer)}
        for name, part in parts.items():
            loader = DataLoader(part, recipe.batch_size)
            point[name] = evaluate(run, network, (data.to(device) for data in loader))
        curve = curve.then(point)
        watch.saw(run, curve, network, optimizer)
    return curve


def train_epoch(
    run: Run, epoch: int, graphs: list, network: nn.Module, optimizer: torch.optim.Optimizer
) -> Point:
    """One pass over the training graphs."""
    network.train()
    weights, device = run.class_weights(), next(network.parameters()).device
    dropouts = numbered_dropouts(network)
    # What networks of other people draw follows the run as well.
    torch.manual_seed(run.key("foreign", epoch))
    loader = DataLoader(graphs, batch_sampler=[b.tolist() for b in run.batches(epoch, len(graphs))])  # pyright: ignore[reportArgumentType]
    seen = []
    for step, data in enumerate(loader):
        for layer in dropouts:
            layer.begin(run.key("dropout", epoch, step))
        optimizer.zero_grad()
        stream = run.stream("batch", epoch, step, device=device.type)
        logits, y, extra = forward(run, network, Batch.from_pyg(data.to(device)), stream)
        scale = None if weights is None else weights.to(logits)
        loss = soft_cross_entropy(logits, y.to(logits.dtype), scale).mean() + extra
        loss.backward()
        optimizer.step()
        seen.append((logits.detach(), y))
    return told(run, seen)  # pyright: ignore[reportArgumentType]


def forward(
    run: Run, network: nn.Module, batch: Batch, stream: torch.Generator
) -> tuple[Tensor, Tensor, Tensor | float]:
    """Logits and labels of a batch under augmentation, and the network's losses of its own."""
    augmentation = run.cell.augmentation
    batch = batch.masked(augmentation.on_batch(batch, stream))
    with run.cell.recipe.autocast(batch.x.device.type):
        hidden, losses = network.encode_with_losses(batch)  # pyright: ignore[reportCallIssue]
        hidden, y = augmentation.on_hidden(hidden, batch.y, stream)
        logits = network.head(hidden)  # pyright: ignore
    return in_full(logits), y, sum(losses.values())


@torch.no_grad()
def evaluate(run: Run, network: nn.Module, loader: Iterator) -> Point:
    """Loss and score of a part of the graphs."""
    network.eval()
    with run.cell.recipe.autocast(next(network.parameters()).device.type):
        seen = [(in_full(network(batch)), batch.y) for batch in map(Batch.from_pyg, loader)]
    return told(run, seen)  # pyright: ignore[reportArgumentType]


def told(run: Run, seen: list[tuple[Tensor, Tensor]]) -> Point:
    """The mean loss, without class weights, and the score of what was seen of some graphs."""
    logits, y = (torch.cat(rows).cpu() for rows in zip(*seen, strict=True))
    loss = float(soft_cross_entropy(logits, y.to(logits.dtype)).mean())
    return Point(loss, score(run.cell.recipe.metric, logits, y))
