"""Commit subjects that describe routine upkeep in many wordings. They are kept only if the body gives a reason."""

from __future__ import annotations

from loremark.memory.extraction.word_patterns import compile_phrases

_TOOLS = (
    r"(?:ruff|black|isort|flake8|pylint|mypy|pyright|eslint|prettier|biome|clippy|rustfmt|gofmt|golangci\S*|tsc|"
    r"swiftlint|ktlint|rubocop|formatter|linter)"
)
_SLIGHT = compile_phrases(
    rf"""
    (?:refactor|clean ?up|tidy(?: up)?|simplify|reorgani[sz]e|restructure)(?:ed|ing|s)? \
        (?:(?!to |so |by |for |into |instead |as |using |with )\S+ ){{0,6}}\S+$
    (?:add|fix|update|improve|correct|use|more|missing|complete)(?:e?d|s)? (?:\S+ ){{0,4}}(?:type[ -](?:hints?|\
        annotations?)|typings?|type definitions?)\b.{{0,40}}$
    add(?:ed|s)? (?:the |a |some )?missing (?:\S+ ){{0,2}}(?:arguments?|parameters?|imports?|semicolons?|commas?|\
        newlines?|quotes?|brackets?|return|await|entr(?:y|ies)|files?|words?|links?)\W*$
    (?:silence|address|suppress|resolve|ignore|fix)(?:e?d|s)? (?:\S+ ){{0,4}}(?:(?:deprecat\w+|compiler|build|lint\w*|\
        clippy\S*|typescript|rustc|gcc) (?:warnings?|errors?|lints?|findings?)|clippy\S*)\b.{{0,40}}$
    (?:upgrade|update|bump|enable|enabling|configure|set ?up|apply|use|add|switch on) \
        (?:\S+ ){{0,3}}{_TOOLS}\b.{{0,30}}$
    (?:add|update|improve|extend|fix|expand|write|rework|move|split|publish|restructure|clarify)(?:e?d|s|ing)? \
        (?:\S+ ){{0,4}}(?:docs?|documentation|docstrings?|readmes?|changelogs?)\b.{{0,60}}$
    (?:\S+ ){{1,3}}docs?(?: restructuring| updates?| fixes| improvements?)?\W*$
    docs? (?:restructuring|updates?|fixes)\b.*
    (?:document|describe|mention|clarify) (?:how|why|what|that|when|where|which|the|an?|our|some|all)\b.*
    (?:test|unflake|deflake|de-flake|parametri[sz]e)(?:ing|s|ed)? (?:that |the |for |of )?\S+ .*
    (?:fix|correct|update|remove|repair)(?:e?d|s|ing)? (?:\S+ ){{0,6}}(?:typos?|docstrings?|spelling|wording)\b\
        .{{0,40}}$
    (?:fix|correct|update|remove|repair)(?:e?d|s|ing)? (?:the |some |stale |dead |broken |old |outdated |code |wrong )*\
        (?:comments?|links?|badges?|\S+ links)\b(?: (?:in|->|→) .{{0,60}})?\W*$
    (?:stale|outdated|misleading) comments?\b.*
    (?:add|update|remove|thank|new)(?:s|ing)? (?:\S+ ){{0,3}}(?:sponsors?|sponsorship|contributors|\
        maintainers|badges?)\b.{{0,30}}$
    (?:drop|remove|delete)(?:e?d|s)? (?:\S+ )?(?:redundant|useless|unnecessary|unused|unneeded|superfluous|\
        obsolete|leftover|dead|stray|nonexist[ae]nt) \S+(?: \S+){{0,3}}$
    update \w+s?\W*$
    (?:keep|make|bring) (?:\S+ ){{1,3}}(?:in sync|up to date|consistent)\W*$
    (?:address|appease|satisfy|please) (?:the )?{_TOOLS}\b.*
    rename[sd]? (?:the |remaining |some |all )*(?:\S+ (?:to|->|→|as) )?\S+(?: (?:everywhere|again|files?|\
        models?|variables?|methods?|functions?|class(?:es)?|fields?))*\W*$
    (?:move|inline|extract|reorder|split|hoist)[sd]? (?:the |some |a |few |static |private |shared |common |small |\
        more ){{0,4}}(?:helpers?|utils?|utilit(?:y|ies)|constants?|imports?|declarations?|variables?)\b.{{0,40}}$
    (?:sort|alphabeti[sz]e|reorder)(?:ed|s)? (?:\S+ ){{0,2}}(?:keys|imports?|includes|deps|dependencies)\b.{{0,30}}$
    (?:use|prefer|convert to) (?:\S+ ){{1,4}}(?:in a few places|where possible|where appropriate|\
        everywhere|throughout)\W*$
    (?:remove|drop|delete|clean ?up|strip|kill)[sd]? (?:\S+ ){{0,2}}(?:dbg|debug\w*|printk|printf|console\.\S+|\
        (?:log|print|logging) (?:lines?|statements?|calls?)|leftovers?|commented\S*|fixmes?)\b.{{0,40}}$
    (?:forgot(?:ten)? (?:the|to|a|an|this|one|file|files)\b|oops|oups|hoppla|woops|whoops).*
    (?:it |this |that )?(?:works?|fixed|geht|läuft|klappt|marche|ça marche|funciona) \
        (?:now|jetzt|wieder|again|maintenant|ya)\W*$
    (?:prints?|debug\S*|logs?|ausgaben?|kommentare?|todos?) (?:raus|weg|entfernt|gelöscht)\b.*
    (?:unbenutzte?[rsn]?|überflüssige?[rsn]?|tote[rsn]?) (?:imports?|code|variablen?|methoden?)\b.{{0,30}}$
    (?:tippfehler|rechtschreibung|formatierung|aufger[äa]umt|aufräumen|einrückung|kleinigkeiten|review-?anmerkungen|\
        anmerkungen)\b.*
    \S+(?: \S+){{0,2}} (?:wieder|again) (?:grün|green)\W*$
    (?:enlever|retirer|supprimer|virer) (?:le |la |les |du |des )?(?:debug|logs?|console\S*|prints?|commentaires?)\b.*
    (?:coquilles?|fautes? (?:de frappe|d'orthographe)|nettoyage|mise en forme|relecture|formatage)\b.{{0,40}}$
    (?:quitar|eliminar|borrar) (?:el |la |los |las )?(?:debug|logs?|prints?|comentarios?)\b.*
    (?:errata|limpieza|correcciones menores)\b.{{0,40}}$
    """,
    start=True,
)


def is_minor_chore(title: str) -> bool:
    """Whether a title alone is not worth an item, though it is no plain chore."""
    return _SLIGHT.match(title[:300]) is not None
