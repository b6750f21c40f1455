"""Run ``loremark mcp`` as ``python -m loremark.mcp``."""

from __future__ import annotations

import sys

from loremark.mcp.bridge import main

sys.exit(main(sys.argv[1:]))
