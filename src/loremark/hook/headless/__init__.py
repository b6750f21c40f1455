"""Ask the developer's own coding agent one question in the background, without tools.

The agent's settings, history and project list stay as they are: each call gets a private folder that is removed
afterwards. Login files stay where they are and are used from there.
"""

from loremark.hook.headless.answer import Answer, HeadlessFailed
from loremark.hook.headless.ask import SUPPORTED, ask, default_model, installed, title

__all__ = ["SUPPORTED", "Answer", "HeadlessFailed", "ask", "default_model", "installed", "title"]
