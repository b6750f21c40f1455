"""``python -m loremark.hook``: run the hook without loading the rest of the CLI."""

from __future__ import annotations

import sys

from loremark.hook.hook import main

if __name__ == "__main__":
    main(sys.argv[1:])
