"""Dedup: paraphrases are the same, contradictions never are, and the order of items does not matter."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from loremark.memory.dedup import classify_pair, cluster_items, find_duplicate
from loremark.memory.items import Item, Quote
from loremark.wire.items import ItemType
from tests.growth import Work, assert_subquadratic
from tests.support.properties import examples

PROPERTY = settings(max_examples=examples(100), deadline=None, database=None)
NEAR = 0.95


def item(title: str, content: str, *files: str, type: ItemType = "convention", id: str = "") -> Item:
    return Item(title=title, content=content, type=type, schema_key="root/x", confidence=0.9, files=files, id=id)


# (pattern, values): the pattern with two different values is a contradiction or describes two different things.
EXCLUSIVE_TERMS: list[tuple[str, list[str]]] = [
    ("Requests time out after {} seconds.", ["10", "30", "sixty"]),
    ("The cache keeps entries for {}.", ["5 minutes", "300 ms", "2 hours"]),
    ("Uploads are limited to {}.", ["10 MB", "25 MB", "1 GiB"]),
    ("The service needs Python {}.", ["3.11", "3.12"]),
    ("We pin the client library to {}.", ["v2.1.0", "v2.2.0", "v3.0.0"]),
    ("The dev server listens on port {}.", ["3000", "5173", "8080"]),
    ("Sessions are stored in {}.", ["Redis", "PostgreSQL", "Memcached"]),
    ("Passwords are hashed with {}.", ["argon2id", "bcrypt"]),
    ("Run the build with {}.", ["--release", "--debug"]),
    ("Settings are read from {}.", ["config/app.toml", "/etc/app/app.yaml"]),
    ("Deploys to {} need an approval.", ["staging", "production"]),
    ("Strict mode is {}.", ["enabled", "disabled"]),
    ("Telemetry is {} by default.", ["on", "off"]),
    ("{} use floats for money.", ["Always", "Never"]),
    ("{} commit generated files to git.", ["Please", "Do not"]),
    ("Rebasing shared branches is {}.", ["allowed", "forbidden"]),
    ("The tenant id is {} on every event.", ["required", "optional"]),
    ("We replaced {}.", ["Sidekiq with Celery", "Celery with Sidekiq"]),
    ("Migrations run {} the deploy.", ["before", "after"]),
    ("{} auth check.", ["The quota check runs before the", "The quota check runs after the"]),
    ("Retries happen {} times.", ["three", "5"]),
    ("The sync handler runs {}.", ["synchronously", "asynchronously"]),
    ("Contacts flow from the {}.", ["CRM into the app", "app into the CRM"]),
    ("The uploader takes {} networks only.", ["metered", "unmetered"]),
    ("The handlers restart the app {} the migrations ran.", ["before", "after"]),
]
CONTRADICTION_FEATURES = [
    (pattern.format(one), pattern.format(other))
    for pattern, words in EXCLUSIVE_TERMS
    for one, other in combinations(words, 2)
]
TITLES = ["Rule", "How it works", "Decision of May", "Note on the service"]
TYPES: list[ItemType] = ["convention", "decision", "implementation", "architecture", "bug"]


@pytest.mark.parametrize(("one", "other"), CONTRADICTION_FEATURES)
def test_a_contradiction_is_never_the_same(one: str, other: str) -> None:
    for type in TYPES:
        a, b = item("Rule", one, "a.py", type=type), item("Rule", other, "a.py", type=type)
        assert classify_pair(a, b, NEAR) != "same"
        assert classify_pair(b, a, NEAR) == classify_pair(a, b, NEAR)
        assert cluster_items([a, b], _identical_vectors(2)) == [[0], [1]]


def test_most_contradictions_are_detected() -> None:
    called = [
        classify_pair(item("Rule", one), item("Rule", other), NEAR) == "contradicts"
        for one, other in CONTRADICTION_FEATURES
    ]
    assert sum(called) >= 0.9 * len(called)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The session token expires after 60 seconds.", "Session tokens expire after one minute."),
        ("Prices are cached in Redis for ten minutes.", "Redis caches the prices for 600 s."),
        ("Never write e-mail addresses to the log.", "E-mail addresses must not be logged."),
        ("Use pnpm instead of npm to install packages.", "Packages are installed with pnpm, not npm."),
        ("Blocking calls are forbidden in async handlers.", "Do not use blocking calls in async handlers."),
        ("Migrations run before the deploy.", "The deploy runs after the migrations."),
        ("We moved the jobs from Sidekiq to Celery.", "Jobs run on Celery instead of Sidekiq."),
    ],
)
def test_paraphrases_are_the_same(one: str, other: str) -> None:
    a, b = item("Rule", one, "src/a.py"), item("Our rule", other, "src/a.py")
    assert classify_pair(a, b, 0.85) == "same"
    assert classify_pair(b, a, 0.85) == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Reminders go out after 6 hours.", "Reminders go out after 24 hours now, 6 felt pushy."),
        ("The exports queue has a concurrency of 5.", "The concurrency of the exports queue is set to 10 (was 5)."),
        ("We raised the page size from 50 to 80.", "The page size is back to 50."),
        ("Jobs run on Solid Queue, not Sidekiq.", "Jobs go back to Sidekiq, Solid Queue was too slow."),
        ("The crash on rotation is not fixed.", "The crash on rotation is fixed."),
        ("The crash on rotation is known and open.", "The crash on rotation is fixed."),
        ("The exporter sends batches of 512 spans.", "A batch of the exporter has 2048 spans, up from 512."),
        (
            "Drivers may edit the plan of their own tour only.",
            "Drivers may edit the plan of each tour; the limit is void.",
        ),
    ],
)
def test_a_past_value_is_not_the_current_one(one: str, other: str) -> None:
    """Both texts contain the old value or name, but only one still asserts it."""
    a, b = item("Note", one, "src/a.py"), item("Another note", other, "src/a.py")
    assert classify_pair(a, b, 0.85) == classify_pair(b, a, 0.85) == "contradicts"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Contacts are synced from the CRM to the app.", "Contacts are synced from the app to the CRM."),
        ("Environment variables override flags.", "Flags take precedence over environment variables."),
        ("A second factor is enforced for all users.", "A second factor is enforced for administrators only."),
        ("Embedded third-party markup is sanitized.", "Embedded third-party markup is unsanitized."),
    ],
)
def test_reversed_direction_and_different_scope_are_not_the_same(one: str, other: str) -> None:
    a, b = item("Note", one, "src/a.py"), item("Another note", other, "src/a.py")
    assert classify_pair(a, b, 0.9) == classify_pair(b, a, 0.9) != "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            ("Backups", "The database is backed up by cron every night and the dump is copied to the bucket."),
            ("Backups", "The database is backed up by cron once a week and the dump is copied to the bucket."),
        ),
        (
            ("Index is rebuilt daily", "A job rebuilds the search index from the tables and swaps it in."),
            ("Index is rebuilt weekly", "A job rebuilds the search index from the tables; a daily one was too much."),
        ),
        (
            ("Region", "The cluster and its volumes run in eu-west-1 for all tenants of the service."),
            ("Region", "The cluster and its volumes run in eu-central-1 for all tenants of the service."),
        ),
        (
            ("Crash reports", "Crash reports are on by default and hold the version and the stack."),
            ("Crash reports", "Crash reports are opt-in and hold the version and the stack."),
        ),
        (
            ("Node 18 is what the service needs", "The service needs it for the fetch of the runtime and its streams."),
            ("The service needs Node 20", "It needs it for the fetch of the runtime and its streams."),
        ),
        (
            ("Reports are sent", "The worker sends the monthly report synchronously within the request."),
            ("Reports are sent", "The worker sends the monthly report asynchronously after the request."),
        ),
    ],
)
def test_a_different_frequency_region_default_or_number_is_another_fact(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    """Nothing else distinguishes them, however similar they are."""
    a, b = item(*one, "src/a.py"), item(*other, "src/a.py")
    assert classify_pair(a, b, 0.95) == classify_pair(b, a, 0.95) != "same"


def test_a_removed_number_is_not_a_different_number() -> None:
    a = item("Node 20 is the minimum", "The server needs Node 20 or newer, 18 is not supported.", "package.json")
    b = item("Dropped Node 18", "The server needs Node 20 or newer; Node 18 is not supported any more.", "package.json")
    assert classify_pair(a, b, 0.9) == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("two years", "24 months"),
        ("365 days", "one year"),
        ("200 MB", "0.2 GB"),
        ("2048 KB", "2 MB"),
        ("1536 MB", "1.5 GB"),
    ],
)
def test_equal_amounts_in_different_units_are_the_same(one: str, other: str) -> None:
    a = item("Archive of orders", f"Orders are archived at {one} by the nightly job.", "src/a.py")
    b = item("Nightly archive job", f"The nightly job archives orders at {other}.", "src/a.py")
    assert classify_pair(a, b, 0.85) == "same"


def test_the_same_change_reported_twice_is_one_fact() -> None:
    a = item("Cache lifetime", "The cache lifetime went from 5m to 15m as the origin was melting.", "edge/cache.conf")
    b = item("Longer cache", "To relieve the origin the cache lifetime is a quarter of an hour.", "edge/cache.conf")
    assert classify_pair(a, b, 0.8) == "same"


def test_similarity_alone_is_not_enough() -> None:
    a = item("Users table", "users has a unique index on the lower-case address.", "db/schema.sql")
    b = item("Customers table", "customers has a unique index on shop and number.", "db/schema.sql")
    assert classify_pair(a, b, 0.9) == "different"
    assert classify_pair(a, item("Release day", "Releases go out on Tuesday.", "docs/release.md"), 0.9) == "different"


ITEMS = st.builds(
    lambda title, text, type, files: item(title, text, *files, type=type),
    st.sampled_from(TITLES),
    st.sampled_from([text for pair in CONTRADICTION_FEATURES for text in pair]) | st.text(max_size=60),
    st.sampled_from(TYPES),
    st.lists(st.sampled_from(["a.py", "b.py", "docs/c.md"]), max_size=2, unique=True),
)


@PROPERTY
@given(a=ITEMS, b=ITEMS, cosine=st.floats(-1, 1))
def test_classification_is_symmetric(a: Item, b: Item, cosine: float) -> None:
    assert classify_pair(a, b, cosine) == classify_pair(b, a, cosine)
    assert classify_pair(a, a, cosine) == "same"


@PROPERTY
@given(data=st.data(), items=st.lists(ITEMS, max_size=12))
def test_clusters_do_not_depend_on_the_order(data: st.DataObject, items: list[Item]) -> None:
    vectors = np.array([_vector(each) for each in items], dtype=np.float32).reshape(len(items), 16)
    groups = cluster_items(items, vectors)
    assert sorted(place for cluster in groups for place in cluster) == list(range(len(items)))
    order = data.draw(st.permutations(range(len(items))))
    again = cluster_items([items[place] for place in order], vectors[list(order)])
    assert sorted(sorted(order[place] for place in cluster) for cluster in again) == groups
    for cluster in groups:
        for one, other in combinations(cluster, 2):
            assert (items[one].content, items[other].content) not in CONTRADICTION_FEATURES


def test_exact_duplicates_cluster_whatever_their_vectors() -> None:
    items = [item("Cache", "Kept for 5 minutes."), item("Port", "It is 80."), item("cache", "Kept  for 5 minutes. ")]
    assert cluster_items(items, np.eye(3, dtype=np.float32)) == [[0, 2], [1]]
    assert cluster_items([], np.zeros((0, 3), dtype=np.float32)) == []


def test_a_bridge_does_not_join_contradicting_items() -> None:
    """The middle one matches both ends, but the ends contradict each other."""
    items = [
        item("Timeout of the client", "The client timeout is 10 seconds."),
        item("Timeout of the client", "The client has a timeout."),
        item("Timeout of the client", "The client timeout is 30 seconds."),
    ]
    clusters = cluster_items(items, _identical_vectors(3))
    assert not any({0, 2} <= set(cluster) for cluster in clusters)


def test_a_bridge_does_not_join_different_facts() -> None:
    """The ends do not contradict each other: they are two bugs with one cause."""
    saved = "Events lost an hour when the clock changed, since the offset was kept."
    items = [
        item("Weekly events lost an hour", saved, type="bug"),
        item("Events lost an hour", saved, type="bug"),
        item("Monthly events lost an hour", saved.replace("the offset", "their offset"), type="bug"),
    ]
    clusters = cluster_items(items, _identical_vectors(3))
    assert sorted(map(len, clusters)) == [1, 2], "the middle one is the same as one of the others"
    assert not any({0, 2} <= set(cluster) for cluster in clusters)


def test_the_nearest_that_agrees_is_chosen() -> None:
    candidate = item("Retry policy", "Deliveries are retried 5 times with growing waits.", "hooks.py")
    known = [
        (
            item("Retry policy", "Deliveries are retried 3 times with growing waits.", "hooks.py", id="contradicts"),
            0.97,
        ),
        (item("Retries", "A delivery is retried up to five times, waits grow.", "hooks.py", id="same"), 0.88),
        (item("Port", "The service listens on port 80.", id="other"), 0.2),
    ]
    vector = np.ones(4, dtype=np.float32)
    assert find_duplicate(candidate, vector, known) == 1
    assert find_duplicate(candidate, vector, known[:1]) is None
    assert find_duplicate(candidate, vector, []) is None


@pytest.mark.parametrize("cosine", [0.8, 0.9, 0.97])
def test_the_same_sentence_about_another_thing_is_another_fact(cosine: float) -> None:
    """Items that share a phrase (a cause, a fix) stay separate if the subject and its file differ.

    Nearly all of 1,000 such items were once merged into forty.
    """
    fixes = ("a unique key", "a monotonic clock", "a covering index")
    items = [
        item(
            f"Fix data loss in {area}_{part}_{number:06d}",
            f"{area}_{part}_{number:06d} lost data because the index did not cover the filter. It now uses "
            f"{fixes[number % 3]}, in src/{area}/{area}_{part}_{number:06d}.py.",
            f"src/{area}/{area}_{part}_{number:06d}.py",
            type="bug",
        )
        for number, (area, part) in enumerate(
            [("login", "planner"), ("maps", "queue"), ("audit", "queue"), ("audit", "ledger"), ("chat", "cache")], 41
        )
    ]
    for a, b in combinations(items, 2):
        assert classify_pair(a, b, cosine) != "same"
        assert find_duplicate(a, np.zeros(4, dtype=np.float32), [(b, cosine)]) is None
    assert len(cluster_items(items, _identical_vectors(len(items)))) == len(items)


def test_another_thing_in_another_file_is_another_fact() -> None:
    """Even if both are described with common words, some of them shared."""
    template = "The {} lost data because its buffer was not flushed on shutdown. Fixed in {}."
    log = item(
        "Fix lost data in the audit log", template.format("audit log", "src/audit.py"), "src/audit.py", type="bug"
    )
    shipper = item(
        "Fix lost data in the log shipper", template.format("log shipper", "src/ship.py"), "src/ship.py", type="bug"
    )
    assert classify_pair(log, shipper, 0.9) != "same"


def test_a_list_of_rules_is_not_merged_because_of_a_shared_name() -> None:
    about = item(
        "parcel: Tracks parcels",
        "Tracks parcels. `python -m parcel.app` starts the API on port 9100. State names follow the UPU standard. "
        "The code of parcel itself, without tests, is 32 lines in 4 files: Python (100%).",
        type="architecture",
    )
    rules = item(
        "Parcel guide › Conventions",
        "- Use 4 spaces, never tabs.\n- Every endpoint has a test in tests/.\n- Run `pytest -q` before each commit.",
    )
    assert classify_pair(about, rules, 0.447) != "same"
    shorter = item("Parcel guide › Conventions", "- Use 4 spaces, never tabs.\n- Every endpoint has a test in tests/.")
    assert classify_pair(shorter, rules, NEAR) == "same", "an item that only repeats the other one is a duplicate"


def test_findings_of_one_scan_are_separate() -> None:
    def found(title: str, content: str, event: str) -> Item:
        saved = item(title, content, type="codemap")
        return replace(saved, tags=("scan",), evidence=(Quote(event, title),))

    stack = ("Built with FastAPI and SQLite", "repo is built with FastAPI 0.115.0 and SQLite.\n\n- Backend: HTTPX")
    packages = (
        "Python packages: fastapi and httpx",
        "repo asks for 2 Python packages to run: `fastapi 0.115.0`, `httpx`.",
    )
    one, other = found(*stack, "evt_1"), found(*packages, "evt_1")
    assert classify_pair(one, other, NEAR) == "different"
    bridge = replace(item(stack[0], f"{stack[1]}. {packages[1]}", type="codemap"), tags=())
    groups = cluster_items([one, other, bridge], np.array([[1, 0], [0.95, 0.312], [0.98, 0.199]], dtype=np.float32))
    assert not any({0, 1} <= set(places) for places in groups)


def test_a_scanned_bug_is_not_a_reported_one() -> None:
    words = "EmbedBlock renders third-party HTML by dangerouslySetInnerHTML without a sanitizer."
    found = replace(item("Unescaped embed", words, type="bug"), tags=("scan",), evidence=(Quote("evt_1", words),))
    saved = item("Sanitize third-party embeds", "Sanitize third-party HTML in EmbedBlock with DOMPurify.", type="bug")
    assert classify_pair(found, saved, 0.8) != "same"
    assert classify_pair(replace(found, tags=()), saved, 0.8) == "same", (
        "a bug that a person reported and its fix are one fact"
    )


def test_an_open_bug_is_not_its_fix() -> None:
    open_bug = item(
        "anticheat", "still nothing checks fire rate on the server, a modded client can shoot fast", type="bug"
    )
    fix = item(
        "Check fire rate",
        "weapon cooldown is enforced in sim. a modded client could shoot as fast as it likes before",
        type="bug",
    )
    assert classify_pair(open_bug, fix, 0.6) != "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Frontend uses npm instead of yarn", "Docs site uses yarn instead of npm"),
        ("Backend tests use pytest instead of unittest", "Legacy scripts keep unittest instead of pytest"),
        ("Queue jobs moved from Redis to PostgreSQL", "Session cache uses Redis instead of PostgreSQL"),
    ],
)
def test_the_opposite_choice_for_another_thing_reverses_nothing(one: str, other: str) -> None:
    for cosine in (0.7, 0.8, 0.9):
        assert (
            classify_pair(item(one, f"{one}.", type="decision"), item(other, f"{other}.", type="decision"), cosine)
            != "contradicts"
        )


def test_sections_of_one_document_do_not_contradict_each_other() -> None:
    rules = item("Parcel guide › Conventions", "- Use 4 spaces, never tabs.\n- Every endpoint has a test in tests/.")
    tests = item("Parcel guide › Testing", "- Tests run with pytest.\n- Never call the network in unit tests.")
    later = item("Parcel guide › Conventions", "- Use tabs, never 4 spaces.\n- Every endpoint has a test in tests/.")
    assert classify_pair(rules, tests, 0.69) == "different"
    assert classify_pair(rules, later, NEAR) != "same", "a changed version of the same section is not a duplicate"


@pytest.mark.parametrize(
    ("saved", "reversal"),
    [
        (
            ("Idempotency keys on POST /bookings", "Clients send Idempotency-Key; the answer is kept for 24 hours."),
            ('Revert "feat(api): idempotency keys on POST /bookings"', "The table grew by 3 GB a day."),
        ),
        (
            ("Move from SQLite to PostgreSQL", "We moved from SQLite to PostgreSQL because two writers fought."),
            ("Keep SQLite instead of PostgreSQL", "keep SQLite instead of PostgreSQL because one writer is enough."),
        ),
    ],
)
def test_a_reversal_is_not_a_duplicate(saved: tuple[str, str], reversal: tuple[str, str]) -> None:
    for cosine in (0.5, 0.7, NEAR):
        assert (
            classify_pair(item(*saved, type="implementation"), item(*reversal, type="decision"), cosine)
            == "contradicts"
        )
    reverted = item(
        "Reverted to Webpack", "The Vite experiment was reverted; we build with webpack again.", type="decision"
    )
    assert (
        classify_pair(
            reverted, item("Bundler is webpack", "We build with webpack and not vite.", type="decision"), NEAR
        )
        == "same"
    )


def test_clustering_similar_items_stays_subquadratic() -> None:
    """Items of one topic, all similar to each other: the worst case for comparing pairs."""

    def prepare(size: int, repetition: int) -> Work:
        items = _similar_items(size, repetition)
        vectors = np.array([_vector(each) for each in items], dtype=np.float32)
        return lambda: cluster_items(items, vectors)

    assert_subquadratic(prepare, 16)
    items = _similar_items(64, 0)
    assert len(cluster_items(items, np.array([_vector(each) for each in items], dtype=np.float32))) == len(items)


def _similar_items(numbers: int, repetition: int) -> list[Item]:
    subjects = ["cache", "queue", "index", "parser", "gateway", "mailer", "worker", "router"]
    return [
        item(
            f"Limit of the {subject} {number}",
            f"The {subject} of shard {repetition}{number} takes {number + 7} requests a second.",
        )
        for number in range(numbers)
        for subject in subjects
    ]


def _identical_vectors(count: int) -> NDArray[np.float32]:
    return np.tile(np.eye(1, 4, dtype=np.float32), (count, 1))


def _vector(each: Item) -> NDArray[np.float32]:
    """Similar for texts that share letters; it only has to be deterministic."""
    counts = np.ones(16, dtype=np.float64)
    for letter in f"{each.title}\n{each.content}":
        counts[ord(letter) % 16] += 1
    return np.asarray(counts / np.linalg.norm(counts), dtype=np.float32)
