"""Other right ways to write lesson 13's parts."""

import numpy as np

from alternatives import alternative
from minigrad import rules

SIGMOID = "minigrad.ops.pointwise.sigmoid_vjp"
LOG_SOFTMAX = "minigrad.ops.nn.log_softmax_vjp"
NLL = "minigrad.ops.cross_entropy.nll_loss_vjp"
EPOCH = "minigrad.training.train_epoch"


@alternative(SIGMOID)
def difference(grad, result):
    return grad * (result - result**2)


@alternative(SIGMOID)
def step_by_step(grad, z):
    rest = 1 - z
    slope = z * rest
    return slope * grad


@alternative(LOG_SOFTMAX)
def by_hand(grad, result, dim):
    total = grad.sum(dim, keepdims=True)
    return grad - total * np.exp(result)


@alternative(LOG_SOFTMAX)
def by_the_jacobian(grad, result, dim):
    """Moves dim to the end, and multiplies each row by I - 1·pᵀ."""
    g, p = np.moveaxis(grad, dim, -1), np.moveaxis(np.exp(result), dim, -1)
    jacobian = np.eye(p.shape[-1]) - p[..., None, :]
    return np.moveaxis((g[..., None, :] @ jacobian)[..., 0, :], -1, dim).astype(grad.dtype)


@alternative(NLL)
def one_hot(grad, self_shape, target, shares):
    dim = min(1, len(self_shape) - 1)
    where = np.expand_dims(target, dim) == np.arange(self_shape[dim]).reshape(
        [-1 if d == dim else 1 for d in range(len(self_shape))]
    )
    return where * np.expand_dims(-grad * shares, dim)


@alternative(NLL)
def row_by_row(grad, self_shape, target, shares):
    if len(self_shape) == 1:
        out = rules.zeros(grad, self_shape)
        out[target] = -grad * shares
        return out
    out = rules.zeros(grad, self_shape)
    value = -grad * shares
    for i in range(self_shape[0]):
        out[i, target[i]] = value[i]
    return out


@alternative(EPOCH)
def running_mean(net, criterion, optimizer, images, numbers, batches):
    total, count = 0.0, 0
    for rows in batches:
        x, y = images[rows], numbers[rows]
        loss = criterion(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total, count = total + loss.item(), count + 1
    return total / count


@alternative(EPOCH)
def cleared_after_each_step(net, criterion, optimizer, images, numbers, batches):
    """Leaves no gradients behind; and NumPy's mean is a float, too."""
    optimizer.zero_grad()
    losses = []
    for batch in batches:
        loss = criterion(net(images[batch]), numbers[batch])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return np.mean(losses)


@alternative(EPOCH)
def cleared_behind(net, criterion, optimizer, images, numbers, batches):
    """Clears each parameter by hand, before backward."""
    seen = []
    for batch in list(batches):
        for p in net.parameters():
            p.grad = None
        loss = criterion(net(images[batch]), numbers[batch])
        loss.backward()
        optimizer.step()
        seen += [loss.item()]
    return sum(seen) / len(seen)


@alternative(LOG_SOFTMAX)
def with_probabilities_that_add_up_to_1(grad, result, dim):
    """Divides by the sum of the exponentials, which is 1 but for its rounding; the gradients are added up by a loop."""
    p, total = np.exp(result), 0
    for each in np.moveaxis(grad, dim, 0):
        total = total + each
    return grad - p / p.sum(dim, keepdims=True) * np.expand_dims(total, dim)


@alternative(EPOCH)
def mean_as_it_goes(net, criterion, optimizer, images, numbers, batches):
    """Zeros instead of None, and a mean that is put right by each new loss."""
    mean = 0.0
    for count, batch in enumerate(batches, 1):
        loss = criterion(net(images[batch]), numbers[batch])
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        mean += (loss.item() - mean) / count
    return mean
