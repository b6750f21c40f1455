"""Opens the language model that a setting names."""

from __future__ import annotations

from loremark.ports.llm.anthropic_messages import AnthropicMessages
from loremark.ports.llm.attempt import Provider
from loremark.ports.llm.model import LanguageModel
from loremark.ports.llm.openai_chat import OpenAiChat
from loremark.ports.llm.remote_model import RemoteModel

BUILTIN = "builtin"


def open_model(
    spec: str, *, base_url: str = "", api_key: str = "", timeout_s: float = 60.0, ca_file: str = ""
) -> LanguageModel | None:
    """Open ``openai:<model>`` or ``anthropic:<model>``; None for ``builtin``. ``timeout_s`` covers a whole call."""
    if spec == BUILTIN:
        return None
    kind, _, model = spec.partition(":")
    model = model.strip()
    if kind not in ("openai", "anthropic") or not model:
        raise ValueError(f"a model must be builtin, openai:<model> or anthropic:<model>, not {spec[:100]!r}")
    provider: Provider
    if kind == "openai":
        provider = OpenAiChat(model, base_url=base_url, api_key=api_key, ca_file=ca_file)
    else:
        provider = AnthropicMessages(model, base_url=base_url, api_key=api_key, ca_file=ca_file)
    return RemoteModel(provider, timeout_s=timeout_s)
