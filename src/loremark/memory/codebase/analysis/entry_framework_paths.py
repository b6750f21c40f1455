"""Entry point paths of common frameworks, added to the table in entry_paths."""

from __future__ import annotations

from loremark.memory.codebase.analysis.entry_candidates import Group
from loremark.memory.codebase.records import EntryKind

Row = tuple[str, Group, EntryKind, str, float]
_QUEUES = r"(?:good_job|sidekiq|resque|delayed_job\w{0,12}|que|shoryuken|solid_queue|sneakers|scheduler)"
_GRAPHQL = r"(?:(?:graphql|gql)/(?:(?:\w+_)?schema|api|root)|gql-schema)"
_SPECIFIED = r"(?:(?:api|specs?|schema|openapi)/)?(?:openapi|swagger)(?:[.-][\w.-]{1,20})?"
# As in entry_paths: matched against the whole path; "…n/" stands for up to n leading directories.
FRAMEWORK_ROWS: tuple[Row, ...] = (
    # Python
    (r"…2/(?:jobs|tasks)\.py", "job", "job", "jobs", 50),
    (r"…3/api/(?:v\d+/)?(?:api|routers?|routes)\.py", "table", "server", "routes", 62),
    (r"…3/(?:plugins|addons|add-ons|extensions)/__init__\.py", "plugin", "main", "registers plugins", 48),
    # JavaScript and TypeScript
    (r"…4/(?:src/)?service[-_]?workers?/(?:sw|index|main|worker)\.[jt]s", "browser", "main", "service worker", 60),
    (r"…3/(?!components/)(?:[\w-]+/)?entry-?points?/(?:[\w-]+/)?[\w.-]+\.[jt]sx?", "browser", "main", "browser", 66),
    (r"…3/src/(?:[\w-]+/){0,3}[\w.-]*(?:web|backend|-|shared)worker\.[jt]s", "browser", "main", "web worker", 52),
    (r"…3/(?:src/)?app\.vue", "browser", "main", "app", 66),
    (r"…3/app/entry\.(?:client|server)\.[jt]sx?", "browser", "main", "app", 58),
    (r"…3/src/app\.module\.ts", "server", "server", "root module of the server", 60),
    (r"…4/(?:trpc|routers|server/api)/(?:root|_app|_router|routers?)\.ts", "table", "server", "routes", 70),
    (r"…3/(?:src/)?(?:electron/|main/)?preload(?:/index)?\.[jt]s", "program", "main", "desktop", 52),
    (r"…2/(?:src/)?(?:background|content[-_]?scripts?)(?:/index)?\.[jt]s", "browser", "main", "browser extension", 62),
    (r"…2/(?:src/)?(?:schedules|crons?|cronjobs)/[\w.-]+\.(?:ts|js|py|rb|go|php)", "job", "job", "schedule", 50),
    # PHP
    (r"…1/app/Providers/(?:Event|Route)ServiceProvider\.php", "server", "server", "provider", 50),
    (r"…1/app/Http/Kernel\.php", "server", "server", "all requests", 50),
    (r"…1/src/Kernel\.php", "server", "server", "application", 58),
    # Ruby
    (rf"…1/config/initializers/{_QUEUES}\.rb", "job", "job", "configures background jobs", 65),
    (r"…1/(?:karafka|(?:config|lib)/clock)\.rb", "job", "job", "jobs", 66),
    # Elixir
    (r"…2/lib/(?:\w+/)?\w*router\.ex", "table", "server", "routes", 90),
    (r"…2/lib/(?:\w+/)?endpoint\.ex", "server", "server", "all requests", 78),
    (r"…2/lib/\w+/application\.ex", "program", "main", "application", 84),
    # The JVM, .NET, mobile
    (r"…1/conf/routes", "table", "server", "routes", 90),
    (r"…3/Worker\.cs", "job", "job", "worker", 60),
    (r"…3/Hubs/\w+Hub\.cs", "server", "server", "SignalR hub", 54),
    (r"…3/\w*DbContext\.cs", "onward", "main", "database context", 42),
    (r"…4/(?:java|kotlin)/(?:\w+/){1,6}MainActivity\.(?:kt|java)", "program", "main", "main screen", 78),
    (r"…3/(?:AppDelegate|\w+App)\.swift", "program", "main", "app", 80),
    # Go, C and C++
    (r"…2/cmd/root\.go", "options", "cli", "command line", 78),
    (r"…2/(?:cmd|commands|cli)/(?:commands?|cli|cmd)\.go", "options", "cli", "command line", 72),
    (r"…3/(?:router|routes)\.go", "table", "server", "routes", 60),
    (r"…3/controllers?/\w+_controller\.go", "controller", "server", "controller", 52),
    (r"…3/main_?window\.(?:cpp|cc)", "onward", "main", "main window", 54),
    (r"(?:auto/)?configure", "script", "cli", "configure", 64),
    (r"configure\.ac", "build", "cli", "build", 46),
    (r"CMakeLists\.txt", "build", "cli", "build", 48),
    (r"meson\.build", "build", "cli", "build", 46),
    # API schemas
    (rf"…3/{_GRAPHQL}\.(?:py|rb|ts|js|go)", "schema", "server", "GraphQL", 74),
    (rf"…1/{_SPECIFIED}\.(?:yml|yaml|json)", "schema", "server", "OpenAPI", 48),
    # Editors
    (r"lua/[\w-]+/init\.lua", "library", "library", "library", 76),
)  # fmt: skip
