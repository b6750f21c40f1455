"""Messages are quoted and searched without what machines printed into them."""

from __future__ import annotations

import pytest

from loremark.memory.spoken_text import spoken_text
from tests.growth import assert_subquadratic_on

TALK = """The health check failed because the server listened on localhost.

I set `HOST=0.0.0.0` in `railway.toml`. Run it with:

```sh
npm run start:prod
```

Timeouts must grow outward: agent 120 s, route 130 s, page 140 s."""


def test_sentences_commands_and_literals_stay() -> None:
    assert spoken_text(TALK) == TALK


@pytest.mark.parametrize(
    "printed",
    [
        "```ts\n" + "const server = await start({ port: 3000 });\n" * 6 + "```",
        "```diff\n@@ -1,2 +1,2 @@\n-const a = 1;\n+const a = 2;\n```",
        "*** Begin Patch\n*** Update File: src/app.ts\n+ export const port = 3000;\n*** End Patch",
        "<details>\n<summary>Tool use: read_file</summary>\n\nSome long text that the tool returned.\n</details>",
        "<think>Maybe the port is taken. Let me look.</think>",
        "2026-11-03T10:15:32.001Z ERROR http status=503 route=/api/ingest took=1002ms",
        "    at Server.listen (node:net:1872:16)\n    at Object.<anonymous> (/app/dist/server.js:41:9)",
        "| File | Lines |\n|------|-------|\n| src/a.ts | 12 |",
        "\n".join(f"src/part{number}.ts" for number in range(12)),
        "export const x = (a: number): number => a * 2;",
    ],
)
def test_tool_output_code_logs_and_tables_go(printed: str) -> None:
    before, after = "The cause was a wrong port.", "We keep the default of three retries."
    assert spoken_text(f"{before}\n\n{printed}\n\n{after}").split() == f"{before} {after}".split()


def test_a_message_of_machine_text_alone_keeps_its_beginning() -> None:
    trace = "\n".join(f"    at frame{number} (/app/dist/server.js:{number}:9)" for number in range(50))
    assert spoken_text(trace) == trace.strip()[:300]


@pytest.mark.parametrize("text", ["东京的数据库只有一个写入者。", "Сервер слушает порт 8080, а не 3000.", ""])
def test_other_scripts_and_empty_texts_stay(text: str) -> None:
    assert spoken_text(text) == text


@pytest.mark.parametrize("unit", ["<a>\n", "```\n", "*** Begin Patch\n", "<a b>x</c>\n", "~~~~ \n x\n", "| \n"])
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    assert_subquadratic_on(unit * 8_000, spoken_text)
