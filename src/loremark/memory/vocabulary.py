"""Word relations in software prose: stop words, synonyms, antonyms and negations."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _classes(text: str) -> dict[str, str]:
    """Map each word of a line to the first one."""
    return {word: line.split()[0] for line in text.strip().splitlines() for word in line.split()}


STOP = _words(
    "a an the this that these those it its is are was were be been being am do does did done has have had having"
    " will would can could shall should may might must of in on at to for from by with as into onto and or if then"
    " than so such also there their they them we our us you your he she i my all each any some very just too more"
    " most much many other both via per when while where which who whom whose what how why up out about over"
    " under again further once here same now only currently because since due but yet still get gets got getting"
    " let lets make makes made making need needs needed want wants please e.g i.e etc between within during"
    " through across upon thus hence therefore everywhere every always whole back again anymore longer way thing"
    " things one ones new"
)

# The first word of each line represents the others.
SYNONYMS = _classes(
    """
    enable enabled enables enabling activate activated
    accept accepts accepted
    asynchronous async asynchronously queued non-blocking
    synchronous sync synchronously
    automatic automatically auto
    immutable append-only
    use using used uses usage utilise utilize utilised utilized employ employed adopt adopted choose chosen chose
    use rely relies
    store stores stored storing storage save saves saved keep keeps kept hold holds held persist persists persisted
    store live lives reside resides
    write writes written wrote writing print prints printed output emit emits emitted log logs logged
    run runs running ran execute executes executed launch launched
    return returns returned returning answer answers answered respond responds responded response responses give
    return gives gave reply replies
    create creates created creating creation add adds added adding introduce introduced insert inserted build builds
    create built
    fix fixes fixed fixing repair repaired resolve resolved resolves correct corrected solve solved
    remove removes removed removing delete deletes deleted deleting deletion drop drops dropped erase erased purge
    remove purged
    change changes changed changing modify modified alter altered update updates updated adjust adjusted edit edited
    send sends sent sending post posted deliver delivers delivered dispatch dispatched publish published
    fail fails failed failing failure failures break breaks broke broken crash crashes crashed
    require requires required requiring requirement mandatory compulsory obligatory
    check checks checked verify verifies verified validate validates validated validation verification
    start starts started starting begin begins began boot boots startup
    stop stops stopped stopping halt halts end ends ended shutdown
    handle handles handled handling process processes processed processing treat treated
    function functions method methods func routine
    config configuration configurations settings setting configured configure configures configs
    auth authentication authenticate authenticated authenticates login logins
    authorization authorisation authorize authorized authorise authorised permission permissions
    database databases db
    directory directories folder folders dir
    repository repositories repo repos
    environment environments env envs
    production prod
    staging stage
    development dev
    postgres postgresql pg postgre
    javascript js
    typescript ts
    python py
    kubernetes k8s
    mongodb mongo
    elasticsearch elastic
    golang go
    application applications app apps
    parameter parameters param params argument arguments arg args
    message messages msg
    request requests req
    error errors exception exceptions
    maximum max maximal cap upper
    minimum min minimal lower
    second seconds sec secs
    document documents documentation docs doc documented
    dependency dependencies dep deps package packages
    test tests testing tested
    timeout timeouts timed
    retry retries retried retrying reattempt reattempts attempt attempts
    limit limits limited limiting limitation
    endpoint endpoints route routes
    user users
    customer customers
    client clients
    file files
    key keys
    allow allows allowed permit permits permitted
    support supports supported supporting
    contain contains contained include includes included including
    call calls called calling invoke invokes invoked
    read reads reading load loads loaded loading fetch fetches fetched
    move moves moved moving migrate migrates migrated migration switch switches switched
    show shows shown display displays displayed render renders rendered
    throw throws thrown raise raises raised raising
    hash hashes hashed hashing
    deploy deploys deployed deployment deployments release releases released
    encrypt encrypts encrypted encryption
    queue queues queued
    cache caches cached caching
    name names named naming
    module modules component components
    enter entered enters type typed input
    wrong incorrect invalid bad
    duplicate duplicates duplicated double doubled twice
    place places placed put puts located location locate
    define defines defined definition declare declared
    job jobs task tasks
    transaction transactions tx
    table tables
    column columns field fields
    branch branches
    commit commits committed
    merge merges merged merging
    todo pending outstanding
    implement implements implemented implementation
    """
)

# Words that contain a negation: the clause is negated and the plain word compared.
NEGATED_SYNONYMS: dict[str, str] = {
    denial: word
    for word, denials in {
        "enable": "disable disabled disables disabling deactivate deactivated",
        "allow": "forbid forbids forbidden prohibit prohibited disallow disallowed deny denies denied ban banned bans",
        "accept": "reject rejects rejected refuse refuses refused",
        "contain": "exclude excludes excluded excluding omit omits omitted",
        "support": "unsupported",
        "use": "ignore ignored ignores unused obsolete retired deprecated gone",
        "encrypt": "unencrypted",
        "sign": "unsigned",
        "safe": "unsafe",
    }.items()
    for denial in denials.split()
}

# Antonyms, separated by a bar.
ANTONYMS: dict[str, tuple[int, int]] = {
    word: (axis, end)
    for axis, line in enumerate(
        """
        opt-out | opt-in
        required require requires mandatory | optional optionally
        public publicly | private privately
        async asynchronous asynchronously non-blocking nonblocking queued | sync synchronous synchronously
        maximum max | minimum min
        increase increased raised | decrease decreased reduce reduced lowered
        automatic automatically auto | manual manually
        ascending asc oldest | descending desc newest
        lowercase lower-case | uppercase upper-case
        parallel concurrently concurrent | sequential sequentially serial serially
        internal internally | external externally
        mutable | immutable
        strict | lenient loose
        eager eagerly | lazy lazily
        static statically | dynamic dynamically
        local locally laptop | remote remotely
        inside | outside
        left | right
        push | pull
        soft soft-deleted | hard hard-deleted
        relative | absolute
        true | false
        plaintext unencrypted | encrypted
        stateful | stateless
        nullable | non-null
        horizontal horizontally | vertical vertically
        client-side | server-side
        case-sensitive | case-insensitive
        tabs tab | spaces
        monorepo | polyrepo multirepo
        singular | plural
        first | last
        own separate dedicated | share shares shared
        shown visible | hidden invisible
        """.strip().splitlines()
    )
    for end, words in enumerate(line.split("|"))
    for word in words.split()
}
# Words that negate a clause.
NEGATIONS = _words("not never no cannot without avoid avoids avoided avoiding nor neither none nobody nothing nowhere")

# The subject of a clause ends at one of these.
PREDICATE = _words(
    "is are was were be been has have had can could must may might should will would do does did not never cannot uses"
    " use used runs run ran goes go went comes come came gets get got takes take took needs need"
)
POSSIBLE = _words("can could may might supports support also either optionally")
PAST = _words("was were had took ran went became previously formerly earlier once originally")
