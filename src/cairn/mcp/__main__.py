"""``python -m cairn.mcp``."""

from __future__ import annotations

import sys

from cairn.mcp.bridge import main

sys.exit(main(sys.argv[1:]))
