"""Benchmarks. Each prints our figure beside the limit of this machine, measured in the same run, interleaved."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the service has it
