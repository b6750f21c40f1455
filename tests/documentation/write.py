"""``make docs``: writes the generated pages."""

from __future__ import annotations

from tests.documentation.pages import PAGES, REFERENCE


def main() -> None:
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for name, make in PAGES.items():
        (REFERENCE / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
