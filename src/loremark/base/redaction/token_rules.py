"""Rules for secrets with a recognizable format, anchored so a search stays linear."""

from __future__ import annotations

import re

from loremark.base.redaction.lazy_pattern import lazy_pattern

TYPE_CHECKING = False  # importing typing takes longer than the rest of this package
if TYPE_CHECKING:
    from collections.abc import Sequence


class Rule:
    """A pattern tried only in texts that contain one of its lowercase anchors. Group 1, if any, is the secret.

    A match starts ``before`` characters before one of the ``heads``, which default to the anchors. A pattern without a
    fixed prefix has a short ``shape`` instead, searched everywhere or only ``near`` a head.
    """

    __slots__ = ("anchors", "before", "heads", "kind", "near", "pattern", "shape")

    def __init__(
        self,
        kind: str,
        anchors: tuple[str, ...],
        pattern: re.Pattern[str],
        *,
        before: Sequence[int] = (0,),
        heads: tuple[str, ...] = (),
        shape: re.Pattern[str] | None = None,
        near: tuple[int, int] | None = None,
    ) -> None:
        self.kind = kind
        self.anchors = anchors
        self.pattern = pattern
        self.before = before
        self.heads = heads or anchors
        self.shape = shape
        self.near = near


# A token must not start inside a longer run: it would not be a token, and the search would be quadratic.
_RUN = r"(?<![A-Za-z0-9_-])"
_WORD = r"(?<![A-Za-z0-9])"


def _prefixed(kind: str, prefixes: str, body: str, at_least: int, boundary: str = _WORD) -> Rule:
    """Return a rule for tokens with one of the prefixes (regular expressions, separated by spaces)."""
    names = prefixes.split()
    anchors = tuple(name.partition("[")[0].partition("(")[0].partition("\\")[0].lower() for name in names)
    form = rf"{boundary}(?:{'|'.join(names)})[{body}]{{{at_least},}}+"
    return Rule(kind, anchors, lazy_pattern(form))


def _form(kind: str, anchors: str, pattern: str, flags: int = 0, before: Sequence[int] = (0,), shape: str = "") -> Rule:
    return Rule(
        kind,
        tuple(anchors.split()),
        lazy_pattern(pattern, flags),
        before=before,
        shape=lazy_pattern(shape) if shape else None,
    )


_HEX = "a-f0-9"
_ALNUM = "A-Za-z0-9"
_URL64 = "A-Za-z0-9_-"
_I = re.IGNORECASE

