"""Filters out what is not worth remembering: status, small talk, praise, tool output and chores."""

from __future__ import annotations

import re

from loremark.memory.extraction.word_patterns import CaseInsensitivePattern, compile_phrases, content_terms, words_from

_MOOD = words_from(
    """
    hi hello hey thanks thank great nice awesome perfect cool excellent good job morning evening lgtm ok okay yes \
    yep sure done sounds looks fine happy glad amazing wonderful well fantastic super welcome sorry please cheers bye
    """
)
_STATUS = compile_phrases(
    r"""
    (?:all |the |unit |integration |existing |full |\d+ |\d+/\d+ |whole |our |e2e |added table |\
        new ){0,4}(?:tests?|specs?|checks?|suite|ci|builds?|pipeline|lint(?:er|ing)?|type ?checks?|mypy|ruff|\
        eslint|tsc)(?: (?:suite|run|is|are|was|were|all|now|still|again|also|job|jobs|locally|and (?:lint|types|\
        build)))* (?:pass(?:es|ed|ing)?|green|clean|succeed(?:s|ed)?|ok|fine|happy)
    (?:re-?)?(?:ran|run|running|executed) (?:all |the |unit |full |a ){0,3}(?:tests?|specs?|suite|build|linter|\
        lint|formatter|prettier|black|ruff|ci|migrations?)
    (?:everything|it|that|this|all) (?:is |now |still )*(?:works?|working|looks?|seems?|is) (?:as expected|fine|\
        good|great|ok|done|correctly|well|green)\b.{0,30}$
    (?:everything|it|that|this|all) (?:is |now |still )*(?:works?|working|done) now\W*$
    (?:all|everything) (?:green|done|good|passing|clean)
    no (?:errors?|issues?|changes?|problems?|regressions?|further|significant)
    no functional changes?|sorry\b.*
    (?:i |we )?(?:verified|confirmed|checked|made sure|tested) (?:that )?(?:everything|it|all|the (?:tests?|\
        build|changes?))\b.*
    (?:analysis|review|session|task|work|implementation|setup|everything) (?:is |was )?(?:completed?|done|\
        finished)\b.*
    (?:polish|improv|clean|tweak|refin|fix|updat)(?:ed|ing) (?:up )?(?:many|some|several|a few|various|lots of|\
        a bunch of)\b.*
    (?:welcome|this (?:page|document|file|section|guide) (?:gives|describes|contains|explains|lists|is))\b.*
    (?:first|then|tomorrow|today|next),? (?:i |we |i'll |we'll )?(?:look|check|review|try|lunch|finish|continue|\
        meeting|call)\b.*
    nothing (?:else|new|to|more|special|notable)\b.{0,40}
    (?:still )?in progress\b.{0,60}
    (?:i(?:'ll|'m| will| am| have)?|let me|let's|we(?:'ll|'re| are)?|will) (?:now |just |going to |then |\
        also )*(?:look|check|start|continu|see|try|read|explor|investigat|verify|wait|proceed|review|think)\w*
    (?:work(?:ed|ing)?|continu(?:e|ed|ing)|start(?:ed|ing)?|began|looked|looking|poked) (?:work )?(?:on|at|into|\
        with|around|through)\b(?!.*\b(?:because|cause|so that)\b).*
    (?:investigat|debugg|explor|profil|brainstorm|research|discuss)(?:ed|ing)\b(?!.*\b(?:because|cause|so that|\
        found that|decided|agreed)\b).*
    (?:explained|answered|clarified|described|asked|told|walked)\b.*
    (?:minor|small|some|various|general|misc(?:ellaneous)?|a few|tiny|quick|more) (?:more )?(?:\w+ ){0,2}(?:stuff|\
        changes?|fix(?:es)?|updates?|cleanups?|tweaks?|improvements?|things|edits?|refactors?|work|polish|typos?)
    (?:pushed|committed|merged|opened|created|rebased|pulled|squashed) (?:a |the |my |this |it |to |all |\
        everything |branch |pr |onto |with |on )*(?:pr|mr|pull request|branch|commits?|changes?|main|master|origin|\
        it|everything|upstream|#\d+)
    (?:session|conversation|(?:the )?user|assistant) (?:started|ended|asked|wanted|requested|said|summary|\
        continued|began|is happy|approved|confirmed|thanked|was)
    (?:had|took|short|quick|productive|good|long|busy|quiet)\b.{0,40}\b(?:session|day|break|lunch|coffee|call|\
        meeting|progress|standup|sync|chat)
    (?:ready|waiting) (?:for|on|to)
    reviewed\b.{0,40}(?:lgtm|comments|pr|#\d+)?\W*$
    (?:read|skimmed|explored|browsed|looked at|checked|opened|viewed) (?:the |through |some |a |all |\
        over )*(?:\w+ ){0,2}(?:code(?:base)?|files?|docs?|readme|repo(?:sitory)?|pr|issue|logs?)\W*$
    (?:formatted|linted|reformatted|sorted imports|cleared|cleaned up|tidied)\b(?!.*\b(?:because|since|must|due)\b).*
    fixed (?:a |some |the )?(?:typos?|lint|formatting|whitespace|imports?)
    (?:updated|bumped|upgraded|regenerated) (?:the )?(?:lock ?files?|dependenc(?:y|ies)|deps|packages?|version|\
        changelog|readme|snapshots?)\b(?!.*\b(?:because|since|must|due)\b).*
    (?:npm|pip|pnpm|yarn|cargo|bundle|poetry|uv|make|docker|go|git|apt|brew) (?:install|ci|build|test|exec|run|\
        pull|push|add|sync|update|status)\b.{0,60}(?:ok|done|success\w*|passed|failures?)\b.*
    (?:hello|hi|hey|greetings)\b.{0,60}
    todo:? (?:write|fill in|describe|document|add|complete) (?:this|the|more)? ?(?:page|docs?|section|content|text|\
        me|here|details)
    (?:(?:many |big |a big |special |huge )*(?:thanks|thank you|kudos|merci|danke|gracias)\b\
        (?! to (?:the|an?|this|that|its|our|it)\b)|hats off).*
    (?:attendees?|present|participants?|apologies|anwesend|teilnehmer|présents?|asistentes)\s?:.*
    (?:tbd|tbc|t\.b\.d\.|to be (?:done|written|defined|determined|continued|discussed)|coming soon|work in progress|\
        under construction)\b.{0,60}
    (?:this|(?:this |the )(?:page|document)|it) is (?:a |still )*(?:living|stub|wip|work in progress|unfinished|\
        outdated)\b.*
    (?:details?|the rest) (?:will be |to be |will |to )(?:discussed|added|decided|follow)\b.*
    (?:comments?|feedback|questions?|suggestions?|prs?) (?:are |is )?(?:very |always )?welcome\b.*
    (?:feel free|don't hesitate|do not hesitate|have fun|enjoy|happy (?:coding|hacking)|see you|cheers)\b.*
    (?:if )?(?:something|anything) is missing\b.{0,60}
    (?:here|below|on this page|in this document) (?:you (?:will |can )?find|we (?:collect|list|describe)) .{0,80}
    (?:see|see also|read|look at|have a look at|more (?:in|at|on)|siehe(?: auch)?|voir(?: aussi)?|ver) \
        (?:the |our |also |auch )*(?:\S+ ){0,4}(?:docs|documentation|wiki|readme|page|website|homepage|miro|figma|\
        confluence|notion|slides|handbook|blog)\b(?!.*\b(?:because|must|never|before|first)\b).{0,60}
    \+1\b.*|nothing (?:here|yet|to see|decided)\b.*|random (?:thoughts|ideas|notes)\b.*
    (?:everything|all) (?:is )?on track\b.*
    (?:quiet|busy|good|short|productive|calm) (?:week|sprint|month|shift)\b.*
    (?:(?:everybody|everyone) (?:please )?|please )(?:fill in|sign up|vote|rsvp|bring|remember to bring)\b.*
    (?:tbd|n/?a|none|null|undefined|tests?|testing|asdf|foo|bar|lorem|todo|placeholder|untitled|updates?|changes?|\
        fix|notes?|summary|wip)\W*$
    """,
    start=True,
)
_CHORE = compile_phrases(
    r"""
    wip\b.*|fixup!.*|squash!.*|amend!.*|tmp|temp|checkpoint|save (?:point|work|progress)|typos?
    (?:fix(?:ed|es)? |correct(?:ed)? )?(?:a |some |the |few |more |small |minor )*(?:typos?|spelling|whitespace|\
        formatting|lint(?:ing|er)?(?: (?:errors?|warnings?|issues?))?|indentation|grammar|trailing \w+|\
        import order|comments?(?=\W*$| (?:in|of|about)\b)|wording)
    (?:bump|update|upgrade|pin) (?:\S+ ){0,4}(?:version|from \S*\d\S* to|to (?:[<>=~^]+|v)\d\S*|to \d+(?:[.-]\d+)+\S*|\
        to \S+[=@]=?v?\d\S*|v?\d+\.\d+\S*)
    (?:bump|upgrade|pin) (?:\S+ ){0,4}to v?\d\S*
    (?:bump|update|upgrade) (?:\S+ ){0,5}(?:group (?:\S+ ){0,4}with \d+ updates?|github actions|actions (?:versions|\
        references))\b.*
    (?:bump|update|upgrade|refresh|regenerate) (?:all |the |dev |npm |min |minor |minimum |major |non-major |python |\
        build |rolldown-related )*(?:deps|dependenc(?:y|ies)|requirements|\
        lock ?files?|yarn\.lock|package-lock\S*|poetry\.lock|packages|snapshots?|submodules?|changelog|readme|\
        docs?|copyright|licen[sc]e|\.?gitignore|badges?)
    (?:build|chore|fix) ?\(deps\S*\).*|deps|(?:\S+ )?pre-commit autoupdate|start(?:ing)? version \d\S*
    (?:add|update|complete|improve|fix|sync|refresh|finish) (?:\S+ ){0,4}translations?\b(?! (?:of|to|into|for|support|\
        key|layer|table|unit)).*
    (?:release|releasing|released|version|prep(?:are)?(?: for)?(?: release)?|cut release|tag|publish)\b.{0,12}v?\
        \d+\.\d+\S*|(?:[\w@/.-]{1,60} )?v?\d+\.\d+\.\d+\S*\W*$|(?:next|post)[- ]release
    (?:update|edit|modify|change|tweak) \S+\.\w{1,5}\W*$
    (?:add|write|improve|extend|more|missing|increase) (?:\w+ ){0,3}(?:tests?|specs?|(?:test )?coverage)\b.*
    (?:\S+ ){0,2}(?:files?|snapshots?|docs|strings|translations?) (?:regenerated|updated|refreshed)\b.*
    (?:go|npm|npx|yarn|pnpm|cargo|mix|make|bundle|composer|poetry|uv|pip|pre-commit|gradle|mvn|terraform|docker|\
        dotnet) \
        (?:install|update|upgrade|generate|gen|fmt|format|fix|tidy|lock|run|autoupdate|audit|vendor|dedupe|vet|lint|\
        prune|sync|mod|get|freeze)(?: [\w:.-]+){0,2}\W*$
    (?:update|regenerate|refresh|rebuild|sync) (?:the )?(?:generated|auto-?generated|vendored)\b.*
    (?:regenerate|re-?gen) .*
    (?:update|fix|improve|rewrite|correct|clarify|reword) (?:\S+ ){0,4}(?:docstrings?|documentation)\b\
        (?! (?:generator|site|search|build|page)).*
    (?:update|fix|replace|correct) (?:\S+ ){0,5}links? in (?:\S+ ){0,3}\
        (?:docs?|documentation|readme|comments?|licen[cs]e)\b.*
    (?:pin |unpin )?\S+[=~<>]=\d\S*\W*$
    sync(?:hroni[sz]e)? (?:common|shared|upstream|template) (?:\S+ ){0,2}(?:from|with|to|across)\b.*
    update (?:the )?(?:common|shared) (?:\S+ ){0,2}(?:files?|configs?)\W*$
    (?:(?:fix|repair|stabili[sz]e|unbreak|deflake|silence|skip|retry|quarantine)(?:e?s|e?d)? )?(?:the |a |some |\
        two )?\
        (?:flaky|broken|failing|red) (?:\S+ ){0,3}(?:tests?|specs?|jobs?|build|ci|links?|anchors?|snapshots?)\b.*
    (?:fix|repair|unbreak|silence)(?:e?s|e?d)? (?:the )?(?:\S+ ){0,2}(?:tests?|specs?|ci|build|pipeline|warnings?|\
        snapshots?|links?)\W*$
    fix(?:e[sd])? (?:the )?(?:build|compile|compilation|ci)\b(?!.*\b(?:because|since|so)\b).{0,40}$
    initial commit|first commit|init\W*$|apply (?:the )?suggestions?\b.*|deploy\([^()]{1,40}\).*
    deploy \S+ \S*[0-9a-f]{6}\S*\W*$
    auto(?:matic)? merge of #\d.*|rollup (?:of \d|merge)\b.*|bless\b.{0,40}$|weekly .{0,20}\bupdate\W*$
    (?:goldens?|snapshots?|fixtures?|mocks?) (?:neu )?(?:erzeugt|aktualisiert|updated|regenerated|régénérés?)\b.*
    run \S*(?:format|fmt|lint|prettier|black|isort)\S*\b.*|notebook cleanup|clear(?:ed)? outputs?
    re-?trigger(?: (?:ci|build|pipeline|checks?|again))*\W*$
    (?:apply|run|fix) (?:the |latest )*(?:prettier|black|ruff|eslint|gofmt|rustfmt|clippy|linters?|formatters?|isort|\
        pre-commit)
    (?:\S+ )?(?:fmt|gofmt|rustfmt|prettier|black|isort|scalafmt\w*|swiftformat|swiftlint|ktlint)(?: -\S+| \.)*\W*$
    \S* ?automated (?:action|commit|update|change)\b.*|\S+: automated\b.*|auto-?(?:generated|update|commit)\b.*
    (?:reformat|format|lint|cleanup|clean up|tidy(?: up)?|polish|nits?|oops|again|more|stuff|misc|minor|updates?|\
        changes?|fix(?:es)?|tests?|testing|refactor|review (?:comments|feedback)|try again|another \w+|\
        debug(?:ging)?|asdf|ci|docs?|readme|changelog)\W*$
    address(?:ed)? (?:\w+ )?(?:review|comments|feedback|pr|nits).*|pr (?:comments|feedback).*
    (?:sort|reorder|organi[sz]e|remove unused|clean up) (?:the |unused )*(?:imports?|comments?)
    (?:remove|delete) (?:(?:debug|console|print|stray|dead|commented)\b.{0,40}$|unused\b.{0,25}$)
    (?:format|reformat|lint|prettify|tidy|polish) (?:the |all |some )*(?:\w+ ){0,2}(?:code|files?|imports?|\
        sources?|tests?|base|with\b.*)\W*$
    (?:update|add|edit|tweak|improve|fix) (?:the )?(?:readme|changelog|license|gitignore|badges?|docstrings?|\
        comments?)(?:\.\w+)?(?: (?:badges?|links?|wording|typos?|formatting|file|section|entry|entries|\
        screenshots?))*\W*$
    """,
    start=True,
)
_TO_MODEL = CaseInsensitivePattern(
    r"\b(?:ignore|disregard|forget|override) (?:all |any |the |your |every |of |these |those ){0,3}(?:previous|"
    r"prior|above|earlier|preceding|"
    r"system|other) (?:\w+ )?(?:instructions?|prompts?|rules?|messages?|directions?)\b|\byou are now (?:a|an|in|the)\b|"
    r"\b(?:reveal|print|repeat|output) (?:your |the )(?:system )?(?:prompt|instructions)\b|^\s*(?:system|"
    r"assistant)\s*:\s*you\b|"
    r"\bas an ai (?:language )?model\b",
)
_SPECIFIC = re.compile(r"`[^`]{2,}`|\d|\w/\w|[a-z][A-Z]|[a-z]_[a-z]|[A-Z]{3,}")
_CONTRAST = CaseInsensitivePattern(r"\b(?:instead of|rather than|no longer|not [^.;]{1,60} but)\b")
_HEDGE = CaseInsensitivePattern(
    r"\b(?:maybe|perhaps|might|probably|not sure|unsure|i think|we think|seems? (?:to|like)|possibly|unclear|"
    r"considering|could be|suspect|guess)\b",
)
_REASON = CaseInsensitivePattern(
    r"\b(?:because|since|so (?:that|the|it|we|a|no|they)|due to|in order to|the reason|caused? by|root cause|"
    r"otherwise|which (?:means|meant|caused|broke|made)|"
    r"to (?:avoid|prevent|keep|make sure|ensure|reduce|stop|allow|guarantee)|was missing|turned out|as (?:it|"
    r"they|we|the)|therefore|hence|the cause)\b",
)
_REMEDY = CaseInsensitivePattern(
    r"\b(?:fix(?:ed|es|ing)?|resolved|now|solved|solution|work(?:ed)? ?around|by (?:\w+ing)|added|replaced|"
    r"moved|guard(?:ed)?|patched|switched|"
    r"wrapped|changed|reset|clos(?:e|ed|ing)|use[ds]?|set|remov(?:e|ed|ing)|revert(?:ed)?|check(?:s|ed)?)\b",
)


