"""The tech stack of small codebases."""

from __future__ import annotations

import json

import pytest

from loremark.memory.codebase.languages import language_of
from loremark.memory.codebase.manifests.manifest_reader import is_manifest, read_defaults, read_manifest
from loremark.memory.codebase.records import Codebase, FileFacts, Import, Tech
from loremark.memory.codebase.stack import technologies
from loremark.memory.codebase.stack.tech_stack import packages, tech_stack
from loremark.memory.codebase.stack.technologies import size_of_table
from tests.growth import Work, assert_subquadratic, assert_subquadratic_on


def _codebase(files: dict[str, str | int]) -> Codebase:
    """A codebase of manifests with their text and of other files with a number of lines."""
    read: dict[str, FileFacts] = {}
    for path, content in files.items():
        if isinstance(content, int):
            read[path] = FileFacts(language_of(path), content)
        else:
            facts = read_manifest(path, content) if is_manifest(path) else read_defaults(path, content)
            read[path] = FileFacts(
                language=language_of(path),
                lines=content.count("\n") + 1,
                dependencies=facts.dependencies,
                entries=facts.entries,
                signs=facts.signs,
            )
    return Codebase("shop", tuple(files), read)


def _stack(files: dict[str, str | int]) -> dict[str, Tech]:
    return {tech.name: tech for tech in tech_stack(_codebase(files))}


def _npm(**sections: dict[str, str]) -> str:
    return json.dumps(sections)


def test_web_application_stack() -> None:
    stack = tech_stack(
        _codebase(
            {
                ".github/workflows/ci.yml": "on: push\n",
                ".nvmrc": "v22.1.0\n",
                "Dockerfile": "FROM node:22\n",
                "docker-compose.yml": "services:\n  db:\n    image: postgres:16-alpine\n",
                "package.json": _npm(
                    dependencies={"next": "^15.0.0", "react": "^19.0.0", "pg": "^8.11.0", "left-pad": "1.0.0"},
                    devDependencies={"typescript": "~5.6.2", "tailwindcss": "^4.0.0", "vitest": "*", "sqlite3": "5"},
                ),
                "package-lock.json": json.dumps({"packages": {"node_modules/next": {"version": "15.1.3"}}}),
                "eslint.config.js": 30,
                "src/page.tsx": 4_000,
                "src/server.ts": 3_000,
                "scripts/release.py": 20,
            }
        )
    )
    assert [(tech.category, tech.name, tech.version) for tech in stack] == [
        ("language", "TypeScript", "5.6.2"),
        ("framework", "Next.js", "15.1.3"),
        ("framework", "React", "19.0.0"),
        ("styling", "Tailwind CSS", "4.0.0"),
        ("backend", "Node.js", "22.1.0"),
        ("database", "PostgreSQL", "16"),
        ("testing", "Vitest", None),
        ("tooling", "Docker", None),
        ("tooling", "Docker Compose", None),
        ("tooling", "ESLint", None),
        ("tooling", "GitHub Actions", None),
        ("tooling", "npm", None),
    ]


def test_examples_docs_and_fixtures_are_excluded() -> None:
    foreign = _npm(dependencies={"vue": "^3", "mongodb": "6"})
    stack = _stack(
        {
            "go.mod": "module x\ngo 1.22\nrequire github.com/gin-gonic/gin v1.10.0\n",
            "main.go": 900,
            "examples/spa/package.json": foreign,
            "docs/package.json": foreign,
            "tests/fixtures/app/package.json": foreign,
            "packages/create/template-vue/package.json": foreign,
            "vendor/lib/package.json": foreign,
            "vendor/lib/big.js": 90_000,
            "web/jquery.min.js": 9_000,
            "tests/deep/er/and/deeper/package.json": foreign,
            "docs/conf/example.py": 5_000,
        }
    )
    assert set(stack) == {"Go", "Gin", "Go Modules", "jQuery"}
    assert (stack["Go"].version, stack["Gin"].version) == ("1.22", "1.10.0")


