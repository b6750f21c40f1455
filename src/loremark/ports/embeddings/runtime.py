"""Imports onnxruntime with telemetry disabled.

By default it writes a device id and process data to a file in the home directory and sends them from a background
thread. It reads this variable once, at import, so no other module may import onnxruntime.
"""

from __future__ import annotations

import os
from pathlib import Path

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime  # type: ignore[import-untyped]
from onnxruntime.capi import onnxruntime_pybind11_state as faults  # type: ignore[import-untyped]

onnxruntime.disable_telemetry_events()

RUNTIME_FAULTS = (
    faults.Fail,
    faults.InvalidArgument,
    faults.InvalidGraph,
    faults.InvalidProtobuf,
    faults.NotImplemented,
    faults.RuntimeException,
)


def open_session(graph: Path | bytes, *, threads: int) -> onnxruntime.InferenceSession:
    """Open a graph for deterministic computation on the CPU."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False  # an arena would keep memory for the longest text and is no faster
    options.use_deterministic_compute = True
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


__all__ = ["RUNTIME_FAULTS", "onnxruntime", "open_session"]
