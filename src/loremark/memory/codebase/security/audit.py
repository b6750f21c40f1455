"""Tells what was found in all files together: one finding a rule, and one a file for the worst secrets."""

from __future__ import annotations

from collections.abc import Mapping

from loremark.memory.codebase.records import FileFacts, Finding, Hit

MOST_FINDINGS = 60
_MOST_PLACES = 20
_MOST_FILES = 50
_MOST_PATH_CHARS = 200
_CRITICAL = 5
_TRIAL_SEVERITY = 2

_TITLES = {
    "secret": "Secret in the code",
    "dangerous-call": "Dangerous call",
    "weak-crypto": "Weak cryptography",
    "injection": "Injection",
    "debug": "Debugging left on",
    "exposed-config": "Open configuration",
    "transport": "Unprotected transport",
}
_REMEDIES = {
    "secret": "Take it as known to others: replace it with a new one, read that from the environment or a secret "
    "store; the old one stays in the history.",
    "dangerous-call": "See where the argument comes from; use the safe form of the call, or a fixed list of what may "
    "be called.",
    "weak-crypto": "Use what is made for it: argon2 or bcrypt for passwords, AES-GCM for data, the system's secure "
    "random for tokens.",
    "injection": "Pass values as parameters instead of building text; escape what must be built; allow names only "
    "from a list.",
    "debug": "Switch it off by default, and on only by the environment of a developer.",
    "exposed-config": "Close it to those who need it, and keep the file out of the repository if it holds more than "
    "settings.",
    "transport": "Use https and leave the check of certificates on; trust an own authority by adding it, not by "
    "switching off.",
}
_Place = tuple[str, Hit]


def audit(files: Mapping[str, FileFacts]) -> tuple[Finding, ...]:
    """The most severe first; nothing where nothing was found."""
    groups: dict[tuple[str, ...], list[_Place]] = {}
    for path in sorted(files):
        for hit in files[path].hits:
            groups.setdefault(_group(path, hit), []).append((path, hit))
    findings = [_finding(key, places) for key, places in groups.items()]
    findings.sort(key=lambda finding: (-finding.importance, finding.tags, finding.title))
    return tuple(findings[:MOST_FINDINGS])


def _group(path: str, hit: Hit) -> tuple[str, ...]:
    if hit.kind == "secret" and hit.severity >= _CRITICAL:
        return ("file", path)
    if hit.kind == "secret" and hit.severity <= _TRIAL_SEVERITY:
        return ("trial",)
    # Tests and examples do not push a rule's real places out of its list.
    return ("trial-rule" if hit.severity <= _TRIAL_SEVERITY else "rule", hit.kind, hit.rule)


def _finding(key: tuple[str, ...], places: list[_Place]) -> Finding:
    places = sorted(places, key=lambda place: (-place[1].severity, place[0], place[1].line, place[1].rule))
    first = places[0][1]
    rules = sorted({hit.rule for _, hit in places})
    if key[0] == "trial":
        importance, title = 1, "Passwords and keys in tests and examples"
        todo = "Make sure that none of them opens anything real; made-up values may stay."
    else:
        importance, todo = first.severity, _REMEDIES[first.kind]
        what = f"in {_shown(places[0][0])}" if key[0] == "file" else first.rule.replace("-", " ")
        title = f"{_TITLES[first.kind]} {what}" if key[0] == "file" else f"{_TITLES[first.kind]}: {what}"
        title += " (tests, examples or minor)" if key[0] == "trial-rule" else ""
    tags = (first.kind, *(rules[:5] if key[0] in ("file", "trial") else (first.rule,)))
    names = tuple(dict.fromkeys(path for path, _ in places))[:_MOST_FILES]
    return Finding("security", title, _content(places, todo), importance, names, tags)


def _content(places: list[_Place], todo: str) -> str:
    whys = list(dict.fromkeys(hit.why for _, hit in places))[:3]
    rows = [f"- `{_shown(path)}:{hit.line}` ({hit.rule})" for path, hit in places[:_MOST_PLACES]]
    if len(places) > _MOST_PLACES:
        rows.append(f"- and {len(places) - _MOST_PLACES} more")
    return "\n".join([*whys, "", *rows, "", f"**What to do:** {todo}"])


def _shown(path: str) -> str:
    """A path that can break neither out of its line nor out of its code quotes."""
    return "".join(letter if letter.isprintable() and letter != "`" else "?" for letter in path[:_MOST_PATH_CHARS])
