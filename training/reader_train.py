"""Trains the reader: a small model that reads two texts together and says how they relate.

    python training/reader_train.py data.jsonl bases/ reader/ [--without author11 author12]

A larger model learns the labels of some authors and answers for the others; the small one learns labels and answers.
Writes ``reader_words.npz`` and ``reader_layers.npz``. Needs torch, transformers and tokenizers, and a GPU.
``--teacher`` stores the larger model's answers in a file, or takes them from it. ``--small`` trains on a few pairs for
a few steps, to see that everything runs.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from reader_tensors import Tensors, read_tensors, write_tensors
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

SEED, BATCH, WARM_UP, DROPOUT = 1, 256, 0.06, 0.1
FIRST_TOKENS, TOKENS = 96, 320
TASKS = ("answers", "matters", "pair")
"""The first two have one output each, the last has three."""
_FOLDS = 3
"""Each text is answered by a larger model that learned the other folds."""
_IMITATION = 0.95
_CERTAIN = 8.0
Scores: TypeAlias = NDArray[np.float32]
Encoded: TypeAlias = tuple[NDArray[np.int64], int]
"""The token ids of a pair, and how many belong to its first text."""


@dataclass(frozen=True)
class Recipe:
    """A base model and how it is trained."""

    base: str
    epochs: float
    rate: float


TEACHER = Recipe("mpnet", 2, 5e-5)
STUDENT = Recipe("minilm", 3, 2.5e-4)


class Reader(nn.Module):
    """A pretrained encoder with one hidden layer and five outputs on the first state."""

    def __init__(self, encoder: nn.Module, tokenizer: Any) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)  # type: ignore[union-attr,arg-type]
        self.encoder = encoder
        self.hidden = nn.Linear(width, width)
        self.out = nn.Linear(width, 5)
        self.dropout = nn.Dropout(DROPOUT)
        self.tokenizer = tokenizer
        self.start, self.end = (tokenizer.token_to_id(one) for one in _SPECIAL[isinstance(encoder, BertModel)])
        self.has_types = isinstance(encoder, BertModel)
        self.padding = tokenizer.token_to_id("[PAD]" if self.has_types else "<pad>")

    def forward(self, pieces: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        given = {"token_type_ids": types} if self.has_types else {}
        states = self.encoder(input_ids=pieces, attention_mask=mask, **given).last_hidden_state
        return self.out(self.dropout(F.gelu(self.hidden(states[:, 0]))))  # type: ignore[no-any-return]


_SPECIAL = {True: ("[CLS]", "[SEP]"), False: ("<s>", "</s>")}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("bases", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--without", nargs="*", default=[], help="authors and projects to leave out")
    parser.add_argument("--teacher", type=Path, help="the larger model's answers")
    parser.add_argument("--small", action="store_true")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    left_out = set(given.without)
    lines = map(json.loads, given.data.read_text().splitlines())
    examples = [line for line in lines if not {line["author"], line["project"]} & left_out]
    if given.small:
        examples = examples[:: len(examples) // 16]
    if given.teacher and given.teacher.exists():
        answers = np.load(given.teacher)
        if len(answers) != len(examples):
            raise SystemExit(f"{given.teacher} has answers for {len(answers)} pairs, not for {len(examples)}")
    else:
        answers = answer(given.bases, examples)
        if given.teacher:
            np.save(given.teacher, answers)
    student = open_base(given.bases, STUDENT.base)
    train(student, examples, STUDENT, answers)
    tensors = tensors_of(student)
    write_tensors({"word_emb": tensors.pop("word_emb")}, given.out / "reader_words.npz")
    write_tensors(tensors, given.out / "reader_layers.npz")


def answer(bases: Path, examples: Sequence[dict[str, Any]]) -> Scores:
    """The larger model's answers for each fold, learned from the others."""
    answers = np.zeros((len(examples), 5), dtype=np.float32)
    folds = _folds(examples)
    for fold in range(_FOLDS):
        theirs = [place for place, one in enumerate(folds) if one == fold]
        teacher = open_base(bases, TEACHER.base)
        train(teacher, [one for one, its in zip(examples, folds, strict=True) if its != fold], TEACHER)
        answers[theirs] = predict(teacher, [(examples[place]["a"], examples[place]["b"]) for place in theirs])
        del teacher
    return answers