def test_test_manifests_count_for_testing_only() -> None:
    test_project = '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>{}</ItemGroup></Project>'
    rows = "".join(f'<PackageReference Include="{name}" />' for name in ("xunit", "Moq", "Npgsql"))
    stack = _stack(
        {
            "src/Shop/Shop.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"><PropertyGroup><TargetFramework>net8.0'
            "</TargetFramework></PropertyGroup></Project>",
            "Directory.Packages.props": '<Project><ItemGroup><PackageVersion Include="xunit" Version="2.9.0" />'
            '<PackageVersion Include="MongoDB.Driver" Version="3.0.0" /></ItemGroup></Project>',
            "tests/Shop.Tests/Shop.Tests.csproj": test_project.format(rows),
            "src/Shop/Program.cs": 500,
        }
    )
    assert stack["xUnit.net"] == Tech("xUnit.net", "2.9.0", "testing")
    assert stack[".NET"].version == "8.0"
    assert {"C#", "ASP.NET Core", "Moq", "NuGet"} <= set(stack)
    assert not {"PostgreSQL", "MongoDB"} & set(stack)


def test_optional_driver_implies_a_database_but_a_development_one_does_not() -> None:
    project = (
        '[project]\nname = "shop"\ndependencies = ["django>=5"]\n[project.optional-dependencies]\n'
        'mongo = ["pymongo"]\n[dependency-groups]\ndev = ["uvicorn", "pytest", "redis"]\n'
    )
    stack = _stack({"pyproject.toml": project, "shop/views.py": 800})
    assert not {"PostgreSQL", "MySQL", "Redis", "Uvicorn"} & set(stack)
    assert {"Django", "pytest", "MongoDB"} <= set(stack)
    settings = 'DATABASES = {"default": {"ENGINE": "django.db.backends.postgresql"}}\n# django.db.backends.mysql\n'
    stack = _stack({"pyproject.toml": project, "shop/views.py": 800, "shop/settings.py": settings})
    assert "PostgreSQL" in stack
    assert "MySQL" not in stack


def test_client_version_is_not_the_server_version() -> None:
    stack = _stack({"requirements.txt": "psycopg==3.2.1\nredis==5.0.0\ncelery==5.4.0\n", "app.py": 100})
    assert (stack["PostgreSQL"].version, stack["Redis"].version, stack["Celery"].version) == (None, None, "5.4.0")


def test_project_is_not_in_its_own_stack() -> None:
    stack = _stack(
        {
            "package.json": json.dumps({"name": "root", "devDependencies": {"vite": "workspace:*", "vitest": "^2"}}),
            "packages/vite/package.json": json.dumps({"name": "vite", "dependencies": {"rollup": "^4.0.0"}}),
            "packages/vite/src/index.ts": 5_000,
            "vite.config.ts": 10,
        }
    )
    assert "Vite" not in stack
    assert {"TypeScript", "Rollup", "Vitest"} <= set(stack)


def test_languages_need_a_share_and_styles_are_not_languages() -> None:
    files: dict[str, str | int] = {f"app/models/m{number}.rb": 200 for number in range(40)}
    files |= {"bin/setup.sh": 30, "app/assets/app.scss": 500, "app/assets/forms.scss": 100, "tool.lua": 40}
    files |= {"README.md": 9_000, "config/data.json": 90_000, "config/deploy.yml": 4_000, ".ruby-version": "3.3.1\n"}
    stack = _stack(files)
    assert [(tech.name, tech.version) for tech in stack.values()] == [("Ruby", "3.3.1"), ("Sass", None)]
    assert stack["Sass"].category == "styling"


def test_standard_library_features_are_detected_from_imports() -> None:
    files = {"db/store.py": FileFacts("python", 300, imports=(Import("sqlite3", 1),))}
    files |= {f"tests/test_{n}.py": FileFacts("python", 50, imports=(Import("unittest.mock", 1),)) for n in range(6)}
    names = {tech.name for tech in tech_stack(Codebase("x", tuple(files), files))}
    assert {"SQLite", "unittest"} <= names


