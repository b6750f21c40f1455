"""Finds PHP scripts, servers, workers and handler tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from loremark.memory.codebase.parsing import route_paths, syntax
from loremark.memory.codebase.parsing.collector import MAX_FACTS_PER_KIND, Collector
from loremark.memory.codebase.parsing.literals import stem, words
from loremark.memory.codebase.parsing.text_search import in_code

_DEFINITIONS = words("class_declaration interface_declaration trait_declaration enum_declaration namespace_definition")
_STATEMENTS = words(
    "program expression_statement try_statement compound_statement if_statement else_clause echo_statement "
    "assignment_expression while_statement return_statement exit_statement parenthesized_expression"
)
_CALLS = words("member_call_expression scoped_call_expression nullsafe_member_call_expression")
_DISPATCHES = words("handle handleRequest execute dispatch run serve process terminate main runApp")
# Scripts there do not handle requests; they support other code.
_NO_FRONT = re.compile(
    r"(?:^|/)(?:config|configs|database|migrations?|seeds?|views?|templates?|lang|languages?|resources|vendor|stubs?|build|"
    r"phpstan|examples?|docs?|install|scripts?|tools?)/|\.(?:blade|tpl|html|dist|inc)\.php$|(?:^|/)(?:bootstrap|config|autoload)\b"
)
_CONSOLE = re.compile(rb"\$argv\b|\bArgvInput\b|PHP_SAPI|php_sapi_name|\bConsole\\|STDERR\b")
_BOOTS = re.compile(rb"\b(?:require|include)(?:_once)?\b")
_WORKER_FILE = re.compile(r"(?:cron|cronjob|worker|daemon|scheduler|queue[-_]?worker|consumer)s?\.php")
_WORKER_NAME = re.compile(r"(?:^|[:_-])(?:cron|cronjobs?|worker|daemon|scheduler|consumer)$")
_SERVERS = re.compile(
    rb"\bnew\s{1,9}\\?(?:(?:Open)?Swoole\\(?:(?P<web>Http|WebSocket)\\)?Server|Swoole(?P<old>Http|WebSocket)?Server)\b"
    rb"|\bIoServer::(?P<ratchet>factory)\b|\b(?P<raw>stream_socket_server|socket_listen)\s{0,9}\("
    rb"|\bSocketHttpServer::(?P<amp>create\w{0,30})\b|\bnew\s{1,9}\\?(?P<soap>SoapServer)\b"
)
_REACT = re.compile(rb"\bnew\s{1,9}\\?(?:React\\(?:Http|Socket)\\)?(?:HttpServer|SocketServer|TcpServer|UnixServer)\b")
_WORKERMAN = re.compile(rb"\bnew\s{1,9}\\?(?:Workerman\\)?Worker\s{0,9}\(\s{0,9}['\"](?P<place>\w{2,12})://")
_WORKS = re.compile(
    rb"->(?P<amqp>basic_consume)\s{0,9}\(|\bnew\s{1,9}\\?(?P<gearman>GearmanWorker)\b|->(?P<timer>addPeriodicTimer)\s{0,9}\("
    rb"|\bTimer::(?:(?P<tick>tick)|(?P<add>add))\s{0,9}\(|\b(?P<messenger>new\s{1,9}\\?(?:Symfony\\Component\\Messenger\\)?Worker)\s{0,9}\(\s{0,99}[\[$]"
)
_SERVICE_SIGNS = (b"Server", b"socket_", b"Worker", b"basic_consume", b"PeriodicTimer", b"Timer::")
# Words that are too common alone, each with others of which the file must contain one.
_NEEDED = {
    "tick": (b"woole",),
    "add": (b"Workerman",),
    "messenger": (b"Messenger", b"Illuminate\\Queue\\Worker;"),
    "timer": (b"React\\",),
}
# They consume on behalf of their caller.
_ADAPTERS = re.compile(r"(?:Adapter|Driver|Client|Transport|Connection|Interface)$")
_WEB_ROOTS = words("public web www htdocs public_html webroot html")
_ASKED = re.compile(
    rb"\$_(?:GET|POST|REQUEST)\b|\$_SERVER\[['\"]REQUEST_|\bhttp_response_code\s{0,9}\(|\bheader\s{0,9}\("
)
# Replaces a web server during development.
_DEVELOPMENT = re.compile(rb"\breturn\s{1,9}false;")
_ROUTER_GIVEN = re.compile(
    rb"[(,]\s{0,99}\\?(?:\w{1,80}\\)*+Route(?:Collect|Regist)\w{1,30}\s{1,9}\$(\w{1,40})\s{0,9}[,)]"
)
_GIVEN_ROUTE = re.compile(
    rb"\$(?P<who>\w{1,40})->(?P<verb>get|post|put|patch|delete)\(\s{0,99}['\"](?P<path>/[^'\"\n]{0,200})['\"]\s{0,9},"
)
_ADDED_ROUTE = re.compile(
    rb"->addRoute\(\s{0,99}(?P<verbs>\[[^\]\n]{0,80}\]|['\"][A-Z]{3,7}['\"])?\s{0,9},?\s{0,99}['\"](?P<path>[^'\"\n]{0,200})['\"]\s{0,9},"
)
_NAMED_ROUTE = re.compile(
    rb"\$routes->add\(\s{0,99}['\"][\w.:-]{1,100}['\"]\s{0,9},\s{0,99}['\"](?P<path>/[^'\"\n]{0,200})['\"]"
)
_LISTED_ROUTE = re.compile(
    rb"['\"]url['\"]\s{0,9}=>\s{0,9}['\"](?P<path>/[^'\"\n]{0,200})['\"]\s{0,9},\s{0,99}['\"]verb['\"]\s{0,9}=>\s{0,9}['\"](?P<verb>\w{3,7})"
)
_PROCEDURE = re.compile(
    rb"->(?:withObject|attach)\(\s{0,99}(?:new\s{1,9})?\\?(?:\w{1,80}\\)*+(?P<object>[A-Z]\w{1,80})"
    rb"|->(?:withCallback|withClassAndMethod|registerMethod|addProcedure|bind|register)\(\s{0,99}['\"](?P<name>[\w.:-]{1,100})['\"]"
)
_RPC = re.compile(r"json-?rpc|xml-?rpc|\bsoap\b", re.IGNORECASE)
_REGISTRIES = re.compile(r"(?:Provider|Registry|Kernel|Loader|Registrar)$")
_REGISTERED = re.compile(
    rb"\bnew\s{1,9}\\?(?:\w{1,80}\\)*+(?P<made>\w{1,80}?(?P<kind>Command|Job|Worker|CronTask|Procedure))\s{0,9}[(;,)]"
    rb"|\b(?P<named>\w{1,80}?(?P<sort>Command|Job|Worker|CronTask|Procedure))::class\b"
)
_MIN_REGISTERED = 5
_KIND_WORDS = (b"Command", b"Job", b"Worker", b"CronTask", b"Procedure")


def read_services(root: Node, source: bytes, into: Collector) -> None:
    """Finds servers, workers and tables; files without any keyword are skipped early."""
    if not source.startswith(b"#!") and not _has_definitions(root) and _BOOTS.search(source):
        _read_script(root, source, into)
    if any(sign in source for sign in _SERVICE_SIGNS):
        _read_servers(root, source, into)
    _read_tables(root, source, into)
    _read_registry(root, source, into)
    if not into.has_entry("job"):
        for entry in [entry for entry in into.entries if entry.kind == "cli" and _WORKER_NAME.search(entry.name)][:1]:
            into.entry("job", entry.name, root)


def _has_definitions(root: Node) -> bool:
    return any(node.type in _DEFINITIONS for node in root.named_children)


def _read_script(root: Node, source: bytes, into: Collector) -> None:
    """A script without classes that boots the application and passes something to it."""
    folder, _, name = into.path.rpartition("/")
    if _NO_FRONT.search(into.path) or any(entry.kind in ("server", "cli") for entry in into.entries):
        return
    if _WORKER_FILE.fullmatch(name) or folder.rpartition("/")[2] in ("cron", "workers"):
        into.entry("job", into.path, root)
        return
    call = next(
        (node for node in _top_calls(root) if syntax.text(node.child_by_field_name("name")) in _DISPATCHES), None
    )
    if call is not None and _CONSOLE.search(source):
        into.entry("cli", stem(into.path), call)
    elif call is not None:
        into.entry("server", into.path, call)
    elif _is_page(folder, source):
        into.entry("server", into.path, root)


def _is_page(folder: str, source: bytes) -> bool:
    """Whether browsers request the script directly: it is in the web root and reads a request."""
    is_reachable = not folder or folder.rpartition("/")[2] in _WEB_ROOTS
    is_asked = is_reachable and _ASKED.search(source) is not None
    return is_asked and not _CONSOLE.search(source) and not _DEVELOPMENT.search(source)


def _top_calls(root: Node) -> Iterator[Node]:
    """Calls that run with the script itself, without nested ones."""
    return (node for node in syntax.walk(root, lambda node: node.type in _STATEMENTS) if node.type in _CALLS)


def _read_servers(root: Node, source: bytes, into: Collector) -> None:
    found = [(node, _server_name(match)) for node, match in in_code(_SERVERS, root)]
    if b"React\\" in source:
        found += [
            (node, "HTTP server" if b"Http" in match[0] else "TCP server") for node, match in in_code(_REACT, root)
        ]
    if b"Workerman" in source:
        found += [(node, f"{match['place'].decode()} server") for node, match in in_code(_WORKERMAN, root)]
    if found and not into.has_entry("server"):
        into.entry("server", found[0][1], found[0][0])
    for node, match in in_code(_WORKS, root) if not _ADAPTERS.search(stem(into.path)) else ():
        needed = next((signs for group, signs in _NEEDED.items() if match[group]), (b"",))
        if any(sign in source for sign in needed) and not into.has_entry("job"):
            into.entry("job", stem(into.path), node)


def _server_name(match: re.Match[bytes]) -> str:
    if match["soap"]:
        return "SOAP server"
    if match["raw"]:
        return "TCP server"
    kind = match["web"] or match["old"] or (b"WebSocket" if match["ratchet"] else b"Http" if match["amp"] else b"")
    return {b"Http": "HTTP server", b"WebSocket": "WebSocket server"}.get(kind, "TCP server")


def _read_tables(root: Node, source: bytes, into: Collector) -> None:
    if b"->addRoute(" in source:
        for node, match in in_code(_ADDED_ROUTE, root):
            verbs = re.findall(r"[A-Z]{3,7}", (match["verbs"] or b"").decode(errors="replace"))
            route_paths.add(into, verbs, route_paths.joined(match["path"].decode(errors="replace")), node)
    if b"Route" in source and not into.has_entry("route"):
        _read_given_router(root, source, into)
    if b"$routes->add(" in source:
        for node, match in in_code(_NAMED_ROUTE, root):
            route_paths.add(into, [], route_paths.joined(match["path"].decode(errors="replace")), node)
    if into.path.endswith("routes.php") and b"'verb'" in source:
        for match in islice(_LISTED_ROUTE.finditer(source), MAX_FACTS_PER_KIND):
            at = root.start_byte + match.start()
            place = root.descendant_for_byte_range(at, at + 1)
            route_paths.add(into, [match["verb"].decode()], match["path"].decode(errors="replace"), place or root)
    if any(_RPC.search(each.target) and each.target.endswith("Server") for each in into.imports):
        for node, match in in_code(_PROCEDURE, root):
            into.entry("route", f"RPC {(match['object'] or match['name']).decode()}", node)


def _read_given_router(root: Node, source: bytes, into: Collector) -> None:
    """``function (RouteCollection $map) { $map->get('/path', …) }``."""
    routers = {match[1] for match in islice(_ROUTER_GIVEN.finditer(source), MAX_FACTS_PER_KIND)}
    for node, match in in_code(_GIVEN_ROUTE, root) if routers else ():
        if match["who"] in routers:
            route_paths.add(into, [match["verb"].decode()], match["path"].decode(errors="replace"), node)


def _read_registry(root: Node, source: bytes, into: Collector) -> None:
    """A class that registers many commands, jobs or procedures."""
    name = stem(into.path)
    if not _REGISTRIES.search(name) or not any(source.count(word) >= _MIN_REGISTERED for word in _KIND_WORDS):
        return
    kinds: dict[str, dict[str, Node]] = {}
    for node, match in in_code(_REGISTERED, root):
        kind = (match["kind"] or match["sort"]).decode()
        kinds.setdefault(kind, {}).setdefault((match["made"] or match["named"]).decode(), node)
    for kind, things in kinds.items():
        if len(things) < _MIN_REGISTERED:
            continue
        first = next(iter(things.values()))
        if kind == "Command":
            into.entry("cli", name, first)
        elif kind == "Procedure" and not into.has_entry("route"):
            for thing, node in things.items():
                into.entry("route", f"RPC {thing}", node)
        elif kind != "Procedure":
            into.entry("job", name, first)
