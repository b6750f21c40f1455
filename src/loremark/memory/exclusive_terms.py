"""Terms that exclude each other in the same role: databases, clouds, weekdays, roles."""

from __future__ import annotations

# The terms on one line exclude each other: naming another one makes a different claim.
_EXCLUSIVE = """
postgres mysql mariadb sqlite mongodb oracle mssql dynamodb cassandra cockroachdb firestore duckdb clickhouse supabase
redis memcached valkey dragonfly
kafka rabbitmq sqs nats pulsar celery sidekiq rq dramatiq bullmq resque
elasticsearch opensearch meilisearch typesense solr algolia
pinecone weaviate qdrant milvus pgvector chroma chromadb faiss lancedb
aws gcp azure heroku vercel netlify digitalocean cloudflare fly.io railway
s3 gcs minio
python javascript typescript golang rust java kotlin ruby php elixir scala swift c# c++ dart
react vue svelte angular preact
express fastify koa hono nestjs
django flask fastapi starlette litestar
npm yarn pnpm bun
pip poetry uv pipenv conda hatch pdm
jest vitest mocha jasmine ava
pytest unittest nose
cypress playwright selenium puppeteer
webpack vite rollup esbuild parcel turbopack
eslint biome oxlint
prettier dprint
ruff flake8 pylint
mypy pyright pytype
sqlalchemy peewee tortoise pony
prisma drizzle typeorm sequelize knex mikroorm
rest graphql grpc soap trpc
json xml yaml toml protobuf msgpack avro csv parquet
jwt paseto
argon2 argon2id bcrypt scrypt pbkdf2
sha1 sha256 sha512 md5 blake2 blake3
hs256 rs256 es256 eddsa ps256
stripe paypal adyen braintree paddle
sendgrid mailgun ses postmark resend
docker podman
kubernetes nomad ecs swarm
terraform pulumi cloudformation
jenkins circleci travis buildkite teamcity
github gitlab bitbucket gitea
sentry rollbar bugsnag
prometheus datadog newrelic graphite
nginx caddy apache traefik haproxy envoy
gunicorn uvicorn hypercorn granian
ubuntu debian alpine fedora centos
linux windows macos
chrome firefox safari
main master develop trunk
debug info warning critical
hourly daily nightly weekly monthly yearly quarterly
monday tuesday wednesday thursday friday saturday sunday
january february april june july august september october november december
seconds minutes hours days weeks months
bytes kilobytes megabytes gigabytes
utc cet est pst gmt
utf-8 utf-16 latin-1 ascii
camelcase snake_case kebab-case pascalcase
uuid uuidv4 uuidv7 ulid nanoid cuid autoincrement
stdout stderr syslog
tailwind bootstrap bulma chakra mui
redux zustand mobx jotai recoil pinia vuex
axios ky superagent
httpx aiohttp urllib3
threads processes coroutines
websocket sse
optimistic pessimistic
lru lfu fifo lifo
admin owner member viewer editor guest
red green blue yellow orange
east west north south
cents euros dollars
integer float decimal boolean
serializable repeatable-read read-committed
canary blue-green rolling
squash rebase
mit apache-2.0 gpl bsd agpl mpl
"""
EXCLUSIVE_TERMS: dict[str, frozenset[int]] = {}
for _number, _line in enumerate(_EXCLUSIVE.strip().splitlines()):
    for _word in _line.split():
        EXCLUSIVE_TERMS[_word] = EXCLUSIVE_TERMS.get(_word, frozenset()) | {_number}

# A fact about one environment says nothing about another.
ENVIRONMENTS = frozenset(("production", "staging", "development", "sandbox"))
