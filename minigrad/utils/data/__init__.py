"""torch.utils.data: data sets, the order in which they are read, and batches of them.

Everything happens in this process: num_workers is taken and starts nobody, so a data set that shares itself out among
workers is read once, as without any. The order is torch's, number for number, with the same seed.
"""

from ...errors import refusing
from . import _utils  # noqa: F401 (where programs look for collate)
from .collate import default_collate, default_convert
from .dataloader import DataLoader, get_worker_info
from .dataset import ChainDataset, ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split
from .sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "IterableDataset", "RandomSampler", "Sampler",
    "SequentialSampler", "Subset", "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler",
    "default_collate", "default_convert", "get_worker_info", "random_split",
]  # fmt: skip

__getattr__ = refusing(__name__)
