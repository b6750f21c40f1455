"""Manifests and lock files of all ecosystems, including hostile ones."""

from __future__ import annotations

import json

import pytest

from loremark.memory.codebase.file_reader import read_file
from loremark.memory.codebase.manifests.manifest_reader import ManifestFacts, is_lock, is_manifest, read_manifest
from loremark.memory.codebase.manifests.versions import fits, plain_version
from tests.growth import assert_subquadratic_on


def _direct(facts: ManifestFacts) -> dict[str, str | None]:
    return {row.name: row.version for row in facts.dependencies if row.is_direct and not row.is_dev}


def _dev(facts: ManifestFacts) -> set[str]:
    return {row.name for row in facts.dependencies if row.is_dev}


def _locked(facts: ManifestFacts) -> dict[str, str | None]:
    assert all(row.is_exact for row in facts.dependencies)
    return {row.name: row.version for row in facts.dependencies}


def test_manifests_are_recognized_by_name() -> None:
    manifests = """pyproject.toml api/requirements-dev.txt requirements/base.txt web/package.json Cargo.lock go.mod
        src/Shop.Web/Shop.Web.csproj shop.gemspec docker/Dockerfile.prod compose.yaml .github/workflows/ci.yml .nvmrc
        src/main/resources/application-prod.yml config/database.yml gradle/libs.versions.toml"""
    assert [path for path in manifests.split() if not is_manifest(path)] == []
    assert not any(
        is_manifest(path) for path in ("src/app.py", "README.md", "docs/my_old_requirements.txt", "x/ci.yml")
    )
    assert is_lock("web/pnpm-lock.yaml")
    assert not is_lock("web/package.json")


def test_pyproject_separates_runtime_and_development() -> None:
    facts = read_manifest(
        "pyproject.toml",
        """
[project]
name = "shop"
requires-python = ">=3.11"
license = {text = "MIT"}
dependencies = ["Django[argon2]>=5.0,<6; python_version > '3'", "psycopg @ git+ssh://x/y"]
[project.optional-dependencies]
redis = ["redis>=5"]
docs = ["sphinx"]
[dependency-groups]
dev = ["pytest>=8", {include-group = "lint"}]
[project.scripts]
shop-admin = "shop.cli:main"
[tool.ruff]
line-length = 100
[tool.mypy]
strict = true
""",
    )
    assert _direct(facts) == {"Django": ">=5.0,<6", "psycopg": None, "redis": ">=5"}
    assert _dev(facts) == {"sphinx", "pytest"}
    assert [(entry.kind, entry.name, entry.line) for entry in facts.entries] == [("cli", "shop-admin", 13)]
    assert facts.signs["language-version"] == ">=3.11"
    assert (facts.signs["licence"], facts.signs["line-length"], facts.signs["tools"]) == ("MIT", "100", "mypy, ruff")


def test_poetry_and_pipenv_and_plain_requirements() -> None:
    poetry = read_manifest(
        "pyproject.toml",
        '[tool.poetry]\nname="a"\n[tool.poetry.dependencies]\npython="^3.12"\nflask={version="^3.0"}\n'
        '[tool.poetry.group.test.dependencies]\npytest="*"\n',
    )
    assert _direct(poetry) == {"flask": "^3.0"}
    assert _dev(poetry) == {"pytest"}
    plain = read_manifest("requirements.txt", "-r base.txt\nFlask==3.0.2  # web\n# no\n-e git+x#egg=y\n")
    assert _direct(plain) == {"Flask": "==3.0.2"}
    assert plain.signs["includes"] == "base.txt"
    compiled = read_manifest(
        "requirements.txt", "a==1\n    # via flask\nflask==3.0 \\\n    --hash=sha256:b\n    # via -r x.in\n"
    )
    assert (_direct(compiled), _locked(compiled)) == ({"flask": "3.0"}, {"a": "1", "flask": "3.0"})
    # It installs the project itself, so it describes a development environment.
    assert _dev(read_manifest("requirements.txt", "-e .[cli]\nuvicorn==0.3\n")) == {"uvicorn"}
    assert _dev(read_manifest("requirements-test.txt", "pytest\n")) == {"pytest"}


