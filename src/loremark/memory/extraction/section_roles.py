"""What the sections of a document are for, by their headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from loremark.wire.items import ItemType

Role = Literal[
    "decisions", "issues", "tasks", "rules", "commands", "architecture", "overview", "inventory", "report", "other"
]

TYPE_OF_ROLE: dict[Role, ItemType] = {
    "decisions": "decision",
    "issues": "bug",
    "tasks": "todo",
    "rules": "convention",
    "commands": "convention",
    "architecture": "architecture",
    "overview": "architecture",
    "inventory": "codemap",
}
_LEFT_OUT: tuple[Role, ...] = ("report", "inventory", "overview")
_COVERING: tuple[Role, ...] = ("decisions", "issues", "rules", "inventory")
# The first role that a heading names is its role. Only headings are read this way, never sentences.
_WORDS: tuple[tuple[Role, str], ...] = (
    ("report", r"(?:for )?future|upcoming|open questions|under consideration"),
    ("decisions", r"decisions?|adrs?|trade-?offs?"),
    ("issues", r"(?:known|common|current|open) (?:\w+ )?(?:issues?|problems?|bugs?|limitations?|pitfalls?|mistakes)"),
    ("issues", r"gotchas?|pitfalls?|quirks|troubleshooting|caveats?|(?:\w+ )?(?:bugs|issues|limitations)$"),
    (
        "report",
        r"memory bank|(?:active|session) context|change ?log|history|recent(?:ly)?|completed?|done|what works|status",
    ),
    ("report", r"(?:current|project|build) (?:focus|state|work|tasks?|phase|goals?|priorities)|summary|results"),
    ("report", r"reports?|progress|achievements?|milestones?|roadmap|timeline|reflections?|archive|success \w+"),
    ("report", r"(?:implementation |test )?plan(?:s|ning)?|proposals?|recommendations?|phase|sprint|week|day"),
    ("tasks", r"to-?dos?|next (?:steps?|up|tasks?)|backlog|remaining(?: work| tasks)?|tech(?:nical)? debt"),
    ("inventory", r"structure|layout|(?:project|code|file|folder|repo(?:sitory)?) (?:organi[sz]ation|tree)"),
    ("inventory", r"(?:key |important |main )?(?:files|directories|folders)|(?:tech\w* )?stack|technologies"),
    ("inventory", r"dependencies|libraries|references?|links|resources|further reading|related|documentation$"),
    ("inventory", r"install(?:ation|ing)?|prerequisites|where to (?:look|find)"),
    ("rules", r"conventions?|rules?|guidelines?|guidance|standards?|styles?|practices|principles|policy|policies"),
    ("rules", r"don'?ts?|must|never|always|preferences|constraints|anti-?patterns?|workflows?|naming|formatting"),
    ("rules", r"error handling|lessons?|learnings?|insights|security|commits?|pull requests?|code reviews?"),
    ("commands", r"commands?|build(?:s|ing)?|setup|run|running|usage|development|scripts|environment"),
    ("commands", r"deploy(?:ment|ing)?|releas(?:e|es|ing)|test(?:s|ing)?|lint(?:ing)?|ci"),
    ("overview", r"(?:project|product) ?(?:overview|description|brief|context)|about|introduction|description"),
    ("report", r"purpose|goals?|vision|mission|background|features?|users?|problems?|scope|benefits"),
    ("architecture", r"architectur\w*|overview|design|components?|data ?flow|how it works|infrastructure|hardware"),
    ("architecture", r"integrations?"),
)
_FORMS = tuple((role, re.compile(rf"(?<![\w-])(?:{words})(?![\w-])")) for role, words in _WORDS)
_GENERIC = re.compile(
    r"(?:(?:the|key|core|critical|important|general|other|basic|specific|project|mandatory|additional)(?: and)? )*"
    r"(?:rules?|guidelines?|conventions?|instructions?|notes?|important|critical|general|misc|overview|details?|summary"
    r"|introduction|requirements?|guide|examples?|other|tips|points|standards|principles|context|warning|info|decisions?"
    r"|background|description|implementation|pattern|rationale|always|mandatory|observations?)?"
)
_FILE_NAME = re.compile(
    r"\W{0,3}[\w.-]{1,40}\.(?:md|mdc|txt)\b|(?:claude|agents|gemini|cursor(?: ai)?)(?: rules| code)?\W*$", re.IGNORECASE
)
_NO_WORD = re.compile(r"[^\w\s'/&-]|^\W*(?:step |phase |part )?\d+(?:\.\d+)*[.):]?\s", re.IGNORECASE)
_SPLIT = re.compile(r"(?<=[a-z])(?=[A-Z])|[_/]+")


def role_of(headings: Sequence[str], file: str = "") -> Role:
    """The role that the innermost telling heading gives to a section; the first is that of the document.

    Decisions, issues and rules also cover the architecture described below them. In a report of work only these three
    last. A file can be such a report, or describe a product: then it holds decisions at most, and no rules.
    """
    roles = [_role_of_heading(heading, whole=place == 0) for place, heading in enumerate(headings)]
    role: Role = next((named for named in reversed(roles) if named != "other"), "other")
    if role in ("architecture", "overview"):
        role = next((above for above in reversed(roles[1:]) if above in _COVERING), role)
    kind = _role_of_heading(file)
    if kind == "report":
        return role if role == "decisions" else "report"
    if kind == "overview":
        return role if role not in ("rules", "commands", "other") else "overview"
    if "report" in roles and role not in ("decisions", "issues", "rules"):
        return "report"
    return role


def is_generic(heading: str) -> bool:
    """Whether a heading says nothing about its subject: "Rules", "Progress", "CLAUDE.md"."""
    if _FILE_NAME.match(heading) is not None or _GENERIC.fullmatch(_normalize(heading)) is not None:
        return True
    return _role_of_heading(heading, whole=True) == "report"


@lru_cache(maxsize=512)
def _role_of_heading(heading: str, *, whole: bool = False) -> Role:
    """``whole``: for what leaves out most of a text, a word is not enough. "Background jobs" is no background."""
    said = _normalize(heading)
    found = ((role, form.search(said)) for role, form in _FORMS)
    return next(
        (
            role
            for role, match in found
            if match is not None and not (whole and role in _LEFT_OUT and match.group() != said)
        ),
        "other",
    )


def _normalize(heading: str) -> str:
    """Lowercase words without numbers, symbols and camel case: ``techContext`` is "tech context"."""
    return " ".join(_SPLIT.sub(" ", _NO_WORD.sub(" ", heading[:120])).lower().split())
