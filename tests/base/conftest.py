"""Properties here have no deadline: the machine that runs them may be busy."""

from __future__ import annotations

import hypothesis

hypothesis.settings.register_profile("loremark", deadline=None, print_blob=True)
hypothesis.settings.load_profile("loremark")
