"""Type scores from the structure of a sentence, whatever its topic: tense, comparison, location, obligation, steps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from loremark.memory.extraction.sentence_openings import CHANGED
from loremark.memory.extraction.word_patterns import CaseInsensitivePattern, words_from
from loremark.wire.items import ItemType

_SEEN_CHARS = 500
_FILE = (
    r"`?(?<![\w:/])(?:[\w@.-]{1,60}/[\w@./*\[\]-]{0,120}|[\w-]{1,60}\.(?!(?:js|io|com|net|org)\b)[a-z]{1,5}\b(?!\())"
)
_PART = (
    r"(?:services?|workers?|gateways?|apis?|servers?|clients?|apps?|browsers?|agents?|brokers?|queues?|topics?|"
    r"databases?|replicas?|registry|lambdas?|buckets?|s3|bus|hosts?|tablets?|phones?|devices?|daemons?|process(?:es)?|"
    r"prox(?:y|ies)|scanners?|providers?|adapters?|interface|checkout|sensors?|collector|loader|renderer|compiler|"
    r"backend|frontend|scheduler|stores?|cache|primary|cdn|edge|cluster|firmware|stations?|sidecars?|"
    r"plugins?|dashboards?|warehouse|sockets?|streams?|consumers?|producers?|controller|engine|indexer|importer|"
    r"training|serving|sqlite|postgres|redis|kafka|nats|mqtt|rabbitmq|grpc|websockets?|pods?|threads?|core|ui)"
)
_EXCHANGES = (
    r"(?:writes?|reads?|sends?|pulls?|push(?:es)?|polls?|publish(?:es)?|consumes?|forwards?|calls?|talks?|asks?|"
    r"fetch(?:es)?|receives?|subscribes?|hands?|passes|streams?|posts?|listens?|feeds?|learns?|sees?|terminates?|"
    r"uploads?|uploaded|downloads?|validates?|lands?|syncs?|replicates?|shares?|proxies|go(?:es)? (?:to|through|"
    r"via|over)|(?:is|are) \w+ed by)"
)
_WORK = (
    r"(?:branch(?:es)?|names?|commits?|prs?|tests?|migrations?|notebooks?|datasets?|log lines|logs|errors?|dates|"
    r"times|"
    r"timestamps|ids|identifiers|flags|endpoints|handlers|components|functions|classes|modules|secrets|amounts|money|"
    r"queries|fixtures|events|collections|changes|reviews|releases|dependencies|comments|strings|texts|types|keys|"
    r"constants|exceptions|messages|routes|hooks|views|models|services|scripts|imports|variables|tickets|columns|"
    r"tables|services|controllers|prices|code|subjects|titles|styles|assets|images|fields|jobs|urls|bodies|"
    r"pull requests|packages|dtos|enums|sql|css|todos|docs|fix|mocks)"
)
_NUMBER = r"(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|\w+ty|hundreds|thousands)"
_FAULT_OF = (
    r"(?:check|verif|validat|clos|releas|escap|handl|reset|lock|limit|reach|expir|free|fre|flush|invalidat|sanit|"
    r"account|know|notic|survive|match|honou?r|respect|work|wait|retr)"
)


# Past tense with a reason or an occasion: people describe past behavior mostly when it was wrong.
_PAST = CaseInsensitivePattern(
    r"\b(?:was|were|got|gave|took|kept|ran|went|came|broke|made|lost|sent|saw|hit|stopped|showed|returned|ended|"
    r"failed|had been|had|did)\b[^.;]{1,120}?\b(?:because|since|when(?:ever)?|while|after|as soon as|even|until|"
    r"if|as (?:the|it|its|each|we|a)|once)\b"
)
_PAST_OF_A_PART = CaseInsensitivePattern(
    rf"^(?:the )(?:[\w-]+ ){{0,3}}?(?:{_PART}|job|page|script|list|form|view|filter|parser|export|import|report|"
    rf"key|query|"
    r"test|check|hook|button|loop|index|file|task|timer|build|migration|request|response) (?!(?:need|embed|feed|"
    r"speed)\b)(?:[a-z]{2,20}ed|sent|took|kept|ran|lost|read|wrote)\b(?! (?:by|in|on|at|to|with|from|as|for)\b)"
)
_DID = CaseInsensitivePattern(
    r"(?:[a-z]{2,20}ed|was|were|took|kept|ran|lost|sent|came|went|gave|got|made|held|broke|saw|hit|froze|ate|fell|"
    r"let|had|did)"
)
# Before a participle, not a verb.
_NO_SUBJECT = words_from(
    "a an the is are be been being and or of by with as in not from to for all each get gets has have now on at than "
    "only every no without we i they you was were new that it"
)
# Changes people make to a program, and participles used as adjectives.
_NO_FAULT = words_from(
    """
    raised moved added renamed increased switched replaced removed extended introduced dropped migrated changed
    updated upgraded extracted reduced lowered named called based needed used generated allowed shared signed fixed
    decided agreed considered wanted asked voted stored cached need feed speed seed red exceed succeed proceed
    converted refactored implemented merged required supported expected nested scheduled limited hosted managed
    indexed typed pinned dedicated composed encrypted compressed wrapped created enabled disabled deployed
    installed rejected picked closed embedded recorded
    """
)
_CHANGE_MADE = CaseInsensitivePattern(
    r"\b(?:we|i|they) (?:\w+ed|chose|went|built|took)\b|\b(?:moved|renamed|added|split|extracted|introduced|decided|"
    r"chosen|picked|rejected|considered)\b"
)
_REMEDY = CaseInsensitivePattern(
    r"\bnow\b|\bno longer\b|\bfixed\b|\b(?:is|are|gets?) (?:raised|capped|fitted|escaped|set|explicit|closed|"
    r"guarded)\b"
)
_WASTE = CaseInsensitivePattern(
    rf"\b(?:takes|needs|costs|uses|grows (?:to|by)|fires|issues|makes|loads|runs|opens|allocates)\b[^.;]{{0,60}}"
    rf"(?:{_NUMBER} ?(?:m?s|seconds|minutes|hours|[gmk]b|queries|requests|of them|times)\b|\b(?:one|a|"
    rf"its own) (?:query|"
    r"request|connection|call) (?:per|for each|for every)\b)|\b(?:every|each) \w+ (?:triggers|fires|issues|opens|"
    r"runs) (?:its own|one|a)\b"
)
_CAUSE = CaseInsensitivePattern(r"\b(?:because|since|as (?:the|it|each|every)|due to)\b|: |, which makes")
_HARM = CaseInsensitivePattern(
    r"(?:, which|, so|, and so|; so) (?:\w+ ){0,3}?(?:leaks?|blocks?|breaks?|loses?|fails?|crash(?:es)?|hangs?|"
    r"dies|piles? up|never (?:\w+)|stalls?|come back|disappears?|overflows?)\b"
    rf"|\b(?:does not|doesn't|do not|don't|is not|isn't|are not|never) {_FAULT_OF}\w*"
    r"|\bwithout (?:a |an |any )?(?:bound|limit|check|lock|timeout|escaping|validation|auth\w*|upper bound)\b"
    r"|\bstops? (?:\w+ing\b[^.;]{0,40}\bafter|\w+ (?:if|when|after))\b"
)
_EXPOSED = CaseInsensitivePattern(
    r"\b(?:anyone|anybody|any user|every user|everybody|an attacker|a (?:crafted|modded|malicious) \w+|strangers|"
    r"guests) (?:\S+ ){0,6}?(?:can|could) (?!only|no)"
)

_DEADLINE = (
    r"(?:before (?:we|the|launch|release|ga|go-live|it|\w+ (?:launch|release))|by (?:summer|spring|autumn|winter|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|the end|next|q\d)|"
    r"in (?:q\d|the next)|next (?:week|month|sprint|release|quarter|year))"
)
_OPEN = CaseInsensitivePattern(
    rf"\b(?:(?:must|should|needs?|has to|have to|had better|is due|are due)\b[^.;]{{1,100}}\b{_DEADLINE}\b"
    r"|(?:once|when|as soon as)\b[^;]{1,90}, [^.;]{1,60}\b(?:can|should|could) (?:go\b|be \w+ed|disappear|leave)"
    r"|(?:can|should|has to|have to|must|may) (?:go|be (?:deleted|removed|dropped|switched off|retired)) "
    r"(?:once|when|as soon|after)\b|(?:not|never|hardly) (?:started|begun|covered|tackled|finished)\b"
    r"|(?:at|for) the moment\b|ahead of the \w+|(?:can|could|should|may) be \w+ed (?:after|from|on) the \d"
    r"|so far\b|(?:no|not|nothing|nobody|none|neither)\b[^.;]{1,90}\byet(?= (?:to|for)\b|[.,;)]|$)|yet to\b"
    r"|nobody has (?:\w+ed|tried|written|done|looked|begun|seen|made|built)\b|(?:is|are|was|were) left (?:for|to)\b"
    r"|(?:would|might) be (?:good|nice|great|helpful|useful|better|worth)\b|we (?:need|lack|want) (?:an?|some|more)\b"
    r"|still (?:missing|lacks?|uses?|has no|have no|goes|go|hard|unused|to|open|needs?|untested|waits?|by hand|manual)"
    r"|remains?\.?$|remain in [\w.-]{1,60}/|(?:is|are) (?:still )?(?:to be|yet to be) \w+"
    r"|should be \w+ed (?:by|soon|before|as well|too)\b"
    r"|(?:there is|there are) no (?:way|test|alert|check|metric|page|limit)\b[^.;]{0,80}(?:\byet\b|\bso far\b))"
    r"|^(?:consider|investigate|look into|think about|try) \w"
)

_WORK_OF_ALL = CaseInsensitivePattern(
    rf"^(?:an? |the )?(?:[\w-]+ ){{0,2}}?{_WORK}(?: (?:that|which|of|in|under|for|from|"
    rf"with) [^.;,]{{1,50}}?)? (?:are|is|gets?|"
    r"needs?|carry|carries|starts?|ends?|comes? (?:with|from|before|after)|go(?:es)? (?:in|into|through|under)|"
    r"stays?|belongs?|begins?|takes?|has an?|have an?|return|raise|expose|use|may|live) \S"
)
_NO_RULE = CaseInsensitivePattern(
    r"\d|\b(?:is|are) \w+ed by\b|\bthe (?:worker|job|server|service|gateway|client)\b|\b(?:was|were|had|missing|"
    r"still|yet|cached|retried|stored in|broken|lost)\b"
)
_EXCLUSIVE = CaseInsensitivePattern(
    r"\b(?:is|are|stays?|belongs?|go(?:es)?|gets?|uses?)\b[^.;]{1,60}(?:, (?:not|never) \w|\bonly\b(?! \d)|"
    r"\band nothing else\b|"
    r"\bwithout \w+|\bout of the\b|\bnowhere else\b)|\bin (?:code )?review\b|\bin the (?:imperative|body|title|"
    r"singular|plural)\b"
)
_PROCEDURE = CaseInsensitivePattern(
    r"^(?:to|when|if|after|before) [^:.,]{3,60}: (?!(?:it|the|they|we|this|that|there|an?) )[a-z]|\bin (?:that|"
    r"this) order\b|\b(?:is|are) \w+(?:ed|en|ut)(?: \w+)? by (?!default)\w+ing\b|"
    r"^(?:[^:.]{0,50}(?:procedure|steps?|runbook|how to|checklist)[^:.]{0,20}: )?(?:add|bump|tag|create|drain|"
    r"stop|scale|"
    r"point|merge|cut|announce|revoke|rotate|switch|wait|promote|run|take|set|open|start|deploy|copy|make|ask|"
    r"check|put|"
    r"pull|push|write|disable|enable|pause|dump|restore)\b[^;,]{0,80}[,;] [^;]{0,160}\bthen \w+|\bneeds? (?:an|"
    r"one|two|three) (?:approvals?|reviews?|reviewers?|sign-?offs?|owner)\b"
)

_COMPARED = CaseInsensitivePattern(
    r"\b(?:would (?:have|mean|cost|need|require|bring|make|force|tie|lock|double|add|be too|complicate|break|slow|hurt)"
    r"\b|we (?:dropped|abandoned|ditched) |after all\b|(?:gave|giving|give) up on\b"
    r"|(?:takes?|took|taking) the place of\b|lost (?:against|to|out)\b|beats?\b|won (?:over|against|because)\b"
    r"|considered\b|(?:picked|chose|chosen|prefer(?:red)?) \S+(?: \S+){0,4} over\b"
    r"|replac(?:ed|es|ing) (?:by |with )?\S[^.;]{0,60}\b(?:because|since|as)\b|not (?:justified|worth|needed enough)\b"
    r"|(?:does not|doesn't|won't|would not) pay\b|(?<!was )and not (?:an?|one|the|in|on)\b(?! \w+ed)"
    r"|back (?:to|on) \w|going (?:back|with)\b"
    r"|(?:stays?|remains?)(?: (?:on|with|in (?:separate|one|two)|separate|our)\b|\.)|we (?:accept|stay|remain|stick)\b)"
    r"|^(?:no [^.;,]{2,50}[,;:] [^.;]{2,50}\b(?:covers?|is enough|are enough|does|do|suffices?|will do)\b"
    r"|\W{0,3}\S{1,30}(?: \S{1,30}){0,2} instead of \S)"
)
_PAIRED = CaseInsensitivePattern(
    r"^(?!.{0,90}\b(?:depends|uses?|is|are|has|have|"
    r"waits?)\b)[^.,;:]{3,40} for [^.,;:]{3,30}, [^.,;:]{3,40} for [^.,;:]{3,30}\.? ?$"
)

_PRODUCT = CaseInsensitivePattern(
    r"^[A-Z][\w-]{1,30} is (?:an?|the|our) (?:[\w-]+ ){0,6}?(?:tool|app|platform|service|product|system|library|game|"
    r"marketplace|portal|cli|shop|application|program|framework|suite|engine|saas|dashboard|assistant|site|bot)\b|"
    r"^[A-Z][\w-]{1,30} (?:sells|lets|helps|manages|tracks|connects|offers|turns|plans|runs) [^.;]{3,80}\bfor \w"
)
_CUT = CaseInsensitivePattern(
    r"\b(?:goes?|flows?|travels?|comes?) from (?:the )?[^.;,]{2,40} (?:to|into|through)\b|\bbehind (?:one|an?|"
    r"the same) (?:interface|"
    r"proxy|facade|gateway|port|queue|load balancer)\b|\badapters? translate|\bshares? (?:an?|one) (?:postgres|"
    r"redis|database)|"
    r"\b(?:two|three|four|five|six|seven) (?:layers|services|processes|parts|stages|tiers|programs|planes|apps)\b|"
    r"\bin (?:its|their) own (?:process|thread|container|vm|service)\b|\bknows? (?:only|nothing)\b|"
    r"\bnever (?:sees?|touch(?:es)?|"
    r"talks?)\b|\bshares? (?:no|nothing|only)\b|\b(?:cannot|can not|can't) (?:touch|see|reach)\b"
)
_EXCHANGE = CaseInsensitivePattern(rf"\b{_EXCHANGES}\b")
_PARTS = CaseInsensitivePattern(rf"\b{_PART}\b")

_PLACED = CaseInsensitivePattern(
    r"\b(?:is|are|look|see|boots?|sits?|lives?|begins?|starts?|lands?|ends? up|registered|listed|kicked off|"
    r"started|mounted|defined|declared|"
    r"read|kept|wired|found|implemented|described|stands?|enum|done)(?: [\w:]{1,40}){0,3}? (?:in|under|at|from|"
    r"beside|below|inside|"
    rf"next to|by|through) (?:the )?{_FILE}"
)
_FILE_DOES = CaseInsensitivePattern(
    rf"^{_FILE}`? (?:is|has|holds|sets|describes|does|pulls|keeps|contains|wires|starts|defines|maps|mounts|lists|"
    rf"boots|"
    r"reads|owns|exports|parses|loads|registers)\b"
)
_COLUMNS = CaseInsensitivePattern(
    r"\b[a-z_]{2,40}\((?:[a-z_]{2,30}, ?){2,20}[a-z_]{2,30}\)|"
    r"\((?:[a-z]{1,30}, ?){0,9}[a-z]{1,20}_[a-z_]{1,20}, ?[a-z_]|"
    r"\bkeyed by \(|\bhas many\b|\bbelongs to (?:one|an?|many)\b"
)
_LIBRARIES = CaseInsensitivePattern(r"^(?:[^:.]{1,40}: )?(?:[\w.@/-]+ (?:\S+ )?for [^,;.]{2,40}[,;] (?:and )?){2}")
_LABELLED = CaseInsensitivePattern(rf"^[\w -]{{3,40}}: {_FILE}`?\.?$")
_LISTED = CaseInsensitivePattern(
    r"^(?:[\w-]+ ){0,2}(?:modules|packages|folders|crates|directories|tables|targets|apps): \w+ \w+"
)
_ANY_FILE = CaseInsensitivePattern(_FILE)
_MOVES = CaseInsensitivePattern(
    r"\W{0,3}(?:mov|renam|split|extract|add|remov|delet|port|cop|replac|merg)(?:y|e|es|ed|ied|s)? "
)
_FIGURE = CaseInsensitivePattern(r"(?<![\w.])\d")
_WAS = CaseInsensitivePattern(r"\b(?:was|were)\b")
_DONE = CaseInsensitivePattern(r"\b(?:works|is live|are live|is done|are done|shipped|is in place|has landed|landed)\b")


def structure_scores(text: str, *, saved: bool = True) -> Iterator[tuple[ItemType, float]]:
    """Yield types with their scores; negative scores count against a type.

    In a commit or in prose (``filed`` is False), the past tense is as often the occasion of a change as a bug.
    """
    seen = text[:_SEEN_CHARS]
    changed = CHANGED.search(seen) is not None
    yield from _of_faults(seen, saved=saved)
    is_open = _OPEN.search(seen) is not None
    if is_open:
        yield "todo", 2.0
        yield "convention", -1.2
    elif _DONE.search(seen):
        yield "todo", -2.0
    if _PROCEDURE.search(seen):
        yield "convention", 1.8
    elif _WORK_OF_ALL.search(seen) and not (changed or is_open or _NO_RULE.search(seen) or _ANY_FILE.search(seen)):
        yield "convention", 2.2 if _EXCLUSIVE.search(seen) else 1.5
    if _COMPARED.search(seen) or _PAIRED.search(seen):
        yield "decision", 1.8
    if not (changed or is_open or _WAS.search(seen)):
        yield from _of_descriptions(seen)


def _subject_did(seen: str) -> bool:
    """Whether a thing, not a person, did something in the past."""
    words = seen.lower().split(maxsplit=11)[:11]
    return any(
        before[-1].isalnum() and before not in _NO_SUBJECT and _DID.fullmatch(word) and word not in _NO_FAULT
        for before, word in pairwise(words)
    )


def _of_faults(seen: str, *, saved: bool) -> Iterator[tuple[ItemType, float]]:
    if saved and _subject_did(seen) and not _CHANGE_MADE.search(seen):
        yield "bug", 1.3
    past = _PAST.search(seen) or _PAST_OF_A_PART.search(seen)
    if past is not None and not _CHANGE_MADE.search(seen):
        yield "bug", 2.2 if _REMEDY.search(seen, past.end()) else 1.4
        yield "todo", -1.5
    if _HARM.search(seen):
        yield "bug", 1.2
    if _EXPOSED.search(seen):
        yield "bug", 2.0
    if _WASTE.search(seen) and _CAUSE.search(seen):
        yield "bug", 1.6


def _of_descriptions(seen: str) -> Iterator[tuple[ItemType, float]]:
    if _PLACED.search(seen):
        yield "codemap", 2.0
    elif (len(_ANY_FILE.findall(seen)) >= 2 and not (_FIGURE.search(seen) or _MOVES.match(seen))) or _LABELLED.search(
        seen
    ):
        yield "codemap", 1.5
    if _COLUMNS.search(seen):
        yield "codemap", 2.6
    if _FILE_DOES.search(seen) or _LIBRARIES.search(seen) or _LISTED.search(seen):
        yield "codemap", 2.0
    if _PRODUCT.search(seen):
        yield "architecture", 2.5
    parts = len(set(_PARTS.findall(seen)))
    if parts >= 2 and _EXCHANGE.search(seen):
        # With numbers it describes how one component works rather than how they interact.
        yield "architecture", 0.6 if _FIGURE.search(seen) else 1.6
    if _CUT.search(seen):
        yield "architecture", 1.2
