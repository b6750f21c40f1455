"""Scores how durable a statement is: many weak features for a lasting fact, against those for a day's work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from loremark.memory.extraction.word_patterns import CaseInsensitivePattern, compile_phrases

_SEEN_CHARS = 1_500
_MAX_FIGURES = 3
_PASSING = -1.5
_TELLING = frozenset(("reason", "rule", "choice", "state", "behaviour", "lasting_change", "fault", "open_work"))

# A heading is a feature name and its weight. Each feature counts once.
_SIGNS = r"""
reason 1.5
    because|so that|since|due to|otherwise|therefore|hence|thus|caused?|causes|root cause|reason|as (?:it|they|we|the)
    turn(?:s|ed) out|which (?:means|meant|made|broke)|in order to|to (?:avoid|prevent|keep|stop|ensure)|weil
    damit|sonst
    parce que|car|à cause
rule 2.0
    must|never|always|only|nobody|no one|should|has to|have to|not allowed|forbidden|required|mandatory
    enforce[sd]?
    do not|don't|dont|can ?not|can't|may not|refuse[sd]?|(?<!no )rejects?|rule|convention|policy|nie|niemals|immer|muss
    nur|jamais
    toujours|règle|regel|by hand|banned|ever|not even|everywhere|forbids?
choice 2.0
    decided|decision|chose|agreed|we (?:go|take|use|keep|stay|drop|move|switch|ship|add)|instead of|rather than
    in favou?r
    no longer|not .{1,40} any ?more|back to|replaced?|settled|opted|in place of|at the place of|considered|overruled
    voted|off the table|not by|not with|not in the|not from|not on the
state 1.0
    (?:is|are|gets?|stays?|comes?|goes|go|runs? (?:on|in|as)|needs?|takes|exists?|can be|shows?|appears?|checks?)
    (?:has|have) (?:a|an|the|its|no|one|two|three)
    sont|ist|sind|kommen|werden
behaviour 1.3
    lives?|sits?|holds?|owns?|uses|reads|writes|keeps|sends|belongs?|depends?|maps?|contains?|serves?|returns?|publishes
    accepts?|expects|waits|sorts|expires?|follows?(?!-)|caches|syncs|validates?|loads|calls|stores|creates|handles|stored
    allows?|listens?|polls|delivers?|computes?|resolves?|wraps|emits?|starts (?:at|with|in)|begins?|ends (?:at|with|in)
lasting_change 1.2
    now|from now on|any ?more|is gone|are gone|per|each|every|until|by default|without|unless|via|through|over
    at most|at least|up to
fault 1.3
    bugs?|crash\w*|fail\w*|wrong\w*|lost|leak\w*|race|twice|duplicates?|missing|broken
    too (?:early|late|slow|expensive)
    stuck|froze\w*|silently|incident|outage|could not|did nothing|corrupt\w*|stale|off by|deadlock\w*|timed out
open_work 1.5
    todo|to do|still (?:missing|needs?|open|to)|before (?:the )?(?:release|launch|go-live)|outstanding|some ?day|fehlt
    needs? (?:a|an|the)|follow-?ups?
built 0.8
    (?:added|implemented|introduced|wired|extracted|built|wrote|support(?:s|ed)?|migrated|converted|rewritten|\
        moved|set)
"""
_VOLATILE = r"""
process_at_start 2.0 start
    (?:(?:have|i|we|i've|we've|today|then|also|just|again|meanwhile|and|ok|so|only)[, ]+){0,4}\
        (?:ran|tried|look(?:ed|ing)|check(?:ed|ing)|spent|deployed|review(?:ed|ing)|sync(?:ed|ing)|measured|recorded|\
        uploaded|delet(?:ed|ing)|rebased|paired|pair-programmed|played|triaged?|answered|read|installed|upgraded|\
        bumped|\
        tested|testing|comparing|continu(?:ed|ing)|did|debugg(?:ed|ing)|prepared|restarted|retried|squashed|\
        pushed|flashed|sold?ered|thinking|thought|talked|chatted|met|planned|planning|helped|opened|closed|watched|\
        cleaned|tidied|sorted|renamed|polished|tweaked|profiled|benchmarked|reproduced|poked|playing|\
        leaning|had to (?:restart|reboot|redo|rerun|reset)|experimented|\
        explored|investigated|addressed|merged|started|finished|reading|researched|onboarded|demoed|presented|\
        changed (?:my|nothing)|working|worked|refactored|collected|skimmed|browsed|walked|rolled out|shipped)
time 1.2
    today|tomorrow|yesterday|tonight|(?:this|next|last) (?:morning|afternoon|evening|week|month|sprint|session)
    (?:mon|tues|wednes|thurs|fri|satur|sun)day|lunch|afternoon|evening|vacation|holidays?|kw ?\d+|soon|so far
    heute|morgen|gestern|montag|freitag|aujourd'hui|demain|hier|lundi|jeudi|ce matin
    (?:two|three|\d+) (?:hours|days) on
people 1.2
    meeting|standup|call|slack|lgtm|slides|demo|feedback|ticket|prs?|mrs?|pull request|branch
    branches
    review comments|commented|reviewers?|asked|proud|thanks|kudos|retro|workshop|milestone|report|checklist|réunion
