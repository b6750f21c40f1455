"""The built-in embedder: texts per second, load time, memory, and its distance to the reference.

Each precision runs in its own process, since memory that was used once is not returned.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bench.embeddings_reference import REFERENCE_FILE
from loremark.ports.embeddings.embedder import Embedder, open_embedder
from loremark.ports.embeddings.weights import read_pack

_SPECS = ("builtin", "builtin:fp32")
_ROUNDS = 3
_LENGTHS = {"short": (60, 96), "long": (250, 24)}
"""Tokens per text, and texts per round."""

TEXTS: list[str] = json.loads(np.load(REFERENCE_FILE)["texts"].tobytes())
_QUESTION = "how is the signing key rotated?"
_QUESTIONS = 50


def run() -> None:
    """Print a row for each precision."""
    print("the built-in embedder, one text a run")
    print(f"{'':22}{'texts/s':>9}{'/CPU s':>8}{'tokens':>8}")
    measured: list[str] = []
    for spec in _SPECS:
        with tempfile.TemporaryDirectory() as folder:
            first, again = _measure(spec, folder), _measure(spec, folder)
        name = again["name"]
        for length in _LENGTHS:
            row = again[length]
            print(f"{name + ' ' + length:22}{row['rate']:9.1f}{row['cpu_rate']:8.1f}{row['tokens']:8.0f}")
        measured += [
            f"{name}: first load {first['load_ms']:.0f} ms, later {again['load_ms']:.0f} ms;"
            f" one question {again['question_ms']:.1f} ms",
            f"  RSS {again['before_mb']:.0f} MB before, {again['loaded_mb']:.0f} loaded, {again['peak_mb']:.0f} at most"
            f" ({first['peak_mb']:.0f} where the graph is built); file {again['file_mb']:.0f} MB",
            f"  cosine with the reference on {len(TEXTS)} texts: mean {again['mean']:.6f}, least {again['least']:.6f}",
        ]
    print("\n".join(measured), flush=True)


def _measure(spec: str, folder: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.embeddings", spec, folder],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


async def _figures(spec: str, folder: Path) -> dict[str, Any]:
    embedder = open_embedder(spec, cache_dir=folder)
    found: dict[str, Any] = {"name": embedder.name, "before_mb": _memory_mb("VmRSS")}
    began = time.perf_counter()
    await embedder.embed([_QUESTION])
    found["load_ms"] = (time.perf_counter() - began) * 1000
    found["loaded_mb"] = _memory_mb("VmRSS")
    for name, (tokens, count) in _LENGTHS.items():
        found[name] = await _rate(embedder, _texts(tokens, count))
    took = []
    for _ in range(_QUESTIONS):
        began = time.perf_counter()
        await embedder.embed([_QUESTION])
        took.append((time.perf_counter() - began) * 1000)
    found["question_ms"] = median(took)
    found["peak_mb"] = _memory_mb("VmHWM")
    reference = np.load(REFERENCE_FILE)["vectors"]
    cosines = ((await embedder.embed(TEXTS)).vectors.astype(np.float64) * reference).sum(axis=1)
    found["mean"], found["least"] = cosines.mean(), cosines.min()
    found["file_mb"] = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    await embedder.close()
    return found


async def _rate(embedder: Embedder, texts: list[str]) -> dict[str, float]:
    rates, cpu_rates, tokens = [], [], 0
    for _ in range(_ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        tokens = (await embedder.embed(texts)).tokens
        rates.append(len(texts) / (time.perf_counter() - wall))
        cpu_rates.append(len(texts) / (time.process_time() - cpu))
    return {"rate": median(rates), "cpu_rate": median(cpu_rates), "tokens": tokens / len(texts)}


def _texts(tokens: int, count: int) -> list[str]:
    """Distinct texts of about this many tokens, made of the reference's words."""
    tokenizer = read_pack().tokenizer
    words = [word for text in TEXTS if text.isascii() for word in text.split() if len(word) < 20]
    next_words = cycle((word, len(tokenizer.encode(word)) - 2) for word in words)
    texts = []
    for _ in range(count):
        left, text = tokens - 2, []
        while left > 0:
            word, length = next(next_words)
            text.append(word)
            left -= length
        texts.append(" ".join(text))
    return texts


def _memory_mb(field: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise LookupError(field)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_figures(sys.argv[1], Path(sys.argv[2])))))
