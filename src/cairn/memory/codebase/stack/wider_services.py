"""Services and what stands for them in more than one ecosystem: clouds, queues, mail, payments, sign-in, monitoring."""

from __future__ import annotations

BACKEND = """
Adyen | npm:@adyen/adyen-web npm:@adyen/api-library php:adyen/php-api-library maven:com.adyen:adyen-java-api-library
Airbrake | gem:airbrake npm:@airbrake/browser
Amazon Cognito | npm:amazon-cognito-identity-js npm:@aws-sdk/client-cognito-identity-provider
    nuget:awssdk.cognitoidentityprovider
Amazon S3 | npm:@aws-sdk/client-s3~ npm:@aws-sdk/s3-request-presigner~ npm:multer-s3 gem:aws-sdk-s3~
    php:league/flysystem-aws-s3-v3~ go:github.com/aws/aws-sdk-go-v2/service/s3 crate:aws-sdk-s3~ crate:rust-s3
    crate:object_store~ nuget:awssdk.s3~ maven:software.amazon.awssdk:s3~ maven:com.amazonaws:aws-java-sdk-s3~
    pypi:s3fs pypi:aiobotocore~ nuget:aws.extensions.s3
Amazon SES | npm:@aws-sdk/client-ses npm:@aws-sdk/client-sesv2 gem:aws-sdk-ses gem:aws-sdk-rails
    nuget:awssdk.simpleemail pypi:django-ses
Amazon SNS | npm:@aws-sdk/client-sns gem:aws-sdk-sns nuget:awssdk.simplenotificationservice
    go:github.com/aws/aws-sdk-go-v2/service/sns
Amazon SQS | npm:@aws-sdk/client-sqs gem:aws-sdk-sqs gem:shoryuken go:github.com/aws/aws-sdk-go-v2/service/sqs
    nuget:awssdk.sqs crate:aws-sdk-sqs npm:sqs-consumer docker:softwaremill/elasticmq-native
    docker:softwaremill/elasticmq
Anthropic | go:github.com/anthropics/anthropic-sdk-go npm:@ai-sdk/anthropic gem:anthropic maven:com.anthropic:*
    nuget:anthropic.sdk npm:@anthropic-ai/claude-agent-sdk npm:@anthropic-ai/bedrock-sdk
Apache APISIX | docker:apache/apisix
Apache Arrow | maven:org.apache.arrow:* go:github.com/apache/arrow-go
Apache Avro | maven:org.apache.avro:* crate:apache-avro nuget:apache.avro go:github.com/hamba/avro ending:avsc
Apache HTTP Server | docker:bitnami/apache
Apache Ignite | docker:apacheignite/ignite
Apache Pulsar | npm:pulsar-client go:github.com/apache/pulsar-client-go crate:pulsar nuget:dotpulsar
Appwrite | npm:appwrite npm:node-appwrite docker:appwrite/appwrite
Auth0 | npm:@auth0/auth0-angular npm:@auth0/auth0-vue npm:@auth0/auth0-spa-js npm:express-oauth2-jwt-bearer
    gem:omniauth-auth0 php:auth0/login pypi:auth0-python npm:react-native-auth0
Authelia | docker:authelia/authelia
AWS Lambda | npm:@types/aws-lambda go:github.com/aws/aws-lambda-go crate:lambda_runtime nuget:amazon.lambda.core
    pypi:aws-lambda-powertools maven:com.amazonaws:aws-lambda-java-core npm:@aws-lambda-powertools/logger pypi:mangum
    npm:serverless-http npm:@vendia/serverless-express file:samconfig.toml npm:@codegenie/serverless-express
AWS SDK | npm:@aws-sdk/client-dynamodb~ npm:@aws-sdk/client-sqs~ npm:@aws-sdk/client-lambda~
    npm:@aws-sdk/client-secrets-manager~ npm:@aws-sdk/client-sts~ npm:@aws-sdk/lib-storage~ npm:@aws-sdk/client-ses~
    npm:@aws-sdk/client-sns~ npm:@aws-sdk/client-cloudfront~ gem:aws-sdk gem:aws-sdk-core
    go:github.com/aws/aws-sdk-go-v2/config go:github.com/aws/aws-sdk-go-v2/service/s3
Azure Blob Storage | gem:azure-storage-blob go:github.com/azure/azure-sdk-for-go/sdk/storage/azblob
    crate:azure_storage_blobs
Azure Functions | npm:@azure/functions pypi:azure-functions
Azure SDK | npm:@azure/identity pypi:azure-identity go:github.com/azure/azure-sdk-for-go/sdk/azidentity
    maven:com.azure:azure-identity
Azure Service Bus | nuget:masstransit.azure.servicebus.core maven:com.azure:azure-messaging-servicebus
Backblaze B2 | npm:backblaze-b2 pypi:b2sdk
Brevo | npm:@getbrevo/brevo npm:sib-api-v3-sdk pypi:sib-api-v3-sdk
Bugsnag | npm:@bugsnag/react-native pypi:bugsnag
Caddy | docker:lucaslorentz/caddy-docker-proxy file:caddyfile.prod
cAdvisor | docker:cadvisor/cadvisor docker:google/cadvisor
Camunda | docker:camunda/camunda-bpm-platform npm:camunda-external-task-client-js maven:io.camunda:* npm:zeebe-node
    npm:@camunda8/sdk docker:camunda/zeebe
Casbin | npm:casbin pypi:casbin crate:casbin nuget:casbin.net maven:org.casbin:jcasbin php:casbin/casbin
Centrifugo | docker:centrifugo/centrifugo go:github.com/centrifugal/centrifuge
Chromium | system:chromium
Clerk | npm:@clerk/backend npm:@clerk/express npm:@clerk/clerk-expo npm:@clerk/astro npm:@clerk/nuxt
    go:github.com/clerk/clerk-sdk-go
Cloudflare Turnstile | npm:@marsidev/react-turnstile gem:rails_cloudflare_turnstile
Cloudinary | npm:next-cloudinary php:cloudinary-labs/cloudinary-laravel pypi:django-cloudinary-storage
    nuget:cloudinarydotnet
Consul | pypi:python-consul npm:consul maven:org.springframework.cloud:spring-cloud-starter-consul-*~
coturn | docker:instrumentisto/coturn
Datadog | pypi:datadog npm:@datadog/browser-rum npm:@datadog/browser-logs go:gopkg.in/datadog/dd-trace-go.v1
    go:github.com/datadog/datadog-go docker:datadog/agent docker:gcr.io/datadoghq/agent nuget:datadog.trace
    npm:datadog-metrics maven:com.datadoghq:*
dbmate | go:github.com/amacneil/dbmate docker:amacneil/dbmate
Debezium | maven:io.debezium:* docker:debezium/connect
Deepgram | npm:@deepgram/sdk pypi:deepgram-sdk
Dex | docker:dexidp/dex
Discord API | gem:discordrb maven:net.dv8tion:jda
Docker SDK | crate:bollard maven:com.github.docker-java:*
E2B | npm:@e2b/code-interpreter pypi:e2b pypi:e2b-code-interpreter
Ehcache | maven:net.sf.ehcache:* file:ehcache.xml maven:org.hibernate:hibernate-ehcache~
ElevenLabs | npm:elevenlabs pypi:elevenlabs npm:@elevenlabs/elevenlabs-js
EMQX | docker:emqx/emqx docker:emqx
Envoy | file:envoy.yaml
Firecrawl | npm:@mendable/firecrawl-js pypi:firecrawl-py
Flagsmith | npm:flagsmith pypi:flagsmith docker:flagsmith/flagsmith
FlatBuffers | ending:fbs maven:com.google.flatbuffers:* go:github.com/google/flatbuffers
Fluent Bit | docker:fluent/fluent-bit
Fluentd | docker:fluent/fluentd docker:fluentd
Flyway | docker:flyway/flyway docker:redgate/flyway file:flyway.conf file:flyway.toml path:*db/migration/v1__*.sql
    maven:io.quarkus:quarkus-flyway~ maven:io.micronaut.flyway:*~
Fody | file:fodyweavers.xml
golang-migrate | docker:migrate/migrate
Google APIs | gem:google-apis-core php:google/apiclient go:google.golang.org/api nuget:google.apis*
Google Cloud | npm:@google-cloud/storage~ npm:@google-cloud/logging~ pypi:google-cloud-storage~
    pypi:google-cloud-logging~ pypi:google-api-python-client~ go:cloud.google.com/go go:cloud.google.com/go/storage~
    npm:googleapis~ maven:com.google.cloud:* nuget:google.cloud.*
Google Cloud Storage | php:google/cloud-storage pypi:gcsfs php:league/flysystem-google-cloud-storage
Google Gemini | npm:@ai-sdk/google go:google.golang.org/genai go:github.com/google/generative-ai-go gem:gemini-ai
Google Maps | npm:@googlemaps/js-api-loader npm:@react-google-maps/api npm:@vis.gl/react-google-maps
    npm:@angular/google-maps pypi:googlemaps npm:@googlemaps/google-maps-services-js
Gotenberg | docker:thecodingmachine/gotenberg
Grafana | docker:grafana/grafana-oss docker:grafana/grafana-enterprise path:*grafana/dashboards/*.json
    docker:grafana/otel-lgtm
Grafana Alloy | docker:grafana/alloy
HashiCorp Vault | pypi:hvac npm:node-vault maven:org.springframework.cloud:spring-cloud-starter-vault-config~
    maven:org.springframework.vault:* nuget:vaultsharp
Honeybadger | npm:@honeybadger-io/js pypi:honeybadger
ImageMagick | npm:gm pypi:wand
imgix | gem:imgix-rails npm:react-imgix
Inbucket | docker:inbucket/inbucket
Inngest | npm:inngest pypi:inngest
Jaeger | docker:jaegertracing/opentelemetry-all-in-one npm:jaeger-client pypi:jaeger-client
    go:github.com/uber/jaeger-client-go maven:io.jaegertracing:* crate:opentelemetry-jaeger~
    nuget:opentelemetry.exporter.jaeger~ npm:@opentelemetry/exporter-jaeger~
Kafka | docker:provectuslabs/kafka-ui~ docker:confluentinc/cp-kafka-connect~ npm:@confluentinc/kafka-javascript
    npm:node-rdkafka go:github.com/confluentinc/confluent-kafka-go go:github.com/twmb/franz-go
    go:github.com/shopify/sarama nuget:masstransit.kafka~ maven:io.quarkus:quarkus-kafka-client~
    maven:io.smallrye.reactive:smallrye-reactive-messaging-kafka
    maven:org.springframework.cloud:spring-cloud-stream-binder-kafka*~
    maven:org.springframework.boot:spring-boot-starter-kafka~ pypi:faust-streaming pypi:faststream~ gem:rdkafka
    gem:waterdrop crate:kafka php:ext-rdkafka
Kafka Connect | docker:confluentinc/cp-kafka-connect
Kafka UI | docker:provectuslabs/kafka-ui docker:obsidiandynamics/kafdrop
Keycloak | docker:jboss/keycloak docker:bitnami/keycloak npm:keycloak-angular npm:@keycloak/keycloak-admin-client
    npm:@react-keycloak/web npm:nest-keycloak-connect pypi:python-keycloak go:github.com/nerzal/gocloak
    nuget:keycloak.authservices.*
KrakenD | docker:devopsfaith/krakend
LangChain | go:github.com/tmc/langchaingo gem:langchainrb crate:langchain-rust
LaunchDarkly | npm:launchdarkly-react-client-sdk pypi:launchdarkly-server-sdk gem:launchdarkly-server-sdk
    go:github.com/launchdarkly/go-server-sdk
LDAP | php:directorytree/ldaprecord maven:org.springframework.security:spring-security-ldap~
    maven:com.unboundid:unboundid-ldapsdk npm:passport-ldapauth
Lemon Squeezy | npm:@lemonsqueezy/lemonsqueezy.js php:lemonsqueezy/laravel
LibreOffice | system:libreoffice
libvips | php:jcupitt/vips go:github.com/h2non/bimg go:github.com/davidbyttow/govips nuget:netvips
Liquibase | docker:liquibase/liquibase file:liquibase.properties path:*db/changelog/*.xml path:*db/changelog/*.yaml
    maven:plugin:org.liquibase.gradle~ maven:io.quarkus:quarkus-liquibase~ maven:io.micronaut.liquibase:*~
    file:db.changelog-master.xml file:db.changelog-master.yaml
LiteLLM | docker:berriai/litellm
Logto | npm:@logto/next npm:@logto/react docker:svhd/logto docker:logto-io/logto
Loki | file:loki-config.yaml file:loki-config.yml npm:winston-loki~ nuget:serilog.sinks.grafana.loki~
Lombok | file:lombok.config
MailCatcher | docker:dockage/mailcatcher gem:mailcatcher
Mailgun | npm:mailgun-js php:mailgun/mailgun-php go:github.com/mailgun/mailgun-go
Mailjet | npm:node-mailjet gem:mailjet php:mailjet/mailjet-apiv3-php pypi:mailjet-rest
Mailpit | docker:mailpit/mailpit
Mercure | php:symfony/mercure-bundle docker:dunglas/mercure
MessageBird | npm:messagebird php:messagebird/php-rest-api
MessagePack | gem:msgpack go:github.com/vmihailenco/msgpack php:rybakit/msgpack maven:org.msgpack:*
Microsoft Entra ID | npm:@azure/msal-angular maven:com.azure.spring:spring-cloud-azure-starter-active-directory~
Mixpanel | gem:mixpanel-ruby pypi:mixpanel
Model Context Protocol | nuget:modelcontextprotocol* maven:io.modelcontextprotocol.sdk:*
Mollie | npm:@mollie/api-client php:mollie/mollie-api-php php:mollie/laravel-mollie pypi:mollie-api-python
    nuget:mollie.api
Mongo Express | docker:mongo-express
MQTT | crate:paho-mqtt maven:com.hivemq:hivemq-mqtt-client pypi:asyncio-mqtt pypi:aiomqtt npm:aedes docker:emqx/emqx
    docker:hivemq/hivemq4
n8n | docker:n8nio/n8n npm:n8n-workflow
NATS | gem:nats-pure go:github.com/nats-io/nats-server nuget:nats.client nuget:nats.net maven:io.nats:jnats
    docker:bitnami/nats
New Relic | go:github.com/newrelic/go-agent nuget:newrelic.agent.api maven:com.newrelic.agent.java:newrelic-api
Nginx | docker:bitnami/nginx docker:nginxproxy/nginx-proxy docker:nginx/nginx docker:openresty/openresty~ system:nginx
    docker:linuxserver/swag~ path:*nginx/conf.d/* file:nginx.conf.template file:nginx.conf.erb
    docker:nginx-unprivileged
Node Exporter | docker:prom/node-exporter
OData | nuget:microsoft.aspnetcore.odata maven:org.apache.olingo:*
Okta | maven:com.okta.spring:okta-spring-boot-starter nuget:okta.aspnetcore npm:@okta/okta-angular
Ollama | go:github.com/ollama/ollama npm:ollama-ai-provider
OneSignal | npm:react-onesignal npm:@onesignal/node-onesignal gem:onesignal php:ladumor/one-signal
OpenAI | npm:@ai-sdk/openai~ php:openai-php/client php:openai-php/laravel npm:@azure/openai~
    maven:com.theokanning.openai-gpt3-java:* gem:openai nuget:betalgo.openai
OpenAPI | npm:openapi-typescript~ npm:openapi-fetch~ npm:@apidevtools/swagger-parser~
    nuget:microsoft.openapi* pypi:drf-spectacular~ pypi:apispec~ pypi:connexion~ go:github.com/getkin/kin-openapi~
    go:github.com/oapi-codegen/oapi-codegen~ go:github.com/deepmap/oapi-codegen~ crate:utoipa~
    php:zircote/swagger-php~ php:nelmio/api-doc-bundle~ maven:org.springdoc:*~ file:openapi.yaml file:openapi.yml
    gem:rswag-api~ npm:express-openapi-validator~ maven:org.eclipse.microprofile.openapi:*~
    maven:io.quarkus:quarkus-smallrye-openapi~
OpenFeature | npm:@openfeature/server-sdk go:github.com/open-feature/go-sdk pypi:openfeature-sdk
OpenFGA | npm:@openfga/sdk go:github.com/openfga/go-sdk docker:openfga/openfga
OpenResty | docker:openresty/openresty
OpenTelemetry | npm:@vercel/otel~ php:open-telemetry/sdk php:open-telemetry/api crate:opentelemetry_sdk
    maven:io.opentelemetry.instrumentation:* maven:io.quarkus:quarkus-opentelemetry~
Ory Hydra | docker:oryd/hydra
Ory Keto | docker:oryd/keto
Paddle | npm:@paddle/paddle-js npm:@paddle/paddle-node-sdk php:laravel/cashier-paddle
Pandoc | pypi:pypandoc system:pandoc gem:pandoc-ruby
PayPal | npm:@paypal/paypal-js npm:@paypal/paypal-server-sdk php:paypal/rest-api-sdk-php php:srmklive/paypal
    php:paypal/paypal-checkout-sdk
pgAdmin | docker:pgadmin4
PgBouncer | docker:pgbouncer/pgbouncer
phpMyAdmin | docker:bitnami/phpmyadmin
Plausible | npm:plausible-tracker npm:next-plausible docker:plausible/analytics
Poppler | system:poppler-utils pypi:pdf2image
Portainer | docker:portainer/portainer-ce
PostHog | gem:posthog-ruby docker:posthog/posthog
Postmark | gem:postmark pypi:postmarker nuget:postmark
Prisma | npm:nestjs-prisma~ pypi:prisma go:github.com/steebchen/prisma-client-go crate:prisma-client-rust
    path:prisma/schema.prisma npm:prisma-client-lib npm:@prisma/adapter-pg~
Prometheus | pypi:starlette-exporter~ pypi:prometheus-fastapi-instrumentator~ pypi:django-prometheus~
    npm:express-prom-bundle~ npm:@willsoto/nestjs-prometheus~ gem:yabeda-prometheus~
    crate:metrics-exporter-prometheus~ php:promphp/prometheus_client_php
    nuget:opentelemetry.exporter.prometheus.aspnetcore~ file:prometheus.yml file:prometheus.yaml
    docker:bitnami/prometheus go:github.com/zsais/go-gin-prometheus~
    maven:io.quarkus:quarkus-micrometer-registry-prometheus~
Promtail | docker:grafana/promtail
Pyroscope | docker:grafana/pyroscope pypi:pyroscope-io go:github.com/grafana/pyroscope-go
RabbitMQ | maven:org.springframework.amqp:* maven:org.springframework.cloud:spring-cloud-starter-stream-rabbit~
    npm:amqp-connection-manager npm:rascal nuget:masstransit.rabbitmq php:enqueue/amqp-ext
    php:vladimir-yuldashev/laravel-queue-rabbitmq php:symfony/amqp-messenger php:ext-amqp gem:sneakers
    docker:bitnami/rabbitmq docker:rabbitmq-management nuget:easynetq nuget:rebus.rabbitmq
Raygun | nuget:mindscape.raygun4net.aspnetcore npm:raygun4js
Razorpay | npm:razorpay pypi:razorpay php:razorpay/razorpay gem:razorpay
reCAPTCHA | npm:vue-recaptcha pypi:django-recaptcha php:google/recaptcha npm:react-google-recaptcha-v3
Redis Commander | docker:rediscommander/redis-commander
RedisInsight | docker:redis/redisinsight docker:redislabs/redisinsight
Redpanda | docker:redpanda
Replicate | npm:replicate pypi:replicate
Resend | gem:resend go:github.com/resend/resend-go
SAML | npm:@node-saml/passport-saml npm:samlify go:github.com/russellhaering/gosaml2
    maven:org.springframework.security:spring-security-saml2-service-provider~
Scalar | npm:@scalar/api-reference npm:@scalar/express-api-reference npm:@scalar/hono-api-reference php:scalar/laravel
Schema Registry | docker:confluentinc/cp-schema-registry
Segment | npm:analytics-node pypi:analytics-python pypi:segment-analytics-python
Selenium Grid | docker:selenium/node-chrome
SendGrid | php:sendgrid/sendgrid go:github.com/sendgrid/sendgrid-go maven:com.sendgrid:sendgrid-java
Sentry | npm:@sentry/electron npm:@sentry/react-native npm:@sentry/svelte npm:@sentry/sveltekit npm:@sentry/nuxt
    npm:@sentry/remix npm:@sentry/astro npm:@sentry/cli~ npm:@sentry/profiling-node~ npm:@sentry/bun
    npm:@sentry/cloudflare npm:@sentry/nestjs pypi:raven gem:sentry-raven gem:sentry-sidekiq php:sentry/sentry
    php:sentry/sentry-symfony nuget:sentry nuget:sentry.serilog maven:plugin:io.sentry.android.gradle~
    maven:plugin:io.sentry.jvm.gradle~
Shopify API | npm:@shopify/shopify-api gem:shopify_api pypi:shopifyapi gem:shopify_app
SigNoz | docker:signoz/signoz docker:signoz/query-service
SparkPost | npm:sparkpost php:sparkpost/sparkpost gem:sparkpost_rails
SpiceDB | docker:authzed/spicedb go:github.com/authzed/authzed-go
Sqitch | file:sqitch.plan file:sqitch.conf
Stripe | npm:@stripe/react-stripe-js gem:pay~ pypi:dj-stripe crate:async-stripe npm:@stripe/stripe-react-native
    php:laravel/cashier-stripe gem:stripe_event~
Superset | docker:apache/superset pypi:apache-superset
SuperTokens | npm:supertokens-node npm:supertokens-auth-react pypi:supertokens-python
Swagger | file:swagger.yaml file:swagger.yml go:github.com/swaggo/swag~ npm:swagger-ui-react~ pypi:flasgger~
    pypi:flask-swagger-ui~ gem:rswag-ui~ npm:@fastify/swagger~
Tavily | pypi:tavily-python npm:@tavily/core
Telegram Bot API | npm:node-telegram-bot-api pypi:telethon pypi:pyrogram pypi:pytelegrambotapi
    go:github.com/go-telegram-bot-api/telegram-bot-api php:irazasyed/telegram-bot-sdk
Temporal | npm:@temporalio/worker npm:@temporalio/workflow nuget:temporalio gem:temporalio php:temporal/sdk
    docker:temporalio/server docker:temporalio/ui~
Tesseract | gem:rtesseract nuget:tesseract maven:net.sourceforge.tess4j:tess4j php:thiagoalessio/tesseract_ocr
Traefik | file:traefik.yml file:traefik.yaml file:traefik.toml docker:library/traefik
tree-sitter | npm:web-tree-sitter go:github.com/smacker/go-tree-sitter
Tyk | docker:tykio/tyk-gateway
Umami | docker:umami-software/umami
Unleash | pypi:unleashclient gem:unleash go:github.com/unleash/unleash-client-go
Uptrace | docker:uptrace/uptrace
Vector | docker:timberio/vector
Vertex AI | pypi:google-cloud-aiplatform npm:@google-cloud/vertexai
VictoriaMetrics | docker:victoriametrics/vmagent docker:victoriametrics/vmsingle go:github.com/victoriametrics/metrics
Vonage | npm:@vonage/server-sdk pypi:vonage gem:vonage php:vonage/client
Watchtower | docker:containrrr/watchtower
Web Push | go:github.com/sherclockholmes/webpush-go crate:web-push
wkhtmltopdf | gem:wicked_pdf gem:pdfkit gem:wkhtmltopdf-binary pypi:pdfkit system:wkhtmltopdf nuget:dinktopdf
    nuget:rotativa.aspnetcore npm:wkhtmltopdf
WorkOS | npm:@workos-inc/node npm:@workos-inc/authkit-nextjs pypi:workos
Zitadel | docker:zitadel/zitadel go:github.com/zitadel/zitadel-go
"""
