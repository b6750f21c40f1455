"""Patterns for secrets in context: URLs, headers, commands and SQL statements."""

from __future__ import annotations

import re

# Secrets recognized by the text before them: rule, anchor, severity, pattern.
CONTEXTS: tuple[tuple[str, str, int, re.Pattern[str]], ...] = (
    ("url-password", "://", 4, re.compile(
        r"://[^\s/@:\"'<>`()]{0,64}:([^\s@/\"'<>`]{3,256})@(?![\w.-]{0,60}example\.)[\w\[{$-]")),
    ("url-token", "://", 4, re.compile(
        r"://([A-Za-z0-9_-]{20,256})@(?!o\d)(?![\w.-]{0,40}sentry)(?![\w.-]{0,60}example\.)")),
    ("basic-auth", "basic ", 4, re.compile(
        r"\bbasic[ ]{1,3}([A-Za-z0-9+/]{12,400}+={0,2})(?![A-Za-z0-9])", re.IGNORECASE)),
    ("bearer-token", "bearer ", 4, re.compile(r"\bbearer[ ]{1,3}([A-Za-z0-9_.~+/-]{16,2000}+={0,2})", re.IGNORECASE)),
    ("password-flag", " -u", 4, re.compile(
        r"\b(?:curl|wget|http|https)\b[^\n|;]{0,120}?[ ]-u[ ]?[\"']?[^\s:\"'$]{1,64}:([^\s\"'$]{4,200})")),
    ("password-flag", "--user", 4, re.compile(r"--user[ =][\"']?[^\s:\"'$]{1,64}:([^\s\"'$]{4,200})")),
    ("password-flag", "mysql", 4, re.compile(
        r"\bmysql(?:dump|admin)?\b[^\n|;]{0,100}?[ ]-p(?:'([^'\n$]{4,200})'|\"([^\"\n$]{4,200})\"|"
        r"([^\s\"'$-][^\s\"']{4,200}))")),
    ("password-flag", "sshpass", 4, re.compile(r"\bsshpass[ ]{1,3}-p[ ]?[\"']?([^\s\"'$]{4,200})")),
    ("password-flag", "redis-cli", 4, re.compile(
        r"\bredis-cli\b[^\n|;]{0,80}?[ ]-a[ ]{1,2}[\"']?([^\s\"'$-][^\s\"'$]{3,200})")),
    ("password-flag", "docker login", 4, re.compile(
        r"\bdocker login\b[^\n|;]{0,120}?[ ]-p[ =]?[\"']?([^\s\"'$-][^\s\"'$]{3,200})")),
    ("password-flag", "--password-stdin", 4, re.compile(
        r"\becho[ ](?:-n[ ])?[\"']?([^\s\"'$]{4,200})[\"']?[ ]{0,3}\|["
        r" ]{0,3}[^\n]{0,40}login[^\n]{0,100}--password-stdin")),
    ("netrc-password", "machine ", 4, re.compile(
        r"\bmachine[ \t]{1,4}[^\s]{1,100}\s{1,8}login[ \t]{1,4}[^\s]{1,100}\s{1,8}password[ \t]{1,4}([^\s]{4,200})")),
    ("sql-password", "identified", 4, re.compile(
        r"\bidentified[ ](?:with[ ]\w{1,40}[ ])?by[ ](?:password[ ])?[\"']([^\"'\n]{4,200})[\"']", re.IGNORECASE)),
    ("sql-password", "with password", 4, re.compile(
        r"\b(?:user|role|login)[ ][^\n;]{1,80}?\bwith password[ ]{0,3}=?[ ]{0,3}'([^'\n]{4,200})'", re.IGNORECASE)),
    ("connection-string", "pwd=", 4, re.compile(r";[ ]{0,2}pwd[ ]?=[ ]?([^\s;\"'<>]{4,128})", re.IGNORECASE)),
    ("connection-string", "password=", 4, re.compile(
        r"[;?&][ ]{0,2}password[ ]?=[ ]?([^\s;&\"'<>]{4,128})", re.IGNORECASE)),
    ("credential-pair", "networkcredential(", 4, re.compile(
        r"NetworkCredential\([^\n,]{1,80},[ ]{0,2}\"([^\"\n]{4,128})\"", re.IGNORECASE)),
    ("credential-pair", "getconnection(", 4, re.compile(
        r"getConnection\([^\n,]{1,200},[ ]{0,2}\"[^\"\n]{1,80}\",[ ]{0,2}\"([^\"\n]{4,128})\"", re.IGNORECASE)),
    ("registry-auth", "\"auths\"", 5, re.compile(r"\"auth\"\s{0,4}:\s{0,4}\"([A-Za-z0-9+/]{12,2000}+={0,2})\"")),
)  # fmt: skip
