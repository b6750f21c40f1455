"""Excludes vendored, generated and unreadable files by their paths."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from loremark.memory.codebase.languages import language_of
from loremark.memory.codebase.selection.file_kinds import is_lock, is_manifest

_MAX_CHARS = 500
_MAX_DEPTH = 40
_MAX_SEEN_BELOW = 2000


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BINARY = _words("""
    7z a aac aar ai apk app appimage asar avi avif bin blend bmp br bson bz2 cab class cr2 crt cur dat db db3 dds
    deb der dex dill dll dmg doc docx dylib ear egg elc eot eps exe exr fbx flac flv fnt gif glb gltf gpg gz h5 hdr
    heic heif ico icns idx img ipa iso jar jfif jks joblib jp2 jpeg jpg jpgv jxl keystore ktx lib lockb lz4 lzma m4a
    m4v mid mkv mmdb mo mobi mov mp2 mp3 mp4 mpeg mpg msi nib node npy npz o obj odp ods odt ogg ogv onnx opus otf
    p12 pack parquet pb pbf pcap pcx pdb pdf pfx pickle pkl png pptx ppt prof psd pt pth pyc pyd pyo rar rdb res
    rlib rpm safetensors sav sketch snk so sqlite sqlite3 swf tar tbz tflite tga tgz tif tiff tlb ttc ttf ttx vsix
    wasm wav webm webp whl wim wmv woff woff2 xap xcf xls xlsx xpi xz z zip zst zstd
    """)
# Text files that do not explain how a program works.
_NO_TEXT = _words("""
    asc bak cast cer csv cue dump geojson gpx har ics jsonl kml lcov lock log map ndjson orig out patch diff pem
    plist po pot pub rej rtf rss sarif sig srt ass ssa sub strings sum svg swp tmp topojson trace tsv vcf vtt
    webmanifest xlf xliff xspf resx nfo m3u m3u8 opml sublime-syntax tmlanguage tmtheme tmpreferences
    """)
# Extensions beyond those in languages.py that are read as plain text.
_TEXT = _words("""
    adoc asciidoc asm awk bat bazel builder bicep bzl cbl clj cljc cljs cmake cmd cob coffee conf cr csh csx cu cuh
    d dhall dockerfile ejs el elm eex erb f f90 for ftl fx glsl gotmpl hbs heex handlebars hjson hlsl ino ipynb j2
    jinja jinja2 jsp kdl l latte leex lisp liquid lsp mako mdc mdx meson mjml mk mod mustache nim njk nu pas pcss
    php5 pony postcss pp ps psd1 pug puml pxd pyx qml rbi rbs re rego res resi rkt rmd rpy s sbt scm service sln
    slnx sol spec ss sty styl sv sveltex svh tex textile tf thrift tmpl toit tpl tt twig txt v vala vb vert vhd vhdl
    vim wgsl wit work wsdl xsd xsl xslt y yar yml.dist zep
    """)
_GENERATED = re.compile(
    r"(?:.*(?:\.pb\.(?:go|gw\.go|cc|h|c|dart|swift|rs)|_pb2(?:_grpc)?\.pyi?|_(?:grpc_)?pb\.(?:js|ts|d\.ts|rb|rs)|"
    r"\.pbgrpc\.dart|\.g\.(?:i\.)?(?:cs|dart)|\.freezed\.dart|\.designer\.(?:cs|vb)|\.generated\.\w{1,12}|\.gen\.\w{1,12}|"
    r"_(?:generated|easyjson|ffjson|msgp)\.go|\.assemblyinfo\.cs|assemblyattributes\.cs|\.snap|\.tsbuildinfo|\.tab\.[ch]|"
    r"\.(?:js|mjs|cjs|css|ts)\.map)|zz_generated\..{1,80}|wire_gen\.go|bindata\.go|lex\.yy\.c|moc_[^/]{1,80}\.cpp|"
    r"\.pnp\.(?:c|m)?js|\.pnp\.loader\.mjs|changelog-archive\.md|(?:mvnw|gradlew)(?:\.cmd|\.bat)?|configure|aclocal\.m4|"
    r"reflection-config\.json|jni-config\.json)"
)
_MINIFIED = re.compile(r".*[.-](?:min|bundle|umd\.min|pack)\.(?:js|mjs|cjs|css)")
_OTHER_LOCK = re.compile(r".*(?:\.lock|\.lockb|\.lock\.hcl|-lock\.\w{1,10}|\.lockfile)|deno\.lock|cartfile\.resolved")
_FOREIGN = _words("""
    node_modules bower_components jspm_packages web_modules site-packages dist-packages pods carthage godeps
    third_party third-party thirdparty 3rdparty 3rd-party _vendor _vendored vendored .venv venv virtualenv
    .virtualenv .bundle .yarn .git .svn .hg .terraform .tox .nox .eggs .gradle .cargo-cache .pnpm-store
    """)
_MADE = _words("""
    __pycache__ .mypy_cache .pytest_cache .ruff_cache .next .nuxt .svelte-kit .turbo .cache .parcel-cache
    .nyc_output __snapshots__ __generated__ htmlcov lcov-report .output .vercel .serverless .dart_tool .expo
    .angular bazel-out
    """)
_MAYBE_FOREIGN = _words("deps external externals extern contrib-libs subprojects vendors libs lib")
_MAYBE_MADE = _words("dist build out target obj bin _build coverage generated release debug")
_STATIC = _words("static public assets wwwroot www webroot htdocs js css javascript javascripts")
_LICENCES = re.compile(r"(?:licen[cs]e|copying|copyright|notice)(?:[.-].{0,20})?", re.IGNORECASE)
_PROJECT = _words("go.mod composer.json gemfile package.json cargo.toml mix.exs")
# Signs of build output: source maps, compiled chunks, names with a content hash.
_BUILT = re.compile(
    r".*(?:\.map|\.min\.(?:js|css)|\.class|\.o|\.obj|\.pyc|\.dll|\.jar|\.whl|\.pdb|\.nupkg|\.chunk\.(?:js|css)|\.d\.[cm]?ts|"
    r"[.-][0-9a-f]{8,32}\.(?:js|css)|[.-](?=[A-Za-z_-]{0,7}\d)[0-9A-Za-z_-]{8}\.(?:js|css))|"
    r"cachedir\.tag|project\.assets\.json|asset-manifest\.json|lcov\.info|clover\.xml|coverage\.xml|\.rustc_info\.json",
    re.IGNORECASE,
)
# Control characters, bidirectional marks and lone surrogates.
_NO_NAMES = frozenset(("", ".", ".."))
_HOSTILE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


@dataclass(slots=True)
class _Directory:
    files: set[str] = field(default_factory=set)
    directories: set[str] = field(default_factory=set)
    below: list[str] = field(default_factory=list)
    """File names at any depth, kept only for directories where they matter."""


def is_hostile_name(path: str) -> bool:
    """Whether the path is implausible for a person to choose."""
    return (
        not path
        or len(path) > _MAX_CHARS
        or path.count("/") >= _MAX_DEPTH
        or (not path.isprintable() and _HOSTILE.search(path) is not None)
        or not _NO_NAMES.isdisjoint(path.split("/"))
    )


def exclusion_reason(path: str) -> str | None:
    """Why a file is excluded by its name, or None."""
    name = path.rpartition("/")[2].lower()
    if is_manifest(path) or is_lock(path):
        return None
    ending = name.rpartition(".")[2] if "." in name[1:] else ""
    if ending in _BINARY:
        return "binary"
    if _MINIFIED.fullmatch(name):
        return "minified"
    if _GENERATED.fullmatch(name):
        return "generated"
    if _OTHER_LOCK.fullmatch(name):
        return "lock"
    if ending in _NO_TEXT or not (language_of(path) or ending in _TEXT or _may_be_text(name, ending)):
        return "no-text"
    return None


def _may_be_text(name: str, ending: str) -> bool:
    """Whether a name is text: without extension (``README``, ``.prettierrc``) or like ``app.conf.example``."""
    return (
        not ending
        or name.startswith(".")
        or ending.endswith(("example", "sample", "dist", "template", "in", "rc", "stub", "-tpl"))
    )


class ExcludedDirectories:
    """Finds directories with third-party code or build output."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._tree: dict[str, _Directory] = {"": _Directory()}
        self._maybe_made: dict[str, tuple[_Directory, ...]] = {}
        for path in paths:
            self._plant(path)
        self._reasons: dict[str, str | None] = {"": None}
        for directory in sorted(self._tree, key=lambda directory: (directory.count("/"), directory)):
            if directory:
                above = self._reasons[directory.rpartition("/")[0]]
                self._reasons[directory] = above or self._judge(directory)

    def reason(self, path: str) -> str | None:
        return self._reasons.get(path.rpartition("/")[0])

    def _plant(self, path: str) -> None:
        directory, _, name = path.rpartition("/")
        self._directory(directory).files.add(name.lower())
        for maybe_made in self._maybe_made_above(directory):
            if len(maybe_made.below) < _MAX_SEEN_BELOW:
                maybe_made.below.append(name)

    def _maybe_made_above(self, directory: str) -> tuple[_Directory, ...]:
        """The directory itself and its parents that may be build output."""
        known = self._maybe_made.get(directory)
        if known is None:
            above, _, name = directory.rpartition("/")
            here = (self._tree[directory],) if name.lower() in _MAYBE_MADE else ()
            known = self._maybe_made[directory] = here + (self._maybe_made_above(above) if above else ())
        return known

    def _directory(self, path: str) -> _Directory:
        found = self._tree.get(path)
        if found is not None:
            return found
        made = self._tree[path] = _Directory()
        child = path
        while child:
            parent, _, name = child.rpartition("/")
            is_new = parent not in self._tree
            self._tree.setdefault(parent, _Directory()).directories.add(name)
            if not is_new:
                break
            child = parent
        return made

    def _judge(self, path: str) -> str | None:
        parent, _, name = path.rpartition("/")
        lower = name.lower()
        if lower in _FOREIGN:
            return "vendored"
        if lower in _MADE:
            return "generated"
        if lower == "vendor":
            return "vendored" if self._is_vendored(path) else None
        if parent.rpartition("/")[2].lower() in _MAYBE_FOREIGN:
            return "vendored" if self._is_brought_in(path) else None
        if lower in _MAYBE_MADE and self._is_built(path, parent, lower):
            return "generated"
        return None

    def _is_vendored(self, path: str) -> bool:
        """``vendor`` can be a domain term: third-party only next to a manifest, below static files or with licenses."""
        here, parent = self._tree[path], path.rpartition("/")[0]
        if here.files & {"modules.txt", "autoload.php", "manifest"}:
            return True
        if any(
            name.endswith((".py", ".rb", ".java", ".cs", ".go", ".rs", ".kt", ".ts", ".tsx")) for name in here.files
        ):
            return False
        if any(part.lower() in _STATIC for part in parent.split("/")):
            return True
        if self._tree[parent].files & _PROJECT:
            return True
        return any(self._has_licence(f"{path}/{name}") for name in sorted(here.directories)[:200])

    def _is_brought_in(self, path: str) -> bool:
        """A directory of ``deps``, ``external``, ``lib``…: third-party if it has a license and is not a package."""
        return self._has_licence(path) and not self._tree[path].files & {"package.json", "__init__.py"}

    def _has_licence(self, path: str) -> bool:
        return any(_LICENCES.fullmatch(name) for name in self._tree[path].files)

    def _is_built(self, path: str, parent: str, name: str) -> bool:
        here, beside = self._tree[path], self._tree[parent]
        if name == "generated":
            return "__init__.py" not in here.files or len(here.below) > len(here.files)
        if name in ("bin", "obj"):
            return any(file.endswith("proj") for file in beside.files) and bool(
                here.directories & {"Debug", "Release"} or "project.assets.json" in here.files
            )
        built = sum(_BUILT.fullmatch(name) is not None for name in here.below)
        if name == "dist" and "package.json" in beside.files and "src" in beside.directories:
            return built > 0 or all(
                file.endswith((".js", ".cjs", ".mjs", ".css", ".json", ".html")) for file in here.below
            )
        return built * 5 > len(here.below)
