"""Backend: web servers, ORMs, queues, RPC, authentication, HTTP clients of weight, monitoring."""

from __future__ import annotations

BACKEND = """
Node.js | runtime:node
Deno | root:deno.json root:deno.jsonc
Bun | file:bun.lock file:bun.lockb file:bunfig.toml docker:oven/bun
Uvicorn | pypi:uvicorn
Gunicorn | pypi:gunicorn
uWSGI | pypi:uwsgi file:uwsgi.ini
Hypercorn | pypi:hypercorn
Daphne | pypi:daphne
Waitress | pypi:waitress
WhiteNoise | pypi:whitenoise
Werkzeug | pypi:werkzeug
asgiref | pypi:asgiref
AnyIO | pypi:anyio
Trio | pypi:trio
Twisted | pypi:twisted
gevent | pypi:gevent
SQLAlchemy | pypi:sqlalchemy pypi:flask-sqlalchemy~
SQLModel | pypi:sqlmodel
Alembic | pypi:alembic pypi:flask-migrate~
Peewee | pypi:peewee
Tortoise ORM | pypi:tortoise-orm
Pony ORM | pypi:pony
Pydantic | pypi:pydantic pypi:pydantic-settings~
marshmallow | pypi:marshmallow
msgspec | pypi:msgspec
Celery | pypi:celery
RQ | pypi:rq
Dramatiq | pypi:dramatiq
Huey | pypi:huey
APScheduler | pypi:apscheduler
Django Channels | pypi:channels
django-allauth | pypi:django-allauth
Graphene | pypi:graphene pypi:graphene-django~
Strawberry | pypi:strawberry-graphql
Requests | pypi:requests
HTTPX | pypi:httpx
HTTP Core | pypi:httpcore
urllib3 | pypi:urllib3
PycURL | pypi:pycurl
Paramiko | pypi:paramiko
boto3 | pypi:boto3 pypi:aioboto3~
Authlib | pypi:authlib
cryptography | pypi:cryptography
structlog | pypi:structlog
Loguru | pypi:loguru
pluggy | pypi:pluggy
Sentry | npm:@sentry/tracing npm:@sentry/vite-plugin~ crate:sentry pypi:sentry-sdk npm:@sentry/node npm:@sentry/react
    npm:@sentry/nextjs npm:@sentry/browser npm:@sentry/vue
    npm:@sentry/angular gem:sentry-rails gem:sentry-ruby php:sentry/sentry-laravel go:github.com/getsentry/sentry-go
    crate:sentry nuget:sentry.aspnetcore maven:io.sentry:*
OpenTelemetry | nuget:opentelemetry* maven:io.micrometer:micrometer-tracing-bridge-otel~ crate:tracing-opentelemetry~
    pypi:opentelemetry-api pypi:opentelemetry-sdk npm:@opentelemetry/api npm:@opentelemetry/sdk-node
    go:go.opentelemetry.io/otel crate:opentelemetry nuget:opentelemetry.extensions.hosting maven:io.opentelemetry:*
    gem:opentelemetry-sdk
Prometheus | pypi:prometheus-client npm:prom-client go:github.com/prometheus/client_golang crate:prometheus
    nuget:prometheus-net*~ maven:io.micrometer:micrometer-registry-prometheus* docker:prom/prometheus
    gem:prometheus-client
Grafana | docker:grafana/grafana
StatsD | pypi:statsd npm:hot-shots gem:statsd-instrument
Prisma | npm:prisma npm:@prisma/client file:schema.prisma
TypeORM | npm:typeorm
Sequelize | npm:sequelize
Drizzle ORM | npm:drizzle-orm
Knex.js | npm:knex
Objection.js | npm:objection
MikroORM | npm:@mikro-orm/core
Kysely | npm:kysely
tRPC | npm:@trpc/server npm:@trpc/client
GraphQL | ending:graphql ending:graphqls npm:graphql gem:graphql php:webonyx/graphql-php php:nuwave/lighthouse~
    maven:com.graphql-java:graphql-java
Apollo | npm:@apollo/client npm:@apollo/server npm:apollo-server~ npm:apollo-server-express~
urql | npm:urql npm:@urql/core npm:@urql/vue npm:@urql/svelte
Relay | npm:react-relay
gRPC | npm:@grpc/grpc-js pypi:grpcio go:google.golang.org/grpc crate:tonic maven:io.grpc:* nuget:grpc.aspnetcore*
    nuget:grpc.net.* nuget:grpc.tools nuget:google.protobuf~ gem:grpc pypi:grpcio-tools~
    c:grpc
Protocol Buffers | go:google.golang.org/protobuf crate:prost pypi:protobuf npm:protobufjs npm:@bufbuild/protobuf
    maven:com.google.protobuf:protobuf-java c:protobuf ending:proto nuget:google.protobuf gem:google-protobuf
Connect RPC | go:connectrpc.com/connect npm:@connectrpc/connect npm:@connectrpc/connect-web
gRPC-Gateway | go:github.com/grpc-ecosystem/grpc-gateway
Socket.IO | npm:socket.io npm:socket.io-client pypi:python-socketio~ pypi:flask-socketio~
ws | npm:ws
BullMQ | npm:bullmq
Agenda | npm:agenda
Kafka | db:kafka npm:kafkajs pypi:kafka-python pypi:confluent-kafka pypi:aiokafka go:github.com/segmentio/kafka-go
    go:github.com/ibm/sarama crate:rdkafka maven:org.springframework.kafka:spring-kafka maven:org.apache.kafka:*
    nuget:confluent.kafka docker:confluentinc/cp-kafka docker:bitnami/kafka docker:apache/kafka gem:karafka
    gem:ruby-kafka
RabbitMQ | nuget:aspire.hosting.rabbitmq nuget:aspire.rabbitmq.client* db:rabbitmq docker:rabbitmq npm:amqplib
    pypi:pika pypi:aio-pika go:github.com/rabbitmq/amqp091-go
    go:github.com/streadway/amqp crate:lapin maven:org.springframework.boot:spring-boot-starter-amqp
    nuget:rabbitmq.client php:php-amqplib/php-amqplib gem:bunny
NATS | docker:nats npm:nats pypi:nats-py go:github.com/nats-io/nats.go crate:async-nats
ZeroMQ | pypi:pyzmq npm:zeromq c:zeromq c:libzmq
MQTT | npm:mqtt pypi:paho-mqtt go:github.com/eclipse/paho.mqtt.golang docker:eclipse-mosquitto
MassTransit | nuget:masstransit*
Hangfire | nuget:hangfire*
Quartz | nuget:quartz maven:org.quartz-scheduler:quartz maven:org.springframework.boot:spring-boot-starter-quartz~
Passport.js | npm:passport
NextAuth.js | npm:next-auth npm:@auth/core
Better Auth | npm:better-auth
Auth0 | npm:@auth0/auth0-react npm:auth0 npm:@auth0/nextjs-auth0
Clerk | npm:@clerk/nextjs npm:@clerk/clerk-react
Keycloak | docker:keycloak/keycloak docker:keycloak npm:keycloak-js
Axios | npm:axios
Winston | npm:winston
Pino | npm:pino
Nodemailer | npm:nodemailer
Stripe | npm:stripe npm:@stripe/stripe-js pypi:stripe gem:stripe php:stripe/stripe-php php:laravel/cashier
    go:github.com/stripe/stripe-go nuget:stripe.net maven:com.stripe:stripe-java
AWS SDK | maven:com.amazonaws:* nuget:awssdk.*~ crate:aws-config~ npm:aws-sdk npm:@aws-sdk/client-s3 gem:aws-sdk-s3
    php:aws/aws-sdk-php go:github.com/aws/aws-sdk-go
    go:github.com/aws/aws-sdk-go-v2 crate:aws-sdk-s3 maven:software.amazon.awssdk:* nuget:awssdk.s3
    php:league/flysystem-aws-s3-v3
MinIO | docker:minio/minio pypi:minio npm:minio go:github.com/minio/minio-go
OpenAI | nuget:azure.ai.openai* nuget:aspire.azure.ai.openai maven:com.openai:* pypi:openai npm:openai
    go:github.com/sashabaranov/go-openai go:github.com/openai/openai-go
    gem:ruby-openai crate:async-openai nuget:openai
Anthropic | pypi:anthropic npm:@anthropic-ai/sdk
Vercel AI SDK | npm:ai
Sharp | npm:sharp
Puma | gem:puma
Unicorn | gem:unicorn
Passenger | gem:passenger
Thin | gem:thin
Rack | gem:rack
Sidekiq | gem:sidekiq
Resque | gem:resque
Delayed Job | gem:delayed_job gem:delayed_job_active_record~
GoodJob | gem:good_job
Solid Queue | gem:solid_queue
Solid Cache | gem:solid_cache
Solid Cable | gem:solid_cable
Devise | gem:devise
OmniAuth | gem:omniauth
Doorkeeper | gem:doorkeeper
Pundit | gem:pundit
CanCanCan | gem:cancancan
ActiveAdmin | gem:activeadmin
Rack::Attack | gem:rack-attack
Sequel | gem:sequel
Nokogiri | gem:nokogiri
Faraday | gem:faraday
CarrierWave | gem:carrierwave
PaperTrail | gem:paper_trail
Kaminari | gem:kaminari
Doctrine ORM | php:doctrine/orm php:doctrine/doctrine-bundle~
Doctrine DBAL | php:doctrine/dbal
Guzzle | php:guzzlehttp/guzzle
Monolog | php:symfony/monolog-bundle~ php:monolog/monolog
Laravel Sanctum | php:laravel/sanctum
Laravel Passport | php:laravel/passport
Laravel Fortify | php:laravel/fortify
Laravel Jetstream | php:laravel/jetstream
Laravel Breeze | php:laravel/breeze
Laravel Horizon | php:laravel/horizon
Laravel Socialite | php:laravel/socialite
Laravel Scout | php:laravel/scout
Laravel Octane | php:laravel/octane
Laravel Telescope | php:laravel/telescope
Laravel Reverb | php:laravel/reverb
Flysystem | php:league/flysystem
Intervention Image | php:intervention/image
Dompdf | php:dompdf/dompdf php:barryvdh/laravel-dompdf~
Spatie Laravel Permission | php:spatie/laravel-permission
Symfony Messenger | php:symfony/messenger
API Platform | php:api-platform/core
Spring Data JPA | maven:org.springframework.boot:spring-boot-starter-data-jpa~
    maven:org.springframework.data:spring-data-jpa
Spring Data JDBC | maven:org.springframework.boot:spring-boot-starter-data-jdbc~
Spring Data R2DBC | maven:org.springframework.boot:spring-boot-starter-data-r2dbc~
Spring Security | package:org.springframework.security maven:org.springframework.boot:spring-boot-starter-security~
    maven:org.springframework.security:*
    maven:org.springframework.boot:spring-boot-starter-oauth2-*~
Spring Boot Actuator | maven:org.springframework.boot:spring-boot-starter-actuator
Spring Batch | maven:org.springframework.boot:spring-boot-starter-batch
Spring Cache | maven:org.springframework.boot:spring-boot-starter-cache
Spring Data REST | maven:org.springframework.boot:spring-boot-starter-data-rest
Hibernate | maven:org.springframework.boot:spring-boot-starter-data-jpa~ maven:io.quarkus:quarkus-hibernate-orm*~
    package:org.hibernate maven:org.hibernate:hibernate-core maven:org.hibernate.orm:*
    maven:org.hibernate:hibernate-entitymanager
MyBatis | package:org.apache.ibatis maven:org.mybatis:mybatis maven:org.mybatis.spring.boot:mybatis-spring-boot-starter~
jOOQ | maven:org.jooq:jooq maven:org.springframework.boot:spring-boot-starter-jooq~
Exposed | maven:org.jetbrains.exposed:*
Flyway | maven:org.flywaydb:* maven:plugin:org.flywaydb.flyway
    maven:org.springframework.boot:spring-boot-starter-flyway~
Liquibase | maven:org.liquibase:* maven:org.springframework.boot:spring-boot-starter-liquibase~
HikariCP | maven:com.zaxxer:hikaricp
Ehcache | maven:org.ehcache:ehcache
Caffeine | maven:com.github.ben-manes.caffeine:*
Hazelcast | maven:com.hazelcast:* docker:hazelcast/hazelcast
Lombok | maven:org.projectlombok:lombok package:lombok maven:plugin:io.freefair.lombok~
MapStruct | maven:org.mapstruct:*
Jackson | maven:com.fasterxml.jackson.core:* maven:com.fasterxml.jackson.*~ package:com.fasterxml.jackson
    package:tools.jackson
Gson | maven:com.google.code.gson:gson
Guava | maven:com.google.guava:guava
OkHttp | maven:com.squareup.okhttp3:okhttp
Retrofit | maven:com.squareup.retrofit2:retrofit
Room | maven:androidx.room:*
Netty | maven:io.netty:netty-all
Jetty | maven:org.eclipse.jetty:*
Undertow | maven:org.springframework.boot:spring-boot-starter-undertow~ maven:io.undertow:*
Logback | maven:ch.qos.logback:logback-classic
Log4j | maven:org.apache.logging.log4j:*
springdoc-openapi | maven:org.springdoc:*
Swagger | maven:io.springfox:* maven:io.swagger:* maven:io.swagger.core.v3:* maven:com.github.xiaoymin:*~
    package:io.swagger npm:swagger-jsdoc~ npm:@nestjs/swagger~ gem:rswag~ php:darkaonline/l5-swagger~
    go:github.com/swaggo/http-swagger~ go:github.com/swaggo/gin-swagger~ pypi:drf-yasg~
Apache Camel | maven:org.apache.camel:* maven:org.apache.camel.springboot:*
Entity Framework Core | nuget:microsoft.entityframeworkcore nuget:microsoft.entityframeworkcore.*
    nuget:*.entityframeworkcore*~
Dapper | nuget:dapper
ASP.NET Core Identity | nuget:microsoft.aspnetcore.identity* nuget:microsoft.extensions.identity.*
IdentityServer | nuget:identityserver4* nuget:duende.identityserver*
SignalR | nuget:microsoft.aspnetcore.signalr* npm:@microsoft/signalr
Active Record | gem:activerecord~ ending:app/models/rb
Eloquent | package:illuminate.database.eloquent php:illuminate/database
Serilog | nuget:serilog nuget:serilog.aspnetcore~
NLog | nuget:nlog nuget:nlog.web.aspnetcore~
Polly | nuget:polly nuget:polly.core
Swashbuckle | nuget:swashbuckle.aspnetcore*
Json.NET | nuget:newtonsoft.json
FastEndpoints | nuget:fastendpoints
SkiaSharp | nuget:skiasharp
ImageSharp | nuget:sixlabors.imagesharp
GORM | go:gorm.io/gorm
sqlx | go:github.com/jmoiron/sqlx crate:sqlx
sqlc | root:sqlc.yaml root:sqlc.yml
ent | go:entgo.io/ent
Bun ORM | go:github.com/uptrace/bun
golang-migrate | go:github.com/golang-migrate/migrate
goose | go:github.com/pressly/goose
Zap | go:go.uber.org/zap
Logrus | go:github.com/sirupsen/logrus
zerolog | go:github.com/rs/zerolog
Fx | go:go.uber.org/fx
Wire | go:github.com/google/wire
Gorilla WebSocket | go:github.com/gorilla/websocket
fasthttp | go:github.com/valyala/fasthttp
gqlgen | go:github.com/99designs/gqlgen
Temporal | go:go.temporal.io/sdk npm:@temporalio/client pypi:temporalio
goldmark | go:github.com/yuin/goldmark
Diesel | crate:diesel
SeaORM | crate:sea-orm
Hyper | crate:hyper
Reqwest | crate:reqwest
Tower | crate:tower crate:tower-http
tracing | crate:tracing crate:tracing-subscriber~
async-graphql | crate:async-graphql
Juniper | crate:juniper
Lettre | crate:lettre
rustls | crate:rustls
Nginx | docker:nginx docker:nginxinc/nginx-unprivileged docker:jwilder/nginx-proxy file:nginx.conf
Caddy | docker:caddy file:caddyfile
Traefik | docker:traefik
HAProxy | docker:haproxy
MailHog | docker:mailhog/mailhog
Mailpit | docker:axllent/mailpit
LocalStack | docker:localstack/localstack
"""
