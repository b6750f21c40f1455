"""Phrases that indicate a statement's type. Each heading gives a type and weight; each line is an alternative."""

from __future__ import annotations

from collections.abc import Iterator

from loremark.memory.extraction.word_patterns import CaseInsensitivePattern, compile_phrases
from loremark.wire.items import ItemType

_TYPES: dict[str, ItemType] = {
    "architecture": "architecture",
    "convention": "convention",
    "implementation": "implementation",
    "decision": "decision",
    "bug": "bug",
    "todo": "todo",
    "codemap": "codemap",
}
_WE = r"(?:we|i|they|the team|team|everyone)(?:'ve| have| has| had)?(?: all| also| now| finally| therefore)?"

# Heading: type, weight, and "start" if the phrase must be at the beginning.
_CUES = r"""
decision 3.0
    {we} (?:decided|chose|agreed|opted|settled|picked|rejected|ruled out|concluded)
    {we} (?:went|go|are going|take) (?:with|for)
    it was decided
    decided (?:to|on|against|not|that)
    the decision (?:is|was)
    (?:was|were) (?:chosen|rejected|ruled out|picked)
decision 2.0 start
    decided|chose|chosen|opted|picked|settled on|agreed|rejected|going with|went with|adopt(?:ed)?
    standardi[sz]ed? on
    we (?:stay|stick|remain) (?:on|with)
    which \w+ (?:for|to)
    (?:(?:go|going|went|move|moved|switch|switched|roll|rolled) )?back (?:to|on)
decision 2.0
    trade-?offs?
    (?:options|alternatives?) (?:considered|were|was|we)
    considered\b.{1,80}\bbut
    over\b.{1,60}\bbecause
    why we (?:use|chose|do|don't|keep|have)
    in the end|ended up (?:with|using)|(?:final|our) (?:choice|pick)|adr[ -]?\d+
decision 2.0
    (?<!we )(?<!team )(?<!was )decided(?! (?:to|on|against|not|that))|overruled|signed off|reversal
    chang(?:ed?|ing) (?:\w+ )?(?:mind|opinion)s?|(?:the )?choice (?:is|was|fell)
    conclusion(?=[: ])|versus|discussed\b.{1,80}\bat length|back to|voted|off the table
    (?:we'll|we will) (?:keep|stay|stick|use|go|not|drop)\b.{1,100}\b(?:since|because|as|for now|until)
    (?:is|are) (?:good )?enough for (?:us|our|now)|for now(?=[:,;])
    (?:moved|switched|migrated|went|changed) from\b.{1,60}\bto\b.{1,100}\b(?:because|since|as)
    (?!(?:when|if|as|where|until|once|while|because|since|that|before|after|how) )\w+ it is\
        (?= [A-Z]|[.,;:]|$)|(?:is|are) out(?= \(|[.,;]|$)|vs\.?|after (?:comparing|weighing)
    we (?:drop|move|switch|ship|stay|stick|skip|abandon|adopt|go|take|buy|migrate|replace|stop|standardi[sz]e|\
        no longer)
decision 1.5
    too (?:expensive|heavy|complex|risky|costly)|because of the (?:price|cost|licen[cs]e)|licen[cs]e
    (?:goes|go|went) away|(?:gets?|is|are|was) (?:switched off|retired|cancell?ed|abandoned|phased out)
    (?:product|legal|management|finance|marketing|business|audit|sales|customers?|security|editors) (?:wants?|\
        wanted|asked)
decision 1.5
    (?:switch(?:ed)?|migrat(?:e|ed|ing)|mov(?:e|ed|ing)) (?:\S+ ){0,4}from\b.{1,60}\bto
    drop(?:ped|s)? (?:\S+ ){0,2}?support
    replac(?:e|ed|es|ing)\b.{1,60}\bwith\b.{1,100}\b(?:because|since)
decision 1.5 start
    (?:use|keep|pin|choose|prefer|stay on|stick (?:to|with)|switch to|move to|go with)\b.{1,120}\b(?:over|\
        instead|because|rather|until)
decision 2.0
    won over|and not in|after all(?=[;,.]|$)|rather than a
decision 1.3
    instead of|, not \w+|rather than|in favou?r of|as opposed to|not worth|on purpose|deliberately|intentionally
decision 1.2
    (?:we will|we'll|we are going to|we're going to) (?:use|keep|stay|stick|move|go|not|drop|support|run|host)
convention 2.5
    by convention|(?:our|the) convention|house (?:style|rule)s?|style guide|naming (?:convention|rule|\
        scheme)s?
    from (?:now|today|here) on|the rule is|going forward|as a rule
convention 2.5
    (?:rules?|conventions?|guidelines?|policy|standards?)$
convention 2.5 start
    (?:always|never|do not|don't|dont|avoid|prefer|only)\b.{1,120}\w
convention 1.8 start
    (?:every|all|each|no|nothing|nobody)\b.{1,100}\b(?:must|should|uses?|goe?s?|gets?|needs?|carry|carries|takes?|\
        through|via|returns?|without|may|are allowed|is allowed)
convention 2.0
    must (?:always|never|not)|should (?:always|never|not)
    (?:we|are|is|components|handlers|services|tests) (?:always|never)
    (?:denied|banned|forbidden|not allowed|disallowed|mandatory|required) (?:by|in|for|to|everywhere|\
        outside|unless|except)
convention 1.8
    (?:all|every|each|any|new|no)(?: \S+){1,5} (?:must|should|has to|have to|may|needs? to|goes?)
    (?:all|every|each|any|new|no)(?: \S+){1,5} (?:are|is) (?:named|written|prefixed|placed)
    nothing (?:\S+ ){0,5}(?:may|must|should|can)
convention 1.5
    must|must not|has to|have to|not allowed|forbidden|mandatory
convention 1.5
    , (?:never|not) (?:\w+ing|pass|call|use|send|store|import|return|log|write|read|touch)
    we (?:name|write|prefix|format|prefer|follow|keep all|use\b.{1,60}\bfor (?:all|every|any))
    (?:are|is) (?:named|written (?:as|in|like|with)|prefixed|formatted|suffixed)
convention 2.0
    (?:rule|regel|règle|reminder)(?= (?:for|from|is|of|in|since|für|reminder)|[:!( ,])
    (?:nobody|no[ -]one) (?!(?:wants?|has|knows?|complain))\w+s
    (?:is|are) (?:banned|forbidden|disallowed)|review rejection|no \w+, ever|not even|on \w+ only
    no exceptions|gets? (?:bounced|rejected in review)|breaks? the build|fails the build|no later than
    (?:nie|niemals|jamais|toujours)
    otherwise the (?:pr|mr|build|review|job)|(?:is|are) not merged|(?:is|are) frozen|goe?s? under
    no (?:\w+ ){1,3}in (?:them|it|there)|need(?:s)? a (?:docstring|tests?|owner|review|ticket|changelog)
convention 1.8
    (?:please|and|so) (?:do not|don't|dont|never) \w+|(?<=[;:,—–-] )(?:do not|don't|dont|never) (?!\w+ed\b)\w+
convention 1.8 start
    (?:please |pls )?(?:do not|don't|dont|no) (?:\S+ ){1,5}(?:in|from|outside|without|by|for|before|on|at all|to|with)
    everything (?:\S+ ){0,5}(?:is|are|must|goes|in|static|through|comes)
    (?:nobody|no one)(?! has)|(?:anything|anyone)(?!.{0,60}\bcan\b)
convention 2.0
    (?:release|restore|deploy|rollback|recovery) steps|to (?:restore|release|deploy|roll back|rotate|recover)(?=[:,])
    ha(?:s|ve) no place|(?:are|is) for \w+ (?:errors?|sessions?|only)|need two (?:approvals|reviews)
    comes? with (?:the|a|its) test
convention 1.2
    only (?:from|through|via|by|with|after|one|in|be|ever)|by hand|enforce[sd]?|everywhere
convention 0.8
    never|always|at least|at most|max(?:imum)?
bug 2.5
    root cause|(?:was|is|were) caused by|caused (?:by|a|an|the)
    the (?:cause|culprit|bug|problem|issue) (?:was|is)
    turned out
    known (?:bug|problem|issue)
bug 2.0 start
    fix(?:ed|es|ing)?|bug|hotfix|bugfix|prevent(?:ed|s)?|repair(?:ed)?|resolv(?:e|ed)|stop(?:ped)? \w+ing
bug 1.8
    (?:fixed|fixes|resolved) (?:a|an|the|this|it|by|in)
    regression|race condition|memory leak|deadlock(?:s|ed)?|off[- ]by[- ]one|null pointer|segfault|data loss
    use[- ]after[- ]free|infinite (?:loop|redirect)s?|n\+1s?|out of memory|oom|double[- ](?:\w+ed|charges?|\
        free)
bug 1.5
    bugs?|crash(?:ed|es|ing)?|broken|breaks|leak(?:ed|s|ing)?|wrong(?:ly)?|incorrect(?:ly)?|hangs?|hung
    corrupt(?:ed|s)?|lost|twice|flaky|race|gotcha|unbounded|not fixed
    (?:was|were|got|gets|being) (?:killed|dropped|rejected|ignored|skipped|overwritten|truncated|blocked|\
        evicted|duplicated)
    never (?:evicts?|frees?|closes?|expires?|releases?|cleaned|removed)
    grows? (?:to|without|until|forever)
    in a loop|choke[ds]?|divi(?:de[sd]?|sion) by zero|nil deref\w*|null deref\w*|(?:was|were|is|are) missing
    (?:came|comes|stem(?:s|med)) from|\w+(?:error|exception)
    (?:could|would) (?:both|still|sometimes|not|never)
    (?:had|did) (?:no|not)|didn't|(?:was|were) (?:not|missing|never)|wasn't|weren't
bug 1.8
    solved|(?:hours?|minutes?|cents?|days?|by one|by \d+\w?) (?:too )?(?:early|late|off|before due)
    too (?:early|late|many|few)
    without (?:check|valid|verif|lock|signature|auth|escap|limit)\w*|no (?:signature|auth|lock|bounds|null|rate) check
    frame (?:spikes?|drops?)|(?:spikes?|errors?|duplicates?|leaks?) (?:is|are) gone
    cause(?=[:= ])|caus(?:ed|es|ing)|incident|outage|post-?mortem
bug 1.5
    (?:chatter|flicker|smear|drift|stutter|stall|differ|tripp|vanish|disappear|doubl|hammer|starv|exhaust|choke|\
        misread)ed
    froze|(?:left|was|were|is) (?:\w+ ){0,2}frozen|spikes|(?:kept|keeps) (?:growing|failing|\w+ing)|\w+ loop on
    for ?ever|(?:made|makes) (?:\S+ ){1,6}(?:wrong|spin|hang|fail|slow|crash)\w*|wrong by
    returned (?:deleted|stale|old|empty|wrong|null|nothing)|(?:was|were) only (?:\w+ed|done|set)
    (?:because|as|since) (?:the|it|a|an|we|its|each|every) .{1,60}(?:was|were|had|did not|didn't|never)
    (?:was|were|got|getting) (?:stuck|cut|hammered|swallowed|lost|off|visible)|forgot
    mismatch(?:es|ed)?
    (?:accepted|took|let|allowed|showed|fired|counted) (?:any|every|all|one|the same|both|in)|could (?:take|see|both)
    (?:burst|overran|blew up|piled up|ran in both|ran twice)|(?:was|were) reading
bug 1.4
    (?:were|was|are|is) off by|r[au]ns? out of|could (?:read|write|be guessed|guess)|past the end
    stops? (?:picking|working|responding|answering)|thrown out|came back after|unfiltered|unescaped
    ha(?:s|d) no (?:rate limit|check|bound|lock)|got (?:yesterday's|the wrong|somebody)|why .{1,40} doubles
bug 1.2
    fail(?:s|ed|ing|ures?)?|exceptions?|throws?|threw|timed out|500s?|workaround|overflow(?:ed|s)?|silently
    errors? (?:when|on|if|in|after|because)
todo 3.5 start
    todo|fixme|to do|next(?: steps?| up)?:|remaining|still (?:to do|open|missing|needs?)|left to do|\
        open question
    follow[- ]?ups?(?: needed| work)?\W{0,2}:
todo 3.0
    still (?:needs?|have|has|must|to be|missing|open)|needs? to be|remains? to be|left to do|yet to be|\
        has yet to
    (?:in|as) a follow[- ]?up|follow-up (?:ticket|pr|task)|not (?:handled|implemented|supported|done|\
        covered) yet
todo 2.5
    (?:has|have|needs?) to be (?:fixed|done|added|replaced|removed|migrated|updated|written|checked)|needs? to happen
    we should (?!not|never|always|only)\w+|in the next (?:release|version|sprint|iteration)
    some ?day|on the list|not now|must be done|fehlt noch|noch nicht|für später|(?:cannot|can't|can not) .{1,60} yet
    (?:can|will|could) (?:go|be (?:deleted|removed|dropped|switched off)) (?:once|when|after|as soon)|nobody has it
    comes? (?:after|later)|outstanding|to do still
todo 2.0
    we (?:need|have|ought) to|(?<!release )(?<!releases )(?<!days )(?<!day )(?<!hours )(?<!minutes )\
        (?<!seconds )(?<!no )later|next sprint|before (?:the )?(?:release|launch|ga)|needs (?:a|an|more|\
        tests?)
    should (?:also )?(?:add|revisit|migrate|be (?:added|moved|replaced|removed|done|revisited|migrated))
    is missing|out of scope|someday|eventually|once .{1,60} (?:lands|ships|is done)|not yet
todo 2.2
    still (?:hard-coded|to come|manual|by hand|pending|unused)|(?:has|have) to follow|(?:has|have) not been \w+
    ought to|should be automated|to be done|what(?:'s| is) left|would be nice|next up|stopgap|call sites? .{0,60}remain
    for removal|still to|can go$|nobody has \w+ed
architecture 2.5
    architecture|event[- ]driven|microservices?|monolith(?:ic)?|hexagonal|event sourc(?:ed|ing)|cqrs|\
        data ?flow
    pub/?sub|control plane|three-tier|layered|multi-tenant
architecture 2.0
    talks? to|communicates?|publish(?:es)?|subscrib(?:es?|ing)|consum(?:es?|ing)|consists of
    is (?:split|divided) into|sits (?:between|behind|in front)
    (?:services?|workers?|layers?|components?|gateway|modules?|clients?|servers?) (?:owns?|calls?|reads?|\
        writes?|handles?|sends?|answers?|depends?)
    (?:warehouse|store|database|broker|queue|api|backend|frontend) is
architecture 1.5
    (?:over|via|by|through|as \w+ over) (?:mqtt|https?|sse|grpc|rest|kafka|sftp|ftp|amqp|nats|websockets?|zenoh|\
        redis|tcp|udp|ble)
    (?:sends?|pulls?|push(?:es)?|forwards?|streams?|emits?|receives?|hears?|feeds?|replicates?|mirrors?) \w+
    one \S+ (?:\S+ )?per \S+|append[- ]only|(?:hosted|deployed|running) on|backed by|in front of
    comes? (?:in|nightly|hourly)
    talk with
architecture 1.4
    in separate (?:threads|processes|services)|exchanges?|plugins? (?:are )?loaded|runs as (?:a|an|one)|minted by
    streams? the|builds? the .{1,40} from|fans? (?:the|them|it|out)|read-only through|full .{1,20} replica|supervisor
    learns? of|hands? each|verif(?:y|ies) (?:it|them) once|each stage|over one core|see(?:s)? the database
    (?:lands?|written) (?:in|to) \w+ first|reads? \w+ from \w+
architecture 1.0
    layers?|services?|components?|pipeline|gateway|broker|message bus|queue|boundary|boundaries|stateless
    single source of truth|upstream|downstream|replicas?|shard(?:s|ed)?
codemap 3.0
    where (?:stuff|things|everything|what|it all|to find) (?:is|are|lives?)|où (?:sont|est|se trouve)
    wo (?:ist|liegt|liegen)
codemap 2.5
    (?:is|are) the entry|(?:sind|liegt|liegen|sont|est) (?:in|dans|sous|unter)(?= `?[\w.@-]+/)
    (?:lives?|sits?|resides?) (?:in|under|at)(?: the| our)?(?= `?[\w.@-]*[/.]\w?)|located (?:in|at|under)|\
        (?:can be )?found (?:in|under|at)
    entry ?points?|(?:is|are) defined in|code ?map|module map|folder structure
    (?:directory|repo(?:sitory)?|project|code|folder|file) (?:layout|structure|map)|map of the|layout
    where (?:things|to (?:find|look))
codemap 2.0
    (?:is|are|sits?) (?:in|under|at)(?= `?[\w.@-]+/)
    (?:holds?|contains?|hosts?) (?:the|all|every|our)
    starts? (?:in|at)(?= `?[\w.-]+[/.])
    (?<![/.-])`?[\w.-]+/[\w./-]*`?(?: =| is the| are the|: the)
codemap 1.7
    (?:is|are|sits?|lives?|begins?|starts?|lands?|ends? up|registered|kept) (?:in|under|at|below|beside)\
        (?= `?[\w@-]{1,60}[/.]\w)
    everything about .{1,40} (?:is|lives)|next door|one (?:folder|file|package|module) per|index of the
    has many|belongs to (?:one|a|many)|1-n|one-to-many|foreign keys?|er diagram|data model|third-party code
    depends on \S+ for|for whoever looks|if you (?:search|look) for
codemap 1.2
    (?:lives?|sits?|resides?) (?:in|under|at)
implementation 1.5 start
    (?:we |i )?(?:also |now )?(?:add|implement|creat|introduc|wir|refactor|extract|mov|renam|support|expos|\
        port|convert|cach|updat|remov|enabl)(?:e|ed|s|es)?
    (?:we |i )?(?:also |now )?(?:built|build|rewrite|rewrote|split|hook(?:ed)? up|make|made|\
        fail (?:if|when|fast|early)|set up|wrote)
implementation 1.0
    now (?:supports?|uses?|returns?|accepts?|handles?|runs?|writes?|reads?|sends?|goes|polls?|takes?)|is gone
    has been (?:added|implemented|refactored)|support for|implemented
"""

