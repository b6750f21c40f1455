"""All tools, in display order."""

from __future__ import annotations

from loremark.mcp.tool import AnyTool
from loremark.mcp.tools.ask import ASK
from loremark.mcp.tools.contexts import CONTEXT, TREE
from loremark.mcp.tools.items import DEPRECATE, ITEM
from loremark.mcp.tools.lookup import BRIEF, FILES, SEARCH
from loremark.mcp.tools.maintenance import EVAL, GENESIS, HYGIENE
from loremark.mcp.tools.save import PROPOSE, SAVE

TOOLS: tuple[AnyTool, ...] = (
    BRIEF,
    SEARCH,
    ASK,
    FILES,
    SAVE,
    ITEM,
    PROPOSE,
    DEPRECATE,
    TREE,
    CONTEXT,
    GENESIS,
    HYGIENE,
    EVAL,
)
BY_NAME: dict[str, AnyTool] = {tool.name: tool for tool in TOOLS}
