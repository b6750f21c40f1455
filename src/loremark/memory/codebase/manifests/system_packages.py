"""Finds system packages installed in container images that reveal something about the stack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import lines_of

_INSTALL = re.compile(r"\b(?:apt-get|apt|aptitude|apk|dnf|microdnf|tdnf|yum|zypper)\b.{0,200}?\b(?:install|add)\s")
_END = re.compile(r"&&|\|\||[;|]")
_NAME = re.compile(r"([a-z][a-z0-9.+_-]{1,60})(?:[=~<>:@].{0,80})?")
_EXTENSIONS = re.compile(
    r"\b(?:docker-php-ext-install|docker-php-ext-enable|install-php-extensions|pecl\s{1,4}install)\s([^&|;\n]{2,400})"
)

_LISTED = re.compile(
    r"\s{0,4}(?:(?:brew|cask)\s{1,4}[\"'])?([a-z][a-z0-9.+_-]{1,60})(?:@[\d.]{1,8})?[\"']?\s{0,4}(?:[,#].{0,200})?"
)
_MAX_LISTED = 500
_PACKAGES = {
    "apache2": "apache2 httpd libapache2-mod-php libapache2-mod-wsgi-py3",
    "calibre": "calibre calibre-bin",
    "cassandra": "cassandra",
    "chromium": "chromium chromium-browser chromium-chromedriver chromium-driver google-chrome-stable",
    "clamav": "clamav clamav-daemon clamav-libunrar clamdscan",
    "dovecot": "dovecot dovecot-core dovecot-imapd",
    "exiftool": "exiftool libimage-exiftool-perl perl-image-exiftool",
    "ffmpeg": "ffmpeg ffmpeg-libs ffmpeg-dev libavcodec-dev jellyfin-ffmpeg6 jellyfin-ffmpeg7",
    "gdal": "gdal gdal-bin gdal-dev libgdal-dev python3-gdal gdal-tools",
    "ghostscript": "ghostscript",
    "graphicsmagick": "graphicsmagick",
    "graphviz": "graphviz",
    "haproxy": "haproxy",
    "imagemagick": "imagemagick imagemagick6 imagemagick-dev libmagickwand-dev libmagickcore-dev php-imagick",
    "inkscape": "inkscape",
    "libldap": "libldap2-dev libldap-dev openldap-dev php-ldap",
    "librdkafka": "librdkafka librdkafka1 librdkafka-dev",
    "libreoffice": "libreoffice libreoffice-writer libreoffice-core libreoffice-common libreoffice-calc unoconv",
    "libvips": "libvips libvips-dev libvips42 libvips-tools vips vips-dev vips-tools vips-cpp libvips42t64",
    "lighttpd": "lighttpd",
    "mariadb": "mariadb-server",
    "mediainfo": "mediainfo libmediainfo0v5",
    "memcached": "memcached libmemcached-dev libmemcached-libs php-memcached",
    "mongodb": "mongodb mongodb-org mongodb-org-shell mongodb-tools mongodb-database-tools mongodb-mongosh php-mongodb",
    "mosquitto": "mosquitto mosquitto-clients libmosquitto-dev",
    "mysql": "mysql-server mysql-client default-mysql-client default-libmysqlclient-dev libmysqlclient-dev php-mysql"
    " mariadb-client libmariadb-dev mariadb-connector-c mariadb-connector-c-dev",
    "nginx": "nginx nginx-full nginx-light nginx-extras nginx-mod-http-brotli nginx-module-njs",
    "opencv": "libopencv-dev python3-opencv opencv-dev opencv",
    "openldap": "slapd openldap",
    "openresty": "openresty",
    "pandoc": "pandoc",
    "pgbouncer": "pgbouncer",
    "php-fpm": "php-fpm php7-fpm php8-fpm php81-fpm php82-fpm php83-fpm php84-fpm",
    "poppler-utils": "poppler-utils poppler",
    "postfix": "postfix",
    "postgis": "postgis",
    "postgresql": "postgresql postgresql-client postgresql-dev libpq-dev libpq5 libpq postgresql-libs php-pgsql",
    "qpdf": "qpdf",
    "rabbitmq": "rabbitmq-server",
    "rclone": "rclone",
    "redis-server": "redis redis-server redis-tools php-redis",
    "restic": "restic",
    "solr": "solr",
    "sqlite": "sqlite sqlite3 php-sqlite3",
    "supervisor": "supervisor supervisord",
    "tesseract-ocr": "tesseract-ocr tesseract libtesseract-dev tesseract-ocr-eng tesseract-ocr-data-eng",
    "texlive": "texlive texlive-latex-base texlive-latex-extra texlive-full texlive-xetex texlive-base xelatex",
    "unit": "unit unit-php unit-python3",
    "uwsgi": "uwsgi uwsgi-core uwsgi-python3 uwsgi-plugin-python3",
    "valgrind": "valgrind",
    "varnish": "varnish",
    "weasyprint": "weasyprint",
    "wkhtmltopdf": "wkhtmltopdf wkhtmltox",
    "xdebug": "xdebug php-xdebug",
    "yt-dlp": "yt-dlp youtube-dl",
    "zeromq": "libzmq3-dev libzmq5 zeromq zeromq-dev",
}
"""By table name: the package names on Debian, Alpine and Fedora. Compilers and small tools are not included."""
_PLAIN = {name: plain for plain, names in _PACKAGES.items() for name in names.split()}
_NUMBERED = re.compile(r"(mysql|mariadb|postgresql|php)-?[\d.]{1,6}(?=-|$)|(?<=client|server)-[\d.]{1,6}$")
"""A version within the name: ``postgresql-client-16``, ``php8.3-redis``, ``postgresql16-client``."""


def installed_in(commands: str) -> Iterator[str]:
    """The system packages that shell commands install."""
    for command in _END.split(commands):
        found = _INSTALL.search(command)
        for word in command[found.end() :].split() if found is not None else ():
            name = _NAME.fullmatch(word.strip("\"'{}"))
            if name is not None:
                yield name.group(1)


def stack_packages(names: Iterable[str]) -> list[str]:
    """The packages that reveal something about the stack, by their table names."""
    found = (_PLAIN.get(name) or _PLAIN.get(_NUMBERED.sub(lambda cut: cut.group(1) or "", name)) for name in names)
    return sorted({plain for plain in found if plain is not None})


def extensions_in(commands: str) -> list[str]:
    """PHP extensions installed in an image."""
    words = (word for names in _EXTENSIONS.findall(commands) for word in names.split())
    plain = (_NAME.fullmatch(word.partition("-")[0]) for word in words if word[:1] != "-")
    return [f"php:ext-{name.group(1)}" for name in plain if name is not None]


def read_package_list(path: str, content: str) -> ManifestFacts:
    """``Aptfile`` and ``Brewfile``: one system package per line."""
    draft = Draft("system")
    rows = (_LISTED.fullmatch(line) for number, line in lines_of(content) if number <= _MAX_LISTED)
    draft.add_sign("system-packages", stack_packages(row.group(1) for row in rows if row is not None))
    return draft.facts()