# A sentence that states its type explicitly is a fact of its own.
_OUTRIGHT = r"""
todo start
    todo|fixme|next steps?:|known (?:gap|limitation)s?:|still (?:to do|open|missing|needs?)|remaining work|left to do
    follow[- ]?ups?(?: needed| work)?\W{0,2}:
todo
    still needs? to|still have to|remains to be|(?:in|as) a follow-up|we still need
    (?:can|will) (?:go|be (?:deleted|removed|dropped|switched off)) (?:once|when|after|as soon)|some day|comes? after
    not (?:handled|implemented|supported|covered) yet|do (?:that|this|it) next
decision
    {we} (?:decided|chose|agreed|opted|settled on|picked|went with)|it was decided
decision start
    (?:decided|chose|opted|agreed) (?:to|on|against|not|for|that)
convention start
    always|never|from (?:now|today|here) on|as a rule|by convention|going forward
    (?:all|every|each|any|new)(?: \S+){1,5} (?:must|should|has to|have to)
    (?:nothing|nobody|no \S+)(?: \S+){0,5} (?:may|must|should)
convention
    must (?:always|never)|from (?:now|today|here) on
"""


def _table(text: str) -> Iterator[tuple[ItemType, float, CaseInsensitivePattern]]:
    heading: list[str] = []
    lines: list[str] = []
    for line in [*text.strip().splitlines(), "end"]:
        if line.startswith(" "):
            lines.append(line)
            continue
        if heading:
            weight = float(heading[1]) if len(heading) > 1 and heading[1] != "start" else 1.0
            yield (
                _TYPES[heading[0]],
                weight,
                compile_phrases("\n".join(lines).replace("{we}", _WE), start=heading[-1] == "start"),
            )
        heading, lines = line.split(), []


TYPE_PATTERNS = tuple(_table(_CUES))
EXPLICIT_PATTERNS = tuple((kind, form) for kind, _, form in _table(_OUTRIGHT))
ACTION_PATTERNS = tuple(
    form
    for kind, weight, form in TYPE_PATTERNS
    if kind in ("implementation", "bug") and form.pattern.pattern.startswith("^")
)