def test_setup_py_is_parsed_and_never_executed() -> None:
    facts = read_manifest(
        "setup.py",
        "import os\nos.system('rm -rf /')\nneeds = ['requests>=2'] + ['rich']\nfrom setuptools import setup\n"
        "setup(name='tool', python_requires='>=3.9', install_requires=needs,\n"
        "      extras_require={'s3': ['boto3'], 'test': ['tox']},\n"
        "      entry_points={'console_scripts': ['tool = tool.cli:main']})\n",
    )
    assert _direct(facts) == {"requests": ">=2", "rich": None, "boto3": None}
    assert _dev(facts) == {"tox"}
    assert facts.entries[0].name == "tool"


def test_package_json_and_its_lock_files() -> None:
    facts = read_manifest(
        "package.json",
        json.dumps(
            {
                "name": "@acme/web",
                "engines": {"node": ">=20"},
                "packageManager": "pnpm@9.1.0",
                "bin": {"acme": "bin/acme.js"},
                "scripts": {"start": "next start"},
                "dependencies": {"next": "^15.0.0"},
                "devDependencies": {"vitest": "^2.0.0", "@types/node": "^20"},
                "peerDependencies": {"react": ">=18", "less": "*"},
                "peerDependenciesMeta": {"less": {"optional": True}},
            }
        ),
    )
    assert _direct(facts) == {"next": "^15.0.0", "react": ">=18"}
    assert _dev(facts) == {"vitest"}
    assert [(entry.kind, entry.name) for entry in facts.entries] == [("cli", "acme"), ("server", "npm start")]
    npm = {"packages": {"": {"dependencies": {"next": "^15"}}, "node_modules/next": {"version": "15.1.0"}}}
    cut = json.dumps({**npm, "more": 1}, indent=2)[:-20]
    assert _locked(read_manifest("package-lock.json", json.dumps(npm))) == {"next": "15.1.0"}
    assert _locked(read_manifest("package-lock.json", cut)) == {"next": "15.1.0"}
    yarn = '# yarn lockfile v1\n\n"@babel/core@^7.0.0", "@babel/core@^7.1":\n  version "7.24.1"\n  resolved "x"\n'
    assert _locked(read_manifest("yarn.lock", yarn)) == {"@babel/core": "7.24.1"}
    berry = (
        '"next@npm:^15.0.0":\n  version: 15.1.0\n  resolution: "next@npm:15.1.0"\n"a@workspace:.":\n  version: 0.0.0\n'
    )
    assert _locked(read_manifest("yarn.lock", berry)) == {"next": "15.1.0"}
    pnpm = (
        "importers:\n\n  .:\n    dependencies:\n      '@acme/ui':\n        specifier: workspace:*\n"
        "        version: link:../ui\n      next:\n        specifier: ^15.0.0\n        version: 15.1.0(react@19.0)\n\n"
        "packages:\n\n  '@swc/core@1.2.3':\n    resolution: {}\n"
    )
    assert _locked(read_manifest("pnpm-lock.yaml", pnpm)) == {"next": "15.1.0", "@swc/core": "1.2.3"}
    bun = '{\n  "packages": {\n    "next": ["next@15.1.0", "", {}, "sha"],\n  }\n}\n'
    assert _locked(read_manifest("bun.lock", bun)) == {"next": "15.1.0"}


