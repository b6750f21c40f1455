"""Classifies files by path, which determines the reading order."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from loremark.memory.codebase.languages import language_of


class FileKind(IntEnum):
    """File kinds in reading order."""

    MANIFEST = 0
    LOCK = 1
    TOP_DOC = 2
    ENTRY = 3
    SETTINGS = 4
    SCHEMA = 5
    SOURCE = 6
    VIEW = 7
    """Templates, styles and other files that are displayed, not run."""
    TEST = 8
    DOC = 9
    DATA = 10


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MANIFESTS = _words("""
    package.json pyproject.toml setup.py setup.cfg pipfile environment.yml go.mod go.work cargo.toml pom.xml
    build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties libs.versions.toml gemfile
    composer.json directory.packages.props directory.build.props global.json packages.config paket.dependencies
    mix.exs rebar.config pubspec.yaml package.swift podfile cartfile project.clj deps.edn build.sbt build.zig.zon
    stack.yaml cabal.project dune-project cpanfile shard.yml description deno.json deno.jsonc jsr.json conanfile.txt
    conanfile.py vcpkg.json meson.build cmakelists.txt flake.nix lerna.json nx.json turbo.json pnpm-workspace.yaml
    rush.json workspace.json module.bazel conda.yaml
    """)
_MANIFEST_FORM = re.compile(
    r"(?:requirements[\w.-]{0,60}|(?:dev|tests?|docs?|lint|ci|prod|base|local|build)[._-]requirements)\.(?:txt|in)|.{1,120}\.(?:csproj|fsproj|vbproj|gemspec|cabal|nimble|sln|slnx)|"
    r"constraints\.txt"
)
_LOCKS = _words("""
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock poetry.lock uv.lock pdm.lock
    pipfile.lock pylock.toml go.sum cargo.lock gemfile.lock composer.lock packages.lock.json paket.lock mix.lock
    pubspec.lock package.resolved podfile.lock gradle.lockfile conda-lock.yml stack.yaml.lock shard.lock conan.lock
    """)
_TOP_DOC = re.compile(
    r"(?:readme|contributing|architecture|design|overview|development|developing|hacking|getting[_-]started|agents|claude|"
    r"security|conventions|style[_-]?guide|roadmap|changelog|changes|history|release[_-]notes|codeowners|support|"
    r"maintaining|code[_-]of[_-]conduct|license|licence|copying)"
    r"(?:\.(?:md|markdown|rst|txt|adoc|asciidoc|org|mdx))?"
)
_FIRST_DOCS = (
    "readme",
    "architecture",
    "design",
    "overview",
    "contributing",
    "development",
    "developing",
    "hacking",
    "agents",
)
_DOCS_INDEX = re.compile(
    r"docs?/(?:index|readme|architecture|overview|introduction|intro|design)\.(?:md|mdx|rst|txt|adoc)"
)
_ENTRY_STEM = re.compile(
    r"main|__main__|app|server|index|manage|wsgi|asgi|cli|program|startup|application|bootstrap|worker|urls|routes?|"
    r"router|celery|kernel|lib"
)
_ENTRY_FORM = re.compile(
    r"(?:.{0,300}/)?(?:cmd/[^/]{1,80}/main\.go|src/(?:main|lib)\.rs|src/bin/[^/]{1,80}\.rs|config/routes\.rb|config/application\.rb|"
    r"routes/(?:web|api|console)\.php|bootstrap/app\.php|public/index\.php|config\.ru|artisan|bin/[^/.]{1,60}|exe/[^/.]{1,60}|"
    r"[^/]{0,60}application\.(?:java|kt)|(?:app|pages)/(?:layout|page|_app|_document|index|root)\.[jt]sx?|"
    r"src/(?:main|index|app)\.(?:vue|svelte|[jt]sx?)|(?:program|startup)\.cs)"
)
_SETTINGS = _words("""
    .editorconfig .prettierrc .eslintrc .stylelintrc .babelrc .swcrc .nvmrc .node-version .python-version
    .ruby-version .tool-versions .flake8 .pylintrc .pre-commit-config.yaml .rubocop.yml .golangci.yml .golangci.yaml
    .clang-format .clang-tidy .php-cs-fixer.php .php-cs-fixer.dist.php phpcs.xml phpcs.xml.dist phpstan.neon
    phpstan.neon.dist phpunit.xml phpunit.xml.dist rustfmt.toml .rustfmt.toml clippy.toml .clippy.toml
    rust-toolchain rust-toolchain.toml tox.ini noxfile.py pytest.ini mypy.ini ruff.toml .ruff.toml .isort.cfg
    .coveragerc .travis.yml .gitlab-ci.yml appveyor.yml azure-pipelines.yml jenkinsfile dockerfile containerfile
    docker-compose.yml docker-compose.yaml compose.yml compose.yaml .dockerignore makefile gnumakefile justfile
    taskfile.yml taskfile.yaml procfile fly.toml vercel.json netlify.toml render.yaml app.yaml app.json biome.json
    biome.jsonc dprint.json .gitattributes .env.example .env.sample .env.dist .npmrc .yarnrc.yml
    .browserslistrc renovate.json dependabot.yml codecov.yml sonar-project.properties checkstyle.xml stylecop.json
    .globalconfig nuget.config application.yml application.yaml application.properties appsettings.json
    docker-bake.hcl skaffold.yaml chart.yaml vagrantfile rakefile .goreleaser.yml .goreleaser.yaml .air.toml .rspec
    .erb_lint.yml .standard.yml .oxlintrc.json .oxfmtrc.json lefthook.yml .readthedocs.yaml .bumpversion.cfg
    .commitlintrc .lintstagedrc .mailmap .solhint.json knip.json components.json
    """)
_SETTINGS_FORM = re.compile(
    r"(?:.{0,300}/)?(?:(?:tsconfig|jsconfig)(?:\.[\w-]{1,30})?\.json|[\w.-]{1,40}\.config\.(?:[cm]?[jt]s|json|ya?ml)|"
    r"\.(?:eslintrc|prettierrc|stylelintrc|babelrc|commitlintrc|lintstagedrc|markdownlint|swcrc)\.(?:[cm]?js|json5?|ya?ml)|dockerfile\.[\w.-]{1,40}|"
    r"[\w.-]{1,40}\.dockerfile|docker-compose[\w.-]{0,40}\.ya?ml|\.ruleset|[\w.-]{1,40}\.ruleset)"
)
_CI = re.compile(r"\.(?:github/workflows|circleci|buildkite|woodpecker|gitea/workflows)/[^/]{1,100}\.ya?ml")
_SCHEMA = re.compile(
    r"(?:.{0,300}/)?(?:(?:[a-z_-]{1,40}_)?schema\.(?:prisma|rb|sql|graphqls?|ts|js|rs|py)|structure\.sql|[^/]{1,80}\.(?:prisma|proto|graphqls?|gql|dbml|avsc)|"
    r"openapi[\w.-]{0,30}\.(?:ya?ml|json)|swagger[\w.-]{0,30}\.(?:ya?ml|json)|models\.py|[^/]{0,60}modelsnapshot\.cs|[^/]{0,60}dbcontext\.cs|"
    r"entities\.(?:ts|py)|tables\.(?:ts|py|sql))"
)
_MIGRATION = re.compile(
    r"(?:.{0,300}/)?(?:[a-z_-]{0,20}migrations?|migrate|alembic/versions|changelog)/(?:[^/]{1,80}/){0,2}[^/]{1,120}\.(?:py|rb|php|sql|js|ts|cs|go|xml|ya?ml|rs|java|kt)"
)
_TEST_PART = re.compile(
    r"tests?|__tests__|__mocks__|specs?|testdata|test[-_]data|fixtures?|__fixtures__|e2e|cypress|playwright|testing|integration[-_]tests?|"
    r"unit[-_]tests?|unittests?|mocks?|androidtest|[\w.-]{1,60}[._-](?:unit|integration|functional)?tests?|benches|bench|benchmarks?|fuzz|stubs"
)
_TEST_NAME = re.compile(
    r"(?:test_.{1,100}|.{1,100}_tests?|.{1,100}_spec|.{1,100}[.-](?:test|spec|e2e|cy|stories|bench)|conftest|tests?|testutils?)\.\w{1,6}"
)
_TEST_CLASS = re.compile(r"[A-Z][\w.]{0,100}(?:Tests?|TestCase|Spec|IT)\.(?:java|kt|cs|php|scala|groovy|swift|fs)")
_EXAMPLE_PART = re.compile(
    r"examples?|samples?|demos?|playgrounds?|tutorials?|cookbook|sandbox|templates?-for-.{1,20}|starters?|boilerplates?|template-[\w-]{1,40}"
)
_DOC_PART = _words("docs doc documentation wiki website man manual handbook adr adrs rfcs changelogs news releases")
_FIXTURES = _words("fixture fixtures __fixtures__ testdata test-data test_data mocks __mocks__ stubs data")
_WORKSPACES = _words("packages apps crates services modules libs projects plugins")
_CODE = _words("""
    python javascript typescript tsx go rust java kotlin scala groovy csharp fsharp ruby php c cpp header swift
    objective-c dart elixir erlang haskell ocaml lua perl r julia zig tcl shell powershell sql vue svelte astro
    prisma protobuf graphql terraform razor nix
    """)
_TRANSLATIONS = _words("lang langs locale locales i18n translations l10n")
_VIEWS = _words("html css scss less erb haml slim")


def is_manifest(path: str) -> bool:
    """Whether the file is a manifest."""
    name = path.rpartition("/")[2].lower()
    return name in _MANIFESTS or _MANIFEST_FORM.fullmatch(name) is not None or _is_listed_requirement(path.lower())


def _is_listed_requirement(path: str) -> bool:
    return path.startswith("requirements/") and path.endswith((".txt", ".in"))


def is_lock(path: str) -> bool:
    """Whether the file is a lock file."""
    return path.rpartition("/")[2].lower() in _LOCKS


@lru_cache(maxsize=32_768)
def is_test(path: str) -> bool:
    """Whether the file is a test or test support."""
    directory, _, name = path.rpartition("/")
    if _TEST_NAME.fullmatch(name.lower()) or _TEST_CLASS.fullmatch(name):
        return True
    parts = directory.lower().split("/")
    # A library may provide test tools (`django/test`), so the directory alone is not enough.
    is_package = name.endswith(".py") and parts[0] not in ("test", "tests", "testing")
    return any(
        _TEST_PART.fullmatch(part) and not (is_package and part in ("test", "testing", "fixtures", "stubs"))
        for part in parts
    )


@lru_cache(maxsize=32_768)
def is_example(path: str) -> bool:
    """Whether the file is an example; only the top directories count, because deeper ones may be Java package names."""
    parts = path.lower().split("/")[:-1][:3]
    return "main" not in parts and any(_EXAMPLE_PART.fullmatch(part) for part in parts)


def is_doc(path: str) -> bool:
    parts = path.lower().split("/")
    return any(part in _DOC_PART for part in parts[:-1]) or language_of(path) in ("markdown", "restructuredtext")


def is_migration(path: str) -> bool:
    """Whether the file is a database migration; migration libraries do not count."""
    lower = path.lower()
    if "migrat" not in lower and "alembic" not in lower and "changelog" not in lower:
        return False
    return (
        _MIGRATION.fullmatch(lower) is not None
        and not path.endswith("/__init__.py")
        and any(character.isdigit() for character in path.rpartition("/")[2])
    )


def kind_of(path: str) -> FileKind:
    """The kind of a file. Files among tests, docs and examples never get the first kinds, except manifests of test
    projects, which are the only source for the test tools."""
    lower = path.lower()
    name = lower.rpartition("/")[2]
    language = language_of(path)
    if is_test(path) or is_example(path):
        if is_manifest(path) and not is_example(path) and _FIXTURES.isdisjoint(lower.split("/")):
            return FileKind.SETTINGS
        return FileKind.TEST if language in _CODE else FileKind.DATA
    if (
        _DOCS_INDEX.fullmatch(lower)
        or (lower.count("/") == 0 and _TOP_DOC.fullmatch(name))
        or lower.startswith(".github/readme")
    ):
        return FileKind.TOP_DOC
    if is_doc(path):
        return FileKind.DOC
    if any(part in _TRANSLATIONS for part in lower.split("/")[:-1]) and not is_manifest(path):
        return FileKind.DATA
    if name in _LOCKS:
        return FileKind.LOCK
    if is_manifest(path):
        return FileKind.MANIFEST
    if name in _SETTINGS or _SETTINGS_FORM.fullmatch(lower) or _CI.fullmatch(lower):
        return FileKind.SETTINGS
    if is_migration(path) or _SCHEMA.fullmatch(lower):
        return FileKind.SCHEMA
    if language in _CODE or language is None:
        return _kind_of_source(lower, name, language)
    return FileKind.VIEW if language in _VIEWS else FileKind.DATA


def _kind_of_source(path: str, name: str, language: str | None) -> FileKind:
    stem = name.split(".", 1)[0]
    if _ENTRY_FORM.fullmatch(path):
        return FileKind.ENTRY
    if language in _CODE:
        if path.endswith(".blade.php"):
            return FileKind.VIEW
        depth = path.count("/") - (path.split("/", 1)[0] in _WORKSPACES)
        if language == "python" and stem == "settings":
            return FileKind.ENTRY
        is_entry = depth <= 3 and _ENTRY_STEM.fullmatch(stem) and language not in ("shell", "powershell", "sql")
        return FileKind.ENTRY if is_entry else FileKind.SOURCE
    return (
        FileKind.VIEW
        if name.endswith((".twig", ".hbs", ".ejs", ".pug", ".j2", ".jinja", ".jinja2", ".liquid", ".mustache"))
        else FileKind.DATA
    )


def doc_rank(path: str) -> int:
    """Sort key: README first, then build and architecture documents, then the rest."""
    stem = path.lower().rpartition("/")[2].split(".", 1)[0]
    return _FIRST_DOCS.index(stem) if stem in _FIRST_DOCS else len(_FIRST_DOCS)
