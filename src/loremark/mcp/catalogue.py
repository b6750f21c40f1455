"""All tools, in the order that clients show them."""

from __future__ import annotations

from loremark.mcp.tool import AnyTool
from loremark.mcp.tools.asking import ASK
from loremark.mcp.tools.contexts import CONTEXT, TREE
from loremark.mcp.tools.items import DEPRECATE, ITEM
from loremark.mcp.tools.reading import BRIEF, FILES, SEARCH
from loremark.mcp.tools.saving import PROPOSE, SAVE
from loremark.mcp.tools.upkeep import EVAL, GENESIS, HYGIENE

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