def test_packages_use_lock_versions_from_parent_folders() -> None:
    lock = (
        "importers:\n\n  apps/web:\n    dependencies:\n      react:\n        specifier: ^19\n        version: 19.0.1\n"
    )
    rows = packages(
        _codebase(
            {
                "pnpm-lock.yaml": lock + "\npackages:\n\n  react@18.3.1:\n    resolution: {}\n",
                "apps/web/package.json": _npm(dependencies={"react": "^19.0.0"}, devDependencies={"zod": "^3.0.0"}),
                "apps/old/package.json": _npm(devDependencies={"react": "^18.0.0"}),
                "api/requirements.txt": "Flask==3.0.2\n",
            }
        )
    )
    assert [(row.name, row.version, row.is_exact, row.is_dev) for row in rows] == [
        ("react", "19.0.1", True, False),
        ("zod", "^3.0.0", False, True),
        ("Flask", "3.0.2", True, False),
    ]


def test_compiled_requirements_are_a_lock_file() -> None:
    compiled = "click==8.1.7 \\\n    --hash=sha256:ab\ndjango==5.0.2 \\\n    --hash=sha256:cd\n"
    written = '[project]\nname = "shop"\ndependencies = ["Django>=5"]\n'
    stack = _stack({"pyproject.toml": written, "requirements.txt": compiled, "shop/views.py": 100})
    assert stack["Django"].version == "5.0.2"
    assert "Click" not in stack
    assert "Click" in _stack({"requirements.txt": compiled, "shop/views.py": 100})


