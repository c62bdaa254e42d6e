"""Hints of lesson 15."""

from __future__ import annotations

from autograder.hints import Stages

CLINIC = "minigrad.clinic."

HINTS: dict[str, Stages] = {
    CLINIC + "fit_slope": (
        (
            "打印 loss 的形状。要下降的那个损失，应该是几个数？",
            "Print the shape of loss. How many numbers should the loss have that you want to bring down?",
        ),
        (
            "报错说的是“标量”：在 backward 之前，把每个点的误差合成一个数。合成的办法写在说明里。",
            "The message says 'scalar': before backward, combine the errors of all points into one number. The docstring says how.",
        ),
        ("均方误差：在平方之后加上 .mean()。", "The mean squared error: add .mean() after the square."),
    ),
    CLINIC + "two_layers": (
        (
            "第一步没有报错，第二步才报。第二步里，哪一部分的图不是这一步新造的？",
            "The first step does not raise, the second does. In the second, which part of the graph was not built in that step?",
        ),
        (
            "hidden 是循环外算的。W1 每一步都在变，hidden 却不会自己跟着变。先别急着加 retain_graph。",
            "hidden is computed outside the loop. W1 changes at every step, and hidden does not follow by itself. Do not reach for retain_graph yet.",
        ),
        (
            "把计算 hidden 的那一行挪进循环，放在算 loss 之前。",
            "Move the line that computes hidden into the loop, above the one that computes loss.",
        ),
    ),
    CLINIC + "scaled_start": (
        (
            "第 10 课说过，叶子什么时候不许原地改？这里 w 从哪一行起成了这样的叶子？",
            "When, as lesson 10 said, must a leaf not be changed in place? From which line on is w such a leaf?",
        ),
        (
            "换个先后：要梯度之前，随便怎么改都行。",
            "Change the order: before it wants a gradient, it may be changed in any way.",
        ),
        (
            "先 values.clone()，再 w *= scale，最后返回 w.requires_grad_()。",
            "First values.clone(), then w *= scale, and at the end return w.requires_grad_().",
        ),
    ),
    CLINIC + "softmax_rows": (
        (
            "第 08 课：exp 为反向保存了什么？是输入，还是输出？",
            "Lesson 08: what has exp saved for backward, its input or its output?",
        ),
        (
            "它保存的正是 p。所以 p 不能再被改写；商要放进一个新张量里。",
            "It has saved p itself. So p must not be overwritten; the quotient has to go into a new tensor.",
        ),
        ("不要 /=，直接返回 p / total。", "Do without /= and return p / total."),
    ),
    CLINIC + "double_fit": (
        (
            "w.is_leaf 是什么？zeros(…, requires_grad=True) 造出来的那个张量，现在还有名字吗？",
            "What is w.is_leaf? And the tensor that zeros(…, requires_grad=True) made, does it still have a name?",
        ),
        (
            "要梯度的叶子必须就是 w 自己：先定好类型，再要梯度。",
            "The leaf that wants a gradient must be w itself: settle the dtype first, then ask for the gradient.",
        ),
        (
            "造的时候就写 dtype=float64，去掉后面的 .double()。",
            "Say dtype=float64 when creating it, and drop the .double() after it.",
        ),
    ),
    CLINIC + "descend": (
        (
            "没有报错，那就看数：每一步打印 p.grad，它是怎么长的？",
            "There is no error, so look at numbers: print p.grad at every step. How does it grow?",
        ),
        (
            "backward 是累加，不是改写。什么时候、对哪些参数，该从头开始？",
            "backward adds, it does not overwrite. When, and for which parameters, should it start afresh?",
        ),
        (
            "在每一步的 backward 之前，对每个 net.parameters() 里的 p，令 p.grad = None。",
            "Before each step's backward, set p.grad = None for every p in net.parameters().",
        ),
    ),
    CLINIC + "mean_loss": (
        (
            "total 一开始是浮点数。加了第一次之后，type(total) 是什么？它的 grad_fn 呢？",
            "total starts as a float. After the first addition, what is type(total)? And its grad_fn?",
        ),
        (
            "张量加到 total 上，图也跟着加了上去。每一步只加一个普通的数。",
            "Add a tensor to total, and its graph comes along. Add a plain number at each step.",
        ),
        (
            "循环里写 total += loss.item()，别的都不用动。",
            "Write total += loss.item() in the loop, and leave the rest.",
        ),
    ),
    CLINIC + "absolute_loss": (
        (
            "梯度要从损失回到 prediction，路上经过 NumPy 吗？NumPy 会记录运算吗？",
            "The gradient has to get from the loss back to prediction. Is NumPy on that road, and does NumPy record operations?",
        ),
        (
            "报错建议的 detach 会把路剪断。这里不需要 NumPy：张量自己有 abs 和 mean。",
            "The detach that the message suggests would cut the road. There is no need for NumPy here: tensors have abs and mean themselves.",
        ),
        ("返回 (prediction - target).abs().mean()。", "Return (prediction - target).abs().mean()."),
    ),
    CLINIC + "watch_hidden": (
        (
            "循环跑完，造出过几个 hidden？其中几个挂着钩子？",
            "When the loop is done, how many tensors called hidden have been made? How many of them have a hook?",
        ),
        (
            "钩子跟着张量，不跟着名字。每一步的 hidden 都是新张量。",
            "A hook stays with its tensor, not with the name. Each step's hidden is a new tensor.",
        ),
        (
            "删掉循环外的两行，在循环里算完 hidden 之后立刻 register_hook。",
            "Delete the two lines outside the loop, and register the hook inside, right after hidden is computed.",
        ),
    ),
    CLINIC + "learn_values": (
        (
            "损失里有两边：value 和 target。哪一边该学，哪一边是给定的？detach 摘下来的又是哪一边？",
            "The loss has two sides, value and target. Which one should learn, and which counts as given? And which one does detach cut off?",
        ),
        (
            "摘下来的那一边，梯度不会经过。让梯度只从 value 走。",
            "No gradient passes through the side that is cut off. Let it pass through value only.",
        ),
        (
            "value = X @ w，不要 detach；给整个 target 加上括号，再 .detach()。",
            "value = X @ w, without detach; put brackets around the whole target, and .detach() after them.",
        ),
    ),
}
