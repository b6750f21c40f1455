"""onnxruntime, kept from telling its maker who runs it.

As it comes it writes an id of the device and what it saw of the process to a file below the home directory, and sends
them out from a thread of its own. It asks this variable once, when it is loaded: so nothing else may load it.
"""

from __future__ import annotations

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime  # type: ignore[import-untyped]
from onnxruntime.capi import onnxruntime_pybind11_state as faults  # type: ignore[import-untyped]

onnxruntime.disable_telemetry_events()

__all__ = ["faults", "onnxruntime"]
