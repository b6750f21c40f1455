"""Finds Java entry points and models: Spring, JAX-RS, picocli, schedulers, JPA."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremark.memory.codebase.parsing.collector import Collector
from loremark.memory.codebase.parsing.java_annotations import annotated, modifiers, strings, values
from loremark.memory.codebase.parsing.java_services import bases_of, dispatched, read_class
from loremark.memory.codebase.parsing.literals import words
from loremark.memory.codebase.parsing.route_paths import METHODS, add, joined
from loremark.memory.codebase.parsing.syntax import text

_SERVERS = words("SpringBootApplication QuarkusMain MicronautApplication EnableEurekaServer")
_CONTROLLERS = frozenset(("RestController", "Controller", "RepositoryRestController", "BasePathAwareController"))
_MAPPINGS = {f"{method.title()}Mapping": method for method in METHODS} | {
    # Micronaut omits "Mapping".
    method.title(): method
    for method in METHODS
}
# Annotations of methods in otherwise ordinary classes.
_ARMERIA = "com.linecorp.armeria.server.annotation."
_JAX_METHODS = frozenset(method.upper() for method in METHODS)
_JOBS = words(
    "Scheduled Schedules KafkaListener RabbitListener JmsListener SqsListener StreamListener Incoming Schedule "
    "PulsarListener Recurring XxlJob"
)
# Annotations of classes whose methods receive messages.
_CONSUMERS = words("KafkaListener RabbitListener JmsListener RocketMQMessageListener PulsarListener")
_MIN_DISPATCHED = 3
_MAX_DISPATCHED = 60
_VARIABLE = re.compile(r"\{(\w{1,60})\}")
_STORED = words("Entity Document MappedSuperclass Embeddable RedisHash Node TypeAlias")
_STORED_TABLE = re.compile(r"org\.springframework\.data\.|com\.baomidou|io\.micronaut\.data")
_RELATIONS = words("ManyToOne OneToMany OneToOne ManyToMany DBRef DocumentReference Relationship Embedded")
_UNSTORED = frozenset(("Transient", "Autowired", "Inject"))
_TARGET = re.compile(r"(\w{1,80})\s{0,4}>*$")


def read(node: Node, name: str, given: dict[str, Node], members: list[Node], into: Collector) -> None:
    """Entries and models from the annotations of a type and its members."""
    if not _SERVERS.isdisjoint(given):
        into.entry("server", name, node)
    if "WebServlet" in given:
        for path in strings(given["WebServlet"], "value", "urlPatterns"):
            add(into, [], joined(path), node)
    if "ServerEndpoint" in given:
        for path in strings(given["ServerEndpoint"], "value"):
            add(into, ["WS"], joined(path), node)
    if not _CONSUMERS.isdisjoint(given):
        into.entry("job", name, node)
    if node.type == "class_declaration" and (bases := bases_of(node)):
        read_class(node, name, given, bases, into)
    if "Command" in given and any("picocli" in each.target for each in into.imports):
        into.entry("cli", (strings(given["Command"], "name") or [name])[0], node)
    is_client = not {"FeignClient", "HttpExchange", "RegisterRestClient", "Client"}.isdisjoint(given)
    if not is_client and not _CONTROLLERS.isdisjoint(given):
        _spring(given, members, into)
    elif not is_client and ("Path" in given or "ApplicationPath" in given):
        _jax(given, members, into)
    elif not is_client and any(each.target.startswith(_ARMERIA) for each in into.imports):
        _spring({}, members, into)
    if any(text(base).endswith("BaseJavaMigration") for base in node.children_by_field_name("superclass")):
        into.model(name, "migration", node)
    elif not _STORED.isdisjoint(given) or ("Table" in given and _is_data(into)):
        _stored(node, name, members, into)
    for member in members:
        if member.type == "method_declaration":
            _job(member, into)


def _is_data(into: Collector) -> bool:
    return any(_STORED_TABLE.match(each.target) for each in into.imports)


def _job(member: Node, into: Collector) -> None:
    own = annotated(member)
    name = text(member.child_by_field_name("name"))
    if not _JOBS.isdisjoint(own):
        into.entry("job", name, member)
    elif "ShellMethod" in own:
        into.entry("cli", (strings(own["ShellMethod"], "key") or [name])[0], member)


def _spring(given: dict[str, Node], members: list[Node], into: Collector) -> None:
    mapping = given.get("RequestMapping") or given.get("Controller")
    bases = strings(mapping, "value", "path") or [""]
    # "@Controller("name")" of Spring names a bean; only Micronaut's starts with a slash.
    bases = [base for base in bases if mapping is given.get("RequestMapping") or base.startswith("/")] or [""]
    for member in members:
        own = annotated(member) if member.type == "method_declaration" else {}
        for annotation, node in own.items():
            if annotation == "RequestMapping":
                methods = [text(each).rpartition(".")[2] for each in values(node, "method")]
            elif annotation in _MAPPINGS:
                methods = [_MAPPINGS[annotation]]
            elif annotation == "MessageMapping":
                methods = ["WS"]
            else:
                continue
            for base in bases[:4]:
                for path in (strings(node, "value", "path", "uri") or [""])[:8]:
                    add(into, methods, joined(base, path), member)
                    _read_dispatched(methods, joined(base, path), member, into)


def _read_dispatched(methods: list[str], path: str, member: Node, into: Collector) -> None:
    """A single method for all requests that dispatches on part of the path."""
    variable = _VARIABLE.search(path)
    wanted = dispatched(member, variable.group(1)) if variable is not None else []
    if variable is not None and len(wanted) >= _MIN_DISPATCHED:
        for word in wanted[:_MAX_DISPATCHED]:
            add(into, methods, path.replace(variable.group(), word), member)


def _jax(given: dict[str, Node], members: list[Node], into: Collector) -> None:
    base = (strings(given.get("Path"), "value") or [""])[0]
    for member in members:
        own = annotated(member) if member.type == "method_declaration" else {}
        methods = [each for each in own if each in _JAX_METHODS]
        if methods:
            add(into, methods, joined(base, *strings(own.get("Path"), "value")[:1]), member)


def _stored(node: Node, name: str, members: list[Node], into: Collector) -> None:
    fields, refers = [], []
    parameters = node.child_by_field_name("parameters")
    components = parameters.named_children if parameters is not None else []
    for member in [*components, *members]:
        if member.type not in ("field_declaration", "formal_parameter") or "static" in modifiers(member):
            continue
        own = annotated(member)
        if not _UNSTORED.isdisjoint(own):
            continue
        place = member.child_by_field_name("declarator") or member
        fields.append(text(place.child_by_field_name("name")))
        target = _TARGET.search(text(member.child_by_field_name("type")))
        if target is not None and not _RELATIONS.isdisjoint(own):
            refers.append(target.group(1))
    for member in members:
        # Relations may be declared on the getters.
        own = annotated(member) if member.type == "method_declaration" else {}
        target = _TARGET.search(text(member.child_by_field_name("type"))) if own else None
        if target is not None and not _RELATIONS.isdisjoint(own):
            refers.append(target.group(1))
    into.model(name, "orm", node, tuple(fields), tuple(dict.fromkeys(refers)))
