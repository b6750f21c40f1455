"""Reads Gradle build scripts (Groovy and Kotlin), version catalogs, lock files and wrapper properties."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import lines_of, table, toml_of

_VARIABLE = re.compile(
    r"\s*+(?:ext\.|val |def |final |const val |String |set\(\")?\s?"
    r"([A-Za-z_][\w.]{0,80})\"?\s{0,4}[=,]\s{0,4}[\"']([^\"'$]{1,80})[\"']"
)
_PLUGIN = re.compile(
    r"\s*+(?:id|kotlin)\s{0,2}\(?\s{0,2}[\"']([\w.-]{1,120})[\"']\)?(?:\s{1,4}version\s{0,4}\(?\s{0,2}[\"']([^\"']{1,80})[\"'])?"
)
_APPLIED = re.compile(r"\s*+apply\s{0,2}\(?\s{0,2}plugin\s{0,2}[:=]\s{0,2}[\"']([\w.-]{1,120})[\"']")
_CALL = re.compile(
    r"\s*+([a-zA-Z]{2,60})\b\s{0,3}\(?\s{0,3}(?:(?:enforcedP|p)latform\s{0,2}\(\s{0,3}|project\s{0,2}\()?(.*)"
)
_COORDINATES = re.compile(r"[\"']([\w.-]{1,120}):([\w.$\{\}-]{1,120})(?::([^\"':@]{1,80}))?(?:[:@][^\"']{0,40})?[\"']")
_NAMED = re.compile(
    r"group\s?[:=]\s?[\"']([\w.-]{1,120})[\"'],\s{0,4}name\s?[:=]\s?[\"']([\w.-]{1,120})[\"'](?:,\s{0,4}version\s?[:=]\s?[\"']([^\"']{1,80})[\"'])?"
)
_KOTLIN = re.compile(r"kotlin\([\"']([\w-]{1,60})[\"']")
_MAIN = re.compile(r"\s*+mainClass(?:Name)?(?:\.set\(|\s{0,3}=)\s{0,3}[\"']([\w.$]{1,160})[\"']")
_JAVA = re.compile(
    r"(?:JavaLanguageVersion\.of\(|jvmToolchain\(|(?:source|target)Compatibility\s{0,3}=?\s{0,3}(?:JavaVersion\.VERSION_)?['\"]?|release\s?=\s?)(\d[\d._]{0,5})"
)
_USED = re.compile(r"\$\{?([A-Za-z_][\w.]{0,80})\}?")
_CONFIGURATIONS = re.compile(
    r"(?:api|implementation|compile|compileOnly|runtime|runtimeOnly|annotationProcessor|kapt|ksp|developmentOnly|"
    r"debugImplementation|releaseImplementation|classpath|providedCompile|providedRuntime|testImplementation|testCompile|"
    r"testRuntimeOnly|testApi|androidTestImplementation|integrationTestImplementation|testFixturesImplementation|checkstyle|"
    r"detektPlugins|compileOnlyApi|testCompileOnly|coreLibraryDesugaring|commonMainImplementation)"
)


def read_gradle(path: str, content: str) -> ManifestFacts:
    """``build.gradle`` and ``build.gradle.kts``, line by line: plugins, coordinates, catalog names."""
    draft = Draft("maven")
    draft.add_sign("package-manager", "Gradle")
    variables: dict[str, str] = {}
    for number, line in lines_of(content):
        text = line.split("//", 1)[0] if "://" not in line else line
        given = _VARIABLE.match(text)
        if given is not None and len(variables) < 300:
            variables[given.group(1).removeprefix("ext.")] = given.group(2)
        _plugin(draft, text)
        _dependency(draft, text, variables)
        main = _MAIN.match(text)
        if main is not None:
            draft.add_entry("main", main.group(1), number)
        java = _JAVA.search(text)
        if java is not None:
            draft.add_sign("language-version", java.group(1).replace("_", "."))
    draft.add_sign("version", variables.get("version"))
    draft.add_sign("description", variables.get("description"))
    return draft.facts()


def _plugin(draft: Draft, text: str) -> None:
    found = _PLUGIN.match(text)
    if found is not None:
        name = f"org.jetbrains.kotlin.{found.group(1)}" if text.lstrip().startswith("kotlin") else found.group(1)
        draft.add_dependency(f"plugin:{name}", found.group(2), is_dev=True)
    applied = _APPLIED.match(text)
    if applied is not None:
        draft.add_dependency(f"plugin:{applied.group(1)}", is_dev=True)


def _dependency(draft: Draft, text: str, variables: dict[str, str]) -> None:
    call = _CALL.match(text)
    if call is None or not _CONFIGURATIONS.fullmatch(call.group(1)):
        return
    is_dev = "test" in call.group(1).lower() or call.group(1) in ("checkstyle", "detektPlugins", "developmentOnly")
    found = _COORDINATES.search(call.group(2)) or _NAMED.search(call.group(2))
    if found is not None:
        version = _USED.sub(lambda name: variables.get(name.group(1).rpartition(".")[2], ""), found.group(3) or "")
        draft.add_dependency(f"{found.group(1)}:{found.group(2)}", version, is_dev=is_dev)
    kotlin = _KOTLIN.match(call.group(2))
    if kotlin is not None:
        draft.add_dependency(f"org.jetbrains.kotlin:kotlin-{kotlin.group(1)}", is_dev=is_dev)


def read_catalog(path: str, content: str) -> ManifestFacts:
    """``libs.versions.toml``; every entry counts as used."""
    document = toml_of(content)
    draft = Draft("maven")
    versions = table(document.get("versions"))
    for name, row in table(document.get("libraries")).items():
        group, artifact = _module(row)
        is_dev = "test" in name.lower()
        if group and artifact:
            version = _catalog_version(row, versions) or (
                row.split(":")[2] if isinstance(row, str) and row.count(":") > 1 else None
            )
            draft.add_dependency(f"{group}:{artifact}", version, is_dev=is_dev)
    for plugin in table(document.get("plugins")).values():
        known = plugin.partition(":")[0] if isinstance(plugin, str) else table(plugin).get("id")
        if isinstance(known, str):
            draft.add_dependency(f"plugin:{known}", _catalog_version(plugin, versions), is_dev=True)
    return draft.facts()


def _module(row: object) -> tuple[str, str]:
    text = row if isinstance(row, str) else table(row).get("module")
    if isinstance(text, str):
        group, _, rest = text.partition(":")
        return group, rest.partition(":")[0]
    owner, name = table(row).get("group"), table(row).get("name")
    return (owner, name) if isinstance(owner, str) and isinstance(name, str) else ("", "")


def _catalog_version(row: object, versions: dict[str, object]) -> object:
    version = table(row).get("version")
    named = table(version).get("ref")
    found = versions.get(named) if isinstance(named, str) else version
    return found if isinstance(found, str) else table(found).get("strictly") or table(found).get("require")


def read_gradle_lock(path: str, content: str) -> ManifestFacts:
    """``gradle.lockfile``: ``group:name:version=configurations`` on each line."""
    draft = Draft("maven", is_lock=True)
    for _, line in lines_of(content):
        parts = line.partition("=")[0].split(":")
        if len(parts) == 3 and not line.startswith("#"):
            draft.add_dependency(f"{parts[0]}:{parts[1]}", parts[2])
    return draft.facts()


def read_wrapper(path: str, content: str) -> ManifestFacts:
    """Wrapper properties: the version of Gradle or Maven."""
    draft = Draft("maven")
    tool = "gradle" if "gradle-wrapper" in path else "apache-maven"
    found = re.search(rf"/{tool}-(\d[\d.]{{0,20}}\d)", content[:5_000])
    draft.add_sign("tool-version", found.group(1) if found else None)
    return draft.facts()
