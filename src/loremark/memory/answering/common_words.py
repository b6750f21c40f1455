"""Common English words, used in questions about anything. All other words are a question's topic."""

from __future__ import annotations

_TEXT = """
able about above accept across act actual actually add afraid after afterwards again against ago agree ahead all allow
allowed almost alone along already alright also although always am among amount and annoying another answer any
anybody anyhow anymore anyone anything anyway anywhere apart appear appears apply are around arrive ask asked asks at
away awful back bad badly barely basically be became because become becomes been before began begin behave behavior
behaviour behind being believe below best better between beyond big bigger bit both bother bring brings brought bunch
but buy by call called came can cannot care careful case catch caught cause certain certainly chance change changed
check choose chose chosen clean clear clearly close come comes coming common completely concern confused consider
contain contains continue correct correctly could count couple course crazy current currently cut day days deal decide
decided deep definitely depend depends describe detail details did didn differ difference different differently
difficult directly do does doing done down drop during each earlier early easily easy effort either else empty end
ended ends enough enter entered entire entirely especially even eventually ever every everybody everyone everything
everywhere exact exactly example except exist exists expect expected expects explain explicit extra fact fail fair
fairly far feel felt few figure fill final finally find fine finish finished first fit fix fixed follow follows for
force forced forever forget forgot form former found from full fully funny further gave general generally get gets
getting give given gives giving go goes going gone good got gotten great guess guy had half hand handle handled
handles happen happened happens happy hard hardly has have having he hear heard heavy held help helps her here hers
high him his hit hold holds hope hours how however huge idea if imagine immediately important in inside instead
interesting into involved is issue it its itself job just keep keeps kept kill killed kind kinds knew know known knows
lack large last late lately later latter lead least leave leaves left less let lets level lie life light like likely
line list listen little live lives living long longer look looked looking looks lose lost lot lots low mad made main
mainly make makes making man manage mandatory many mark matter may maybe me mean meaning means meant meet mention mess
middle might mind minute minutes miss missed missing moment month months more morning most mostly move moved much must
my myself name named names near nearly necessary need needed needs neither never new next nice night no nobody none
nor normal normally not note nothing notice now number numbers obvious obviously odd of off often oh ok okay old on
once one ones only open opened opens or order original other others otherwise ought our ours ourselves out outside
over own pain part particular particularly parts pass past people perhaps person pick picked picks piece place placed
plain please plenty point points poor possible possibly prefer pretty prevent prevents previous probably problem
problems proper properly pull purpose push put puts putting question questions quick quickly quiet quite ran rarely
rather reach read ready real really reason reasons recent recently remain remember require required right roughly
round rule rules run running runs safe said same sat save saved saw say says second seconds see seem seemed seems seen
self send sense sent separate separately serious set sets several shall she short should show shown shows side silly
similar simple simply since sit situation size slow slowly small so some somebody somehow someone something sometimes
somewhere soon sort sorts spend spent stand start started starts state stay stays step steps still stop stopped stops
straight strange strict strictly stuff such sudden suddenly support supports suppose supposed sure surely switch take
taken takes taking talk tell tells than that the their them themselves then there these they thing things think this
those though thought three through throughout throw thrown throws thus time times to today together told tomorrow
tonight too took top total totally touch toward treat treated tried tries trouble true truly trust try trying turn
turned turns twice two type types under understand unless until up upon us use used useful uses using usual usually
very via wait want wanted wants was watch way ways we week weeks weird well went were what whatever when whenever
where wherever whether which while who whoever whole whom whose why will win wins wish with within without won wonder
word words work worked working works world worry worse worst would write wrong yes yesterday yet you your yours
yourself
"""

COMMON_WORDS = frozenset(_TEXT.split())
