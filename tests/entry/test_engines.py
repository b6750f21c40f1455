"""Which server and which key each model uses. A key is never sent to a server it was not meant for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from loremark.base.settings import Settings, SettingsError, load
from loremark.entry import engines
from loremark.ports.llm.model import ServerAddress

OPENAI = "https://api.openai.com/v1"
ANTHROPIC = "https://api.anthropic.com"
LOCAL = "http://127.0.0.1:11434/v1"


def _settings(folder: Path, given: Mapping[str, str]) -> Settings:
    return load({"LOREMARK_DATA_DIR": str(folder), **{f"LOREMARK_{name}": given[name] for name in given}})


def _addresses(folder: Path, **given: str) -> dict[str, ServerAddress | None]:
    settings = _settings(folder, given)
    found: dict[str, ServerAddress | None] = {
        spec: model.address for spec, model in engines.open_models(settings).items()
    }
    if settings.embeddings != "builtin":
        found["embeddings"] = engines.open_embedder(settings).address
    return found


def test_one_key_and_address_for_everything(tmp_path: Path) -> None:
    assert _addresses(tmp_path) == {}
    shared = {"LLM_SMALL": "openai:a", "LLM_MEDIUM": "openai:b", "EMBEDDINGS": "openai:c"}
    assert _addresses(tmp_path, **shared, LLM_API_KEY="k") == dict.fromkeys(
        ("openai:a", "openai:b", "embeddings"), ServerAddress(OPENAI, has_key=True)
    )
    assert _addresses(tmp_path, **shared, LLM_BASE_URL=LOCAL) == dict.fromkeys(
        ("openai:a", "openai:b", "embeddings"), ServerAddress(LOCAL, has_key=False)
    )


def test_small_model_and_embeddings_may_be_elsewhere(tmp_path: Path) -> None:
    """A local small model gets neither the provider's address nor its key."""
    found = _addresses(
        tmp_path,
        LLM_SMALL="openai:qwen3",
        LLM_SMALL_BASE_URL=LOCAL,
        LLM_MEDIUM="anthropic:claude",
        LLM_API_KEY="sk-ant",
        EMBEDDINGS="openai:text-embedding-3-small",
        EMBEDDINGS_API_KEY="sk-openai",
    )
    assert found == {
        "openai:qwen3": ServerAddress(LOCAL, has_key=False),
        "anthropic:claude": ServerAddress(ANTHROPIC, has_key=True),
        "embeddings": ServerAddress(OPENAI, has_key=True),
    }


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"LLM_MEDIUM": "openai:b"},
            "LOREMARK_LLM_MEDIUM: OpenAI models need an API key: set LOREMARK_LLM_API_KEY (OPENAI_API_KEY is not read)",
        ),
        (
            {"LLM_MEDIUM": "openai:b", "LLM_BASE_URL": "localhost:11434/v1"},
            "LOREMARK_LLM_MEDIUM: the model server's URL must start with http:// or https:// and include a host",
        ),
        (
            {"LLM_SMALL": "openai:a", "LLM_MEDIUM": "anthropic:b", "LLM_API_KEY": "sk-ant-1"},
            "LOREMARK_LLM_SMALL (openai) and LOREMARK_LLM_MEDIUM (anthropic) would use the same API key. "
            "They use different providers: give one of them its own key with LOREMARK_LLM_SMALL_API_KEY or "
            "LOREMARK_EMBEDDINGS_API_KEY",
        ),
        (
            {"LLM_SMALL": "openai:a", "LLM_MEDIUM": "openai:a", "LLM_API_KEY": "k", "LLM_SMALL_BASE_URL": LOCAL},
            "LOREMARK_LLM_SMALL and LOREMARK_LLM_MEDIUM name the same model on different servers; "
            "use different model names, or one server for both",
        ),
    ],
)
def test_wrong_settings_stop_startup_with_one_sentence(tmp_path: Path, given: dict[str, str], sentence: str) -> None:
    with pytest.raises(SettingsError) as failed:
        engines.open_models(_settings(tmp_path, given))
    assert str(failed.value) == sentence


def test_gateway_may_serve_both_apis_with_one_key(tmp_path: Path) -> None:
    given = {"LLM_SMALL": "openai:a", "LLM_MEDIUM": "anthropic:b", "LLM_API_KEY": "k", "LLM_BASE_URL": LOCAL}
    assert len(_addresses(tmp_path, **given)) == 2
