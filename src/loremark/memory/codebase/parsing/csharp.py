"""Parses C#: types, ASP.NET routes, hosts and jobs, Entity Framework models."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from loremark.memory.codebase.parsing import route_paths, syntax
from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.csharp_calls import FIRST_STRING, read_calls
from loremark.memory.codebase.parsing.csharp_services import read_class, read_function, read_services
from loremark.memory.codebase.parsing.literals import words
from loremark.memory.codebase.parsing.opening_comment import opening_sentence
from loremark.memory.codebase.parsing.test_detection import is_test
from loremark.memory.codebase.records import SymbolKind

_TYPES: dict[str, SymbolKind] = {
    "class_declaration": "class",
    "record_declaration": "class",
    "struct_declaration": "class",
    "record_struct_declaration": "class",
    "interface_declaration": "type",
    "enum_declaration": "type",
    "delegate_declaration": "type",
}
_PREPROCESSOR = frozenset(("preproc_if", "preproc_elif", "preproc_else", "preproc_region"))
_CONTAINERS = _PREPROCESSOR | frozenset(
    ("compilation_unit", "namespace_declaration", "declaration_list", "ERROR", "file_scoped_namespace_declaration")
)
_BODIES = _PREPROCESSOR | frozenset(("declaration_list", "ERROR"))
_VERBS = {f"Http{verb.capitalize()}": verb for verb in ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")}
_JOB_BASES = words(
    "BackgroundService IHostedService IHostedLifecycleService IJob IInvocable IScheduledTask IConsumer "
    "IHandleMessages QuartzJobBean PeriodicBackgroundWorkerBase AsyncPeriodicBackgroundWorkerBase "
    "BackgroundWorkerBase AsyncBackgroundJob"
)
# A project's own base class usually keeps the framework's name as a suffix.
_JOB_BASE_ENDS = ("HostedService", "BackgroundService")
_ENTITY_BASES = words("BaseEntity EntityBase Entity AuditableEntity IAggregateRoot IdentityUser IdentityRole")
_ENTITY_SIGNS = words("Key ForeignKey InverseProperty DatabaseGenerated")
_COLLECTIONS = words("ICollection IList List IEnumerable HashSet ISet Collection IReadOnlyCollection IReadOnlyList")
_ACTION_RESULT = re.compile(r"\w{0,40}Result\b|Task<I?\w{0,40}Result\b")
_PAGE = re.compile(r"(?:(?:^|/)Areas/(\w{1,80}))?(?:^|/)Pages/(.{1,200})\.cshtml\.cs$")


class _Attribute(NamedTuple):
    name: str
    value: str | None
    """The first string argument, if any."""


def read(root: Node, into: Collector) -> None:
    is_product = not is_test(into.path)
    for node in syntax.walk(root, lambda node: node.type in _CONTAINERS or node.type in _TYPES):
        if node.type == "using_directive":
            _read_using(node, into)
        elif node.type in _TYPES:
            if not into.doc:
                into.doc = opening_sentence(root, node)
            _read_type(node, into, is_product)
        elif node.type == "global_statement":
            _read_statement(root, node, into)
    if is_product:
        read_calls(root, into)
        read_services(root, into)
    if not into.doc:
        into.doc = opening_sentence(root)


def _read_using(node: Node, into: Collector) -> None:
    target = syntax.text(node.named_children[-1]) if node.named_children else ""
    into.imported("".join(target.split()), node)


def _read_statement(root: Node, node: Node, into: Collector) -> None:
    inner = syntax.child_at(node)
    if inner is not None and inner.type == "local_function_statement":
        into.symbol(syntax.text(inner.child_by_field_name("name")), "function", inner)
    is_program = into.path.endswith("Program.cs") or not root.has_error
    if is_program and not into.has_entry("main"):
        into.entry("main", "main", node)


def _read_type(node: Node, into: Collector, is_product: bool) -> None:
    name = syntax.text(node.child_by_field_name("name"))
    into.symbol(name, _TYPES[node.type], node)
    body = node.child_by_field_name("body")
    members = [] if body is None or node.type == "enum_declaration" else list(_members(body))
    for member in members:
        _read_member(member, into)
    if is_product and node.type in ("class_declaration", "record_declaration"):
        bases = _bases(node)
        attributes = list(_attributes(node))
        _read_routes(node, name, bases, attributes, members, into)
        _read_work(node, name, bases, attributes, into)
        _read_functions(members, into)
        _read_models(node, name, bases, attributes, members, into)


def _members(body: Node) -> Iterator[Node]:
    return (node for node in syntax.walk(body, lambda node: node.type in _BODIES) if node.type.endswith("_declaration"))


def _read_member(node: Node, into: Collector) -> None:
    if node.type == "method_declaration":
        name = syntax.text(node.child_by_field_name("name"))
        into.symbol(name, "method", node)
        if name == "Main" and "static" in _modifiers(node):
            into.entry("main", "main", node)
    elif node.type == "field_declaration":
        modifiers = _modifiers(node)
        if "const" in modifiers or {"static", "readonly"} <= modifiers:
            declaration = next((child for child in node.named_children if child.type == "variable_declaration"), None)
            for child in declaration.named_children[:20] if declaration else ():
                if child.type == "variable_declarator":
                    into.symbol(syntax.text(child.child_by_field_name("name")), "constant", child)


def _modifiers(node: Node) -> set[str]:
    return {syntax.text(child) for child in node.named_children if child.type == "modifier"}


def _bases(node: Node) -> list[str]:
    """The names of the base types, without namespaces and type arguments."""
    clause = next((child for child in node.named_children if child.type == "base_list"), None)
    texts = (syntax.text(child) for child in clause.named_children[:20]) if clause else ()
    return [re.split(r"[<(]", text, maxsplit=1)[0].rpartition(".")[2].strip() for text in texts]


def _attributes(node: Node) -> Iterator[_Attribute]:
    for child in node.named_children:
        if child.type != "attribute_list":
            return
        for attribute in child.named_children[:20]:
            name = syntax.text(attribute.child_by_field_name("name")).rpartition(".")[2].removesuffix("Attribute")
            found = FIRST_STRING.search(syntax.text(attribute, 300)) if attribute.named_child_count > 1 else None
            yield _Attribute(name, found.group(1) if found else None)


def _read_routes(
    node: Node, name: str, bases: list[str], attributes: list[_Attribute], members: list[Node], into: Collector
) -> None:
    page = _PAGE.search(into.path)
    if page and "PageModel" in bases:
        path = re.sub(r"(?:^|/)Index$", "", page.group(2))
        into.entry("page", "/" + "/".join(part for part in (page.group(1), path) if part), node)
    is_named_so = name.endswith("Controller") or any(base.endswith("Controller") for base in bases)
    if not is_named_so and not any(attribute.name == "ApiController" for attribute in attributes):
        return
    area = next((attribute.value or "" for attribute in attributes if attribute.name == "Area"), "")
    prefixes = [
        attribute.value for attribute in attributes if attribute.name == "Route" and attribute.value is not None
    ]
    by_convention = not prefixes and "Controller" in bases
    if not prefixes and not {"Controller", "ControllerBase", "ApiController"} & set(bases) and bases:
        prefixes = ["[controller]"]  # the project's own base class declares the route, and this is the usual one
    for member in members:
        if member.type == "method_declaration":
            action = syntax.text(member.child_by_field_name("name"))
            for verb, template in _actions(member, by_convention):
                for prefix in prefixes[:3] or [
                    ("[area]/" if area else "") + "[controller]/[action]" if template is None else ""
                ]:
                    parts = ("", template.lstrip("~")) if template and template[0] in "/~" else (prefix, template or "")
                    path = route_paths.joined(*(part.strip("/") for part in parts)).replace("[action]", action)
                    path = path.replace("[controller]", name.removesuffix("Controller")).replace("[area]", area)
                    route_paths.add(into, [verb], path, member)


def _actions(method: Node, by_convention: bool) -> Iterator[tuple[str, str | None]]:
    """The HTTP verb and route template of a controller method."""
    attributes = list(_attributes(method))
    names = {attribute.name for attribute in attributes}
    template = next((attribute.value for attribute in attributes if attribute.name == "Route"), None)
    verbs = [attribute for attribute in attributes if attribute.name in _VERBS]
    for attribute in verbs:
        yield _VERBS[attribute.name], template if attribute.value is None else attribute.value
    if not verbs and "Route" in names:
        yield "", template
    elif not verbs and by_convention and "NonAction" not in names and "public" in _modifiers(method):
        is_answer = _ACTION_RESULT.match(syntax.text(method.child_by_field_name("returns")))
        yield from [("", None)] if is_answer else []


def _read_work(node: Node, name: str, bases: list[str], attributes: list[_Attribute], into: Collector) -> None:
    is_job = _JOB_BASES & set(bases) or any(base.endswith(_JOB_BASE_ENDS) for base in bases[:1])
    if is_job and "abstract" not in _modifiers(node):
        into.entry("job", name, node)
    read_class(node, name, bases, into)
    for attribute in attributes:
        if attribute.name == "Verb" and attribute.value:
            into.entry("cli", attribute.value, node)
        elif attribute.name == "Command" and any("Command" in base for base in bases):
            into.entry("cli", attribute.value or name, node)


def _read_functions(members: list[Node], into: Collector) -> None:
    if not any("Functions" in each.target or "WebJobs" in each.target for each in into.imports):
        return
    for member in members:
        for attribute in _attributes(member) if member.type == "method_declaration" else ():
            read_function(member, attribute.name, attribute.value, into)


def _read_models(
    node: Node, name: str, bases: list[str], attributes: list[_Attribute], members: list[Node], into: Collector
) -> None:
    if "Migration" in bases and not into.path.endswith(".Designer.cs"):
        into.model(name, "migration", node)
        return
    properties = [member for member in members if member.type == "property_declaration"]
    if any(base.endswith("DbContext") for base in bases):
        for member in properties:
            match = re.match(r"DbSet<([\w.]{1,100})>", syntax.text(member.child_by_field_name("type")))
            if match:
                into.model(match.group(1).rpartition(".")[2], "orm", member)
        return
    names = [syntax.text(member.child_by_field_name("name")) for member in properties]
    is_entity = "/Entities/" in into.path and "Id" in names and "abstract" not in _modifiers(node)
    signs = {attribute.name for member in properties for attribute in _attributes(member)}
    is_table = any(attribute.name == "Table" for attribute in attributes)
    if (
        is_table
        or is_entity
        or _ENTITY_BASES & set(bases)
        or (_ENTITY_SIGNS & signs and "static" not in _modifiers(node))
    ):
        kinds = (syntax.text(member.child_by_field_name("type")).rstrip("?") for member in properties)
        types = dict(zip(names, kinds, strict=True))
        into.model(name, "orm", node, tuple(types), tuple(dict.fromkeys(_relations(types))))


def _relations(types: dict[str, str]) -> Iterator[str]:
    """Collections of classes, and navigation properties (``User`` next to ``UserId``)."""
    for name, kind in types.items():
        outer, opening, inner = kind.partition("<")
        target = inner.rstrip("<>?") if outer.rpartition(".")[2] in _COLLECTIONS else kind
        is_class = target[:1].isupper() and target.replace(".", "").isalnum()
        if is_class and (opening or f"{name}Id" in types) and "<" not in target and target not in ("Guid", "String"):
            yield target.rpartition(".")[2]
