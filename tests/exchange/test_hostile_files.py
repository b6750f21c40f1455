"""Hostile input files: readers don't hang, don't read other files, and don't crash."""

from __future__ import annotations

import io
import json
import os
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loremark.exchange import adr, basic_memory, detection, files, instructions, mem0
from loremark.exchange.chunks import InvalidFileError, read_lines, split_chunks
from loremark.exchange.frontmatter import get_list, get_text, split_frontmatter
from loremark.exchange.notes import schema_key, to_event
from tests.exchange import samples
from tests.exchange.test_readers import notes_in
from tests.growth import assert_subquadratic_on
from tests.support.properties import examples


def test_symlinks_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "outside" / "CLAUDE.md"
    secret.parent.mkdir()
    secret.write_text("# Private\nNobody may read this in a repository.\n")
    repository = tmp_path / "repository"
    (repository / ".cursor").mkdir(parents=True)
    (repository / "CLAUDE.md").symlink_to(secret)
    (repository / ".cursor" / "rules").symlink_to(secret.parent)
    (repository / "memory-bank").symlink_to(secret.parent)
    (secret.parent / "adr").mkdir()
    (secret.parent / "adr" / "0001-private.md").write_text("# 1. Private\n## Context\nA\n## Decision\nB\n")
    (secret.parent / "copilot-instructions.md").write_text(secret.read_text())
    for name in ("docs", ".github", ".claude"):
        (repository / name).symlink_to(secret.parent)
    (repository / "AGENTS.md").write_text("# Ours\nThis is what the repository says itself.\n")
    (repository / "GEMINI.md").symlink_to("AGENTS.md")
    assert [note.title for note in notes_in(repository)] == ["Ours"]
    assert [note.title for note in notes_in(repository / "GEMINI.md")] == ["Ours"]
    assert [note.title for note in notes_in(repository / ".." / "outside" / "CLAUDE.md")] == ["Private"]


@pytest.mark.parametrize("name", ["CLAUDE.md", "memory-bank", "docs/adr"])
def test_a_symlink_out_of_the_repository_is_refused_even_if_named(tmp_path: Path, name: str) -> None:
    outside, repository = tmp_path / "outside", tmp_path / "repository"
    (outside / "adr").mkdir(parents=True)
    (outside / "CLAUDE.md").write_text("# Private\nNobody may read this in a repository.\n")
    (repository / ".git").mkdir(parents=True)
    (repository / "CLAUDE.md").symlink_to(outside / "CLAUDE.md")
    for folder in ("memory-bank", "docs"):
        (repository / folder).symlink_to(outside)
    for named in (detection.detect, lambda path: detection.named_source("cline", path)):
        with pytest.raises(InvalidFileError, match="is a symlink that points outside repository"):
            named(repository / name)
    (repository / ".git").rmdir()
    if "/" not in name:
        with pytest.raises(InvalidFileError, match="is a symlink that points outside repository"):
            detection.detect(repository / name)


def test_pipes_and_folders_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "AGENTS.md")
    (tmp_path / "CLAUDE.md").mkdir()
    assert detection.detect(tmp_path) == []
    with pytest.raises(InvalidFileError):
        detection.detect(tmp_path / "AGENTS.md")


def test_invalid_bytes_deep_nesting_and_huge_lines_are_skipped(tmp_path: Path) -> None:
    file = samples.claude_transcript(tmp_path)
    good = file.read_bytes().splitlines(keepends=True)
    bad = [
        b"\xff\xfe\x00\n",
        b'{"a":' * 100_000 + b"\n",
        b'{"type":"user","sessionId":"5f0c","message":{"content":' + b"9" * 5_000 + b"}}\n",
        b'{"type":"user","sessionId":7,"message":[[]],"cwd":{}}\n',
        b'{"x":"' + b"y" * (files.LINE_BYTES + 10) + b'"}\n',
        b"null\n[]\n3\n",
    ]
    file.write_bytes(b"".join([*bad, *good, *bad]))
    (note,) = notes_in(file, "claude-code")
    assert "Redis it is." in str(note.extra["turns"])
    large = tmp_path / "AGENTS.md"
    large.write_bytes(b"# A\n" + b"x" * files.DOCUMENT_BYTES)
    with pytest.raises(InvalidFileError, match="larger than"):
        notes_in(large)
    with pytest.raises(InvalidFileError, match="too long"):
        list(split_chunks(read_lines(io.BytesIO(b"x" * 5_000_000))))


def test_a_malicious_database_runs_no_code_and_terminates(tmp_path: Path) -> None:
    path = tmp_path / "claude-mem.db"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE t (id)")
    endless = "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 'x' AS title FROM n"
    database.execute(f"CREATE VIEW observations AS {endless}")
    database.commit()
    database.close()
    assert notes_in(path, "claude-mem") == []
    path.write_bytes(path.read_bytes()[:1_000])
    with pytest.raises(InvalidFileError, match="can't be read"):
        notes_in(path)


def test_front_matter_is_read_as_plain_strings() -> None:
    head, body = split_frontmatter(
        "---\ntitle: 'It''s'\nrun: !!python/object:os.system [ls]\nref: *anchor\nlist: [a, 'b c']\nmore:\n  - x # no\n"
        "  - 'y'\nlong: >-\n  one\n  two\ndeep:\n  inner: 1\n: odd\n---\nText\n"
    )
    assert body == "Text\n"
    assert get_text(head, "run") == "!!python/object:os.system [ls]"
    assert (get_list(head, "list"), get_list(head, "more"), get_text(head, "long")) == (
        ["a", "b c"],
        ["x", "y"],
        "one two",
    )
    assert split_frontmatter("---\nnever: ends\n") == ({}, "---\nnever: ends\n")


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet=st.sampled_from("-#[](): \n`~>*ab\"'!|x0#<!—é\0\u2028"), max_size=400))
def test_every_reader_accepts_any_text(text: str) -> None:
    found = [
        *instructions.read_document(text, "a.md"),
        adr.read_document(text, "a.md"),
        *basic_memory.read_document(text, "a.md"),
    ]
    assert isinstance(mem0.looks_like_markdown(text), bool)
    for note in found:
        first, second = to_event(note), to_event(note)
        assert first == second
        assert json.loads(json.dumps(first.payload)) == first.payload
        assert len((note.schema_key or "").split("/")) <= 8


def test_readers_run_in_linear_time() -> None:
    for text in (
        "- [" * 60_000,
        "---\n" * 60_000,
        "(" * 200_000,
        "# " * 100_000,
        "<!--" * 60_000,
        "<!-- loremark:begin --><!-- loremark:end -->" * 9_000,
        "a: b\n" * 50_000,
    ):
        assert_subquadratic_on(text, lambda part: list(instructions.read_document(part, "a.md")))
        assert_subquadratic_on(text, lambda part: adr.read_document(part, "a.md"))
        assert_subquadratic_on(text, lambda part: list(basic_memory.read_document(part, "a.md")))
        assert_subquadratic_on(text, mem0.looks_like_markdown)


def test_schema_keys_contain_only_letters_digits_and_dashes() -> None:
    assert schema_key("../../etc/passwd", "Ünïcode – \n\0") == "root/untitled/untitled/etc/passwd/unicode"