nothing 2.0
    nothing(?! (?:in|may|must|should|outside|else may|checks|validates|prevents|stops|limits))
    no (?:idea|outcome|opinion|answer|decision|change|changes|\
        code changes|regressions?|outage|progress|result)
    not (?:sure|yet|conclusive|finished)|none of|inconclusive|did not (?:convince|modify|help|change)|undecided
    no \w+ (?:yet|so far|found)|could not (?:reproduce|find)|cannot reproduce|not committed
    threw (?:it|the branch|that) away
    left everything|as it was|no conclusion|noch nicht|rien|pas fini|unclear|still (?:unclear|unknown|no)
hedge 1.5
    maybe|perhaps|might|probably|i think|i guess|seems?|possibly|suspect|wonder(?:ing)?|whether|could we|peut-être
progress 1.5
    not working|(?:try|attempt|trying) to fix|first version|wip|in progress|\d+ of \d+
    \d+ ?% (?:done|complete|converted)|half ?way|almost done|will (?:continue|merge|fix|sort|see|look|try)
    (?:we|i) (?:are|am|was|were) working|understood|plan with|estimat\w+|screenshots?|photos|numbers:|not started
    (?:was|were|been) in (?:calls|meetings)|what i did|i also searched|good overview|half of the|(?:got|was) restarted
    waiting|(?:is|are) scheduled|is running|are running|goes to the|want to look|next (?:step|i)|step \d+
    to be continued|tbc
    (?:the )?task (?:you|is|was|has)|(?:have|has) been (?:made|completed|done|updated|finished)
    i (?:have|'ve) (?:completed|updated)
    as (?:asked|requested)|let me know|zwischenstand|on verra|on surveille|weiter
own_desk 2.5
    (?:my|his|her) (?:machine|laptop|mac|pc|vm|ide|editor|eyes|local|branch|branches|environment)|reinstall\w*
status 1.5
    (?:all |ci |builds? |tests? |is |are |everything )+(?:green|red|passed|pass|passing|fine|ok)
    \d+/\d+ (?:passed|ok|green|done)
    (?<![\w.])\d+ (?:passed|failed|failures|tests?|changed|open|closed|warnings|errors|crashes|insertions|\
        packages?|records|\
        comments|stars|files|issues|tickets|suites|specs|commits)
    \d+:\d\d (?:instead|on|now)|rows loaded|was (?:loaded|renewed|rerun|re-run)
    smoke tests?|deployed|is live|rolled out|released|looks? (?:fine|good)|worked|dashboards (?:all )?green
    uptime|median|p9\d
    (?:minor|version|deps?|dependenc\w+) bump|bump(?:ed)? only|bumped
mood 1.5
    happy|mixed|nice|great|cool|coffee|yay|hm+|whatever|whoo+|phew|sigh|finally|weekend|🎉|🙌|🤷|🎊|🚀
small 1.5
    merge conflicts?|badges?|readability|code around|files around|small refactor\w*|translations from|typos?
    wording|whitespace|broken links?|dead links?|formatting|a bit|a little
    some (?:helpers?|more|small|minor|stuff)|minor|cosmetic|just needed|two variables|kleinkram
"""
_NAMED = re.compile(r"`[^`]{2,}`|\w/\w[\w/.-]*\w|\w\.(?:[a-z]{1,4})\b|[a-z][A-Z]|[a-z0-9]_[a-z]|\b[A-Z]{2,}\d*\b")
_PATH = re.compile(r"[\w.@-]+/[\w./\[\]-]+\w|\b[\w-]{3,}\.[a-z]{1,5}\b")
_FIGURE = re.compile(r"(?<![\w.])\d[\d.,:]*(?:\s?(?:%|ms|s|gb|tb|mb|k|x|h|min)\b)?", re.IGNORECASE)
_SETTING = re.compile(r"[\w)]\s?(?:=|→|->|=>)\s?\S")


def _table(text: str) -> Iterator[tuple[str, float, CaseInsensitivePattern]]:
    heading: list[str] = []
    lines: list[str] = []
    for line in [*text.strip().splitlines(), "end"]:
        if line.startswith(" "):
            lines.append(line)
            continue
        if heading:
            yield heading[0], float(heading[1]), compile_phrases("\n".join(lines), start=heading[-1] == "start")
        heading, lines = line.split(), []


_LASTING_SIGNS = tuple(_table(_SIGNS))
_VOLATILE_SIGNS = tuple(_table(_VOLATILE))


@lru_cache(maxsize=2_048)
def durability_features(text: str) -> dict[str, float]:
    """The features found in a text with their weights: positive for lasting, negative for transient."""
    seen = text[:_SEEN_CHARS]
    found = {name: weight for name, weight, form in _LASTING_SIGNS if form.search(seen)}
    found |= {name: -weight for name, weight, form in _VOLATILE_SIGNS if form.search(seen)}
    if _NAMED.search(seen):
        found["named"] = 0.7
    if _PATH.search(seen):
        found["path"] = 0.6
    if _SETTING.search(seen):
        found["setting"] = 0.7
    figures = len(_FIGURE.findall(seen))
    if figures > _MAX_FIGURES and not found.keys() & {"state", "behaviour", "rule", "lasting_change", "choice"}:
        found["figures"] = -0.5 * min(4, figures - _MAX_FIGURES)
    return found


def is_transient(text: str) -> bool:
    """Whether a sentence only describes what somebody was doing."""
    found = durability_features(text)
    return sum(found.values()) <= _PASSING or ("process_at_start" in found and not found.keys() & _TELLING)


def durability_score(text: str) -> float:
    """The sum of the durability features."""
    return sum(durability_features(text).values())