def test_go_and_rust_indirect_dependencies() -> None:
    go = read_manifest(
        "go.mod",
        "module example.org/shop\n\ngo 1.22\n\nrequire (\n\tgithub.com/labstack/echo/v4 v4.12.0\n"
        "\tgolang.org/x/sys v0.20.0 // indirect\n)\n",
    )
    assert _direct(go) == {"github.com/labstack/echo/v4": "v4.12.0"}
    tools = read_manifest(
        "go.mod",
        "module x\n\nrequire (\n\texample.org/mocks/v2 v2.1.0 // indirect\n\texample.org/mock v1.0.0 // indirect\n)\n\n"
        "tool (\n\texample.org/mocks/v2/cmd/mocks\n)\n",
    )
    assert [row.name for row in tools.dependencies if row.is_direct] == ["example.org/mocks/v2"]
    assert _dev(tools) == {"example.org/mocks/v2"}
    assert go.signs["language-version"] == "1.22"
    rust = read_manifest(
        "Cargo.toml",
        '[package]\nname = "cat"\nrust-version = "1.80"\n[[bin]]\nname = "cat"\npath = "src/main.rs"\n'
        '[dependencies]\nclap = { version = "4", optional = true }\nzip = { version = "2", optional = true }\n'
        'sqlx = { version = "0.8", features = ["postgres"] }\nmine = { path = "../mine" }\n'
        '[workspace.dependencies]\nserde = "1"\n',
    )
    assert _direct(rust) == {"clap": "4", "zip": "2", "sqlx": "0.8"}
    assert _dev(rust) == set()
    assert rust.signs["database"] == "PostgreSQL"
    lock = '[[package]]\nname = "clap"\nversion = "4.5.1"\ndependencies = [\n "x",\n]\n\n[metadata]\nversion = "9"\n'
    assert _locked(read_manifest("Cargo.lock", lock)) == {"clap": "4.5.1"}


def test_maven_gradle_and_dotnet() -> None:
    pom = read_manifest(
        "pom.xml",
        "<project><parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId>"
        "<version>3.3.0</version></parent><artifactId>shop</artifactId><properties><java.version>21</java.version>"
        "<pg>42.7</pg></properties><dependencies><!-- <dependency><artifactId>no</artifactId></dependency> -->"
        "<dependency><groupId>org.postgresql</groupId><artifactId>postgresql</artifactId><version>${pg}</version></dependency>"
        "<dependency><groupId>junit</groupId><artifactId>junit</artifactId><scope>test</scope></dependency></dependencies>"
        "</project>",
    )
    assert _direct(pom) == {
        "org.springframework.boot:spring-boot-starter-parent": "3.3.0",
        "org.postgresql:postgresql": "42.7",
    }
    assert _dev(pom) == {"junit:junit"}
    assert pom.signs["language-version"] == "21"
    gradle = read_manifest(
        "build.gradle.kts",
        'plugins {\n  kotlin("jvm") version "2.0.0"\n}\nval ktor = "2.3.0"\ndependencies {\n'
        '  implementation("io.ktor:ktor-server-core:$ktor")\n  testImplementation("io.mockk:mockk:1.13")\n'
        '  implementation(project(":core"))\n}\napplication { }\nmainClass.set("shop.MainKt")\n',
    )
    assert _direct(gradle) == {"io.ktor:ktor-server-core": "2.3.0"}
    assert _dev(gradle) == {"plugin:org.jetbrains.kotlin.jvm", "io.mockk:mockk"}
    assert gradle.entries[0].name == "shop.MainKt"
    project = read_manifest(
        "src/Shop/Shop.csproj",
        '\ufeff<Project Sdk="Microsoft.NET.Sdk.Web"><PropertyGroup><OutputType>Exe</OutputType></PropertyGroup>'
        '<ItemGroup><PackageReference Include="Serilog" Version="4.0.0" /><PackageReference Include="StyleCop">'
        "<PrivateAssets>all</PrivateAssets></PackageReference></ItemGroup></Project>",
    )
    assert _direct(project) == {"Serilog": "4.0.0"}
    assert _dev(project) == {"StyleCop"}
    assert (project.entries[0].kind, project.entries[0].name) == ("server", "Shop")


