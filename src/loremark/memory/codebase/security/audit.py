"""Groups security hits into findings: one per rule, and one per file for critical secrets."""

from __future__ import annotations

from collections.abc import Mapping

from loremark.memory.codebase.records import FileFacts, Finding, Hit

MAX_FINDINGS = 60
_MAX_PLACES = 20
_MAX_FILES = 50
_MAX_PATH_CHARS = 200
_CRITICAL = 5
_TRIAL_SEVERITY = 2

_TITLES = {
    "secret": "Hard-coded secret",
    "dangerous-call": "Dangerous call",
    "weak-crypto": "Weak cryptography",
    "injection": "Injection",
    "debug": "Debug mode enabled",
    "exposed-config": "Exposed configuration",
    "transport": "Insecure transport",
}
_REMEDIES = {
    "secret": "Assume it has leaked: rotate it, and load the new one from the environment or a secret store. The old "
    "one stays in the Git history.",
    "dangerous-call": "Check where the argument comes from. Use the safe variant of the call, or allow only a fixed "
    "list of values.",
    "weak-crypto": "Use Argon2 or bcrypt for passwords, AES-GCM for data, and a cryptographically secure random "
    "generator for tokens.",
    "injection": "Pass values as parameters instead of concatenating strings. Escape what you must concatenate, and "
    "allow names only from a fixed list.",
    "debug": "Turn it off by default, and enable it only in development environments.",
    "exposed-config": "Restrict access to those who need it. If the file contains secrets, remove it from the "
    "repository.",
    "transport": "Use HTTPS and keep certificate verification on. To trust a private CA, add it instead of disabling "
    "verification.",
}
_Place = tuple[str, Hit]


def audit(files: Mapping[str, FileFacts]) -> tuple[Finding, ...]:
    """Security findings, the most severe first."""
    groups: dict[tuple[str, ...], list[_Place]] = {}
    for path in sorted(files):
        for hit in files[path].hits:
            groups.setdefault(_group(path, hit), []).append((path, hit))
    findings = [_finding(key, places) for key, places in groups.items()]
    findings.sort(key=lambda finding: (-finding.importance, finding.tags, finding.title))
    return tuple(findings[:MAX_FINDINGS])


def _group(path: str, hit: Hit) -> tuple[str, ...]:
    if hit.kind == "secret" and hit.severity >= _CRITICAL:
        return ("file", path)
    if hit.kind == "secret" and hit.severity <= _TRIAL_SEVERITY:
        return ("trial",)
    # Tests and examples must not crowd out a rule's real locations.
    return ("trial-rule" if hit.severity <= _TRIAL_SEVERITY else "rule", hit.kind, hit.rule)


def _finding(key: tuple[str, ...], places: list[_Place]) -> Finding:
    places = sorted(places, key=lambda place: (-place[1].severity, place[0], place[1].line, place[1].rule))
    first = places[0][1]
    rules = sorted({hit.rule for _, hit in places})
    if key[0] == "trial":
        importance, title = 1, "Passwords and keys in tests and examples"
        todo = "Make sure none of them works anywhere real. Made-up values can stay."
    else:
        importance, todo = first.severity, _REMEDIES[first.kind]
        what = f"in {_shown(places[0][0])}" if key[0] == "file" else first.rule.replace("-", " ")
        title = f"{_TITLES[first.kind]} {what}" if key[0] == "file" else f"{_TITLES[first.kind]}: {what}"
        title += " (tests, examples or low severity)" if key[0] == "trial-rule" else ""
    tags = (first.kind, *(rules[:5] if key[0] in ("file", "trial") else (first.rule,)))
    names = tuple(dict.fromkeys(path for path, _ in places))[:_MAX_FILES]
    return Finding("security", title, _content(places, todo), importance, names, tags)


def _content(places: list[_Place], todo: str) -> str:
    whys = list(dict.fromkeys(hit.why for _, hit in places))[:3]
    rows = [f"- `{_shown(path)}:{hit.line}` ({hit.rule})" for path, hit in places[:_MAX_PLACES]]
    if len(places) > _MAX_PLACES:
        rows.append(f"- and {len(places) - _MAX_PLACES} more")
    return "\n".join([*whys, "", *rows, "", f"**What to do:** {todo}"])


def _shown(path: str) -> str:
    """The path, escaped so that it cannot break out of its line or backticks."""
    return "".join(letter if letter.isprintable() and letter != "`" else "?" for letter in path[:_MAX_PATH_CHARS])