def _folds(examples: Sequence[dict[str, Any]]) -> list[int]:
    """Texts of one author, project or question are in the same fold: what a model has seen, it only repeats."""
    keys = [one["author"] if one["source"] == "groups" else one["project"] or one["a"] for one in examples]
    place = {key: number for number, key in enumerate(sorted(set(keys)))}
    return [place[key] % _FOLDS for key in keys]


def open_base(bases: Path, name: str) -> Reader:
    """Open a base model; what it does not have is initialized from the seed."""
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    config = json.loads((bases / f"{name}_config.json").read_text())
    known = {key: value for key, value in config.items() if key not in ("architectures", "model_type", "torch_dtype")}
    encoder = (
        MPNetModel(MPNetConfig(**known), add_pooling_layer=False)
        if config["model_type"] == "mpnet"
        else BertModel(BertConfig(**known), add_pooling_layer=False)
    )
    state = {key: torch.tensor(array) for key, array in read_tensors(bases / f"{name}.npz").items()}
    missing = encoder.load_state_dict(state, strict=False).missing_keys
    if any("position_ids" not in key for key in missing):
        raise SystemExit(f"{name} lacks {missing}")
    tokenizer = Tokenizer.from_file(str(bases / f"{name}_tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return Reader(encoder, tokenizer).to(device())


def device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def train(model: Reader, examples: Sequence[dict[str, Any]], recipe: Recipe, teacher: Scores | None = None) -> None:
    encoded = encode(model, [(one["a"], one["b"]) for one in examples])
    tasks = np.array([TASKS.index(one["task"]) for one in examples])
    labels = np.array([one["label"] for one in examples])
    weights = np.array([one["weight"] for one in examples], dtype=np.float32)
    size = min(BATCH, len(examples))
    steps = max(1, int(recipe.epochs * len(examples) / size))
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=0.01, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min((step + 1) / (WARM_UP * steps + 1), max(0.0, (steps - step) / (steps * (1 - WARM_UP)))),
    )
    model.train()
    for step, chosen in zip(range(steps), _batches([len(pieces) for pieces, _ in encoded], size), strict=False):
        with torch.autocast(device(), torch.bfloat16, enabled=device() == "cuda"):
            scores = model(*_padded(model, [encoded[at] for at in chosen]))
        loss = _loss(scores.float(), *(_on_device(values[chosen]) for values in (tasks, labels, weights)))
        if teacher is not None:
            wanted = _on_device(teacher[chosen])
            loss = (1 - _IMITATION) * loss + _IMITATION * _imitation(scores.float(), wanted)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 300 == 0:
            print(f"{recipe.base}: step {step} of {steps}, loss {loss.item():.3f}", flush=True)


@torch.no_grad()
def predict(model: Reader, pairs: Sequence[tuple[str, str]], size: int = 512, tokens: int = TOKENS) -> Scores:
    model.eval()
    encoded = encode(model, pairs, tokens)
    scores = np.zeros((len(pairs), 5), dtype=np.float32)
    order = sorted(range(len(pairs)), key=lambda at: len(encoded[at][0]))
    for start in range(0, len(order), size):
        some = order[start : start + size]
        with torch.autocast(device(), torch.bfloat16, enabled=device() == "cuda"):
            scores[some] = model(*_padded(model, [encoded[at] for at in some])).float().cpu().numpy()
    scores[:, :2] = np.clip(scores[:, :2], -_CERTAIN, _CERTAIN)
    return scores


def encode(model: Reader, pairs: Sequence[tuple[str, str]], tokens: int = TOKENS) -> list[Encoded]:
    """Token ids of each pair. A long first text keeps its start and its end."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    found = model.tokenizer.encode_batch(texts, add_special_tokens=False)
    ids = {text: one.ids[:tokens] for text, one in zip(texts, found, strict=True)}
    ends = {text: one.ids[-FIRST_TOKENS // 2 :] for text, one in zip(texts, found, strict=True)}
    between = [model.end] if model.has_types else [model.end, model.end]
    encoded = []
    for first, second in pairs:
        head = ids[first]
        if len(head) > FIRST_TOKENS:
            head = [*head[: FIRST_TOKENS // 2], *ends[first]]
        head = [model.start, *head, *between]
        pieces = [*head, *ids[second][: tokens - len(head) - 1], model.end]
        encoded.append((np.array(pieces), len(head)))
    return encoded


def _padded(model: Reader, encoded: Sequence[Encoded]) -> tuple[Tensor, Tensor, Tensor]:
    length = (max(len(text) for text, _ in encoded) + 7) // 8 * 8
    pieces = np.full((len(encoded), length), model.padding)
    for row, (text, _) in enumerate(encoded):
        pieces[row, : len(text)] = text
    places = np.arange(length)
    mask = places < np.array([len(text) for text, _ in encoded])[:, None]
    types = mask & (places >= np.array([head for _, head in encoded])[:, None])
    return _on_device(pieces), _on_device(mask.astype(np.int64)), _on_device(types.astype(np.int64))


def _on_device(array: NDArray[Any]) -> Tensor:
    """Pinned memory lets the next batch be prepared while the GPU works on this one."""
    tensor = torch.from_numpy(array)
    return tensor.pin_memory().to("cuda", non_blocking=True) if device() == "cuda" else tensor


def _batches(lengths: Sequence[int], size: int) -> Iterator[list[int]]:
    """Batches of texts of like length, in random order, for ever."""
    while True:
        order = list(range(len(lengths)))
        random.shuffle(order)
        batches = []
        for start in range(0, len(order), size * 40):
            some = sorted(order[start : start + size * 40], key=lambda at: lengths[at])
            batches += [some[at : at + size] for at in range(0, len(some), size)]
        random.shuffle(batches)
        yield from batches


def _loss(scores: Tensor, tasks: Tensor, labels: Tensor, weights: Tensor) -> Tensor:
    is_pair = tasks == TASKS.index("pair")
    given = scores.gather(1, tasks.clamp(max=1)[:, None])[:, 0]
    binary = F.binary_cross_entropy_with_logits(given, labels.clamp(max=1).float(), reduction="none")
    relation = F.cross_entropy(scores[:, 2:], labels, reduction="none")
    return (torch.where(is_pair, relation, binary) * weights).sum() / weights.sum()


def _imitation(scores: Tensor, wanted: Tensor) -> Tensor:
    """How far all outputs are from the larger model's."""
    binary = F.binary_cross_entropy_with_logits(scores[:, :2], torch.sigmoid(wanted[:, :2]))
    return binary - (F.softmax(wanted[:, 2:], -1) * F.log_softmax(scores[:, 2:], -1)).sum(-1).mean()


def tensors_of(model: Reader) -> Tensors:
    """The tensors under short names; query, key and value of a layer are one matrix."""
    state = {name: tensor.detach().float().cpu().numpy() for name, tensor in model.state_dict().items()}
    return {short: np.concatenate([state[name] for name in names]) for short, names in _names(model).items()}


def restore(model: Reader, tensors: Tensors) -> None:
    """Replace the model's weights by stored ones."""
    state = {}
    for short, names in _names(model).items():
        state |= dict(zip(names, np.split(tensors[short], len(names)), strict=True))
    model.load_state_dict({name: torch.tensor(array) for name, array in state.items()})


def _names(model: Reader) -> dict[str, list[str]]:
    """The short name of each stored tensor, and the names of the model's tensors that it is made of."""
    names = {short: [f"encoder.embeddings.{name}"] for short, name in _EMBEDDINGS.items()}
    for number in range(model.encoder.config.num_hidden_layers):  # type: ignore[union-attr,arg-type]
        layer = f"encoder.encoder.layer.{number}."
        for kind, end in (("w", "weight"), ("b", "bias")):
            mixed = [f"{layer}attention.self.{one}.{end}" for one in ("query", "key", "value")]
            names[f"l{number}.qkv.{kind}"] = mixed
            names |= {f"l{number}.{short}.{kind}": [f"{layer}{name}.{end}"] for short, name in _PARTS.items()}
    for name in ("hidden", "out"):
        names |= {f"{name}.w": [f"{name}.weight"], f"{name}.b": [f"{name}.bias"]}
    return names


_EMBEDDINGS = {
    "word_emb": "word_embeddings.weight",
    "pos_emb": "position_embeddings.weight",
    "type_emb": "token_type_embeddings.weight",
    "emb_ln.w": "LayerNorm.weight",
    "emb_ln.b": "LayerNorm.bias",
}
_PARTS = {
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "f1": "intermediate.dense",
    "f2": "output.dense",
    "fln": "output.LayerNorm",
}


if __name__ == "__main__":
    main()
