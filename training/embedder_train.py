"""Tunes the layers of the built-in embedder so that tasks and questions are near what was settled about them.

    python training/embedder_train.py data.json weights.hmsemb tuned_layers.npz

Needs torch and transformers on a machine with a GPU; neither is a dependency of Loremark. About three minutes on one
H200. The word embeddings are not trained, so only the layers have to be shipped.
"""

from __future__ import annotations

import json
import math
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from transformers import RobertaConfig, RobertaModel

SEED, EPOCHS, RATE, TEMPERATURE, WARM_UP = 1, 4, 3e-5, 0.03, 0.1
QUERIES_PER_STEP, PROJECTS, QUERIES_PER_PROJECT, OTHERS = 64, 6, 11, 10
DOCUMENT_TOKENS, QUERY_TOKENS = 400, 160
LAYERS, WIDTH, GROUP = 6, 384, 64
_PARTS = {
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "f1": "intermediate.dense",
    "f2": "output.dense",
    "fln": "output.LayerNorm",
}


def main() -> None:
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    projects = json.loads(Path(sys.argv[1]).read_text())
    tokenizer, tensors = read_pack(Path(sys.argv[2]).read_bytes())
    model = build(tensors).cuda()
    train(model, tokenizer, projects)
    save(model, Path(sys.argv[3]))


def read_pack(content: bytes) -> tuple[Tokenizer, dict[str, torch.Tensor]]:
    """Magic number, length, table of contents, tokenizer, tensors."""
    size = int.from_bytes(content[8:16], "little")
    table = json.loads(content[16 : 16 + size])
    at = 16 + size + table["tokenizer_len"]
    tokenizer = Tokenizer.from_str(content[16 + size : at].decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tensors = {}
    for entry in table["tensors"]:
        raw = content[at : at + entry["len"]]
        at += entry["len"]
        if entry["dtype"] == "f32":
            array = np.frombuffer(raw, dtype="<f4").reshape(entry["shape"])
        else:
            count = math.prod(entry["shape"])
            values = np.frombuffer(raw[:count], dtype=np.int8).reshape(-1, entry["group"]).astype(np.float32)
            array = (values * np.frombuffer(raw[count:], dtype="<f4")[:, None]).reshape(entry["shape"])
        tensors[entry["name"]] = torch.tensor(np.ascontiguousarray(array))
    return tokenizer, tensors


def build(tensors: dict[str, torch.Tensor]) -> RobertaModel:
    config = RobertaConfig(
        vocab_size=tensors["word_emb"].shape[0],
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=12,
        intermediate_size=4 * WIDTH,
        max_position_embeddings=514,
        type_vocab_size=1,
        pad_token_id=1,
        layer_norm_eps=1e-12,
        hidden_dropout_prob=0.05,
        attention_probs_dropout_prob=0.05,
    )
    model = RobertaModel(config, add_pooling_layer=False)
    state = {
        "embeddings.word_embeddings.weight": tensors["word_emb"],
        "embeddings.position_embeddings.weight": tensors["pos_emb"],
        "embeddings.token_type_embeddings.weight": tensors["type_emb"][:1],
        "embeddings.LayerNorm.weight": tensors["emb_ln.w"],
        "embeddings.LayerNorm.bias": tensors["emb_ln.b"],
    }
    for number in range(LAYERS):
        theirs, ours = f"encoder.layer.{number}.", f"l{number}."
        for place, name in enumerate(("query", "key", "value")):
            rows = slice(place * WIDTH, (place + 1) * WIDTH)
            state[f"{theirs}attention.self.{name}.weight"] = tensors[f"{ours}qkv.w"][rows]
            state[f"{theirs}attention.self.{name}.bias"] = tensors[f"{ours}qkv.b"][rows]
        for short, name in _PARTS.items():
            state[f"{theirs}{name}.weight"] = tensors[f"{ours}{short}.w"]
            state[f"{theirs}{name}.bias"] = tensors[f"{ours}{short}.b"]
    model.load_state_dict(state, strict=False)
    for parameter in model.embeddings.parameters():
        parameter.requires_grad = False
    return model


def embed(model: RobertaModel, texts: list[list[int]]) -> torch.Tensor:
    length = (max(map(len, texts)) + 7) // 8 * 8
    pieces = torch.ones((len(texts), length), dtype=torch.long)
    mask = torch.zeros_like(pieces)
    for row, text in enumerate(texts):
        pieces[row, : len(text)] = torch.tensor(text)
        mask[row, : len(text)] = 1
    with torch.autocast("cuda", torch.bfloat16):
        states = model(input_ids=pieces.cuda(), attention_mask=mask.cuda()).last_hidden_state
    return F.normalize(states[:, 0].float(), dim=-1)


def train(model: RobertaModel, tokenizer: Tokenizer, projects: list[dict[str, Any]]) -> None:
    for project in projects:
        project["document_pieces"] = _encode(tokenizer, project["documents"], DOCUMENT_TOKENS)
        project["query_pieces"] = _encode(tokenizer, [query["text"] for query in project["queries"]], QUERY_TOKENS)
    sizes = [len(project["queries"]) for project in projects]
    steps = int(EPOCHS * sum(sizes) / QUERIES_PER_STEP)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=RATE, weight_decay=0.01, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min((step + 1) / (WARM_UP * steps + 1), max(0.0, (steps - step) / (steps * (1 - WARM_UP)))),
    )
    model.train()
    for step in range(steps):
        loss = _loss(
            model, [projects[at] for at in dict.fromkeys(random.choices(range(len(projects)), sizes, k=PROJECTS))]
        )
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step} of {steps}, loss {loss.item():.3f}", flush=True)


