"""All tools, in the order that clients show them."""

from __future__ import annotations

from cairn.mcp.tool import AnyTool
from cairn.mcp.tools.asking import ASK
from cairn.mcp.tools.contexts import CONTEXT, TREE
from cairn.mcp.tools.items import DEPRECATE, ITEM
from cairn.mcp.tools.reading import BRIEF, FILES, SEARCH
from cairn.mcp.tools.saving import PROPOSE, SAVE
from cairn.mcp.tools.upkeep import EVAL, GENESIS, HYGIENE

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
