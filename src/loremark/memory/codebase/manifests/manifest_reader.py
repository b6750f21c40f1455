"""Picks the manifest reader for a file by its name."""

from __future__ import annotations

import re
from collections.abc import Callable

from loremark.memory.codebase.manifests import (
    bundlers,
    c_cpp,
    databases,
    docker,
    golang,
    gradle,
    locks,
    maven,
    npm,
    npm_locks,
    nuget,
    other_ecosystems,
    php,
    pipelines,
    processes,
    python,
    python_setup,
    ruby,
    rust,
    system_packages,
    tool_settings,
)
from loremark.memory.codebase.manifests.facts import ManifestFacts

__all__ = ["ManifestFacts", "is_lock", "is_manifest", "read_defaults", "read_manifest"]

Reader = Callable[[str, str], ManifestFacts]

_LOCKS: dict[str, Reader] = {
    "poetry.lock": locks.read_block_lock,
    "uv.lock": locks.read_block_lock,
    "pdm.lock": locks.read_block_lock,
    "cargo.lock": locks.read_block_lock,
    "pipfile.lock": locks.read_pipfile_lock,
    "package-lock.json": npm_locks.read_package_lock,
    "npm-shrinkwrap.json": npm_locks.read_package_lock,
    "yarn.lock": npm_locks.read_yarn_lock,
    "pnpm-lock.yaml": npm_locks.read_pnpm_lock,
    "bun.lock": npm_locks.read_bun_lock,
    "gradle.lockfile": gradle.read_gradle_lock,
    "packages.lock.json": nuget.read_packages_lock,
    "gemfile.lock": ruby.read_gemfile_lock,
    "composer.lock": php.read_composer_lock,
    "go.sum": lambda _path, _content: ManifestFacts(),
}
_BY_NAME: dict[str, Reader] = {
    "pyproject.toml": python.read_pyproject,
    "pipfile": python.read_pipfile,
    "setup.py": python_setup.read_setup_py,
    "setup.cfg": python_setup.read_setup_cfg,
    "package.json": npm.read_package_json,
    "pnpm-workspace.yaml": npm.read_pnpm_workspace,
    "lerna.json": npm.read_lerna,
    "go.mod": golang.read_go_mod,
    **dict.fromkeys((".goreleaser.yml", ".goreleaser.yaml", "goreleaser.yml"), golang.read_goreleaser),
    "cargo.toml": rust.read_cargo,
    "pom.xml": maven.read_pom,
    "build.gradle": gradle.read_gradle,
    "build.gradle.kts": gradle.read_gradle,
    "libs.versions.toml": gradle.read_catalog,
    "gradle-wrapper.properties": gradle.read_wrapper,
    "maven-wrapper.properties": gradle.read_wrapper,
    "directory.packages.props": nuget.read_project,
    "directory.build.props": nuget.read_project,
    "packages.config": nuget.read_packages_config,
    "global.json": nuget.read_global_json,
    "dotnet-tools.json": nuget.read_dotnet_tools,
    "gemfile": ruby.read_gemfile,
    "gems.rb": ruby.read_gemfile,
    "composer.json": php.read_composer,
    "mix.exs": other_ecosystems.read_mix,
    "pubspec.yaml": other_ecosystems.read_pubspec,
    **dict.fromkeys(("package.swift", "podfile"), other_ecosystems.read_swift),
    "cmakelists.txt": c_cpp.read_cmake,
    "conanfile.txt": c_cpp.read_conan,
    "conanfile.py": c_cpp.read_conan,
    "vcpkg.json": c_cpp.read_vcpkg,
    "makefile.am": c_cpp.read_automake,
    "meson.build": c_cpp.read_meson,
    "configure.ac": c_cpp.read_autoconf,
    "makefile": c_cpp.read_makefile,
    "gnumakefile": c_cpp.read_makefile,
    "containerfile": docker.read_dockerfile,
    **dict.fromkeys(("chart.yaml", "requirements.yaml"), docker.read_chart),
    **dict.fromkeys(("aptfile", "brewfile"), system_packages.read_package_list),
    **dict.fromkeys((".gitlab-ci.yml", ".travis.yml", ".cirrus.yml", ".drone.yml"), pipelines.read_workflow),
    **dict.fromkeys(("azure-pipelines.yml", "bitbucket-pipelines.yml", "appveyor.yml"), pipelines.read_workflow),
    **dict.fromkeys((".appveyor.yml", ".woodpecker.yml", "jenkinsfile", "cloudbuild.yaml"), pipelines.read_workflow),
    ".tool-versions": tool_settings.read_tool_versions,
    ".nvmrc": tool_settings.read_version_file,
    ".node-version": tool_settings.read_version_file,
    ".python-version": tool_settings.read_version_file,
    ".ruby-version": tool_settings.read_version_file,
    ".go-version": tool_settings.read_version_file,
    ".java-version": tool_settings.read_version_file,
    ".editorconfig": tool_settings.read_editorconfig,
    ".rubocop.yml": tool_settings.read_rubocop,
    ".pre-commit-config.yaml": tool_settings.read_pre_commit,
    "schema.prisma": databases.read_database_settings,
    "settings.py": databases.read_database_settings,
    **dict.fromkeys(("alembic.ini", "ormconfig.json", "ormconfig.ts"), databases.read_database_settings),
    **dict.fromkeys(("knexfile.js", "knexfile.ts", "drizzle.config.ts"), databases.read_database_settings),
}
_STYLES = (
    *(".prettierrc", ".prettierrc.json", ".prettierrc.yaml", ".prettierrc.yml", ".prettierrc.toml", ".oxfmtrc.json"),
    *("prettier.config.js", "biome.json", "rustfmt.toml", ".rustfmt.toml", "ruff.toml", ".ruff.toml", ".flake8"),
    *("tox.ini", "pytest.ini", "mypy.ini"),
)
_BY_NAME.update(dict.fromkeys(_STYLES, tool_settings.read_style))
_SETTINGS_SOURCE = re.compile(
    r"(?:^|/)(?:(?:[\w-]{0,30}[._-])?(?:configs?|configuration|settings|conf|database|db|defaults?|constants?|options|env|environment|"
    r"app|application|server|main|storage|store|datasource|connection|flags|runtime|dev|prod)"
    r"(?:[._-](?:default|dev|development|local|base|common|production|prod|shared))?\.(?:py|rb|go|rs|php|exs?|[cm]?[jt]s|kt|java|cs|scala)"
    r"|[a-z0-9]{1,40}(?:config|configuration|settings|database|datasource|options|properties|defaults)\.(?:java|kt|scala|cs|php))$"
)
_BY_SHAPE: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (
        re.compile(r"(?:^|/)(?:[a-z0-9]{1,20}[._-])?requirements(?:[._-][^/]{1,60})?\.(?:txt|in|pip)$"),
        python.read_requirements,
    ),
    (re.compile(r"(?:^|/)requirements/[^/]{1,60}\.(?:txt|in)$"), python.read_requirements),
    (re.compile(r"\.(?:cs|fs|vb)proj$"), nuget.read_project),
    (re.compile(r"\.gemspec$"), ruby.read_gemspec),
    (re.compile(r"(?:\.sbt|(?:^|/)project/dependencies\.scala)$"), other_ecosystems.read_sbt),
    (re.compile(r"(?:^|/)(?:dockerfile(?:[.-][^/]{1,60})?|[^/]{1,60}\.dockerfile)$"), docker.read_dockerfile),
    (re.compile(r"(?:^|/)(?:docker-|podman-)?compose(?:[.-][^/]{1,60})?\.ya?ml$"), docker.read_compose),
    (re.compile(r"(?:^|/)procfile(?:\.[^/]{1,30})?$"), docker.read_procfile),
    (
        re.compile(
            r"^\.(?:(?:github|gitea|forgejo)/workflows|circleci|woodpecker|buildkite|gitlab/ci)/[^/]{1,100}\.ya?ml$"
        ),
        pipelines.read_workflow,
    ),
    (re.compile(r"(?:^|/)config/database\.yml(?:\.[^/]{1,30})?$"), databases.read_database_settings),
    (re.compile(r"(?:^|/)config/database\.php$"), databases.read_database_settings),
    (re.compile(r"(?:^|/)application(?:-[\w-]{1,40})?\.(?:properties|ya?ml)$"), databases.read_database_settings),
    (re.compile(r"(?:^|/)settings/[\w-]{1,40}\.py$"), databases.read_database_settings),
    (
        re.compile(r"(?:^|/)(?:\.env(?:\.[\w-]{1,30}){0,2}|[\w-]{1,30}\.env|env\.(?:example|sample|template))$"),
        databases.read_environment,
    ),
    (
        re.compile(
            r"(?:^|/)(?:config|conf|app|settings)(?:[._-](?:example|sample|default|dist|dev|development))?"
            r"\.(?:ya?ml|toml|ini|json|cfg|conf|properties)(?:\.(?:example|sample|dist|default))?$"
        ),
        databases.read_database_settings,
    ),
    (
        re.compile(
            r"(?:^|/)(?:appsettings(?:\.[\w-]{1,30})?\.json|(?:config|configs|conf|etc)/(?!cable\.)[\w.-]{1,40}\.(?:ya?ml|toml|ini|json|cfg|conf))$"
        ),
        databases.read_database_settings,
    ),
    (
        re.compile(r"(?:^|/)(?:k8s|kubernetes|manifests|kustomize|deploy)/(?:[^/]{1,60}/){0,4}[^/]{1,60}\.ya?ml$"),
        docker.read_cluster,
    ),
    (
        re.compile(
            r"(?:^|/)(?:rollup|webpack|vite|electron\.vite|rsbuild|rspack|esbuild|tsup|tsdown|rolldown|gulpfile|build)"
            r"(?:[.-][\w.-]{1,40})?\.[mc]?[jt]s$|(?:^|/)angular\.json$"
        ),
        bundlers.read_bundler,
    ),
    (re.compile(r"(?:^|/)index\.html$"), bundlers.read_page),
    (
        re.compile(
            r"(?:^|/)(?:uwsgi[\w.-]{0,30}\.ini|supervisord?[\w.-]{0,30}\.(?:conf|ini)|crontab|[\w@.-]{1,60}\.service)$"
        ),
        processes.read_processes,
    ),
)


def is_lock(path: str) -> bool:
    """Whether the file is a lock file: exact versions, written by a tool."""
    return _base(path) in _LOCKS


def is_manifest(path: str) -> bool:
    """Whether the file is a manifest, settings file or lock file."""
    return _reader(path) is not None


def read_manifest(path: str, content: str) -> ManifestFacts:
    """The facts of a manifest; empty for other files or if it cannot be parsed."""
    reader = _reader(path)
    return reader(path, content) if reader is not None else ManifestFacts()


def read_defaults(path: str, content: str) -> ManifestFacts:
    """Defaults in source files that are named like settings; empty for other files."""
    return databases.read_addresses(path, content) if _SETTINGS_SOURCE.search(path.lower()) else ManifestFacts()


def _base(path: str) -> str:
    return path.rpartition("/")[2].lower()


def _reader(path: str) -> Reader | None:
    base = _base(path)
    found = _LOCKS.get(base) or _BY_NAME.get(base)
    if found is not None:
        return found
    lower = path.lower()
    return next((reader for shape, reader in _BY_SHAPE if shape.search(lower)), None)
