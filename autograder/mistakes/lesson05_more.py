"""Known mistakes of lesson 05, continued: counts that never leave the roots."""

from __future__ import annotations

from typing import Any

from autograder.mistakes import mistake
from autograder.mistakes.lesson05 import COUNT


@mistake(
    COUNT,
    zh="字典里只有根，还记成了 1。没有边通向的根记 0；再顺着根的边往下走，走到的每个节点也要放进字典，记下通向它的边数。",
    en="Your dict holds nothing but the roots, and with a 1. A root that no edge leads to gets 0; then follow its edges: each node you come to belongs in the dict too, with the number of edges that lead to it.",
)
def each_root_a_one(roots: Any) -> dict[Any, int]:
    return dict.fromkeys(roots, 1)


@mistake(
    COUNT,
    zh="根记成 0，没错，可字典里只有根。顺着它们的边往下走：每见到一条边，就给它通向的节点加 1，新节点也要接着往下看。",
    en="The roots have their 0, but they are all there is in your dict. Follow their edges: for every edge you see, add 1 to the node it leads to, and look at the edges of each new node in turn.",
)
def never_leaves_the_roots(roots: Any) -> dict[Any, int]:
    return dict.fromkeys(roots, 0)


@mistake(
    COUNT,
    zh="你返回了空字典。从根开始：counts = dict.fromkeys(roots, 0)，再顺着边往里添。",
    en="You return an empty dict. Begin with the roots, counts = dict.fromkeys(roots, 0), and add to it along the edges.",
)
def counts_nothing(roots: Any) -> dict[Any, int]:
    return {}
