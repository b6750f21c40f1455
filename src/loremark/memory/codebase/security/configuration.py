"""Security rules for configuration: debug switches, open access, files that should not be committed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremark.memory.codebase.security.rules import Rule, RuleMatch, find, rule

_I = re.IGNORECASE
_DEBUG = "Error pages show settings, paths and queries to every visitor."
_WORLD = "It is reachable from the whole internet and exposed to automated password guessing."
_PIPELINE = (
    "A command includes text from a pull request or issue, whose author can run code with the pipeline's permissions."
)
_SETTINGS: tuple[Rule, ...] = (
    rule(
        "open-port", "exposed-config", 4, "terraform", "0.0.0.0/0",
        r"\bingress\b[\s\w]{0,20}=?\s{0,4}[\[{](?:[^{}]|\n){0,300}?\b(?:from_port|to_port)\s{0,12}=\s{0,4}(?:22|3389"
        r"|3306|5432|6379|27017|9200|1433)\b(?:[^{}]|\n){0,300}?\"0\.0\.0\.0/0\"",
        _WORLD,
    ),
    rule(
        "open-port", "exposed-config", 4, "terraform", "0.0.0.0/0",
        r"type\s{0,12}=\s{0,4}\"ingress\"(?:[^{}]|\n){0,300}?\b(?:from_port|to_port)\s{0,12}=\s{0,4}(?:22|3389|3306"
        r"|5432|6379|27017|9200|1433)\b(?:[^{}]|\n){0,300}?\"0\.0\.0\.0/0\"",
        _WORLD,
    ),
    rule(
        "open-port", "exposed-config", 4, "yaml json", "0.0.0.0/0",
        r"\bFromPort[\"']?\s?:\s?[\"']?(?:22|3389|3306|5432|6379|27017)\b(?:[^{}]"
        r"|\n){0,160}?\bCidrIp[\"']?\s?:\s?[\"']?0\.0\.0\.0/0"
        r"|\bCidrIp[\"']?\s?:\s?[\"']?0\.0\.0\.0/0[\"']?,?\s{1,20}[\"']?FromPort[\"']?\s?:\s?[\"']?(?:22|3389|3306"
        r"|5432|6379|27017)\b",
        _WORLD,
    ),
    rule(
        "public-bucket", "exposed-config", 4, "terraform yaml json", "public-read|publicread",
        r"\b(?:acl|AccessControl|ACL)[\"']?\s{0,12}[:=]\s{0,4}[\"']?(?:public-read(?:-write)?|PublicRead(?:Write)?)\b",
        "Anyone can read the stored data.",
    ),
    rule(
        "public-database", "exposed-config", 4, "terraform yaml json", "publicly_accessible|publiclyaccessible",
        r"\b(?:publicly_accessible|PubliclyAccessible)[\"']?\s{0,12}[:=]\s{0,4}[\"']?true", _WORLD, "", _I,
    ),
    rule(
        "any-action", "exposed-config", 3, "terraform json yaml", "action",
        r"[\"']?Actions?[\"']?\s{0,8}[:=]\s{0,4}\[?\s{0,20}[\"']\*[\"'](?:[^{}]"
        r"|\n){0,120}?[\"']?Resources?[\"']?\s{0,8}[:=]\s{0,4}\[?\s{0,20}[\"']\*[\"']",
        "Anyone with this role can do anything in the account.",
    ),
    rule(
        "privileged-container", "exposed-config", 3, "yaml", "privileged: true", r"^[ \t-]{0,40}privileged: true\b",
        "Code in the container can take over the host.",
    ),
    rule(
        "docker-socket", "exposed-config", 3, "yaml", "/var/run/docker.sock",
        r"^[ \t]{0,40}-[ \t][\"']?/var/run/docker\.sock:",
        "Code in the container can start other containers with root access to the host.", ":ro",
    ),
    rule(
        "development-image", "debug", 3, "docker", "development|debug",
        r"^ENV[ \t]{1,4}(?:ASPNETCORE_ENVIRONMENT|DOTNET_ENVIRONMENT|FLASK_ENV|APP_ENV|RAILS_ENV)["
        r" =][\"']?Development\b|^ENV[ \t]{1,4}(?:APP_DEBUG|FLASK_DEBUG|DJANGO_DEBUG|DEBUG)[ =][\"']?(?:true|1)\b",
        _DEBUG, "", _I,
    ),
    rule(
        "debug-on", "debug", 3, "xml", "debug=|customerrors|debuggable",
        r"<compilation\b[^>\n]{0,80}\bdebug=\"true\"|<customErrors\b[^>\n]{0,40}\bmode=\"Off\""
        r"|android:debuggable=\"true\"",
        _DEBUG, "", _I,
    ),
    rule(
        "clear-traffic", "transport", 3, "xml", "usescleartexttraffic|nsallowsarbitraryloads",
        r"android:usesCleartextTraffic=\"true\"|<key>NSAllowsArbitraryLoads</key>\s{0,20}<true/>",
        "The application may send data without TLS, so anyone on the network path can read and change it.",
    ),
    rule(
        "open-actuator", "exposed-config", 3, "ini yaml", "exposure|h2",
        r"^management\.endpoints\.web\.exposure\.include\s?=\s?[\"']?\*|^spring\.h2\.console\.enabled\s?=\s?true"
        r"|exposure:\s{1,20}include: [\"']?\*",
        "Internal details such as environment variables and memory can be read from outside.",
    ),
    rule(
        "old-tls", "transport", 3, "ini", "ssl_protocols|sslprotocol",
        r"^[ \t]{0,20}(?:ssl_protocols|SSLProtocol)\b[^\n;]{0,80}[ \t+](?:SSLv[23]|TLSv1(?:\.[01])?)(?![.\d])",
        "Outdated, breakable TLS versions are enabled.", "-sslv|-tlsv|all -",
    ),
    rule(
        "open-cors", "exposed-config", 4, "ini", "access-control-allow-credentials",
        r"Access-Control-Allow-Origin[\"']?\s{1,4}[\"']?(?:\*|\$http_origin)"
        r"(?:[^\n]{0,40}\n){1,6}?[^\n]{0,40}Access-Control-Allow-Credentials[\"']?\s{1,4}[\"']?true",
        "Any website can send requests with the visitor's cookies.", "", _I,
    ),
    rule(
        "pipeline-injection", "injection", 4, "yaml", "github.event|github.head_ref",
        r"^[ \t-]{0,20}run:[^\n]{0,200}\$\{\{\s?github\.(?:head_ref|event\.(?:issue|pull_request|comment|review"
        r"|discussion|head_commit)\.(?:title|body|message|head\.ref|head\.label))|^[ \t]{6,40}"
        r"(?![\w-]{1,40}:)[^\n:]{0,120}\$\{\{\s?github\.(?:head_ref|event\.(?:issue|pull_request|comment|review"
        r"|discussion|head_commit)\.(?:title|body|message|head\.ref|head\.label))",
        _PIPELINE,
    ),
    rule(
        "pipeline-injection", "injection", 4, "yaml", "pull_request_target",
        r"\bpull_request_target\b(?:[^\n]{0,200}\n){1,80}?[^\n]{0,80}ref:"
        r" [\"']?\$\{\{\s?github\.event\.pull_request\.head\.(?:sha|ref)",
        "Code from any pull request runs with access to this repository's secrets.",
    ),
)  # fmt: skip
_KEY_FILE = re.compile(
    r"(?:^|/)(?:id_(?:rsa|dsa|ecdsa|ed25519)|[^/]{1,80}\.(?:p12|pfx|jks|keystore|kdbx|ppk|ovpn))$", _I
)
_ENV_FILE = re.compile(r"(?:^|/)\.env(?:\.(?:prod|production|live|staging|stage|local))?$", _I)
_COMPOSE = re.compile(r"(?:^|/)(?:docker-)?compose[^/]{0,40}\.ya?ml$", _I)
_DEFAULT_PASSWORD = re.compile(
    r"\b\w{2,30}_PASS(?:WORD)?[\"']?\s?[:=]\s?[\"']?"
    r"(?:postgres|root|password|admin|guest|example|changeme|secret|123456\d{0,2}|minioadmin|mysql|test|toor"
    r"|pass)[\"']?\s{0,4}$",
    _I | re.MULTILINE,
)
_DATABASE_PORT = re.compile(
    r"^[ \t]{0,20}-[ \t]{1,4}[\"']?(?:0\.0\.0\.0:)?\d{2,5}:(?:5432|3306|27017|6379|5672|15672|9200|1433|11211"
    r"|9000)[\"']?\s{0,4}$",
    re.MULTILINE,
)
_USER = re.compile(r"^[ \t]{0,8}USER[ \t]{1,8}([\w.$:{}-]{1,60})", re.MULTILINE | _I)
_LARAVEL_DEBUG = re.compile(
    r"^(?:APP_DEBUG|DEBUG|DJANGO_DEBUG|FLASK_DEBUG)[ ]?=[ ]?[\"']?(?:true|1|on)\b", re.MULTILINE | _I
)
_PRODUCTION = re.compile(
    r"^(?:APP_ENV|ENVIRONMENT|NODE_ENV|RAILS_ENV|FLASK_ENV|ENV)[ ]?=[ ]?[\"']?prod", re.MULTILINE | _I
)
_DISPLAY_ERRORS = re.compile(
    r"^[ \t]{0,8}(?:php_(?:admin_)?(?:value|flag)\[?)?display_errors\]?[ \t]{0,8}[= ][ \t]{0,8}(?:on|1)\b",
    re.MULTILINE | _I,
)
_RAILS = re.compile(
    r"^[ \t]{0,8}config\.(?:consider_all_requests_local[ ]?=[ ]?true|force_ssl[ ]?=[ ]?false)", re.MULTILINE
)


def find_settings(
    path: str, language: str | None, content: str, lower: str, *, has_secrets: bool
) -> Iterator[RuleMatch]:
    """Matches of the configuration rules; ``has_secrets`` says whether the file contains secrets."""
    yield from find((rule for rule in _SETTINGS if language in rule.languages), language, content, lower)
    if _KEY_FILE.search(path) and not path.endswith("debug.keystore"):
        yield RuleMatch(
            0,
            "key-file",
            "exposed-config",
            4,
            "A key store is in the repository, so everyone with the code has the keys.",
        )
    if has_secrets and _ENV_FILE.search(path):
        yield RuleMatch(
            0, "committed-env", "exposed-config", 4, "An environment file with real secrets is in the repository."
        )
    if _COMPOSE.search(path):
        yield from _compose(content)
    if language == "docker":
        yield from _image(content)
    yield from _switches(path, language, content, lower)


def _compose(content: str) -> Iterator[RuleMatch]:
    password, port = _DEFAULT_PASSWORD.search(content), _DATABASE_PORT.search(content)
    if password is not None and port is not None:
        why = "A service with a well-known default password listens on all network interfaces."
        yield RuleMatch(password.start(), "default-password", "exposed-config", 3, why)


def _image(content: str) -> Iterator[RuleMatch]:
    users = list(_USER.finditer(content))
    if users and users[-1].group(1).lower() in ("root", "0"):
        yield RuleMatch(
            users[-1].start(),
            "root-user",
            "exposed-config",
            2,
            "The image runs as root, which makes any vulnerability in it worse.",
        )


def _switches(path: str, language: str | None, content: str, lower: str) -> Iterator[RuleMatch]:
    name = path.rpartition("/")[2].lower()
    debug = _LARAVEL_DEBUG.search(content) if ".env" in name and "debug" in lower else None
    if debug is not None and ("prod" in name or _PRODUCTION.search(content)):
        yield RuleMatch(debug.start(), "debug-on", "debug", 4, _DEBUG)
    if "display_errors" in lower and language in ("ini", None) and (match := _DISPLAY_ERRORS.search(content)):
        yield RuleMatch(match.start(), "debug-on", "debug", 3, _DEBUG)
    if name == "production.rb" and (match := _RAILS.search(content)):
        why = "A development setting is enabled in production: error details are shown, or TLS is not enforced."
        yield RuleMatch(match.start(), "development-switch", "debug", 3, why)