def test_ruby_php_and_c() -> None:
    gemfile = 'ruby "3.3.0"\ngem "rails", "~> 7.1"\ngroup :development, :test do\n  gem "rspec-rails"\nend\ngem "pg"\n'
    facts = read_manifest("Gemfile", gemfile + 'gem "rubocop", group: :development\n')
    assert _direct(facts) == {"rails": "~> 7.1", "pg": None}
    assert _dev(facts) == {"rspec-rails", "rubocop"}
    lock = "GEM\n  specs:\n    rails (7.1.3)\n      rack (>= 2)\n    pg (1.5.4-x86_64-linux)\n\nDEPENDENCIES\n  rails\n"
    assert _locked(read_manifest("Gemfile.lock", lock)) == {"rails": "7.1.3", "pg": "1.5.4"}
    composer = read_manifest(
        "composer.json", '{"require": {"php": "^8.2", "ext-json": "*", "laravel/framework": "^11.0"}}'
    )
    assert _direct(composer) == {"laravel/framework": "^11.0"}
    assert composer.signs["language-version"] == "^8.2"
    cmake = "project(kv)\nset(CMAKE_CXX_STANDARD 20)\nfind_package(OpenSSL 3 REQUIRED)\nadd_executable(kv main.cpp)\n"
    native = read_manifest("CMakeLists.txt", cmake)
    assert _direct(native) == {"OpenSSL": "3"}
    assert (native.entries[0].name, native.signs["language-version"]) == ("kv", "C++20")


def test_container_base_images_and_commands() -> None:
    docker = read_manifest(
        "Dockerfile",
        "ARG V=22\nFROM node:${V}-alpine AS build\nRUN x\nFROM registry.example.org:5000/team/base:2@sha256:ab\n"
        'COPY --from=build / /\nEXPOSE 80\nENTRYPOINT ["node", "server.js"]\n',
    )
    assert _direct(docker) == {"node": "22-alpine", "team/base": "2"}
    assert [(entry.kind, entry.name, entry.line) for entry in docker.entries] == [("server", "node server.js", 7)]
    compose = read_manifest(
        "docker-compose.yml",
        "services:\n  db:\n    image: postgres:16 # store\n    environment:\n      image: no\n  web:\n    build: .\n"
        "volumes:\n  data:\n    image: neither\n",
    )
    assert _direct(compose) == {"postgres": "16"}
    assert [entry.name for entry in compose.entries] == ["db", "web"]


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("^18.2.0", "18.2.0"),
        (">=3.11,<4", "3.11"),
        ("^20.19.0 || >=22.12.0", "20.19.0"),
        ("~> 7.1", "7.1"),
        ("5.6.*", "5.6"),
        ("[1.0,2.0)", "1.0"),
        ("v1.2.3+incompatible", "1.2.3"),
        ("2.0.0-rc.1", "2.0.0-rc.1"),
        ("v0.0.0-20240101000000-abcdef", None),
        ("workspace:*", None),
        ("<2", None),
    ],
)
def test_range_becomes_a_plain_version(written: str, plain: str | None) -> None:
    assert plain_version(written) == plain


def test_locked_version_is_checked_against_its_range() -> None:
    assert fits("^4.17.0", "4.19.2")
    assert not fits("^5.0.0", "4.19.2")
    assert fits(">=3", "4.19.2")


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("package.json", "[" * 250_000),
        ("package-lock.json", '{"packages":' * 20_000),
        ("pyproject.toml", "a = " + "[" * 250_000),
        ("pyproject.toml", "a." * 120_000 + "b = 1"),
        ("pyproject.toml", "[" + "a." * 39 + "b]\n" + "x.y = 1\n" * 20_000),
        ("setup.py", "x = " + "-" * 90_000 + "1"),
        ("pom.xml", "<project>" * 25_000),
        ("pom.xml", '<project a="' + "<!--" * 60_000),
        ("yarn.lock", "a@" * 120_000),
        ("pnpm-lock.yaml", "importers:\n" + "      a:\n" * 30_000),
        ("docker-compose.yml", "services:\n" + "".join(" " * depth + "a:\n" for depth in range(600))),
        ("build.gradle", "implementation '" + "a:" * 120_000),
        ("Cargo.lock", '[[package]]\nname = "a"\nversion = "' * 10_000),
        ("Dockerfile", "FROM ${" * 40_000),
        ("package-lock.json", '{"lockfileVersion":3,"packages":' + '{"a":' * 60_000),
        ("package-lock.json", '{"packages":{' + '"node_modules/a":{"version":"1"},' * 8_000),
        ("poetry.lock", '[[package]]\nname="p"\nversion="1"\n' * 10_000),
        ("pom.xml", "<!DOCTYPE a [" + '<!ENTITY b "&a;&a;&a;&a;">' * 5_000),
        ("compose.yaml", "a: &a [x]\n" + "b: &b [*a, *a, *a, *a]\n" * 10_000),
    ],
)
def test_hostile_manifest_is_neither_slow_nor_fatal(path: str, content: str) -> None:
    assert_subquadratic_on(content, lambda text: read_manifest(path, text))
    assert len(read_manifest(path, content).dependencies) <= 2_000


