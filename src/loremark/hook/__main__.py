"""``python -m loremark.hook``: the hook without the rest of the command."""

from __future__ import annotations

import sys

from loremark.hook.hook import main

if __name__ == "__main__":
    main(sys.argv[1:])
