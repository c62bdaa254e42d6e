"""The loop in which a network learns: one pass over the data, batch by batch.

Nothing here belongs to one engine. With minigrad's tensors, modules and optimizer the function trains on minigrad,
with torch's it trains on torch. What is trained, and how well it does, is the caller's business (demo.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def train_epoch(net: Any, criterion: Any, optimizer: Any, images: Any, numbers: Any, batches: Iterable[Any]) -> float:
    """Train `net` once on each batch, in order; the mean of the batches' losses, a float that carries no graph.

    net: images → scores. criterion: (scores, numbers) → loss. optimizer: holds net's parameters. images: (n, …).
    numbers: (n,), int64. batches: index tensors, each the rows of one batch.
    """
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = criterion(net(images[batch]), numbers[batch])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)