RULES: tuple[Rule, ...] = (
    # Loremark's own
    _prefixed("loremark-key", "service_sk_", _URL64, 12, ""),
    _prefixed("webhook-secret", "whsec_", "A-Za-z0-9+/=_-", 12),
    # Clouds
    _form(
        "aws-key",
        "akia asia abia acca a3t",
        rf"{_WORD}(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{12,24}}(?![A-Za-z0-9])",
    ),
    _form("google-key", "aiza", rf"{_WORD}AIza[{_URL64}]{{30,}}+"),
    _form("google-token", "ya29.", rf"{_WORD}ya29\.[A-Za-z0-9_.-]{{20,}}+"),
    _form("google-token", "1//0", rf"(?<![A-Za-z0-9/])1//0[{_URL64}]{{30,}}+"),
    _prefixed("google-secret", "GOCSPX-", _URL64, 20, _RUN),
    _form("azure-key", "accountkey sharedaccesskey", r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{20,}+={0,2})", _I),
    _form(
        "azure-secret",
        "q~",
        r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])",
        before=(4,),
    ),
    _prefixed("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", _HEX, 32),
    _prefixed("alibaba-key", "LTAI", _ALNUM, 16),
    _prefixed("heroku-key", "HRKU-", _URL64, 30, _RUN),
    _prefixed(
        "cloud-token",
        "pscale_(?:tkn|pw|oauth)_ sbp_ nfp_ dapi[a-f0-9] fm2_ fm1r_ hvs\\. hvb\\. dp\\.(?:pt|st|ct|sa)\\.",
        "A-Za-z0-9_.=+/-",
        24,
    ),
    _form("cloud-token", ".atlasv1.", rf"{_WORD}[A-Za-z0-9]{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{30,}}+", before=(14,)),
    _form("cloud-token", "tskey-", rf"{_RUN}tskey-[a-z]+-[{_URL64}]{{16,}}+"),
    # Code hosts and registries
    _prefixed("github-token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", "A-Za-z0-9_", 20),
    _prefixed(
        "gitlab-token",
        "glpat- gldt- glrt- glft- glcbt- glptt- glagent- glimt- gloas- glsoat- glffct- GR1348941",
        _URL64,
        16,
        _RUN,
    ),
    _prefixed("npm-token", "npm_", _ALNUM, 30),
    _prefixed("pypi-token", "pypi-A", _URL64, 24, _RUN),
    _prefixed("registry-token", "rubygems_ dckr_pat_ dckr_oat_ ATATT3 ATBB ATCTT3 CCIPAT_ bkua_", "A-Za-z0-9_=-", 20),
    # Chat and email
    _form("slack-token", "xox xapp-", rf"{_RUN}(?:xox[abeoprs](?:\.xox[bp])?|xapp)-(?=\d)[A-Za-z0-9-]{{10,}}+"),
    _form(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,}+)",
        _I,
    ),
    _form("telegram-token", ":aa", rf"{_WORD}\d{{8,10}}:AA[{_URL64}]{{32,}}+", before=(10, 9, 8)),
    _form(
        "discord-token",
        ".",
        rf"(?<![A-Za-z0-9_.-])[MNO][{_URL64}]{{23,27}}\.[{_URL64}]{{6}}\.[{_URL64}]{{27,}}+",
        before=range(28, 23, -1),
        shape=rf"\.(?=[{_URL64}]{{6}}\.)",
    ),
    _form(
        "discord-webhook",
        "/api/webhooks/",
        rf"discord(?:app)?\.com/api/webhooks/(\d{{10,20}}/[{_URL64}]{{30,}}+)",
        _I,
        before=(14, 11),
    ),
    _form("sendgrid-key", "sg.", rf"{_WORD}SG\.[{_URL64}]{{16,}}+\.[{_URL64}]{{16,}}+"),
    _form("twilio-key", "sk", rf"{_WORD}SK[a-f0-9]{{32}}(?![A-Za-z0-9])"),
    _form("mailgun-key", "key-", rf"{_RUN}key-[a-f0-9]{{32}}(?![A-Za-z0-9])"),
    _form("mailchimp-key", "-us", rf"{_WORD}[a-f0-9]{{32}}-us\d{{1,2}}(?![A-Za-z0-9])", before=(32,)),
    # Payments and shops
    _prefixed("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", _ALNUM, 10),
    _prefixed("square-token", "sq0atp- sq0csp- sq0idp-", _URL64, 20, _RUN),
    _prefixed("shopify-token", "shpat_ shpca_ shppa_ shpss_", "A-Fa-f0-9", 28),
    # Model providers
    _prefixed("anthropic-key", "sk-ant-", _URL64, 16, _RUN),
    _prefixed("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-lf-", _URL64, 16, _RUN),
    _form("openai-key", "sk-", rf"{_RUN}sk-(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{{20,}}+"),
    _prefixed("model-key", "gsk_ r8_ xai- pplx- nvapi-", _URL64, 28),
    _form("model-key", "hf_ api_org_", rf"{_WORD}(?:hf|api_org)_(?=[a-z0-9]*[A-Z])[A-Za-z0-9]{{34}}(?![A-Za-z0-9_])"),
    # Tools
    _prefixed(
        "tool-token",
        "lin_api_ figd_ ntn_ PMAK- glsa_ glc_ NRAK- sntrys_ sntryu_ dt0c01\\. ops_eyJ pul-[a-f0-9] sgp_ sqp_ squ_ sqa_",
        "A-Za-z0-9_.+/=-",
        20,
    ),
    _form("notion-token", "secret_", rf"{_WORD}secret_[A-Za-z0-9]{{40,}}+"),
    _form("meta-token", "eaa", rf"{_WORD}EAA[A-Z0-9][A-Za-z0-9]{{60,}}+"),
    _form("aws-key", "absk", rf"{_WORD}ABSK[A-Za-z0-9+/]{{60,}}+={{0,2}}"),
    _form("age-key", "age-secret-key-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}+", _I),
    # Generic formats
    _form("jwt", "eyj", rf"(?<![A-Za-z0-9_.-])eyJ[{_URL64}]{{8,}}+\.[{_URL64}]{{8,}}+(?:\.[{_URL64}]{{8,}}+)?"),
    _form(
        "signature",
        "signature= sig=",
        r"[?&](?:sig|signature|x-amz-signature|x-goog-signature)=([A-Za-z0-9%+/_=-]{20,}+)",
        _I,
        before=(8, 7, 1),
    ),
    _form("netrc-password", "login", r"\blogin[ \t]++\S{1,200}\s++password[ \t]++(\S{4,200}+)", _I),
)
