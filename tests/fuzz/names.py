"""The names of the fuzz targets, and of the files that some of them read.

Apart from the targets, because those import our code, which is instrumented for coverage when it is imported.
"""

from __future__ import annotations

NAMES = (
    *("source", "manifest", "file_names", "imported", "import_lines", "event", "payload", "session"),
    *("redaction", "model_answer", "hook", "patch", "configuration"),
)
SOURCES = (
    *("a.py", "a.js", "a.ts", "a.tsx", "a.go", "a.rs", "A.java", "A.cs", "a.rb", "a.php", "a.c", "a.cpp", "a.h"),
    *("A.vue", "A.svelte", "a.sql", "a.prisma", "a.proto", "a.graphql", "run"),
)
MANIFESTS = (
    *("package.json", "pyproject.toml", "pom.xml", "build.gradle", "build.gradle.kts", "Cargo.toml", "go.mod"),
    *("Gemfile", "composer.json", "a.csproj", "requirements.txt", "setup.py", "setup.cfg", "Pipfile"),
    *("package-lock.json", "poetry.lock", "yarn.lock", "pnpm-lock.yaml", "Cargo.lock", "go.sum", "Gemfile.lock"),
    *("docker-compose.yml", "Dockerfile", ".github/workflows/ci.yml", "k8s/app.yaml", "main.tf", "Makefile"),
    *("Procfile", "README.md", "docs/adr/0001-a.md", ".env", "mix.exs", "pubspec.yaml", "Package.swift"),
)
IMPORTS = (
    *("CLAUDE.md", "AGENTS.md", "a.jsonl", "a.json", "a.md", "0001-a.md", "memory-bank/activeContext.md"),
    *("docs/adr/0001-a.md", ".cursor/rules/a.mdc"),
)
