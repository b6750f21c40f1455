"""Synonyms between the words people ask with and the technical terms memories use.

The synonyms in ``vocabulary`` decide whether two facts are the same, so they are strict. These only help to find
passages and can be generous: a false synonym costs a little precision, a missing one an answer.
"""

from __future__ import annotations

from functools import lru_cache

from loremark.memory.word_normalization import canonical

# The first word of each line represents the others.
_LINES = """
retry try tries tried trying attempt attempts again retrying
image images picture pictures photo photos screenshot screenshots
person people somebody someone everybody folks human humans guy guys teammate colleague colleagues
undo undone undoing revert reverts reverted reverse reversed rollback unmerge unlink
memory ram heap
vulnerability vulnerabilities hole holes exploit exploits cve
alarm alarms wake woken wakes oncall pager paged pagerduty alert alerts
amazon aws s3
microsoft microsofts azure
google googles gcs gcp
mail mails email emails inbox
performance perf benchmark benchmarks bench speed speeds fast faster fastest slow slower slowest throughput latency
pull pr prs
deploy ship ships shipped shipping rollout cut
container containers docker dockerfile
flag flags toggle toggles toggled
mac macs macbook macos osx
phone phones mobile smartphone
hang hangs hung freeze freezes frozen stuck endless infinite loop loops deadlock deadlocks
approximate approx roughly quick
maximum biggest largest most ceiling highest longest
minimum smallest least oldest lowest shortest
precedence wins win priority override overrides
plan plans planned planning roadmap upcoming
session sessions signin logged logout
idle inactive inactivity
trace traces tracing verbose debug
sample samples fixture fixtures example examples
repeat repeats repeated recurring occurrence occurrences series
reject rejects rejected rejecting refuse refused refuses decline declined deny denied block blocked blocks blocking
company companies organisation organization
timezone zone zones dst clock clocks
secret secrets credential credentials password passwords passphrase
url urls link links uri
catalogue catalog
search searches searching lookup find finds finding
pay pays paid payment payments bill billed bills billing charge charges charged fee fees cost costs price prices
licence license licences licenses
expire expires expired expiry expiration valid lifetime ttl
previous earlier former prior
install installs installed installing setup
lock locks locked locking mutex
permission permissions role roles privilege privileges
large big huge bigger
join joins joined combine combined merge merged
cancel cancels cancelled cancellation cancellations abort aborted
accept accepts accepted approve approved approval approvals signoff
compile compiles compiled compiling
malicious malformed hostile crafted corrupt corrupted
pick picked picks selection selected select
interval often frequency frequent
erase wipe wiped delete deleted removal purge gdpr
incident mess outage downtime postmortem
maintainer maintain maintains maintained maintainers responsible
library libraries crate crates package packages dependency
backup backups restore restored restoring recover recovery
notification notifications notify notified notifies
metric metrics monitoring prometheus grafana dashboard dashboards
translation translations locale locales i18n language languages
payload payloads body bodies
page pages paging pagination paged
month months monthly
week weeks weekly
day days daily
night nights nightly midnight
year years yearly annual annually
hour hours hourly
keep retention retain retained retains kept
limit limits limited quota quotas throttle throttled throttling
migration migrations ddl
review reviews reviewer reviewers reviewed
lint linter linting formatter formatting
sign signs signing signature signatures
encrypt encrypted encryption decrypt cipher
token tokens jwt
thread threads threading parallel parallelism concurrent concurrently concurrency simultaneous
queue queues queued backlog
customer customers buyer buyers shopper shoppers
invoice invoices receipt receipts
refund refunds refunded chargeback
product products sku skus article articles
warehouse warehouses stock inventory
shipment shipments parcel parcels
sms text texts texting texted
upload uploads uploaded attachment attachments
pdf export exports exported exporting
import imports imported importing importer ingest ingestion
schedule schedules scheduled cron timer
crash crashes crashed panic panics segfault
wrong incorrect false
vanish vanishes disappear disappears disappeared gone lost missing
start starts started boot startup launch
stop stops stopped halt shutdown terminate
connect connects connection connections connected
machine machines host hosts
share percent percentage fraction ratio
feature features functionality
device devices sensor sensors
firmware ota
admin admins administrator administrators
draw drawn draws render renders rendering rendered
colour colours color colors
round rounds rounded rounding
disk ssd
copy copies copied duplicate duplicated duplicates twice
meeting meetings standup
newcomer onboarding newbie
laptop local locally workstation
website site web
"""

_SAME: dict[str, str] = {}
for _line in _LINES.strip().splitlines():
    _first, *_others = _line.split()
    for _word in (_first, *_others):
        _SAME.setdefault(canonical(_word), canonical(_first))


@lru_cache(maxsize=16_384)
def normalize_query_word(word: str) -> str:
    """The word that represents all words of about the same meaning."""
    base = canonical(word)
    return _SAME.get(base, base)
