"""Security rules for Go, JVM languages, C#, C, Rust, shells, and all languages."""

from __future__ import annotations

import re

from loremark.memory.codebase.security.rules import rule

_SQL = r"(?:select|insert[ ]into|update|delete[ ]from|drop[ ]table|alter[ ]table|truncate|from)\b"
_I = re.IGNORECASE
_SQLI = "A query is built by concatenating strings, so a value with a quote in it can change what the query does."
_SHELL = "A shell command is built from strings, so a value with a semicolon in it can run another command."
_LOADS = "Deserializing untrusted data can run arbitrary code."
_TLS = (
    "The server's certificate or host key is not verified, so anyone on the network path can read and change traffic."
)
_HTML = "Text is inserted into HTML without escaping, so a script in it runs in other users' browsers."
_GUESS = "The value is predictable: this random generator is not cryptographically secure."
_OVERFLOW = "The length is not checked, so a long string can overflow the buffer."
_BROKEN = "The cipher is broken or leaks patterns of the plain text."

COMPILED = (
    # Go
    rule(
        "tls-unverified", "transport", 4, "go", "insecureskipverify|insecureignorehostkey",
        r"\bInsecureSkipVerify\s?[:=]\s?true|\bInsecureIgnoreHostKey\(\)", _TLS,
    ),
    rule(
        "shell-command", "injection", 4, "go", "exec.command",
        r"\bexec\.Command(?:Context)?\([^\n]{0,40}\"(?:/bin/)?(?:ba)?sh\",\s?\"-c\",\s?(?:fmt\."
        r"|\"[^\"\n]{0,200}\"\s?\+)",
        _SHELL,
    ),
    rule(
        "sql-concatenation", "injection", 4, "go", ".query|.exec|.raw(",
        rf"\.(?:Query|QueryRow|Exec|Raw|Queryx|Select|Get)(?:Context)?\((?:[^\n()\"`]{{0,40}},)?\s{{0,4}}"
        rf"(?:fmt\.Sprintf\(\s{{0,20}}[\"`]\s{{0,20}}{_SQL}|[\"`]\s{{0,20}}{_SQL}[^\"`\n]{{0,300}}[\"`]\s{{0,4}}\+)",
        _SQLI, "", _I,
    ),
    rule(
        "unescaped-html", "injection", 3, "go", "template.html(",
        r"\btemplate\.(?:HTML|JS)\(\s?(?:[a-z]\w{0,40}|fmt\.)", _HTML, "sanitize|escape",
    ),
    rule(
        "weak-random", "weak-crypto", 4, "go", "math/rand",
        r"(?:token|secret|password|otp|nonce|apikey|salt)\w{0,20}\s{0,4}:?=[^\n=]{0,60}\brand\.(?:Int|Intn|Int31"
        r"|Int63|Read|Uint32)\w{0,4}\(",
        _GUESS, "", _I,
    ),
    # Java, Kotlin, Scala, Groovy
    rule(
        "shell-command", "injection", 4, "jvm", ".exec(",
        r"\bgetRuntime\(\)\s{0,20}\.exec\((?:[^\n\"]{0,40}\"[^\"\n]{0,200}\"\s{0,4}\+|\s{0,4}\"[^\"\n]{0,200}\$)",
        _SHELL,
    ),
    rule(
        "unsafe-deserialization", "dangerous-call", 3, "jvm",
        "objectinputstream(|xmldecoder(|.fromxml(|enabledefaulttyping",
        r"\bnew (?:ObjectInputStream|XMLDecoder)\(|\bXStream\(\)\.fromXML\(|\.enableDefaultTyping\(", _LOADS,
    ),
    rule(
        "sql-concatenation", "injection", 4, "jvm", "execute|query|preparestatement",
        rf"\b(?:executeQuery|executeUpdate|execute|createQuery|createNativeQuery|createSQLQuery|prepareStatement"
        rf"|queryFor\w{{3,6}}|query|rawQuery|execSQL)\(\s{{0,40}}"
        rf"(?:\"\s{{0,4}}{_SQL}[^\"\n]{{0,300}}\"\s{{0,40}}\+\s{{0,20}}[A-Za-z]"
        rf"|String\.format\(\s{{0,20}}\"\s{{0,4}}{_SQL}|s?\"\s{{0,4}}{_SQL}[^\"\n]{{0,300}}\$[{{a-z])",
        _SQLI, "", _I,
    ),
    rule(
        "sql-concatenation", "injection", 4, "jvm cs", "where",
        rf"=\s{{0,4}}\"\s{{0,4}}{_SQL}[^\"\n]{{0,300}}\bwhere\b[^\"\n]{{0,120}}(?:=|like)\s{{0,2}}'%?\"\s{{0,4}}\+",
        _SQLI, "", _I,
    ),
    rule(
        "tls-unverified", "transport", 4, "jvm", "checkservertrusted|hostname|trustall",
        r"\bcheckServerTrusted\([^)\n]{0,200}\)[^{\n]{0,60}\{\s{0,40}\}|\bALLOW_ALL_HOSTNAME_VERIFIER"
        r"|\bNoopHostnameVerifier|\bTrustAllStrategy|\bnew TrustAll\w{0,20}\("
        r"|\bset\w{0,10}HostnameVerifier\(\s?\(\w{1,20},\s?\w{1,20}\)\s?->\s?true",
        _TLS,
    ),
    rule(
        "weak-random", "weak-crypto", 4, "jvm cs", "random(",
        r"(?:token|secret|password|otp|nonce|apikey|salt)\w{0,20}\s{0,4}=[^\n=]{0,60}\b(?:new Random\("
        r"|Math\.random\(|Random\.(?:next|Shared)|RandomStringUtils\.random)",
        _GUESS, "securerandom", _I,
    ),
    rule(
        "csrf-off", "exposed-config", 3, "jvm", "csrf",
        r"\.csrf\(\)\s{0,20}\.disable\(\)|\bcsrf\(\s?(?:\w{1,20}\s?->\s?\w{1,20}\.disable\(\)"
        r"|AbstractHttpConfigurer::disable|CsrfConfigurer::disable)",
        "Another website can submit forms as the visitor. Safe only if logins do not use cookies.",
    ),
    rule(
        "eval", "dangerous-call", 4, "jvm", "scriptengine|parseexpression(|groovyshell",
        r"\b(?:scriptEngine|engine)\.eval\(\s?[a-z]|\.parseExpression\(\s?[a-z]\w{0,40}(?:\s?\+|\.get)|\bnew"
        r" GroovyShell\([^)\n]{0,60}\)\.evaluate\(\s?[a-z]",
        "Text is executed as code, so anyone who controls the text can run anything.",
    ),
    # C#
    rule(
        "unsafe-deserialization", "dangerous-call", 4, "cs",
        "binaryformatter|netdatacontractserializer|losformatter|soapformatter|typenamehandling",
        r"\bnew (?:BinaryFormatter|NetDataContractSerializer|LosFormatter|SoapFormatter)\("
        r"|\bTypeNameHandling\s?=\s?TypeNameHandling\.(?:All|Auto|Objects)",
        _LOADS,
    ),
    rule(
        "tls-unverified", "transport", 4, "cs",
        "certificatevalidationcallback|certificatecustomvalidationcallback|dangerousacceptany",
        r"Certificate(?:Custom)?ValidationCallback\s{0,4}\+?=[^\n;]{0,100}(?:=>\s{0,4}true|return true"
        r"|delegate\s?\{\s?return true)|\bDangerousAcceptAnyServerCertificateValidator",
        _TLS,
    ),
    rule(
        "sql-concatenation", "injection", 4, "cs", "sqlcommand(|sqlraw(|commandtext|.query",
        rf"(?:\bnew \w{{0,12}}Command\(|\b(?:FromSqlRaw|ExecuteSqlRaw(?:Async)?|SqlQueryRaw)(?:<\w{{1,40}}>)?\("
        rf"|\bCommandText\s?=|\.(?:Query|Execute)(?:Async)?(?:<\w{{1,40}}>)?\()\s{{0,20}}"
        rf"(?:\$@?\"\s{{0,20}}{_SQL}[^\"\n]{{0,300}}\{{|@?\"\s{{0,20}}{_SQL}[^\"\n]{{0,300}}\"\s{{0,4}}\+)",
        _SQLI, "", _I,
    ),
    rule(
        "unescaped-html", "injection", 3, "cs", "html.raw(",
        r"@?\bHtml\.Raw\(\s?(?:Model|ViewBag|ViewData|Request|TempData)\b", _HTML, "json|sanitize|encode",
    ),
    rule(
        "shell-command", "injection", 4, "cs", "process.start(|arguments",
        r"\bProcess\.Start\([^\n]{0,80}(?:\$\"[^\"\n]{0,200}\{|\"\s?\+)|\bArguments\s?=\s?\$\"/[cC] [^\"\n]{0,200}\{",
        _SHELL,
    ),
    rule(
        "plain-metadata", "transport", 3, "cs", "requirehttpsmetadata", r"\bRequireHttpsMetadata\s?=\s?false",
        "Keys that verify logins are fetched without TLS and can be replaced in transit.",
    ),
    # C and C++
    rule("gets", "dangerous-call", 5, "c", "gets(", r"(?<![\w.>:])gets\(\s?\w", _OVERFLOW),
    rule(
        "unbounded-copy", "dangerous-call", 3, "c", "strcpy(|strcat(",
        r"(?<![\w.>:])(?:strcpy|strcat|wcscpy|lstrcpy[AW]?)\(\s?[^,\n\"]{1,80},\s?[^\"\s,)]", _OVERFLOW,
        "#define|extern",
    ),
    rule(
        "unbounded-copy", "dangerous-call", 3, "c", "sprintf(|scanf(",
        r"(?<![\w.>:])v?sprintf\(\s?[^,\n\"]{1,80},\s?\"[^\"\n]{0,200}%s|(?<![\w.>:])(?:f"
        r"|s)?scanf\([^\"\n]{0,60}\"[^\"\n]{0,100}%s",
        _OVERFLOW,
    ),
    rule(
        "format-string", "dangerous-call", 4, "c", "printf(|syslog(",
        r"(?<![\w.>:])(?:printf\(\s?|fprintf\(\s?\w{1,30},\s?|syslog\(\s?\w{1,30},\s?)[a-z_]\w{0,40}\s?\)\s?;",
        "Variable text is used as the format string, so %n and %s in it can read and write memory.",
    ),
    rule(
        "shell-command", "injection", 3, "c", "system(|popen(",
        r"(?<![\w.>:\"])(?:system|popen)\(\s?(?!NULL|nullptr|0)[a-z_]\w{0,40}(?:\.c_str\(\))?\s?[,)]", _SHELL,
        "int system|file *",
    ),
    rule(
        "tls-unverified", "transport", 4, "c", "curlopt_ssl_verify",
        r"\bCURLOPT_SSL_VERIFY(?:PEER|HOST)\s?,\s?(?:0|false)", _TLS,
    ),
    rule(
        "temporary-name", "dangerous-call", 2, "c", "mktemp(|tmpnam(|tempnam(",
        r"(?<![\w.>:])(?:mktemp|tmpnam|tempnam)\(", "Another process can claim the name before the file is created.",
    ),
    # Rust
    rule(
        "tls-unverified", "transport", 4, "rust", "danger_accept_invalid",
        r"\bdanger_accept_invalid_(?:certs|hostnames)\(\s?true", _TLS,
    ),
    rule(
        "sql-concatenation", "injection", 4, "rust", "format!(",
        r"\b(?:query|query_as|query_scalar|execute|sql_query|prepare)"
        r"(?:::<[^>\n]{0,60}>)?\(\s{0,20}&?format!\(\s{0,20}r?#?\"\s{0,20}(?i:select|insert|update"
        r"|delete)\b[^\"\n]{0,300}\{",
        _SQLI,
    ),
    # Shells, images and pipelines
    rule(
        "piped-to-shell", "dangerous-call", 3, "sh yaml", "curl|wget",
        r"\b(?:curl|wget)\b[^\n|;#]{0,200}\|\s?(?:sudo\s(?:-E\s)?)?(?:/bin/)?(?:ba|z|da)?sh\b",
        "The downloaded script runs without any verification.",
    ),
    rule(
        "shell-eval", "dangerous-call", 3, "sh", "eval",
        r"(?<![\w-])eval\s{1,4}\"?\$(?:\{?[1-9@*]\}?|\{?QUERY_STRING)", "Arguments are executed as code.",
    ),
    rule(
        "world-writable", "exposed-config", 3, "sh yaml", "777", r"\bchmod\s(?:-R\s)?0?777\b",
        "Every user on the machine can change these files.",
    ),
    rule(
        "tls-unverified", "transport", 3, "sh yaml",
        "curl|wget|http.sslverify|stricthostkeychecking|node_tls_reject|strict-ssl",
        r"\bcurl\b[^\n|;#]{0,120}\s(?:-[a-zA-Z]{0,6}k[a-zA-Z]{0,6}|--insecure)\s[^\n]{0,60}https://|\bwget\b[^\n"
        r"|;#]{0,120}--no-check-certificate|\bhttp\.sslVerify[ =]{1,2}false"
        r"|NODE_TLS_REJECT_UNAUTHORIZED[=:]\s?[\"']?0|\bstrict-ssl[ =]false",
        _TLS, "localhost|127.0.0.1",
    ),
    # Any language
    rule(
        "weak-password-hash", "weak-crypto", 4, "py js rb php go jvm cs c rust swift dart elixir perl",
        "md5|sha1|sha-1",
        r"\b(?:md5|sha1|hashlib\.new\(\s?[\"'](?:md5|sha1))(?:Hex|sum|_hex|\.Sum|\.new|::hexdigest"
        r"|\.hexdigest)?\(\s{0,4}\$?[\w.>\[\]\"'&()-]{0,30}(?:passw(?:or)?d|passwd|pwd)\b|\bDigest::(?:MD5|SHA1)\."
        r"(?:hex)?digest[( ]\s?[\w.\"#{]{0,20}passw|createHash\(\s?[\"'](?:md5"
        r"|sha1)[\"']\s?\)\.update\(\s?[\w.]{0,20}passw|passw(?:or)?d\w{0,10}\s{0,3}=[^\n=]{0,20}\b(?:md5|sha1)\(",
        "The hash is too fast for passwords: a stolen password table can be cracked in hours.", "", _I,
    ),
    rule(
        "weak-password-hash", "weak-crypto", 3, "jvm cs go", "md5|sha-1|sha1",
        r"(?:MessageDigest\.getInstance\(\s?\"(?:MD5|SHA-?1)\"|\b(?:MD5|SHA1)\.(?:Create|HashData)\(|\b(?:md5"
        r"|sha1)\.(?:New|Sum)\()(?:[^\n]|\n[ \t]){0,200}?(?<![A-Za-z])passw(?:or)?d",
        "The hash is too fast for passwords: a stolen password table can be cracked in hours.", "", _I,
    ),
    rule(
        "broken-cipher", "weak-crypto", 4, "py js rb php go jvm cs c rust",
        "des.new|des3.new(|arc4.new(|arc2.new(|blowfish.new(|mode_ecb|modes.ecb(|cipher.getinstance(|createcipher"
        "|rc4.newcipher|cryptoserviceprovider(|des.create(|rc2.create(|ciphermode.ecb|mcrypt_encrypt|openssl::cipher"
        "|evp_des|evp_rc4|_ecb(|-ecb|'des-|\"des-|'rc4'|\"rc4\"",
        r"\b(?:DES3?|ARC4|ARC2|Blowfish)\.new\(|\bMODE_ECB\b|\bmodes\.ECB\(|Cipher\.getInstance\(\s?\"(?:DES|DESede"
        r"|RC4|RC2|ARCFOUR|Blowfish|AES\"|AES/ECB)|\bcreateCipheriv?\(\s?[\"'`](?:des|rc4|rc2|bf)"
        r"|\bcreateCipheriv\(\s?[\"'`]aes-\d{3}-ecb|\bcrypto\.createCipher\(|\b(?:des\.New(?:TripleDES)?Cipher"
        r"|rc4\.NewCipher)\(|\bnew (?:DES|TripleDES|RC2)CryptoServiceProvider\(|\b(?:DES|TripleDES|RC2)\.Create\("
        r"|\bCipherMode\.ECB\b|\bmcrypt_encrypt\(|[\"'](?:des|des-ede3|rc4|aes-(?:128|192|256)-ecb)"
        r"(?:-cbc)?[\"']\s?,\s?\$|OpenSSL::Cipher(?:\.new|::Cipher\.new)\(\s?[\"'](?:des|rc4|aes-\d{3}-ecb)|\bEVP_"
        r"(?:des|rc4|aes_\d{3}_ecb)\w{0,10}\(\)",
        _BROKEN, "disabled|forbid|deprecated",
    ),
    rule(
        "fixed-iv", "weak-crypto", 3, "py js rb php go jvm cs", "iv =|iv=|iv :=|vector|ivparameterspec|createcipheriv",
        r"\b(?:iv|IV|initVector|init_vector|initializationVector)\s{0,4}:?=\s{0,4}(?:b?[\"'][^\"'\n\s]{8,32}[\"']"
        r"|b?[\"']\\x00|bytes\(16\)|Buffer\.alloc\(\s?(?:12|16)\s?\)|new byte\[(?:12|16)\]\s?;|\[\]byte\(\")|\bnew"
        r" IvParameterSpec\(\s?\"[^\"\n]{8,32}\"\.getBytes|\bcreateCipheriv\([^\n]{0,80}Buffer\.alloc\(\s?16",
        "The initialization vector is fixed, so equal plain texts give equal ciphertexts.",
    ),
    rule(
        "plain-endpoint", "transport", 2, "py js rb php go jvm cs yaml json toml ini docker shell swift dart",
        "http://",
        r"(?:api|auth|login|token|payment|webhook|oauth)\w{0,12}_?(?:url|uri|endpoint|host"
        r"|base)\w{0,6}[\"']?\s{0,4}[:=]{1,2}\s{0,4}[\"']?http://(?!localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|172\."
        r"|\[?::1|\$|\{|<|%|host\.docker)(?!(?:www\.)?(?:example|test|your|my)[.-])"
        r"(?=[\w-]{1,60}\.[\w.-]{0,60}[a-z]{2,})(?![\w.-]{0,80}(?:\.local|\.lan|\.internal|\.test|\.svc|example\."
        r"|localhost|w3\.org|schemas))",
        "Traffic to this endpoint, including credentials, can be read and changed in transit.", "", _I,
    ),
)  # fmt: skip
