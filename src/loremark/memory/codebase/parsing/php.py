"""Parses PHP: classes, functions, commands, jobs, Eloquent and Doctrine models."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from loremark.memory.codebase.parsing import syntax
from loremark.memory.codebase.parsing.collector import MAX_FACTS_PER_KIND, Collector
from loremark.memory.codebase.parsing.literals import words
from loremark.memory.codebase.parsing.opening_comment import opening_sentence
from loremark.memory.codebase.parsing.php_routes import HAS_ROUTES, read_attributes, read_calls
from loremark.memory.codebase.parsing.php_services import read_services
from loremark.memory.codebase.parsing.test_detection import is_test
from loremark.memory.codebase.records import SymbolKind

_TYPES: dict[str, SymbolKind] = {
    "class_declaration": "class",
    "trait_declaration": "class",
    "interface_declaration": "type",
    "enum_declaration": "type",
}
_CONTAINERS = words("program namespace_definition compound_statement if_statement ERROR")
_INCLUDE = re.compile(
    rb"\b(?:require|include)(?:_once)?\b[\s(]{0,9}(?P<here>__DIR__\s{0,9}\.\s{0,9}|dirname\(__(?:DIR|FILE)__\)\s{0,9}\.\s{0,9})?"
    rb"['\"](?P<path>[^'\"\n$]{1,200})['\"]"
)
_RELATION = re.compile(
    rb"\$this\s{0,99}->\s{0,9}(?:belongsTo|belongsToMany|hasMany|hasOne|hasManyThrough|hasOneThrough|morphMany|morphOne|"
    rb"morphToMany|morphedByMany)\(\s{0,99}\\?(?:\w{1,80}\\)*+(\w{1,80})::class"
)
_TARGET_ENTITY = re.compile(rb"targetEntity\s{0,9}[:=]\s{0,9}\"?\\?(?:\w{1,80}\\)*+(\w{1,80})")
_MODEL_BASES = words("Model EloquentModel Authenticatable Pivot MorphPivot BaseModel ActiveRecord")
_MODEL_PROPERTIES = frozenset(("$fillable", "$guarded", "$casts"))
_NO_COLUMNS = words(
    "index unique primary foreign fullText spatialIndex rawIndex dropColumn dropForeign dropIndex dropUnique "
    "dropPrimary renameColumn engine comment charset collation after on references"
)
_TABLE = re.compile(rb"Schema::(?:connection\([^()]{0,80}\)->)?create\(\s{0,99}['\"](\w{1,100})['\"]")
_COLUMN = re.compile(rb"\$\w{1,40}->(\w{1,40})\(\s{0,40}(?:['\"](\w{1,100})['\"])?")
_REFERENCE = re.compile(
    rb"->(?:on|constrained)\(\s{0,40}(?:table:\s{0,9})?['\"](\w{1,100})['\"]|foreignId\(\s{0,9}['\"](\w{1,100})_id['\"]\)[^;]{0,200}->constrained\(\s{0,9}\)"
)
_WORK = re.compile(
    rb"(?:\$schedule->|Schedule::)(?P<job>command|job|call|exec)\(\s{0,99}(?:new\s{1,9})?(?P<what>[\\\w]{1,120}|['\"][^'\"\n]{1,120})"
    rb"|Artisan::command\(\s{0,99}['\"](?P<cli>[\w:.-]{1,100})"
    rb"|WP_CLI::add_command\(\s{0,99}['\"](?P<wp>[\w :.-]{1,100})"
    rb"|->setName\(\s{0,99}['\"](?P<named>[\w:.-]{1,100})['\"]"
)


def read(root: Node, into: Collector) -> None:
    is_product = not is_test(into.path)
    source = root.text or b""
    for node in syntax.walk(root, lambda node: node.type in _CONTAINERS):
        if node.type in _TYPES:
            if not into.doc:
                into.doc = opening_sentence(root, node)
            _read_type(node, into, is_product, has_annotations=b"@Route" in source or b"@ORM" in source)
        elif node.type == "namespace_use_declaration":
            _read_use(node, into)
        elif node.type == "function_definition":
            into.symbol(syntax.text(node.child_by_field_name("name")), "function", node)
        elif node.type == "const_declaration":
            _read_constants(node, into)
        elif node.type == "expression_statement" and (
            named := re.match(rb"define\(\s{0,9}['\"](\w{1,100})", node.text or b"")
        ):
            into.symbol(named.group(1).decode(), "constant", node)
    for node, match in _found(_INCLUDE, root, source):
        if node.type.startswith(("require", "include")):
            place = {b"_": ".", b"d": ".."}.get((match["here"] or b"")[:1], "")
            into.imported(place + match["path"].decode(errors="replace"), node)
    if not into.doc:
        into.doc = opening_sentence(root)
    if is_product:
        _read_by_text(root, source, into)


def _found(pattern: re.Pattern[bytes], root: Node, source: bytes) -> Iterator[tuple[Node, re.Match[bytes]]]:
    """Text matches that are code; searching the text is faster, because few nodes of a body matter."""
    for _, match in zip(range(2 * MAX_FACTS_PER_KIND), pattern.finditer(source), strict=False):
        at = root.start_byte + match.start()
        node = root.descendant_for_byte_range(at, at + 1)
        if node is not None and node.type not in ("comment", "string_content", "text", "heredoc_body", "string"):
            yield node, match


def _read_by_text(root: Node, source: bytes, into: Collector) -> None:
    folder, _, name = into.path.rpartition("/")
    if name == "index.php" and folder.rpartition("/")[2] in (
        "",
        "public",
        "web",
        "www",
        "htdocs",
        "public_html",
        "webroot",
    ):
        into.entry("server", into.path, root)
    elif source.startswith(b"#!") and b"php" in source[:60]:
        into.entry("cli", name.removesuffix(".php"), root)
    if HAS_ROUTES.search(source):
        read_calls(root, into)
    for node, match in _found(_WORK, root, source):
        if match["job"]:
            what = match["what"].decode(errors="replace").lstrip("'\"").rpartition("\\")[2]
            into.entry("job", what if what not in ("function", "fn") else "", node)
        else:
            into.entry("cli", (match["cli"] or match["wp"] or match["named"]).decode(), node)
    read_services(root, source, into)
    if b"Migration" in source and re.search(rb"extends\s{1,9}\\?(?:\w{1,80}\\)*+(?:Abstract)?Migration\b", source):
        into.model(name.removesuffix(".php"), "migration", root)
    if b"Schema::" in source:
        up = source.partition(b"function down(")[0]
        for node, match in _found(_TABLE, root, up):
            body = up[match.end() : match.end() + 12_000].partition(b"Schema::")[0]
            into.model(match[1].decode(), "table", node, *_columns(body))


def _columns(body: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    fields: dict[str, None] = {}
    for match in _COLUMN.finditer(body):
        method, name = match[1].decode(), (match[2] or b"").decode()
        if method in ("timestamps", "nullableTimestamps", "timestampsTz"):
            fields |= {"created_at": None, "updated_at": None}
        elif method in ("id", "softDeletes", "rememberToken") and not name:
            fields[{"id": "id", "softDeletes": "deleted_at"}.get(method, "remember_token")] = None
        elif name and method not in _NO_COLUMNS:
            fields[name] = None
    targets = (match[1] or match[2] + b"s" for match in _REFERENCE.finditer(body))
    return tuple(fields), tuple(dict.fromkeys(target.decode() for target in targets))


def _read_use(node: Node, into: Collector) -> None:
    prefix = ""
    for child in node.named_children[:MAX_FACTS_PER_KIND]:
        if child.type == "namespace_name":
            prefix = syntax.text(child) + "\\"
        clauses = child.named_children[:MAX_FACTS_PER_KIND] if child.type == "namespace_use_group" else [child]
        for clause in clauses:
            if clause.type == "namespace_use_clause" and clause.named_child_count:
                into.imported((prefix + syntax.text(syntax.child_at(clause))).lstrip("\\"), clause)


def _read_constants(node: Node, into: Collector) -> None:
    for element in node.named_children[:40]:
        if element.type == "const_element":
            into.symbol(syntax.text(syntax.child_at(element)), "constant", element)


def _read_type(node: Node, into: Collector, is_product: bool, *, has_annotations: bool) -> None:
    name = syntax.text(node.child_by_field_name("name"))
    into.symbol(name, _TYPES[node.type], node)
    body = node.child_by_field_name("body")
    members = body.named_children if body is not None else []
    for member in members:
        if member.type == "method_declaration":
            into.symbol(syntax.text(member.child_by_field_name("name")), "method", member)
        elif member.type == "const_declaration":
            _read_constants(member, into)
    if is_product and node.type == "class_declaration":
        clauses = {
            child.type: syntax.text(child, 400) for child in node.named_children if child.type.endswith("_clause")
        }
        base = re.sub(r"^extends\s+", "", clauses.get("base_clause", "")).rpartition("\\")[2].strip()
        properties = {
            key: value
            for member in members
            if member.type == "property_declaration"
            for key, value in _property(member)
        }
        read_attributes(node, name, members, into, has_annotations=has_annotations)
        _read_work(node, name, base, clauses.get("class_interface_clause", ""), properties, into)
        _read_model(node, name, base, properties, into)


def _property(member: Node) -> Iterator[tuple[str, str]]:
    for element in member.named_children:
        if element.type == "property_element":
            value = element.child_by_field_name("default_value")
            yield syntax.text(element.child_by_field_name("name")), syntax.text(value, 2000)


def _read_work(node: Node, name: str, base: str, interfaces: str, properties: dict[str, str], into: Collector) -> None:
    attributes = syntax.text(node.child_by_field_name("attributes"), 1000)
    command = re.search(r"AsCommand\(\s{0,99}(?:name:\s{0,9})?['\"]([\w:.-]{1,100})", attributes)
    said = properties.get("$signature") or properties.get("$defaultName") or ""
    words = said.strip("'\" \n").split()
    if command or (words and base.endswith("Command")):
        into.entry("cli", command.group(1) if command else words[0], node)
    is_queued = "ShouldQueue" in interfaces and not base.endswith(("Notification", "Mailable"))
    if is_queued or re.search(r"MessageHandler|AsCronTask|AsPeriodicTask", interfaces + attributes):
        into.entry("job", name, node)


def _read_model(node: Node, name: str, base: str, properties: dict[str, str], into: Collector) -> None:
    source = node.text or b""
    above = node.prev_named_sibling
    words = syntax.text(node.child_by_field_name("attributes"), 1000)
    words += syntax.text(above, 4000) if above is not None and above.type == "comment" else ""
    if re.search(r"(?:ORM\\|@|\b)Entity\b\s{0,9}(?:\(|\]|,|\n|\*)", words) and (b"ORM\\" in source or "ORM\\" in words):
        targets = dict.fromkeys(match.decode() for match in _TARGET_ENTITY.findall(source))
        into.model(name, "orm", node, tuple(key.lstrip("$") for key in properties), tuple(targets))
    elif (
        base and name not in ("Model", "BaseModel") and (base in _MODEL_BASES or _MODEL_PROPERTIES & properties.keys())
    ):
        targets = dict.fromkeys(match.decode() for match in _RELATION.findall(source))
        fields = re.findall(r"['\"](\w{1,100})['\"]", properties.get("$fillable", ""))
        into.model(name, "orm", node, tuple(fields), tuple(targets))