def test_entities_are_rejected_and_lists_are_limited() -> None:
    bomb = '<!DOCTYPE p [<!ENTITY a "aa">]><project><artifactId>&a;</artifactId></project>'
    assert read_manifest("pom.xml", bomb) == ManifestFacts()
    many = {f"package-{number}": "1.0.0" for number in range(5_000)}
    assert len(read_manifest("package.json", json.dumps({"dependencies": many})).dependencies) == 500
    rows = {f"node_modules/{name}": {"version": "1.0.0"} for name in many}
    assert len(read_manifest("package-lock.json", json.dumps({"packages": rows})).dependencies) == 2_000
    wrong = {
        "name": [1],
        "dependencies": ["a"],
        "bin": 3,
        "scripts": None,
        "engines": "x",
        "workspaces": {"packages": 1},
    }
    assert read_manifest("package.json", json.dumps(wrong)).dependencies == ()


def test_stage_inherits_the_command_of_its_base_stage() -> None:
    text = (
        'FROM php:8 AS base\nENTRYPOINT ["/start.sh"]\nFROM node:22 AS assets\nCMD ["npm", "build"]\n'
        "FROM base\nEXPOSE 80\n"
    )
    assert [(entry.kind, entry.name) for entry in read_manifest("Dockerfile", text).entries] == [
        ("server", "/start.sh")
    ]


def test_goreleaser_builds_are_targets() -> None:
    text = "builds:\n  - main: ./cmd/larder\n  - main: ./tools/pack/main.go\n  - main: '{{ .Env.MAIN }}'\n"
    assert read_manifest(".goreleaser.yaml", text).signs == {
        "target:larder": "./cmd/larder/main.go",
        "target:pack": "./tools/pack/main.go",
    }


def test_databases_are_found_in_settings() -> None:
    def named(path: str, content: str) -> str:
        return read_manifest(path, content).signs.get("database", "")

    drivers = (
        "'sqlite' => ['driver' => 'sqlite'],\n'pg' => [\n  'driver'      => 'pgsql',\n  // 'driver' => 'sqlsrv',\n"
    )
    assert named("config/database.php", drivers) == "SQLite, PostgreSQL"
    environment = "DATABASE_URL=sqlite:///shop.db\nREDIS_HOST=cache\n# KAFKA_BROKERS=x\nMAIL_HOST=smtp\nMONGO_URI=\n"
    assert named("api/.env.template", environment) == "SQLite, Redis, MongoDB"
    assert named("knexfile.js", "module.exports = {\n  client: 'better-sqlite3',\n") == "SQLite"
    assert named("conf/app.ini", "[database]\nTYPE = postgres\nHOST = 127.0.0.1\n") == "PostgreSQL"
    assert named("drizzle.config.ts", 'export default { schema: "./mysql.ts" }\n') == ""


def test_system_packages_are_found_on_continued_lines() -> None:
    content = (
        "FROM php:8.3-fpm\n# RUN apt-get install varnish\n"
        "RUN apt-get update && apt-get install -y --no-install-recommends \\\n    # for previews\n    ffmpeg \\\n\n"
        "    imagemagick=8:6.9 postgresql-client-16 \\\n    ca-certificates build-essential git \\\n"
        " && docker-php-ext-install -j$(nproc) gd pdo_mysql \\\n && npm install -g \\\n  pm2\n"
        "RUN apk add --no-cache 'nginx>1.2' vips-dev\nRUN echo supervisor\n"
        'CMD ["php-fpm", \\\n  "-F"]\n'
    )
    facts = read_manifest("Dockerfile", content)
    assert facts.signs["system-packages"] == "ffmpeg, imagemagick, libvips, nginx, postgresql"
    assert facts.signs["image-packages"] == "npm:pm2, php:ext-gd, php:ext-pdo_mysql"
    assert [(entry.name, entry.line) for entry in facts.entries] == [("php-fpm -F", 14)]
    assert read_manifest("Brewfile", 'tap "a/b"\nbrew "postgresql@16"\n').signs["system-packages"] == "postgresql"
    steps = "steps:\n  - run: |\n      sudo apt-get install -y \\\n        tesseract-ocr curl\n"
    assert read_manifest(".circleci/config.yml", steps).signs["system-packages"] == "tesseract-ocr"