def _loss(model: RobertaModel, projects: list[dict[str, Any]]) -> torch.Tensor:
    """Each query against the documents of all projects in the step; near ones of its own project among them."""
    queries: list[list[int]] = []
    documents: list[list[int]] = []
    finds: list[list[int]] = []
    ignores: list[list[int]] = []
    for project in projects:
        chosen = random.sample(range(len(project["queries"])), min(QUERIES_PER_PROJECT, len(project["queries"])))
        wanted: list[int] = []
        for at in chosen:
            query = project["queries"][at]
            wanted += [random.choice(query["finds"]), *random.sample(query["near"], min(1, len(query["near"])))]
        wanted += random.sample(range(len(project["documents"])), min(OTHERS, len(project["documents"])))
        places: dict[int, int] = {}
        for document in wanted:
            if document not in places:
                places[document] = len(documents)
                documents.append(project["document_pieces"][document])
        for at in chosen:
            query = project["queries"][at]
            queries.append(project["query_pieces"][at])
            finds.append([places[one] for one in query["finds"] if one in places])
            ignores.append([places[one] for one in query["ignores"] if one in places])
    scores = embed(model, queries) @ embed(model, documents).T / TEMPERATURE
    for row, ignored in enumerate(ignores):
        scores[row, ignored] = -1e4
    likely = F.log_softmax(scores, -1)
    return -torch.stack([torch.logsumexp(likely[row, found], 0) for row, found in enumerate(finds)]).mean()


def _encode(tokenizer: Tokenizer, texts: list[str], most: int) -> list[list[int]]:
    return [[0, *found.ids[: most - 2], 2] for found in tokenizer.encode_batch(texts, add_special_tokens=False)]


def save(model: RobertaModel, path: Path) -> None:
    """Write the layers as int8 with a scale per 64 values."""
    state = {name: tensor.detach().float().cpu().numpy() for name, tensor in model.state_dict().items()}
    stored: dict[str, Any] = {}

    def put(name: str, array: np.ndarray) -> None:  # type: ignore[type-arg]
        if array.ndim == 1:
            stored[name] = array.astype(np.float16)
            return
        groups = array.reshape(-1, GROUP)
        scales = np.abs(groups).max(axis=1) / 127 + 1e-12
        stored[f"{name}.q"] = np.rint(groups / scales[:, None]).astype(np.int8).reshape(array.shape)
        stored[f"{name}.s"] = scales.astype(np.float16)

    for number in range(LAYERS):
        theirs, ours = f"encoder.layer.{number}.", f"l{number}."
        for kind, end in (("w", "weight"), ("b", "bias")):
            mixed = [state[f"{theirs}attention.self.{name}.{end}"] for name in ("query", "key", "value")]
            put(f"{ours}qkv.{kind}", np.concatenate(mixed))
            for short, name in _PARTS.items():
                put(f"{ours}{short}.{kind}", state[f"{theirs}{name}.{end}"])
    np.savez_compressed(path, **stored)


if __name__ == "__main__":
    main()
