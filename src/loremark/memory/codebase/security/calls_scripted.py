"""Security rules for Python, JavaScript, Ruby and PHP."""

from __future__ import annotations

import re

from loremark.memory.codebase.security.rules import rule

_SQL = r"(?:select|insert[ ]into|update|delete[ ]from|drop[ ]table|alter[ ]table|truncate|replace[ ]into|with|exec)\b"
_I = re.IGNORECASE
_EVAL = "Text is executed as code, so anyone who controls the text can run anything."
_SQLI = "A query is built by concatenating strings, so a value with a quote in it can change what the query does."
_SHELL = "A shell command is built from strings, so a value with a semicolon in it can run another command."
_LOADS = "Deserializing untrusted data can run arbitrary code."
_HTML = "Text is inserted into HTML without escaping, so a script in it runs in other users' browsers."
_TLS = "The server's certificate is not verified, so anyone on the network path can read and change traffic."
_FILES = "A path comes from the request, so ../ in it can reach other files."

SCRIPTED = (
    # Python
    rule(
        "eval", "dangerous-call", 4, "py", "eval(|exec(",
        r"(?<![\w.\"'`])(?<!def )(?:eval|exec)\((?!\s{0,20}[\"'][^\"'\n{]{0,200}[\"']\s{0,4}[,)])\s{0,20}[^)\s\"'`]",
        _EVAL, "# noqa|compile(|globals()",
    ),
    rule(
        "pickle", "dangerous-call", 3, "py",
        "pickle.load|dill.load|marshal.load|pickle.unpickler|shelve.open|jsonpickle.decode",
        r"\b(?:c?[pP]ickle|dill|marshal)\.(?:loads?|Unpickler)\(|\bshelve\.open\(|\bjsonpickle\.decode\(", _LOADS,
    ),
    rule(
        "yaml-load", "dangerous-call", 4, "py", "yaml.load|yaml.unsafe_load|yaml.full_load",
        r"\byaml\.(?:load|load_all|unsafe_load|unsafe_load_all)\((?![^\n]{0,200}(?:Safe|Base)Loader)(?=[^\n]{0,200}\))",
        _LOADS, "safe|ruamel",
    ),
    rule(
        "shell-command", "injection", 4, "py", "shell=true|shell = true",
        r"\b(?:subprocess\.\w{2,20}|run|Popen|call|check_output|check_call)\(\s{0,40}"
        r"(?!\s{0,40}[\"'][^\"'\n]{0,300}[\"']\s{0,4}[,)])(?:[^()\n]|\n[ \t]|\([^"
        r"()\n]{0,80}\)){0,300}?shell\s?=\s?True",
        _SHELL,
    ),
    rule(
        "shell-command", "injection", 4, "py", "os.system(|os.popen(",
        r"\bos\.(?:system|popen)\(\s{0,20}(?:f[\"']|[\"'][^\"'\n]{0,200}[\"']\s{0,4}(?:%|\+|\.format)|[A-Za-z_])",
        _SHELL,
    ),
    rule(
        "sql-concatenation", "injection", 4, "py", "execute|.raw(|read_sql|text(",
        rf"(?:\bexecute\w{{0,8}}|\.raw|\bread_sql\w{{0,6}}|\btext)\(\s{{0,60}}(?:r?f(?P<f>\"\"\"|'''|\"|')\s{{0,60}}{_SQL}"
        rf"(?:(?!(?P=f))[^\n]|\n[ \t]){{0,300}}?\{{"
        rf"|(?P<q>\"\"\"|[\"'])\s{{0,60}}{_SQL}(?:(?!(?P=q))[^\n]|\n[ \t]){{0,300}}(?P=q)"
        r"\s{0,40}(?:%\s|\+|\.format\())",
        _SQLI, "quote_name(|quote_ident|identifier(|escape_|qn(", _I,
    ),
    rule(
        "sql-concatenation", "injection", 4, "py", "where",
        rf"=\s{{0,4}}f[\"']{{1,3}}\s{{0,40}}{_SQL}[^\n]{{0,200}}\bwhere\b[^\n]{{0,120}}(?:="
        rf"|like)\s{{0,2}}[\"'%]{{1,2}}\{{",
        _SQLI, "", _I,
    ),
    rule(
        "template-from-text", "injection", 4, "py", "render_template_string(",
        r"\brender_template_string\(\s{0,20}(?:f[\"']|[A-Za-z_]|[\"'][^\"'\n]{0,200}[\"']\s{0,4}(?:%|\+|\.format))",
        "A template is built from text, so an expression in it runs on the server.",
    ),
    rule(
        "unescaped-html", "injection", 3, "py", "mark_safe(",
        r"\bmark_safe\(\s{0,20}(?:f[\"'][^\n]{0,200}\{|[\"'][^\"'\n]{0,200}[\"']\s{0,4}(?:%|\+|\.format)"
        r"|[a-z_.]{0,40}request\.)",
        _HTML, "escape|urlencode",
    ),
    rule(
        "path-from-request", "injection", 4, "py", "request.",
        r"\b(?:open|send_file|FileResponse)\((?!self)[^\n]{0,80}\brequest\.(?:args|form|GET|POST|query_params|values"
        r"|json|params)\b",
        _FILES, "secure_filename|safe_join|basename",
    ),
    rule(
        "temporary-name", "dangerous-call", 2, "py", "tempfile.mktemp(", r"\btempfile\.mktemp\(",
        "Another process can claim the name before the file is created.",
    ),
    rule(
        "weak-random", "weak-crypto", 4, "py", "random.",
        r"(?:token|secret|passw(?:or)?d|otp|nonce|session_?id|api_?key|csrf|salt"
        r"|reset_code)\w{0,20}\s{0,4}=[^\n=]{0,80}\brandom\.(?:choice|choices|randint|random|sample|randrange"
        r"|getrandbits)\(",
        "The value is predictable: this random generator is not cryptographically secure.", "systemrandom", _I,
    ),
    rule(
        "tls-unverified", "transport", 4, "py",
        "verify=false|verify = false|_create_unverified_context|cert_none|check_hostname",
        r"\bverify\s?=\s?False\b|_create_unverified_context|\bverify_mode\s?=\s?ssl\.CERT_NONE"
        r"|cert_reqs\s?=\s?[\"']?(?:ssl\.)?CERT_NONE|\bcheck_hostname\s?=\s?False",
        _TLS,
    ),
    rule(
        "jwt-unverified", "weak-crypto", 4, "py js", "verify_signature|verify=false|\"none\"|'none'",
        r"[\"']verify_signature[\"']\s{0,2}:\s{0,2}False|jwt\.decode\([^\n]{0,120}verify\s?=\s?False"
        r"|algorithms?[\"']?\s{0,2}[:=]\s{0,2}\[?\s?[\"']none[\"']",
        "Token signatures are not verified, so anyone can forge a token.", "get_unverified",
    ),
    rule(
        "debug-server", "debug", 4, "py", "debug=true|debug = true",
        r"\b(?:app|application|server|flask_app)\.run(?:_server)?\([^\n]{0,160}debug\s?=\s?True",
        "The debugger lets anyone who sees an error page run code.",
    ),
    rule(
        "debug-on", "debug", 3, "py", "debug", r"^(?:DEBUG|TEMPLATE_DEBUG|FLASK_DEBUG)\s{0,4}=\s{0,4}True\b",
        "In debug mode, error pages show settings, paths and queries to every visitor.",
    ),
    rule(
        "open-hosts", "exposed-config", 3, "py", "allowed_hosts", r"^ALLOWED_HOSTS\s{0,4}=\s{0,4}\[\s?[\"']\*[\"']",
        "Any Host header is accepted, so links in emails and caches can be made to point elsewhere.",
    ),
    rule(
        "open-cors", "exposed-config", 4, "py js jvm cs go php rb yaml json", "credentials",
        r"(?:(?:allow_origins|origins?|AllowedOrigins|allowedOrigins)[\"']?\s{0,4}[:=(]\s{0,4}\[?\s{0,4}[\"']\*[\"']"
        r"(?:[^;}]|\n){0,200}?(?:allow_credentials|credentials|AllowCredentials|allowCredentials"
        r"|supports_credentials)[\"']?\s{0,4}[:=(]\s{0,4}[Tt]rue)|AllowAnyOrigin\(\)(?:[^;\n]"
        r"|\n){0,120}AllowCredentials\(\)|CORS_(?:ORIGIN_ALLOW_ALL|ALLOW_ALL_ORIGINS)\s?=\s?True(?:[^=]"
        r"|\n){0,80}CORS_ALLOW_CREDENTIALS\s?=\s?True",
        "Any website can send requests with the visitor's cookies.",
    ),
    # JavaScript and TypeScript
    rule(
        "eval", "dangerous-call", 4, "js", "eval(|new function(",
        r"(?<![\w.$\"'`])(?:eval|new Function)\((?!\s{0,20}[\"'`][^\"'`\n$]{0,300}[\"'`]\s{0,4}\))\s{0,20}[^)\s\"'`]",
        _EVAL, "eslint-disable",
    ),
    rule(
        "shell-command", "injection", 4, "js", "exec(|execsync(",
        r"(?:(?<![\w.$])|child_process\.|\bcp\.)exec(?:Sync)?\(\s{0,20}(?:`[^`\n]{0,200}\$\{"
        r"|[\"'][^\"'\n]{0,200}[\"']\s{0,4}\+)",
        _SHELL,
    ),
    rule(
        "unescaped-html", "injection", 3, "js", "dangerouslysetinnerhtml",
        r"dangerouslySetInnerHTML=\{\{?\s{0,20}\{?\s{0,20}__html:\s{0,20}(?![\"'`\s])", _HTML,
        "purify|sanitize|escape",
    ),
    rule(
        "unescaped-html", "injection", 3, "js", "innerhtml|outerhtml|insertadjacenthtml|document.write",
        r"\.(?:inner|outer)HTML\s{0,4}\+?=\s{0,4}(?:`[^`\n]{0,300}\$\{|[\"'][^\"'\n]{0,300}[\"']\s{0,4}\+|"
        r"(?![A-Z_]{1,40}\b|\w{0,40}(?:[iI]con|[sS]vg|\.innerHTML)\b|[\w.]{1,60}\.innerHTML\b)[A-Za-z_$][\w$.]{0,60}"
        r"(?:\[|\s{0,4}[;+\n]))|\.insertAdjacentHTML\([^,\n]{0,40},\s{0,4}(?:`[^`\n]{0,300}\$\{"
        r"|[A-Za-z_$][\w$.]{0,60}\s{0,4}\))|\bdocument\.write(?:ln)?\(\s{0,4}(?:`[^`\n]{0,300}\$\{|[A-Za-z_$]"
        r"|[\"'][^\"'\n]{0,300}[\"']\s{0,4}\+)",
        _HTML, "purify|sanitize|escape|trustedhtml",
    ),
    rule(
        "unescaped-html", "injection", 3, "js", "v-html=|{@html",
        r"\bv-html=\"[^\"\n]{1,200}\"|\{@html\s[^\n}]{1,200}\}", _HTML, "purify|sanitize|escape|$t(",
    ),
    rule(
        "sql-concatenation", "injection", 4, "js", "select|insert|update|delete|rawunsafe",
        rf"(?:\.(?:query|execute|raw|prepare|exec|all|get|run|each)|\$(?:query|execute)RawUnsafe)\(\s{{0,40}}"
        rf"(?:`\s{{0,60}}{_SQL}[^`]{{0,400}}\$\{{|[\"']\s{{0,20}}{_SQL}[^\"'\n]{{0,300}}[\"']\s{{0,4}}\+)|\$(?:query"
        rf"|execute)RawUnsafe\(\s{{0,40}}[A-Za-z_]",
        _SQLI, "", _I,
    ),
    rule(
        "tls-unverified", "transport", 4, "js", "rejectunauthorized|node_tls_reject_unauthorized|strictssl",
        r"\brejectUnauthorized[\"']?\s?:\s?false|NODE_TLS_REJECT_UNAUTHORIZED[\"'\]]{0,2}\s?=\s?[\"']?0"
        r"|\bstrictSSL\s?:\s?false",
        _TLS,
    ),
    rule(
        "weak-random", "weak-crypto", 4, "js", "math.random(",
        r"(?:token|secret|passw(?:or)?d|otp|nonce|session_?id|api_?key|csrf"
        r"|salt)\w{0,20}\s{0,4}[=:][^\n=;]{0,60}\bMath\.random\(",
        "The value is predictable: this random generator is not cryptographically secure.", "", _I,
    ),
    rule(
        "path-from-request", "injection", 4, "js", "req.",
        r"\b(?:sendFile|readFile(?:Sync)?|createReadStream|unlink(?:Sync)?)\([^\n]{0,100}\breq(?:uest)?\.(?:params"
        r"|query|body)\b",
        _FILES, "basename|sanitize",
    ),
    rule(
        "open-redirect", "injection", 3, "js", "redirect(", r"\bres\.redirect\(\s{0,4}req\.(?:query|body|params)\b",
        "A link to this site can redirect anywhere, which helps phishing.",
    ),
    rule(
        "node-in-pages", "exposed-config", 4, "js", "nodeintegration", r"\bnodeIntegration\s?:\s?true",
        "Scripts in a page get access to the user's machine.",
    ),
    # Ruby
    rule(
        "eval", "dangerous-call", 4, "rb", "eval",
        r"(?<![\w.:])(?:eval|instance_eval|class_eval)[ (]\s{0,4}(?:params|request|cookies|\"[^\"\n]{0,200}#\{)",
        _EVAL,
    ),
    rule(
        "unsafe-deserialization", "dangerous-call", 4, "rb", "marshal.load|yaml.unsafe_load|yaml.load|oj.load",
        r"\bMarshal\.load\(|\bYAML\.unsafe_load\b|\b(?:YAML|Oj)\.load[( ]\s{0,4}(?:params|request|cookies)", _LOADS,
    ),
    rule(
        "shell-command", "injection", 4, "rb", "#{",
        r"(?<![\w.])(?:system|exec|spawn|IO\.popen|Open3\.\w{3,12})[ (]\s{0,4}\"[^\"\n]{0,200}#\{|(?<=[=("
        r" ])`[^`\n]{1,200}#\{",
        _SHELL, "shellescape",
    ),
    rule(
        "sql-concatenation", "injection", 4, "rb", "#{",
        r"\.(?:where|find_by_sql|having|joins|execute|exists\?|update_all|delete_all|select_all|exec_query)[ "
        r"(]\s{0,20}\[?\s{0,4}\"[^\"\n]{0,200}#\{",
        _SQLI, "sanitize|.quote|.to_i|table_name|arel|\": ",
    ),
    rule(
        "unescaped-html", "injection", 3, "rb", "html_safe|raw(|raw ",
        r"\"[^\"\n]{0,200}#\{[^\"\n]{0,200}\"\.html_safe|\braw[ (]\s{0,4}params\b|\bparams\[[^\]\n]{1,40}\]\.html_safe",
        _HTML, "sanitize|escape|h(",
    ),
    rule(
        "class-from-request", "dangerous-call", 4, "rb", "params",
        r"\bparams\[[^\]\n]{1,40}\]\.(?:\w{1,20}\.)?constantize|\b(?:public_)?send\(\s?params\b|\bopen\(\s?params\b",
        "The request chooses which class or method is called.",
    ),
    rule(
        "open-redirect", "injection", 3, "rb", "redirect_to", r"\bredirect_to[ (]\s?params\b",
        "A link to this site can redirect anywhere, which helps phishing.",
    ),
    rule(
        "any-attribute", "dangerous-call", 3, "rb", ".permit!", r"\bparams[\w.\[\]:(]{0,40}\.permit!",
        "The request can set every field of the record, including protected ones.",
    ),
    rule(
        "csrf-off", "exposed-config", 3, "rb", "verify_authenticity_token",
        r"\bskip_before_action :verify_authenticity_token", "Another website can submit forms as the visitor.",
        "only:",
    ),
    rule(
        "tls-unverified", "transport", 4, "rb", "verify_none", r"\bVERIFY_NONE\b",
        _TLS,
    ),
    rule(
        "weak-random", "weak-crypto", 4, "rb", "rand",
        r"(?:token|secret|password|otp|nonce|api_key)\w{0,20}\s{0,4}=[^\n=]{0,60}(?<![\w.])rand\(",
        "The value is predictable: this random generator is not cryptographically secure.",
    ),
    # PHP
    rule(
        "eval", "dangerous-call", 4, "php", "eval(|assert(|create_function(",
        r"(?<![\w>:$])(?:eval|create_function)\(\s{0,4}[\"']?[^)\n\"']{0,40}\$|(?<![\w>:$])assert\(\s{0,4}\$_", _EVAL,
        "function eval",
    ),
    rule(
        "unsafe-deserialization", "dangerous-call", 4, "php", "unserialize(",
        r"(?<![\w>:$])unserialize\(\s{0,4}[^)\n]{0,60}\$", _LOADS, "allowed_classes|function unserialize",
    ),
    rule(
        "shell-command", "injection", 4, "php", "exec(|system(|passthru(|popen(|proc_open(",
        r"(?<![\w>:$])(?:exec|shell_exec|system|passthru|popen|proc_open)\(\s{0,4}(?:\"[^\"\n]{0,200}\$"
        r"|[\"'][^\"'\n]{0,200}[\"']\s{0,4}\.|\$_)",
        _SHELL, "escapeshell|function ",
    ),
    rule(
        "sql-concatenation", "injection", 4, "php", "query(|exec(|db::|raw(",
        rf"(?:\bmysqli?_query\([^\n,]{{0,40}},?|->(?:query|exec|prepare)\(|\bDB::(?:select|statement|raw|unprepared"
        rf"|insert|update|delete)\(|->(?:where|select|orderBy|having)Raw\()\s{{0,20}}"
        rf"(?:\"\s{{0,20}}{_SQL}[^\"\n]{{0,300}}\$|[\"']\s{{0,20}}{_SQL}[^\"'\n]{{0,300}}[\"']\s{{0,4}}\.\s{{0,4}}\$"
        rf"|\"[^\"\n]{{0,200}}\$_)",
        _SQLI, "", _I,
    ),
    rule(
        "unescaped-html", "injection", 4, "php", "$_get|$_post|$_request|$_cookie",
        r"\b(?:echo|print)\b[^\n;]{0,80}\$_(?:GET|POST|REQUEST|COOKIE)\b|<\?=\s{0,4}\$_(?:GET|POST|REQUEST|COOKIE)",
        _HTML, "htmlspecialchars|htmlentities|intval|urlencode|isset",
    ),
    rule(
        "path-from-request", "injection", 5, "php", "$_get|$_post|$_request",
        r"\b(?:include|require|readfile|file_get_contents|fopen|unlink)(?:_once)?\b\s{0,2}\(?[^\n;]{0,60}\$_(?:GET"
        r"|POST|REQUEST)\b",
        _FILES, "basename",
    ),
    rule(
        "unescaped-html", "injection", 3, "php", "{!!",
        r"\{!!\s{0,4}(?:\$[a-z]\w{0,40}(?:->|\[)|request\(|\$_)[^\n]{0,120}!!\}", _HTML,
        "nl2br(e(|e(|json|purify|clean|csrf|render|->links|cspnonce|htmlspecialchars",
    ),
    rule(
        "tls-unverified", "transport", 4, "php", "ssl_verify|verify_peer|'verify'|\"verify\"",
        r"CURLOPT_SSL_VERIFY(?:PEER|HOST)\s{0,4}(?:,|=>)\s{0,4}(?:false|0)|[\"']verify"
        r"(?:_peer)?[\"']\s{0,4}=>\s{0,4}false",
        _TLS, "", _I,
    ),
    rule(
        "debug-on", "debug", 3, "php", "display_errors",
        r"ini_set\(\s?[\"']display_errors[\"']\s?,\s?[\"']?(?:1|on|true)",
        "Error pages show paths, queries and settings to every visitor.", "", _I,
    ),
    rule(
        "weak-random", "weak-crypto", 4, "php", "rand(|uniqid(",
        r"(?:token|secret|password|otp|nonce|api_?key|salt)\w{0,20}\s{0,4}=[^\n=;]{0,60}(?<![\w>:])(?:mt_rand|rand"
        r"|uniqid|str_shuffle)\(",
        "The value is predictable: this random generator is not cryptographically secure.", "random_bytes", _I,
    ),
)  # fmt: skip
