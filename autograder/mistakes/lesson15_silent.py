"""More known mistakes of lesson 15, mostly silent ones: the programs as they are given to be repaired, and repairs that miss."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from minigrad import no_grad, tensor

CLINIC = "minigrad.clinic."

# ── descend ─────────────────────────────────────────────────────────────────────────────────────────


@mistake(
    CLINIC + "descend",
    zh="病还是原来的病。没有一句报错，那就看数：每一步打印 p.grad，里面只有这一步的梯度吗？要是已经写了清零的一行，它真的改到每个 p.grad 了吗？",
    en="The illness is the one it came with. Nothing raises, so look at numbers: print p.grad at each step. Is it this step's gradient alone? And if you have written a line that clears it, does it really change every p.grad?",
)
def descend_as_it_came(net: Any, X: Any, Y: Any, steps: int, lr: float) -> Any:
    losses = []
    for _ in range(steps):
        loss = ((net(X) - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for p in net.parameters():
                p -= lr * p.grad
    return losses


@mistake(
    CLINIC + "descend",
    zh="只在循环前清了一次，步与步之间还在累积。清零要放进循环。",
    en="You clear once before the loop, so from step to step the gradients still pile up. Clear inside the loop.",
)
def descend_cleared_once(net: Any, X: Any, Y: Any, steps: int, lr: float) -> Any:
    losses = []
    for p in net.parameters():
        p.grad = None
    for _ in range(steps):
        loss = ((net(X) - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for p in net.parameters():
                p -= lr * p.grad
    return losses


@mistake(
    CLINIC + "descend",
    zh="清零放在了 backward 和更新之间，刚算好的梯度成了 None。",
    en="You clear between backward and the update, so the fresh gradients become None.",
)
def descend_clears_too_late(net: Any, X: Any, Y: Any, steps: int, lr: float) -> Any:
    losses = []
    for _ in range(steps):
        loss = ((net(X) - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        for p in net.parameters():
            p.grad = None
        with no_grad():
            for p in net.parameters():
                p -= lr * p.grad
    return losses


@mistake(
    CLINIC + "descend",
    zh="只清了一个参数，别的还在累积。每个参数都要清。",
    en="You clear only one parameter; the gradients of the others still pile up. Clear every one.",
)
def descend_clears_only_the_first(net: Any, X: Any, Y: Any, steps: int, lr: float) -> Any:
    losses = []
    for _ in range(steps):
        next(iter(net.parameters())).grad = None
        loss = ((net(X) - Y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            for p in net.parameters():
                p -= lr * p.grad
    return losses


# ── mean_loss ───────────────────────────────────────────────────────────────────────────────────────


@mistake(
    CLINIC + "mean_loss",
    zh="病还是原来的病。训练没有错，是有东西一直抓着图不放。看看 type(total)：它是什么时候变的？",
    en="The illness is the one it came with. Training is right, but something holds on to the graphs. Look at type(total): when does it change?",
)
def mean_loss_as_it_came(w: Any, loss_of: Any, steps: int, lr: float) -> Any:
    total = 0.0
    for _ in range(steps):
        loss = loss_of(w)
        loss.backward()
        total += loss
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return total / steps


@mistake(
    CLINIC + "mean_loss",
    zh="循环里攒下的是张量，和也好，列表也好，图都跟着一张张攒着；返回的是不是数，已经无所谓了。每一步只留下 loss.item()。",
    en="What the loop gathers, in a sum or in a list, are tensors, and they hold on to their graphs, whatever number you return. Keep nothing of a step but loss.item().",
)
def mean_loss_item_at_the_end(w: Any, loss_of: Any, steps: int, lr: float) -> Any:
    total = 0.0
    for _ in range(steps):
        loss = loss_of(w)
        loss.backward()
        total += loss
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return (total / steps).item()  # type: ignore[attr-defined]


@mistake(
    CLINIC + "mean_loss",
    zh="图是放掉了，可返回的还是张量。说明里要一个普通的数，用 item()。",
    en="The graphs are let go, but you return a tensor. The docstring wants a plain number: use item().",
)
def mean_loss_detaches(w: Any, loss_of: Any, steps: int, lr: float) -> Any:
    total = 0.0
    for _ in range(steps):
        loss = loss_of(w)
        loss.backward()
        total += loss.detach()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return total / steps


@mistake(
    CLINIC + "mean_loss",
    zh="返回的是最后一步的损失，不是平均。",
    en="You return the last step's loss, not the mean.",
)
def mean_loss_last_loss_only(w: Any, loss_of: Any, steps: int, lr: float) -> Any:
    total = 0.0
    for _ in range(steps):
        loss = loss_of(w)
        loss.backward()
        total = loss.item()
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return total


# ── absolute_loss ───────────────────────────────────────────────────────────────────────────────────


@mistake(
    CLINIC + "absolute_loss",
    zh="病还是原来的病。先别照报错的方子办：梯度要从损失回到 prediction，正要经过这里。",
    en="The illness is the one it came with. Do not take the message's prescription yet: on its way from the loss back to prediction, the gradient has to get through right here.",
)
def absolute_loss_as_it_came(prediction: Any, target: Any) -> Any:
    error = abs((prediction - target).numpy())
    return tensor(error.mean())


@mistake(
    CLINIC + "absolute_loss",
    zh="换来了下一个报错：损失没有 grad_fn，因为图在这里被剪断了。照报错说的 detach，会剪断它；用 tensor(…) 把结果再造一遍，也会。",
    en="Now you get the next message: the loss has no grad_fn, because the graph was cut here. Detaching, as the first message says, cuts it; so does making the result anew with tensor(…).",
)
def absolute_loss_detaches_as_told(prediction: Any, target: Any) -> Any:
    error = abs((prediction - target).detach().numpy())
    return tensor(error.mean())


@mistake(
    CLINIC + "absolute_loss",
    zh="给结果补上 requires_grad，报错是没了，可这是一个新叶子，和 prediction 毫无关系，梯度回不去。",
    en="requires_grad was put on the result, and the message is gone; but this is a new leaf that has nothing to do with prediction, and no gradient gets back.",
)
def absolute_loss_a_leaf_of_its_own(prediction: Any, target: Any) -> Any:
    error = abs((prediction - target).detach().numpy())
    return tensor(error.mean(), requires_grad=True)


@mistake(
    CLINIC + "absolute_loss",
    zh="梯度通了，可这是均方误差。说明里写的是绝对值。",
    en="Gradients flow, but this is the squared error. The docstring says absolute.",
)
def absolute_loss_squares(prediction: Any, target: Any) -> Any:
    return ((prediction - target) ** 2).mean()


# ── watch_hidden ────────────────────────────────────────────────────────────────────────────────────


@mistake(
    CLINIC + "watch_hidden",
    zh="病还是原来的病：什么也没有记下。循环里算损失用的那个 hidden，在 backward 之前挂上钩子了吗？钩子把数放进 norms 了吗？",
    en="The illness is the one it came with: nothing is noted. The hidden from which the loop computes its loss: is a hook put on it before backward, and does the hook put a number into norms?",
)
def watch_hidden_as_it_came(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    norms: list[float] = []
    hidden = (X @ W1).tanh()
    hidden.register_hook(lambda grad: norms.append(grad.norm().item()))
    for _ in range(steps):
        hidden = (X @ W1).tanh()
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward()
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms


@mistake(
    CLINIC + "watch_hidden",
    zh="W1 是叶子，钩子不会丢，可它看到的是 W1 的梯度，不是 hidden 的。",
    en="W1 is a leaf and keeps its hook, but that hook sees the gradient of W1, not of hidden.",
)
def watch_hidden_watches_the_weight(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    norms: list[float] = []
    W1.register_hook(lambda grad: norms.append(grad.norm().item()))
    for _ in range(steps):
        hidden = (X @ W1).tanh()
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward()
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms


@mistake(
    CLINIC + "watch_hidden",
    zh="非叶子的 .grad 没有人写，读出来是 None。要么用钩子，要么先 retain_grad()。",
    en="Nobody writes the .grad of a non-leaf, so it reads None. Use a hook, or retain_grad() first.",
)
def watch_hidden_reads_grad(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    norms: list[float] = []
    for _ in range(steps):
        hidden = (X @ W1).tanh()
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward()
        norms.append(hidden.grad.norm().item())
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms


@mistake(
    CLINIC + "watch_hidden",
    zh="钩子挂早了一步：挂在 tanh 的输入上，看到的梯度已经乘过 tanh 的斜率。",
    en="The hook hangs one step too early, on the input of tanh; the gradient seen there has been multiplied by the slope of tanh.",
)
def watch_hidden_before_tanh(X: Any, Y: Any, W1: Any, W2: Any, steps: int, lr: float) -> Any:
    norms: list[float] = []
    for _ in range(steps):
        score = X @ W1
        score.register_hook(lambda grad: norms.append(grad.norm().item()))
        hidden = score.tanh()
        loss = ((hidden @ W2 - Y) ** 2).mean()
        loss.backward()
        with no_grad():
            for w in (W1, W2):
                w -= lr * w.grad
                w.grad = None
    return norms


# ── learn_values ────────────────────────────────────────────────────────────────────────────────────


@mistake(
    CLINIC + "learn_values",
    zh="病还是原来的病。没有报错，损失也在变。该去靠近的是 value；看一看，现在动的是哪一边？",
    en="The illness is the one it came with. Nothing raises, and the loss does change. It is value that should approach the target; which side is moving now?",
)
def learn_values_as_it_came(X: Any, X_next: Any, reward: Any, w: Any, steps: int, lr: float) -> Any:
    losses = []
    for _ in range(steps):
        value = (X @ w).detach()
        target = reward + 0.9 * (X_next @ w)
        loss = ((value - target) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return losses


@mistake(
    CLINIC + "learn_values",
    zh="两边都有梯度：目标也跟着 w 动。说明里说它是给定的，要把它摘下来；detach() 返回一个新的，原来的不变，要用它返回的那个。",
    en="Both sides have a gradient, so the target moves with w, too. The docstring says that it counts as given: detach it, and use what detach() returns, for it leaves the original as it is.",
)
def learn_values_detaches_neither(X: Any, X_next: Any, reward: Any, w: Any, steps: int, lr: float) -> Any:
    losses = []
    for _ in range(steps):
        value = X @ w
        target = reward + 0.9 * (X_next @ w)
        loss = ((value - target) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return losses


@mistake(
    CLINIC + "learn_values",
    zh="损失背后没有图，backward 无处可走：两边都摘掉了，或者摘掉的是损失本身。只摘目标。",
    en="No graph is left behind the loss, and backward has nowhere to go: both sides are detached, or the loss itself is. Detach the target only.",
)
def learn_values_detaches_both(X: Any, X_next: Any, reward: Any, w: Any, steps: int, lr: float) -> Any:
    losses = []
    for _ in range(steps):
        value = (X @ w).detach()
        target = (reward + 0.9 * (X_next @ w)).detach()
        loss = ((value - target) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with no_grad():
            w -= lr * w.grad
        w.grad = None
    return losses