def test_table_is_large_and_detection_is_subquadratic() -> None:
    assert size_of_table() > 900

    def large(size: int) -> Codebase:
        files: dict[str, str | int] = {f"src/part{n % 50}/deep/er/file{n}.py": 100 for n in range(size)}
        files["requirements.txt"] = "".join(f"package-{n}\n" for n in range(size // 2)) + "django\n"
        return _codebase(files)

    def prepare(size: int, repetition: int) -> Work:
        codebase = large(size)
        return lambda: tech_stack(codebase)

    assert_subquadratic(prepare, 2_500)
    assert tech_stack(large(2_500)) == tech_stack(large(2_500))


def test_every_technology_has_one_category_and_readable_signs() -> None:
    lookup = technologies._lookup()
    rows = [meaning for meanings in lookup.exact.values() for meaning in meanings]
    rows += [meaning for shapes in lookup.shapes.values() for _, meaning in shapes]
    categories: dict[str, set[str]] = {}
    for row in rows:
        plain = "".join(filter(str.isalnum, row.technology.name.lower()))
        categories.setdefault(plain, set()).add(row.technology.category)
    assert {name: found for name, found in categories.items() if len(found) > 1} == {}
    kinds = {sign.partition(":")[0] for sign in lookup.exact} | lookup.shapes.keys()
    read = {
        "file",
        "root",
        "path",
        "compose",
        "versioned",
        "tool",
        "db",
        "manager",
        "backend",
        "sdk",
        "runtime",
        "image",
    }
    read |= {"system", "import", "package", "module", "include", "ending", "folder"}
    assert kinds == read | set(technologies.KIND_OF.values())


def test_pipelines_reveal_tools_and_services() -> None:
    workflow = (
        "jobs:\n  test:\n    services:\n      db:\n        image: postgres:16\n    steps:\n"
        "      - uses: EmbarkStudios/cargo-deny-action@v2\n      # - run: cargo audit\n"
        "      - run: cargo +nightly fmt --check && cargo clippy -- -D warnings # then valgrind\n"
        "      - run: pip install pytest && gcc && shellcheck run.sh\n        env:\n          DB_CONNECTION: sqlite\n"
    )
    files: dict[str, str | int] = {".github/workflows/ci.yml": workflow, "src/main.rs": 900}
    assert {"cargo-deny", "Clippy", "PostgreSQL", "ShellCheck", "SQLite"} <= set(_stack(files))
    assert not {"cargo-audit", "Valgrind", "pytest", "GCC"} & set(_stack(files))
    assert {"pytest"} <= set(_stack(files | {"tools/check.py": 800}))
    make = "lint:\n\tgolangci-lint run\n# staticcheck\n"
    assert {"golangci-lint", "Make"} <= (found := set(_stack({"Makefile": make, "main.go": 10})))
    assert "Staticcheck" not in found


def test_extensions_reveal_templates_and_shipped_files_reveal_libraries() -> None:
    files: dict[str, str | int] = {f"resources/views/part{n}.blade.php": 20 for n in range(3)}
    files |= {f"docs/site/part{n}.module.css": 20 for n in range(5)}
    files |= {f"app/part{n}_test.go": 20 for n in range(3)}
    files |= {
        "wwwroot/lib/jquery/dist/jquery.min.js": 1,
        "vendor/assets/leaflet.js": 1,
        "node_modules/a/lib/d3.min.js": 1,
    }
    files |= {"tests/static/ckeditor.js": 1, "go.mod": "module x\n", "proto/a.proto": 9}
    stack = set(_stack(files))
    assert {"Blade", "Go testing", "jQuery", "Leaflet", "Protocol Buffers"} <= stack
    assert not {"CSS Modules", "D3.js", "CKEditor"} & stack
    suite = "require github.com/stretchr/testify v1.9.0\n"
    assert "Go testing" not in _stack(files | {"go.mod": f"module x\n{suite}"})


def test_c_program_is_detected_by_headers_and_configure_script() -> None:
    included = tuple(Import(target, 1) for target in ("event2/event.h", "ncurses.h", "zlib.h", "check.h", "stdio.h"))
    configure = read_manifest(
        "configure.ac", "PKG_CHECK_MODULES(\n\tUTF,\n\t[libutf8proc >= 2],\n)\nAC_SEARCH_LIBS(a, [x onig])"
    )
    files = {
        "main.c": FileFacts("c", 900, imports=included),
        "src/zlib.h": FileFacts("header", 90),
        "parse.y": FileFacts(None, 90),
        "deps/lz4/lz4.c": FileFacts("c", 9_000, imports=(Import("uv.h", 1),)),
        "configure.ac": FileFacts(None, 9, dependencies=configure.dependencies),
    }
    names = {tech.name for tech in tech_stack(Codebase("x", tuple(files), files))}
    assert {"C", "libevent", "ncurses", "utf8proc", "Oniguruma", "LZ4", "Autotools", "Bison", "Check"} <= names
    assert not {"zlib", "libuv"} & names
    rust = {path: facts for path, facts in files.items() if path != "main.c"} | {"a.rs": FileFacts("rust", 99_000)}
    assert "LZ4" not in {tech.name for tech in tech_stack(Codebase("x", tuple(rust), rust))}


def test_runtime_dependency_group_is_not_development() -> None:
    groups = '[dependency-groups]\nprod = ["django", "psycopg"]\ndocs = ["flask", "sphinx"]\n'
    stack = set(_stack({"pyproject.toml": f'[project]\nname = "x"\n{groups}', "x/views.py": 100}))
    assert {"Django", "PostgreSQL", "Sphinx"} <= stack
    assert "Flask" not in stack


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (".github/workflows/a.yml", "image: " * 40_000),
        (".github/workflows/a.yml", "image: \n" + "cargo " * 60_000),
        ("Dockerfile", "RUN apt-get " * 30_000),
        ("Dockerfile", "RUN apt-get " + "\\\n" * 20_000),
        ("configure.ac", "PKG_CHECK_MODULES(" * 20_000),
        ("configure.ac", "PKG_CHECK_MODULES(" + " " * 100_000),
        ("configure.ac", "AC_INIT(" + "[" * 50_000),
    ],
)
def test_hostile_pipelines_and_build_files_stay_subquadratic(path: str, content: str) -> None:
    assert_subquadratic_on(content, lambda text: read_manifest(path, text))