def test_database_urls_are_found_in_settings_and_source_defaults() -> None:
    def named(path: str, content: str) -> str:
        return read_file(path, content).signs.get("database", "")

    assert named("hub/app.py", 'url = Unicode(\n    "sqlite:///hub.sqlite"\n)\n# "redis://cache"\n') == "SQLite"
    assert named("src/config.go", 'const broker = "nats://localhost:4222"\n') == "NATS"
    assert named("a/DatabaseConfig.java", 'String url = "jdbc:mysql://db/shop";\n') == "MySQL"
    assert named("src/views.py", 'url = "postgres://db"\n') == ""
    every = "".join(f'"{name}://x",\n' for name in ("redis", "mysql", "postgres", "mongodb", "amqp", "nats", "mssql"))
    assert named("src/options.ts", every) == ""
    strings = (
        '"Shop": "Server=.;Database=Shop;Trusted_Connection=True;",\n"Cache": "localhost:6379",\n'
        '"Log": "Data Source=log.db;Cache=Shared",\n"Site": "https://example.org:443/a;b"\n'
    )
    assert named("src/Web/appsettings.json", strings) == "Redis, SQL Server, SQLite"
    assert named("compose.yaml", "services:\n  web:\n    environment:\n      DB: postgres://u@db/x\n") == "PostgreSQL"
    chart = "name: shop\ndependencies:\n  - name: postgresql\n    version: 1\nmaintainers:\n  - name: redis\n"
    assert read_manifest("charts/shop/Chart.yaml", chart).signs["services"] == "postgresql"
    pod = "spec:\n  containers:\n    - image: redis:7\n    - image: {{ .Values.image }}\n"
    assert read_manifest("k8s/base/cache.yaml", pod).signs["ci-images"] == "redis"


def test_elixir_dart_swift_and_scala_packages() -> None:
    mix = (
        'def project, do: [app: :shop, version: "1.2.0", elixir: "~> 1.16"]\ndefp deps do\n[{:phoenix, "~> 1.7"},\n'
        '{:credo, "~> 1.7", only: [:dev, :test]}, # {:old, "1"}\n{:local, path: "../local"}]\n'
    )
    elixir = read_manifest("mix.exs", mix)
    assert [(row.name, row.version, row.is_dev) for row in elixir.dependencies] == [
        ("phoenix", "~> 1.7", False),
        ("credo", "~> 1.7", True),
        ("local", None, False),
    ]
    assert elixir.signs == {"name": "shop", "version": "1.2.0", "language-version": "~> 1.16"}
    pubspec = "dependencies:\n  flutter:\n    sdk: flutter\n  dio: ^5.4.0\ndev_dependencies:\n  mocktail: ^1.0\n"
    dart = read_manifest("pubspec.yaml", pubspec)
    assert [(row.name, row.is_dev) for row in dart.dependencies] == [
        ("flutter", False),
        ("dio", False),
        ("mocktail", True),
    ]
    swift = '.package(url: "https://github.com/vapor/vapor.git", from: "4.92.0"),\n// .package(url: "https://x/y")\n'
    assert _direct(read_manifest("Package.swift", swift)) == {"vapor": "4.92.0"}
    assert _direct(read_manifest("ios/Podfile", "  pod 'Alamofire', '~> 5.8'\n")) == {"Alamofire": "~> 5.8"}
    sbt = 'libraryDependencies += "org.typelevel" %% "cats-core" % "2.10.0"\n'
    assert _direct(read_manifest("build.sbt", sbt)) == {"org.typelevel:cats-core_2.13": "2.10.0"}
