"""Other right repairs of lesson 15's programs."""

import numpy as np

import minigrad
from alternatives import alternative
from minigrad import float64, no_grad, zeros

CLINIC = "minigrad.clinic."


@alternative(CLINIC + "fit_slope")
def divided_sum(X, Y, steps, lr):
    w = zeros(1, dtype=X.dtype, requires_grad=True)
    for _ in range(steps):
        (((Y - w * X) ** 2).sum() / len(X)).backward()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return w


@alternative(CLINIC + "fit_slope")
def weighted_components(X, Y, steps, lr):
    w = zeros(1, dtype=X.dtype, requires_grad=True)
    for _ in range(steps):
        losses = (Y - w * X) ** 2
        losses.backward(minigrad.ones_like(losses) / len(losses))
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return w


@alternative(CLINIC + "fit_slope")
def cleared_at_the_start(X, Y, steps, lr):
    """The last gradient stays, and the docstring does not mind."""
    w = zeros(1, dtype=X.dtype, requires_grad=True)
    for _ in range(steps):
        w.grad = None
        ((Y - w * X) ** 2).mean().backward()
        with no_grad():
            w -= lr * w.grad
    return w


@alternative(CLINIC + "double_fit")
def cleared_at_the_start_in_double(X, Y, steps, lr):
    w = zeros(X.shape[1], dtype=float64, requires_grad=True)
    for _ in range(steps):
        w.grad = None
        ((X @ w - Y) ** 2).mean().backward()
        with no_grad():
            w -= lr * w.grad
    return w


@alternative(CLINIC + "mean_loss")
def averaged_by_numpy(w, loss_of, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return np.mean(losses)


@alternative(CLINIC + "learn_values")
def cleared_at_each_start(X, X_next, reward, w, steps, lr):
    losses = []
    for _ in range(steps):
        w.grad = None
        loss = ((X @ w - (reward + 0.9 * (X_next @ w)).detach()) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            w -= lr * w.grad
    return losses


@alternative(CLINIC + "two_layers")
def one_expression(X, Y, W1, W2, steps, lr):
    losses = []
    for _ in range(steps):
        loss = (((X @ W1).tanh() @ W2 - Y) ** 2).mean()
        slopes = minigrad.autograd.grad(loss, [W1, W2])
        losses += [loss.item()]
        with no_grad():
            for w, slope in zip([W1, W2], slopes, strict=True):
                w.sub_(lr * slope)
    return losses


@alternative(CLINIC + "two_layers")
def with_an_optimizer(X, Y, W1, W2, steps, lr):
    optimizer, losses = minigrad.optim.SGD([W1, W2], lr=lr), []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (((X @ W1).tanh() @ W2 - Y) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    optimizer.zero_grad()
    return losses


@alternative(CLINIC + "scaled_start")
def unrecorded(values, scale):
    w = values.clone().requires_grad_()
    with no_grad():
        w *= scale
    return w


@alternative(CLINIC + "scaled_start")
def out_of_place(values, scale):
    return (values * scale).detach().requires_grad_(True)


@alternative(CLINIC + "softmax_rows")
def softmax(scores):
    return scores.softmax(1)


@alternative(CLINIC + "softmax_rows")
def on_a_copy(scores):
    p = scores.exp()
    total = p.sum(1, keepdim=True)
    q = p.clone()
    q /= total
    return q


@alternative(CLINIC + "double_fit")
def asked_afterwards(X, Y, steps, lr):
    w = zeros(X.shape[1]).double().requires_grad_()
    optimizer = minigrad.optim.SGD([w], lr=lr)
    for _ in range(steps):
        ((X @ w - Y) ** 2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return w


@alternative(CLINIC + "double_fit")
def from_the_data(X, Y, steps, lr):
    w = X.new_zeros(X.shape[1]).requires_grad_()
    for _ in range(steps):
        (slope,) = minigrad.autograd.grad(((X @ w - Y) ** 2).mean(), [w])
        with no_grad():
            w -= lr * slope
    assert w.dtype is float64
    return w


@alternative(CLINIC + "descend")
def by_zero_grad(net, X, Y, steps, lr):
    losses = []
    for _ in range(steps):
        loss = ((net(X) - Y) ** 2).mean()
        net.zero_grad()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for p in net.parameters():
                p.sub_(lr * p.grad)
    return losses


@alternative(CLINIC + "descend")
def with_sgd(net, X, Y, steps, lr):
    optimizer, losses = minigrad.optim.SGD(net.parameters(), lr=lr), []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((net(X) - Y) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@alternative(CLINIC + "mean_loss")
def list_of_numbers(w, loss_of, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        loss.backward()
        losses.append(loss.detach().item())
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return sum(losses) / len(losses)


@alternative(CLINIC + "mean_loss")
def detached_until_the_end(w, loss_of, steps, lr):
    total = minigrad.zeros((), dtype=w.dtype)
    for _ in range(steps):
        loss = loss_of(w)
        loss.backward()
        total += loss.detach()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return (total / steps).item()


@alternative(CLINIC + "absolute_loss")
def divided(prediction, target):
    error = prediction - target
    return error.abs().sum() / error.numel()


@alternative(CLINIC + "absolute_loss")
def from_nn(prediction, target):
    return minigrad.nn.functional.l1_loss(prediction, target)


@alternative(CLINIC + "watch_hidden")
def retained(X, Y, W1, W2, steps, lr):
    norms = []
    for _ in range(steps):
        hidden = (X @ W1).tanh()
        hidden.retain_grad()
        ((hidden @ W2 - Y) ** 2).mean().backward()
        norms.append(hidden.grad.norm().item())
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms


@alternative(CLINIC + "watch_hidden")
def asked_for(X, Y, W1, W2, steps, lr):
    norms = []
    for _ in range(steps):
        hidden = (X @ W1).tanh()
        loss = ((hidden @ W2 - Y) ** 2).mean()
        arrived, *slopes = minigrad.autograd.grad(loss, [hidden, W1, W2])
        norms.append(arrived.norm().item())
        with no_grad():
            for w, slope in zip((W1, W2), slopes, strict=True):
                w -= lr * slope
    return norms


@alternative(CLINIC + "learn_values")
def target_unrecorded(X, X_next, reward, w, steps, lr):
    losses = []
    for _ in range(steps):
        with no_grad():
            target = reward + 0.9 * (X_next @ w)
        loss = ((X @ w - target) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return losses


@alternative(CLINIC + "learn_values")
def weights_detached(X, X_next, reward, w, steps, lr):
    losses = []
    for _ in range(steps):
        gap = X @ w - reward - 0.9 * (X_next @ w.detach())
        loss = (gap * gap).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            w.sub_(w.grad, alpha=lr)
        w.grad = None
    return losses


@alternative(CLINIC + "watch_hidden")
def by_numpys_norm(X, Y, W1, W2, steps, lr):
    norms = []
    for _ in range(steps):
        hidden = (X @ W1).tanh()
        hidden.register_hook(lambda grad: norms.append(np.linalg.norm(grad.numpy())))
        ((hidden @ W2 - Y) ** 2).mean().backward()
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms
