"""Reads .NET project files, central package versions and NuGet lists and lock files."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import json_of, table
from loremark.memory.codebase.manifests.xml import Element, xml_of

_TEST_PROJECT = re.compile(
    r"(?:^|[._-])(?:Unit|Integration|Functional|Api|PublicApi|E2E)?(?:Tests?|Specs?|Benchmarks?|Fuzz)$", re.IGNORECASE
)
_REFERENCES = ("PackageReference", "GlobalPackageReference", "FrameworkReference")


def read_project(path: str, content: str) -> ManifestFacts:
    """``*.csproj`` and similar, ``Directory.Build.props``, ``Directory.Packages.props``."""
    draft = Draft("nuget")
    project = xml_of(content)
    if project.tag != "Project":
        return draft.facts()
    stem = path.rpartition("/")[2].rpartition(".")[0]
    words = {item.tag: item.text.strip() for group in project.all("PropertyGroup") for item in group.children[:200]}
    is_test = _TEST_PROJECT.search(stem) is not None or words.get("IsTestProject", "").lower() == "true"
    sdk = project.attributes.get("Sdk", "")
    draft.add_sign("sdk", sdk)
    targets = words.get("TargetFramework") or words.get("TargetFrameworks") or ""
    draft.add_sign("language-version", targets if "$" not in targets else None)
    draft.add_sign("name", words.get("AssemblyName") or words.get("PackageId"))
    draft.add_sign("description", words.get("Description"))
    draft.add_sign("licence", words.get("PackageLicenseExpression"))
    draft.add_sign(
        "tools", [tag for tag in ("UseWPF", "UseWindowsForms", "UseMaui") if words.get(tag, "").lower() == "true"]
    )
    for group in project.all("ItemGroup"):
        for item in group.children[:1_000]:
            _package(draft, item, is_test=is_test)
    _program(draft, words, sdk, stem, is_test=is_test)
    return draft.facts()


def _package(draft: Draft, item: Element, *, is_test: bool) -> None:
    name = item.attributes.get("Include") or item.attributes.get("Update")
    version = item.attributes.get("Version") or item.word("Version") or item.attributes.get("VersionOverride")
    version = None if version and "$" in version else version
    if item.tag in _REFERENCES:
        is_private = (item.attributes.get("PrivateAssets") or item.word("PrivateAssets")).lower() == "all"
        draft.add_dependency(name, version, is_dev=is_test or is_private)
    elif item.tag == "PackageVersion":
        draft.add_dependency(name, version, is_direct=False)


def _program(draft: Draft, words: dict[str, str], sdk: str, stem: str, *, is_test: bool) -> None:
    if is_test:
        return
    if sdk.startswith("Microsoft.NET.Sdk.Web"):
        draft.add_entry("server", words.get("AssemblyName") or stem)
    elif words.get("OutputType", "").lower() in ("exe", "winexe"):
        draft.add_entry("main", words.get("AssemblyName") or stem)


def read_packages_config(path: str, content: str) -> ManifestFacts:
    """``packages.config``."""
    draft = Draft("nuget")
    for item in xml_of(content).all("package"):
        is_dev = item.attributes.get("developmentDependency") == "true"
        draft.add_dependency(item.attributes.get("id"), item.attributes.get("version"), is_dev=is_dev)
    return draft.facts()


def read_packages_lock(path: str, content: str) -> ManifestFacts:
    """``packages.lock.json``."""
    draft = Draft("nuget", is_lock=True)
    for packages in table(json_of(content).get("dependencies")).values():
        for name, row in table(packages).items():
            draft.add_dependency(name, table(row).get("resolved"), is_direct=table(row).get("type") == "Direct")
    return draft.facts()


def read_global_json(path: str, content: str) -> ManifestFacts:
    """``global.json``: the SDK."""
    draft = Draft("nuget")
    document = json_of(content)
    draft.add_sign("language-version", table(document.get("sdk")).get("version"))
    for name, version in table(document.get("msbuild-sdks")).items():
        draft.add_dependency(name, version, is_dev=True)
    return draft.facts()


def read_dotnet_tools(path: str, content: str) -> ManifestFacts:
    """``dotnet-tools.json``."""
    draft = Draft("nuget")
    for name, row in table(json_of(content).get("tools")).items():
        draft.add_dependency(name, table(row).get("version"), is_dev=True)
    return draft.facts()
