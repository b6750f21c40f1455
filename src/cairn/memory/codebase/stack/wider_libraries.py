"""Libraries of a backend that one ecosystem has."""

from __future__ import annotations

BACKEND = """
AccessControl | npm:accesscontrol
Action Cable | gem:actioncable
Action Mailbox | gem:actionmailbox
Active Storage | gem:activestorage
ActiveMerchant | gem:activemerchant
acts_as_tenant | gem:acts_as_tenant
aiosmtplib | pypi:aiosmtplib
Alba | nuget:alba
Albumentations | pypi:albumentations
Amazon Bedrock | npm:@aws-sdk/client-bedrock-runtime npm:@ai-sdk/amazon-bedrock
Amplitude | npm:amplitude-js
AnyCable | gem:anycable-rails gem:anycable
Apache Lucene | maven:org.apache.lucene:*
Apache Thrift | maven:org.apache.thrift:*
Apache ZooKeeper | pypi:kazoo
Apartment | gem:apartment gem:ros-apartment
ASP.NET API Versioning | nuget:microsoft.aspnetcore.mvc.versioning*
Auth.js | npm:@auth/express npm:@auth/sveltekit npm:@auth/prisma-adapter~
Awilix | npm:awilix
AWS Amplify | npm:aws-amplify npm:@aws-amplify/ui-react root:amplify.yml
AWS Secrets Manager | npm:@aws-sdk/client-secrets-manager
Bean Validation | maven:jakarta.validation:*
Beanie | pypi:beanie
bitsandbytes | pypi:bitsandbytes
Bouncy Castle | nuget:portable.bouncycastle
Browser Use | pypi:browser-use
Bullseye | nuget:bullseye
Bun | root:bun.lock
Busboy | npm:busboy
Cap'n Proto | ending:capnp
CASL | npm:@casl/ability
caxlsx | gem:caxlsx gem:axlsx
Cerberus | pypi:cerberus
class-transformer | npm:class-transformer
Coil | maven:io.coil-kt.coil3:*
Consola | npm:consola
Convex | npm:convex
CuPy | pypi:cupy
db-migrate | npm:db-migrate
db-scheduler | maven:com.github.kagkarlsson:db-scheduler*
DeepSpeed | pypi:deepspeed
Dependency Injector | pypi:dependency-injector
Descope | npm:@descope/react-sdk
django-jazzmin | pypi:django-jazzmin
django-modeltranslation | pypi:django-modeltranslation
Docling | pypi:docling
Drools | maven:org.kie:*
Dropwizard Metrics | maven:io.dropwizard.metrics:*
Dubbo | go:dubbo.apache.org/dubbo-go
EclipseLink | maven:org.eclipse.persistence:*
einops | pypi:einops
Elastic APM | maven:co.elastic.apm:*
express-validator | npm:express-validator
FAISS | npm:faiss-node
fastapi-cache | pypi:fastapi-cache2
Fastjson | maven:com.alibaba.fastjson2:*
fern | path:fern/fern.config.json
FOSUserBundle | php:friendsofsymfony/user-bundle
FrankenPHP | php:runtime/frankenphp-symfony
FullStory | npm:@fullstory/browser
GDAL | pypi:gdal
Globalize | gem:globalize
Google Analytics | npm:react-ga4 npm:react-ga npm:vue-gtag npm:@next/third-parties npm:nuxt-gtag
gormigrate | go:github.com/go-gormigrate/gormigrate
Graphile Worker | npm:graphile-worker
GraphQL Mesh | npm:@graphql-mesh/cli
GrowthBook | npm:@growthbook/growthbook npm:@growthbook/growthbook-react
Gymnasium | pypi:gymnasium pypi:gym
h5py | pypi:h5py
Haystack | pypi:haystack-ai pypi:farm-haystack
Helm SDK | go:helm.sh/helm/v3
Hey API | npm:@hey-api/openapi-ts
Hibernate Validator | maven:org.hibernate:hibernate-validator
Hilt | maven:com.google.dagger:hilt* maven:plugin:com.google.dagger.hilt.android
    maven:plugin:dagger.hilt.android.plugin
Hotjar | npm:@hotjar/browser
http.rb | gem:http
HybridCache | nuget:microsoft.extensions.caching.hybrid
Hyper | crate:hyper-util
i18n-tasks | gem:i18n-tasks
ImageKit | npm:imagekit npm:imagekitio-react
JCache | maven:javax.cache:cache-api maven:org.hibernate.orm:hibernate-jcache~ maven:org.hibernate:hibernate-jcache~
Jet | go:github.com/go-jet/jet
joblib | pypi:joblib
Kafka Streams | maven:org.apache.kafka:kafka-streams
Kotlin Coroutines | maven:org.jetbrains.kotlinx:kotlinx-coroutines-*
kotlinx.serialization | maven:org.jetbrains.kotlinx:kotlinx-serialization-*
Kubb | npm:@kubb/core npm:@kubb/cli
libp2p | npm:libp2p
LiipImagineBundle | php:liip/imagine-bundle
Logfire | pypi:logfire
loglevel | npm:loglevel
LogRocket | npm:logrocket
Lucia | npm:lucia-auth
Mapster | nuget:mapster*
Melody | go:github.com/olahol/melody
Mem0 | pypi:mem0ai
Microsoft Graph | pypi:msgraph-sdk
Mobility | gem:mobility
Modin | pypi:modin
MongoEngine | pypi:mongoengine
Mongoose | npm:mongoose
Mux | npm:@mux/mux-node npm:@mux/mux-player-react
Nacos | maven:com.alibaba.nacos:*
NelmioApiDocBundle | php:nelmio/api-doc-bundle
NelmioCorsBundle | php:nelmio/cors-bundle
Neon | npm:@neondatabase/serverless
NextAuth.js | npm:@next-auth/prisma-adapter~ npm:@auth/prisma-adapter~ npm:@auth/drizzle-adapter~
Nodemailer | npm:@nestjs-modules/mailer~
Nomad | ending:nomad
nosurf | go:github.com/justinas/nosurf
Novu | npm:@novu/node npm:@novu/api npm:@novu/react
oapi-codegen | go:github.com/deepmap/oapi-codegen
Omnipay | php:omnipay/common
openapi-typescript | npm:openapi-typescript
OpenRouter | npm:@openrouter/ai-sdk-provider
Ormar | pypi:ormar
oRPC | npm:@orpc/server
Orval | npm:orval
PaperTrail | npm:paper-trail
PgTyped | npm:@pgtyped/cli npm:@pgtyped/runtime
Piccolo | pypi:piccolo
Piscina | npm:piscina
PowerShell SDK | nuget:microsoft.powershell.sdk
Premailer | pypi:premailer
Project Reactor | maven:io.projectreactor:*
Prophet | pypi:prophet
Proto.Actor | nuget:proto.actor
Pusher | nuget:pusherserver
PyMC | pypi:pymc
Ragas | pypi:ragas
Rapier | npm:@dimforge/rapier3d-compat
rasterio | pypi:rasterio
Redisson | maven:org.redisson:*
Remeda | npm:remeda
RevenueCat | npm:react-native-purchases
RoadRunner | php:spiral/roadrunner-http
Roo | gem:roo
Sanity | npm:next-sanity~
Seata | maven:org.apache.seata:*
SecureHeaders | gem:secure_headers
SemanticLogger | gem:semantic_logger gem:rails_semantic_logger
SentencePiece | pypi:sentencepiece
SHAP | pypi:shap
SonataMedia | php:sonata-project/media-bundle
Spring Boot Admin | maven:de.codecentric:spring-boot-admin-*
Spring Cloud AWS | maven:io.awspring.cloud:*
Spring Cloud Config | maven:org.springframework.cloud:spring-cloud-config-*~
    maven:org.springframework.cloud:spring-cloud-starter-config~
Spring Cloud Stream | maven:org.springframework.cloud:spring-cloud-stream*~
    maven:org.springframework.cloud:spring-cloud-starter-stream-*~
Spring Integration | maven:org.springframework.boot:spring-boot-starter-integration~
Spring LDAP | maven:org.springframework.boot:spring-boot-starter-data-ldap~
Spring Web Services | maven:org.springframework.boot:spring-boot-starter-web-services~
SQLBoiler | go:github.com/aarondl/sqlboiler
Stable-Baselines3 | pypi:stable-baselines3
Statsig | npm:statsig-js npm:@statsig/react-bindings npm:statsig-node
Stytch | npm:stytch npm:@stytch/react
Supervisor | pypi:supervisor
Swoole | php:openswoole/core
TensorRT | pypi:tensorrt
tern | go:github.com/jackc/tern
tiktoken | npm:tiktoken npm:js-tiktoken
timm | pypi:timm
Trigger.dev | npm:@trigger.dev/sdk
ts-rest | npm:@ts-rest/core
tslog | npm:tslog
tsyringe | npm:tsyringe
TypeDI | npm:typedi
Typegoose | npm:@typegoose/typegoose
Unstructured | pypi:unstructured
UploadThing | npm:uploadthing
Upstash | npm:@upstash/ratelimit npm:@upstash/qstash
Vaex | pypi:vaex
Vercel Analytics | npm:@vercel/analytics
Vercel Blob | npm:@vercel/blob
Vercel KV | npm:@vercel/kv
Wasmtime | pypi:wasmtime
Waterline | npm:sails-hook-orm
WebAuthn | npm:@simplewebauthn/browser npm:fido2-lib
Whisper | pypi:openai-whisper pypi:faster-whisper
Wretch | npm:wretch
xarray | pypi:xarray
XXL-JOB | maven:com.xuxueli:xxl-job-core
yoyo | pypi:yoyo-migrations
ZenStack | npm:zenstack npm:@zenstackhq/runtime
Zipkin | npm:zipkin
Zodios | npm:@zodios/core
"""
