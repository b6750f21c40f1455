"""Sentence openings: references to the previous sentence, imperatives and changes."""

from __future__ import annotations

from loremark.memory.extraction.word_patterns import compile_phrases

ANAPHORA = compile_phrases(
    r"""
    this|that|it|its|these|those|they|because|so|therefore|hence|otherwise|which|why|as a result|for example|e\.g
    (?:the )?(?:root )?(?:cause|reason|fix|culprit|problem|issue|solution|impact|consequence|result|workaround)
    the (?:logic|code|implementation|change|tests?|migration|template|script|helper) (?:is|are|lives?|sits?)
    needs? (?:a|an|the)
    """,
    start=True,
)
# "Now" indicates a change; a rule has no such moment.
CHANGED = compile_phrases("(?<!from )now(?! on)|is gone|are gone|no longer|was (?:moved|replaced|added)")
# In a guide an imperative is a rule; in a commit it describes the change.
IMPERATIVE = compile_phrases(
    r"""
    use|run|call|put|name|write|wrap|go through|keep|prefix|import|return|enqueue|check|restart|set|define|\
        register|store
    validate|log|test|mock|create|document|handle|pass|send|start|stop|deploy|add|ask|open|make sure|ensure|\
        remember|export
    """,
    start=True,
)
