"""Imports onnxruntime with telemetry disabled.

By default it writes a device id and process data to a file in the home directory and sends them from a background
thread. It reads this variable once, at import, so no other module may import onnxruntime.
"""

from __future__ import annotations

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime  # type: ignore[import-untyped]
from onnxruntime.capi import onnxruntime_pybind11_state as faults  # type: ignore[import-untyped]

onnxruntime.disable_telemetry_events()

__all__ = ["faults", "onnxruntime"]
