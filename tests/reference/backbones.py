"""Parts of networks from their definition: dense matrices, and loops over nodes and edges."""

import math

import torch


def dense(batch, graph):
    """The weighted adjacency matrix of one graph of a batch, and the places of its nodes."""
    weights = torch.zeros(len(batch.x), len(batch.x), dtype=torch.float64)
    weight = batch.edge_weight
    for edge, (row, column) in enumerate(batch.edge_index.T.tolist()):
        weights[column, row] += 1.0 if weight is None else float(weight[edge])
    places = [node for node, owner in enumerate(batch.batch.tolist()) if owner == graph]
    return weights[places][:, places], places


def gcn_spread(weights, x):
    """D^-1/2 (A + I) D^-1/2 · x."""
    looped = weights + torch.eye(len(weights), dtype=weights.dtype)
    root = torch.diag(looped.sum(1) ** -0.5)
    return root @ looped @ root @ x


def batch_norm(x, keep, weight, bias, eps=1e-5):
    """Normalises every row by mean and variance of the rows kept; also these two."""
    rows = x[keep]
    mean = rows.mean(0)
    variance = ((rows - mean) ** 2).mean(0)
    unbiased = variance * len(rows) / max(len(rows) - 1, 1)
    return (x - mean) / (variance + eps).sqrt() * weight + bias, mean, unbiased


def link_loss(weights, s):
    """‖A - SSᵀ‖ / n², entry by entry."""
    weights, s, total = weights.detach(), s.detach(), 0.0
    for i in range(len(s)):
        for j in range(len(s)):
            total += float(weights[i, j] - s[i] @ s[j]) ** 2
    return math.sqrt(total) / len(s) ** 2


def ogb_gin_layer(x, edges, attr, tables, epsilon, perceptron):
    """MLP((1 + ε) x + Σ ReLU(neighbour + bond)); `tables` has an embedding for each bond column."""
    out = (1 + epsilon) * x
    for (source, target), bond in zip(edges, attr, strict=True):
        message = x[source] + sum(table[level] for table, level in zip(tables, bond, strict=True))
        out = out.index_add(0, torch.tensor([target]), message.relu()[None])
    return perceptron(out)


def ogb_gcn_layer(x, edges, attr, tables, root):
    """Σ ReLU(neighbour + bond) / √(dᵢ dⱼ) + ReLU(x + root) / dᵢ, where d is degree + 1."""
    degree = [1 + sum(target == node for _, target in edges) for node in range(len(x))]
    out = (x + root).relu() / torch.tensor(degree, dtype=x.dtype)[:, None]
    for (source, target), bond in zip(edges, attr, strict=True):
        message = x[source] + sum(table[level] for table, level in zip(tables, bond, strict=True))
        scaled = message.relu() / math.sqrt(degree[source] * degree[target])
        out = out.index_add(0, torch.tensor([target]), scaled[None])
    return out


def top_places(scores, count):
    """The places of the `count` highest scores."""
    order = sorted(range(len(scores)), key=lambda place: -float(scores[place]))
    return sorted(order[:count])