def test_widely_imported_unknown_library_is_listed() -> None:
    """Only if the program itself imports it widely: rare, test-only, own and ubiquitous packages are left out."""
    modules = (
        "module example.org/shop\n\nrequire (\n\tgithub.com/some/lockbox/v2 v2.1.0\n\tgithub.com/some/rare v1.0.0\n"
        "\tgithub.com/google/uuid v1.6.0\n\texample.org/shop/own v0.0.0\n)\n"
    )
    base = _codebase({"go.mod": modules})
    files = dict(base.files)
    for number in range(40):
        targets = ["github.com/google/uuid", "example.org/shop/own"]
        targets += ["github.com/some/lockbox/v2/keys"] if number < 10 else []
        targets += ["github.com/some/rare"] if number == 11 else []
        imports = tuple(Import(target, 3) for target in targets)
        files[f"store/s{number}.go"] = FileFacts("go", 50, imports=imports)
        files[f"store/s{number}_test.go"] = FileFacts("go", 50, imports=(Import("github.com/some/rare", 3),))
    names = {tech.name for tech in tech_stack(Codebase("shop", tuple(files), files))}
    assert "lockbox" in names
    assert not names & {"rare", "uuid", "own", "shop"}


def test_small_language_with_its_own_manifest_counts() -> None:
    files: dict[str, str | int] = {f"web/src/p{number}.ts": 1_000 for number in range(40)}
    files |= {f"server/s{number}.go": 30 for number in range(6)}
    assert "Go" not in _stack(files)
    assert "Go" in _stack({**files, "server/go.mod": "module example.org/server\n\ngo 1.25\n"})


def test_central_version_list_reveals_test_frameworks() -> None:
    """There may be too many test projects to read them all."""
    versions = "".join(f'<PackageVersion Include="{name}" Version="1.0" />' for name in ("NSubstitute", "Npgsql"))
    stack = _stack(
        {"Directory.Packages.props": f"<Project><ItemGroup>{versions}</ItemGroup></Project>", "src/A.cs": 900}
    )
    assert "NSubstitute" in stack
    assert "PostgreSQL" not in stack


def test_quality_tools_are_detected_by_their_files() -> None:
    files: dict[str, str | int] = {
        ".github/renovate.json5": 9,
        ".github/dependabot.yml": 9,
        "release-please-config.json": 9,
        "typos.toml": 9,
        "book/book.toml": 9,
        "docs/source/conf.py": 90,
        "website/docusaurus.config.js": 90,
        ".github/scripts/review/package.json": _npm(dependencies={"openai": "^4"}),
        ".github/workflows/scan.yml": "steps:\n  - uses: github/codeql-action/upload-sarif@v3\n",
        "src/main.rs": 900,
    }
    stack = set(_stack(files))
    assert {"Renovate", "Dependabot", "release-please", "typos", "mdBook", "Sphinx", "Docusaurus"} <= stack
    assert not {"OpenAI", "CodeQL"} & stack
    files[".github/workflows/scan.yml"] = "steps:\n  - uses: github/codeql-action/init@v3\n"
    assert "CodeQL" in _stack(files)


def test_shipped_scripts_are_detected_without_versions() -> None:
    files: dict[str, str | int] = {
        "gui/default/vendor/angular/angular.js": 1,
        "public/js/semantic-2.4.2.min.css": 1,
        "public/js/jquery-3.7.1.slim.min.js": 1,
        "public/js/bootstrapper.js": 1,
        "main.go": 900,
    }
    stack = set(_stack(files))
    assert {"AngularJS", "Semantic UI", "jQuery"} <= stack
    assert "Bootstrap" not in stack


def test_sibling_database_files_reveal_supported_databases() -> None:
    def names(paths: list[str]) -> set[str]:
        files = {path: FileFacts("php", 90, imports=(Import("core", 1),)) for path in paths}
        return {tech.name for tech in tech_stack(Codebase("shop", tuple(files), files))}

    assert {"MySQL", "MariaDB"} <= names(["core/Db/Schema/Mysql.php", "core/Db/Schema/Mariadb.php"])
    assert "MySQL" not in names(["core/Db/Schema/Mysql.php", "core/Db/Schema/Table.php"])
    assert not {"MySQL", "Cassandra"} & names(["core/icons/mysql.php", "core/icons/cassandra.php"])
    beside = ["shop-storage/cassandra/src/cassandra/A.php", "shop-storage/cassandra/src/cassandra/B.php"]
    assert "Cassandra" in names(beside)


