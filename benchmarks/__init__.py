"""How fast the engine is, measured beside others: `python -m benchmarks.engine`. One thread for all of them."""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # here, before anything loads a BLAS