def targets_model(text: str) -> bool:
    """Whether the text tries to instruct a model."""
    return _TO_MODEL.search(text[:4_000]) is not None


def is_small_talk(text: str) -> bool:
    """Whether a sentence is about the conversation, the mood or the state of the checks."""
    seen = text[:400]
    if _STATUS.match(seen) or _TO_MODEL.search(seen):
        return True
    found = [word.lower() for word in re.findall(r"[A-Za-z']+", seen)]
    return (
        len(found) <= 8
        and bool(found)
        and (found[0] in _MOOD)
        and sum(term.isalpha() for term in content_terms(seen) - _MOOD) < 4
    )


def is_chore(subject: str) -> bool:
    """Whether a commit subject describes routine upkeep."""
    return _CHORE.match(subject[:300]) is not None


def is_question(text: str) -> bool:
    return text.rstrip("\"') ").endswith("?")


def is_hedged(text: str) -> bool:
    return _HEDGE.search(text[:2_000]) is not None


def has_reason(text: str) -> bool:
    return _REASON.search(text[:4_000]) is not None


def has_remedy(text: str) -> bool:
    return _REMEDY.search(text[:4_000]) is not None


def is_specific(text: str) -> bool:
    """Whether a text names something exactly: code, a path, a number or an identifier."""
    return _SPECIFIC.search(text[:2_000]) is not None


def has_contrast(text: str) -> bool:
    """Whether a text contrasts what is true with what is not."""
    return ", not " in text or _CONTRAST.search(text[:2_000]) is not None


def is_substantial(text: str, least: int = 3) -> bool:
    """Whether a text has enough content words to stand alone."""
    return len(content_terms(text)) >= least
