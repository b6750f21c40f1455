"""Benchmarks. Each prints our figure next to a baseline measured on the same machine in the same run, interleaved."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # like the service