def test_product_is_not_part_of_its_stack() -> None:
    files: dict[str, str | int] = {"conf/nginx.conf": 90, "src/main.c": 9_000}
    assert "Nginx" in _stack(files)
    itself = _codebase(files)
    assert "Nginx" not in {tech.name for tech in tech_stack(Codebase("nginx", itself.paths, itself.files))}


def test_framework_libraries_are_listed_and_generic_names_include_the_vendor() -> None:
    base = _codebase(
        {
            "requirements.txt": "django\ndjango-somecluster\n",
            "go.mod": "module x\nrequire (\n\tgithub.com/some/errors v1.0.0\n\tgopkg.in/lockbox.v1 v1.0.0\n)\n",
        }
    )
    files = dict(base.files)
    for number in range(12):
        files[f"shop/m{number}.py"] = FileFacts("python", 50, imports=(Import("somecluster.models", 1),))
        imports = (Import("github.com/some/errors", 1), Import("gopkg.in/lockbox.v1", 2))
        files[f"cmd/m{number}.go"] = FileFacts("go", 50, imports=imports)
    names = {tech.name for tech in tech_stack(Codebase("shop", tuple(files), files))}
    assert {"django-somecluster", "some/errors", "lockbox"} <= names


def test_compose_service_is_detected_by_name() -> None:
    compose = "services:\n  redis:\n    build: ./redis\n  worker:\n    build: .\n"
    assert "Redis" in _stack({"compose.yaml": compose, "app.py": 100})


def test_php_library_is_detected_by_namespace() -> None:
    base = _codebase({"composer.json": json.dumps({"require": {"acme/laravel-ledger": "^1", "acme/unused": "^2"}})})
    files = dict(base.files)
    for number in range(12):
        files[f"app/m{number}.php"] = FileFacts("php", 50, imports=(Import("Acme\\Ledger\\Book", 1),))
    names = {tech.name for tech in tech_stack(Codebase("shop", tuple(files), files))}
    assert "acme/laravel-ledger" in names
    assert "acme/unused" not in names


def test_image_packages_are_detected_by_name() -> None:
    dockerfile = (
        "FROM python:3.12\nRUN pip install --no-cache-dir -r requirements.txt 'gunicorn==22.0' && npm i -g pm2@5\n"
    )
    assert {"Gunicorn", "PM2"} <= _stack({"Dockerfile": dockerfile, "app.py": 100}).keys()
    assert "Gunicorn" not in _stack({"Dockerfile": "FROM python\n# RUN pip install gunicorn\n", "app.py": 100})


def test_helper_library_implies_its_target() -> None:
    stack = _stack(
        {
            "package.json": _npm(dependencies={"connect-mongo": "^5.0.0", "sqs-consumer": "^11.0.0"}),
            "sonar-project.properties": 3,
            "helmfile.yaml": 3,
            "index.js": 100,
        }
    )
    assert {"MongoDB", "Amazon SQS", "SonarQube", "Helmfile"} <= stack.keys()
    assert stack["MongoDB"] == Tech("MongoDB", None, "database")


def test_system_programs_and_urls_belong_to_the_stack() -> None:
    stack = _stack(
        {
            "Dockerfile": "FROM ruby:3.4\nRUN apt-get install -y \\\n  ffmpeg libpq-dev \\\n  curl git\n",
            "src/config.rb": 'URL = ENV.fetch("REDIS_URL", "redis://localhost:6379")\n',
            "docs/config.rb": 'URL = "mongodb://localhost"\n',
            "spec/config.rb": 'URL = "amqp://localhost"\n',
        }
    )
    assert {"FFmpeg", "PostgreSQL", "Redis"} <= stack.keys()
    assert stack.keys().isdisjoint(("MongoDB", "RabbitMQ", "Git", "libcurl"))


def test_own_script_is_not_the_library_of_the_same_name() -> None:
    assert "Clipboard.js" not in _stack({"app/helpers/clipboard.js": 40, "app/main.js": 100})
    assert "Clipboard.js" in _stack({"public/clipboard.js": 40, "app/main.js": 100})
    assert "Clipboard.js" in _stack({"app/helpers/clipboard-2.0.11.min.js": 40, "app/main.js": 100})
