"""Signs read from documents and settings files."""

from __future__ import annotations

import pytest

from loremark.memory.codebase.documents import read_document
from tests.growth import assert_subquadratic_on

README = """---
title: ignored
---
<!-- a comment with # heading -->
<p align="center"><img src="logo.png" alt="Logo"></p>

# Larder [![Build](https://ci.example.com/b.svg)](https://ci.example.com) ![Coverage](https://c.example.com/x.svg)

[English](README.md) | [Deutsch](README.de.md) | [日本語](README.ja.md)

> **Note**: we moved to another chat.

**Larder** keeps the stock of *small* kitchens for [cooks](https://example.com) and their `helpers` :rocket:. It warns
before something runs out. It consists of:

- a server
- an app

## Features

* Warns by mail, e.g. of [milk](https://example.com/milk)
* Counts **everything**

```sh
# not a heading
npm install
```
"""


def test_readme_yields_name_lead_and_features_without_markup() -> None:
    signs = read_document("README.md", README)
    assert signs["heading"] == "Larder"
    assert signs["lead"] == (
        "Larder keeps the stock of small kitchens for cooks and their `helpers` . It warns before something runs out."
    )
    assert signs["features"] == "Warns by mail, e.g. of milk; Counts everything"


def test_restructured_text_is_supported() -> None:
    content = """.. image:: https://example.com/badge.svg
   :target: https://example.com

======
Larder
======

Larder is a stock keeper for small kitchens, see the `site <https://example.com>`_ and :doc:`intro/start`.
"""
    signs = read_document("README.rst", content)
    assert signs["heading"] == "Larder"
    assert signs["lead"].startswith("Larder is a stock keeper for small kitchens, see the site and `intro/start`")


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        (
            "pyproject.toml",
            '[tool.ruff]\nline-length = 100\n[tool.ruff.lint]\nselect = ["E", "F"]\n[tool.mypy]\nstrict = true',
            {"tool:Ruff": "line length 100; rules E, F", "tool:mypy": "strict", "line-length": "100"},
        ),
        (".prettierrc", '{"printWidth": 90, "singleQuote": true, "semi": false}', {"quotes": "single"}),
        (".prettierrc.yaml", "printWidth: 90\nsingleQuote: false\n", {"line-length": "90", "quotes": "double"}),
        (".rubocop.yml", "Layout/LineLength:\n  Max: 99\n", {"tool:RuboCop": "line length 99"}),
        ("phpstan.neon", "parameters:\n  level: 6\n", {"tool:PHPStan": "level 6"}),
        (
            ".editorconfig",
            "root = true\n[*]\nindent_style = space\nindent_size = 2\n[*.py]\nindent_size = 4",
            {"indent": "2 spaces"},
        ),
        (
            "tsconfig.json",
            '{ // why\n "compilerOptions": {"strict": true, "paths": {"@/*": ["./src/*"]}} }',
            {"tool:TypeScript": "strict; `@/` is an alias for `./src/`"},
        ),
        (
            ".golangci.yml",
            "linters:\n  enable:\n    - errcheck\n    - govet # why\n",
            {"tool:golangci-lint": "linters errcheck, govet"},
        ),
        ("setup.cfg", "[flake8]\nmax-line-length = 88\n", {"tool:Flake8": "line length 88"}),
        ("Makefile", "VERSION := 1\n.PHONY: test\ntest: build\n\tpytest\nbuild:\n\tcc\n", {"targets": "test, build"}),
        (".env.example", "# Mail\nMAIL_HOST=localhost\n#MAIL_PORT=25\n", {"variables": "MAIL_HOST, MAIL_PORT"}),
        (
            "package.json",
            '{"name": "x", "bin": "dist/cli.js", "scripts": {"dev": "vite", "prepare": "husky"}}',
            {"target:x": "dist/cli.js", "command:dev": "vite"},
        ),
        (
            "LICENSE",
            "                    GNU GENERAL PUBLIC LICENSE\n     Version 2, "
            "June 1991\n … GNU Lesser General Public License",
            {"licence": "GPL-2.0"},
        ),
    ],
)
def test_tool_settings_are_described(path: str, content: str, expected: dict[str, str]) -> None:
    signs = read_document(path, content)
    assert {key: signs.get(key) for key in expected} == expected


def test_pipeline_yields_jobs_and_check_commands() -> None:
    content = """name: CI
on:
  push:
    branches: [main]
  pull_request:
jobs:
  lint:
    steps:
      - uses: actions/checkout@v4
      - run: pip install ruff
      - run: ruff check .
  test:
    steps:
      - name: Test
        run: |
          export A=1
          pytest -q tests
      - run: curl https://example.com/test
"""
    signs = read_document(".github/workflows/ci.yml", content)
    assert signs["jobs"] == "lint, test"
    assert signs["triggers"] == "push, pull_request"
    assert signs["runs"] == "ruff check ., pytest -q tests"


def test_contributor_guide_yields_its_requests() -> None:
    content = (
        "# Contributing\n\nHello there, friend of ours!\n\n- Run `make test` "
        "before you open a pull request.\n- We like tea.\n"
    )
    assert read_document("CONTRIBUTING.md", content)["hints"] == "Run `make test` before you open a pull request."


SETTINGS = "Makefile .prettierrc tsconfig.json .eslintrc.json pyproject.toml package.json .rubocop.yml .gitattributes"
PROSE = "README.md README.rst CONTRIBUTING.md LICENSE .github/workflows/a.yml"
HOSTILE = {
    "comments": "<!--" * 50_000,
    "brackets": "[" * 200_000,
    "images": "![a](" * 40_000,
    "tags": "<a " * 60_000,
    "emphasis": "**a" * 60_000,
    "links": "`a <" * 50_000,
    "commands": "- run: \\\n" * 30_000,
    "depth": '{"a":' * 50_000,
    "colons": "a: " * 60_000,
    "control": "\x00\u202e" * 50_000,
    "rule": "=" * 200_000,
    "headings": "x\n=====\n" * 25_000,
    "gaps": "[a]" + "\n" * 90_000,
}


@pytest.mark.parametrize("path", [*SETTINGS.split(), *PROSE.split()])
@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.sampled
def test_hostile_documents_are_cheap_and_bounded(path: str, content: str) -> None:
    assert_subquadratic_on(content, lambda text: read_document(path, text))
    signs = read_document(path, content)
    assert len(signs) < 60
    assert all(0 < len(value) <= 500 and "\x00" not in value for value in signs.values())
