# %% [markdown] tags=["lang-zh"]
# # 你的引擎
#
# 一课一课写下来，手上已经有了不少部件。把它们一起装进引擎，它还能跑吗？能学会认数字吗？
#
# 这一页不评分，随时可以再来：部件多了，图就变了。

# %% [markdown] tags=["lang-en"]
# # Your engine
#
# Lesson by lesson you have written quite a few parts. Put them into the engine all together: does it still run? Can it learn to read digits?
#
# Nothing on this page is graded, and you can come back at any time: with more parts, the picture changes.

# %%
from autograder import use_parts, your_engine

use_parts("mine")
your_engine()

# %% [markdown] tags=["lang-zh"]
# 绿色的是你写的，灰色的是引擎自己的。鼠标停在一块上，会看到它是哪一课的；那一课的检查通过以后，它就变成绿色。
#
# 现在用这台引擎训练一个小网络：8×8 的手写数字，64 个像素进，128 个隐藏单元，10 个分数出。一共 1797 张图，留出五分之一做测试。

# %% [markdown] tags=["lang-en"]
# Green tiles are your parts, grey ones the engine's own. Point at a tile to see which lesson it belongs to; once that lesson's checks pass, it turns green.
#
# Now train a small network on this engine: handwritten digits of 8×8, 64 pixels in, 128 hidden units, 10 scores out. There are 1797 images, a fifth of which is kept for testing.

# %%
import minigrad
from minigrad import demo
from minigrad.nn.functional import cross_entropy

data = demo.digits()
minigrad.manual_seed(0)
w1 = (minigrad.randn(64, 128) / 8).requires_grad_()
b1 = minigrad.zeros(128, requires_grad=True)
w2 = (minigrad.randn(128, 10) / 128**0.5).requires_grad_()
b2 = minigrad.zeros(10, requires_grad=True)
optimizer = minigrad.optim.SGD([w1, b1, w2, b2], lr=0.2)


def scores(images):
    return minigrad.relu(images @ w1 + b1) @ w2 + b2


# %%
def train(epochs=15, batch=32):
    history = []
    for epoch in range(epochs):
        total = 0.0
        for rows in minigrad.randperm(len(data.train_images)).split(batch):
            optimizer.zero_grad()
            loss = cross_entropy(scores(data.train_images[rows]), data.train_numbers[rows])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        with minigrad.no_grad():
            right = scores(data.test_images).argmax(1) == data.test_numbers
        history.append((total / len(data.train_images), right.float().mean().item()))
    return history


with demo.one_thread():
    history = train()
print(f"{len(data.train_images) + len(data.test_images)} 张图 · images")
print(f"测试准确率 · test accuracy: {history[-1][1]:.1%}")

# %% tags=["proof"]
assert len(data.train_images) + len(data.test_images) == 1797
assert history[-1][1] >= 0.96

# %% tags=["picture"]
from autograder.plots import row

losses, accuracies = zip(*history)
left, right = row([("轮 · epoch", "训练损失 · training loss", ""), ("轮 · epoch", "测试准确率 · test accuracy", "")])
left.plot(range(1, len(losses) + 1), losses, "o-")
_ = right.plot(range(1, len(losses) + 1), accuracies, "o-")

# %% [markdown] tags=["lang-zh"]
# 每一块里的数字，是你的函数接上以后一共被调用了多少次，多半是在训练中。一次也没有用到的部件，没有数字。

# %% [markdown] tags=["lang-en"]
# The number in a tile says how often your function has been called since it was plugged in, mostly by training. A part that was never needed has no number.

# %%
your_engine()

# %% [markdown] tags=["lang-zh"]
# 一批数据的损失，从哪里来？下面是它的计算图（computational graph），叶子上写着参数的名字、形状和梯度。走完这张图的，就是上面那个引擎。

# %% [markdown] tags=["lang-en"]
# Where does the loss of a batch come from? Here is its computational graph (计算图); the leaves carry the parameters' names, shapes and gradients. The engine above walked it.

# %% tags=["picture"]
from minigrad.viz import draw

loss = cross_entropy(scores(data.train_images[:32]), data.train_numbers[:32])
loss.backward(retain_graph=True)
draw(loss, params={"w1": w1, "b1": b1, "w2": w2, "b2": b2}, show=["shapes", "grads"])

# %% [markdown] tags=["lang-zh"]
# 想和引擎自己的部件比一比，就运行 `use_parts("reference")`，再从 `import minigrad` 那一格起重新运行。只重跑训练的那一格，就是接着练同一个网络，什么也比不出来。准确率不一样？那么有一个部件，做的事和引擎自己的不同，回那一课用检查找一找。

# %% [markdown] tags=["lang-en"]
# To compare with the engine's own parts, run `use_parts("reference")`, then the cells from `import minigrad` on once more. Rerunning only the training cell would just go on training the same network, which compares nothing. Is the accuracy different? Then one of your parts behaves differently from the engine's own; go back to its lesson and find it with the checks.
