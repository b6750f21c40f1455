"""Libraries of Go and Rust, and services that any language talks to."""

from __future__ import annotations

COMPILED = """
clap | crate:clap
gix | crate:gix
Serde | crate:serde
Tokio | crate:tokio
Rayon | crate:rayon
syntect | crate:syntect
anyhow | crate:anyhow
thiserror | crate:thiserror
eyre | crate:color-eyre crate:eyre
miette | crate:miette
env_logger | crate:env_logger
regex | crate:regex
chrono | crate:chrono
jiff | crate:jiff
crossbeam | crate:crossbeam crate:crossbeam-channel~
nom | crate:nom
logos | crate:logos
winnow | crate:winnow
tree-sitter | crate:tree-sitter npm:tree-sitter pypi:tree-sitter
crossterm | crate:crossterm
indicatif | crate:indicatif
dialoguer | crate:dialoguer
notify | crate:notify
ureq | crate:ureq
OpenDAL | crate:opendal
tokio-tungstenite | crate:tokio-tungstenite
utoipa | crate:utoipa
validator | crate:validator
moka | crate:moka
governor | crate:governor
r2d2 | crate:r2d2
deadpool | crate:deadpool crate:deadpool-postgres~
refinery | crate:refinery
heed | crate:heed
redb | crate:redb
pulldown-cmark | crate:pulldown-cmark
comrak | crate:comrak
candle | crate:candle-core
PyO3 | crate:pyo3
napi-rs | crate:napi npm:@napi-rs/cli
wasm-bindgen | crate:wasm-bindgen
winit | crate:winit
iced | crate:iced
Slint | crate:slint
nalgebra | crate:nalgebra
ndarray | crate:ndarray
Oniguruma | crate:onig
Gorilla Sessions | go:github.com/gorilla/sessions
Gorilla Handlers | go:github.com/gorilla/handlers
Iris | go:github.com/kataras/iris
Hertz | go:github.com/cloudwego/hertz
go-kit | go:github.com/go-kit/kit
go-zero | go:github.com/zeromicro/go-zero
Kratos | go:github.com/go-kratos/kratos
Huma | go:github.com/danielgtaylor/huma
koanf | go:github.com/knadh/koanf
envconfig | go:github.com/kelseyhightower/envconfig go:github.com/sethvargo/go-envconfig
validator | go:github.com/go-playground/validator
cron | go:github.com/robfig/cron
fsnotify | go:github.com/fsnotify/fsnotify
Squirrel | go:github.com/masterminds/squirrel
XORM | go:xorm.io/xorm
Bleve | go:github.com/blevesearch/bleve
Watermill | go:github.com/threedotslabs/watermill
Asynq | go:github.com/hibiken/asynq
River | go:github.com/riverqueue/river
Casbin | go:github.com/casbin/casbin
goquery | go:github.com/puerkitobio/goquery
bluemonday | go:github.com/microcosm-cc/bluemonday
Lip Gloss | go:github.com/charmbracelet/lipgloss
Glamour | go:github.com/charmbracelet/glamour
tview | go:github.com/rivo/tview
goja | go:github.com/dop251/goja
quic-go | go:github.com/quic-go/quic-go
CertMagic | go:github.com/caddyserver/certmagic
autocert | go:golang.org/x/crypto/acme/autocert
minify | go:github.com/tdewolff/minify
swaggo | go:github.com/swaggo/swag
oapi-codegen | go:github.com/oapi-codegen/oapi-codegen go:github.com/oapi-codegen/runtime~
client-go | go:k8s.io/client-go
controller-runtime | go:sigs.k8s.io/controller-runtime
Docker SDK | go:github.com/docker/docker pypi:docker npm:dockerode
HashiCorp Raft | go:github.com/hashicorp/raft
libp2p | go:github.com/libp2p/go-libp2p crate:libp2p
Ebitengine | go:github.com/hajimehoshi/ebiten
Fyne | go:fyne.io/fyne
"""

SERVICES = """
Elastic APM | gem:elastic-apm npm:elastic-apm-node pypi:elastic-apm
Datadog | gem:datadog gem:ddtrace npm:dd-trace pypi:ddtrace go:github.com/datadog/dd-trace-go
New Relic | gem:newrelic_rpm npm:newrelic pypi:newrelic
Honeybadger | gem:honeybadger
PostHog | npm:posthog-js npm:posthog-node pypi:posthog
Cloudinary | gem:cloudinary npm:cloudinary pypi:cloudinary
Twilio | gem:twilio-ruby npm:twilio pypi:twilio php:twilio/sdk maven:com.twilio.sdk:twilio
    go:github.com/twilio/twilio-go
SendGrid | npm:@sendgrid/mail pypi:sendgrid gem:sendgrid-ruby nuget:sendgrid
Resend | npm:resend pypi:resend php:resend/resend-laravel
Google Cloud Storage | gem:google-cloud-storage npm:@google-cloud/storage pypi:google-cloud-storage
    go:cloud.google.com/go/storage
Azure Blob Storage | nuget:azure.storage.blobs pypi:azure-storage-blob npm:@azure/storage-blob
Gotenberg | docker:gotenberg/gotenberg pypi:gotenberg-client~
Logstash | docker:logstash docker:logstash/logstash maven:net.logstash.logback:*~
Kibana | docker:kibana docker:kibana/kibana
Jaeger | docker:jaegertracing/all-in-one
Zipkin | docker:openzipkin/zipkin
ZooKeeper | docker:zookeeper docker:bitnami/zookeeper maven:org.apache.curator:*~
Consul | docker:hashicorp/consul docker:consul go:github.com/hashicorp/consul/api
Vault | docker:hashicorp/vault docker:vault gem:vault go:github.com/hashicorp/vault/api
Adminer | docker:adminer
pgAdmin | docker:dpage/pgadmin4
phpMyAdmin | docker:phpmyadmin docker:phpmyadmin/phpmyadmin
Selenium Grid | docker:selenium/standalone-chrome docker:selenium/hub
MailCatcher | docker:sj26/mailcatcher docker:schickling/mailcatcher
MailDev | docker:maildev/maildev docker:djfarrelly/maildev npm:maildev
smtp4dev | docker:rnwood/smtp4dev
Azurite | docker:azure-storage/azurite npm:azurite
Browserless | docker:browserless/chrome docker:browserless/chromium
OpenLDAP | docker:osixia/openldap docker:bitnami/openldap docker:cleanstart/openldap
Loki | docker:grafana/loki
Tempo | docker:grafana/tempo
Alertmanager | docker:prom/alertmanager
OpenTelemetry | docker:otel/opentelemetry-collector docker:otel/opentelemetry-collector-contrib gem:opentelemetry-*~
    pypi:opentelemetry-*~ npm:@opentelemetry/*~ crate:opentelemetry-*~ go:go.opentelemetry.io/*~
Jaeger | docker:jaegertracing/jaeger
VictoriaMetrics | docker:victoriametrics/victoria-metrics
Kafka | docker:bitnamilegacy/kafka docker:wurstmeister/kafka docker:confluentinc/cp-server
Redpanda | docker:redpandadata/redpanda docker:vectorized/redpanda
ZooKeeper | docker:confluentinc/cp-zookeeper
Temporal | docker:temporalio/auto-setup
PgBouncer | docker:edoburu/pgbouncer docker:bitnami/pgbouncer system:pgbouncer
Unleash | docker:unleashorg/unleash-server
Authentik | docker:goauthentik/server
Metabase | docker:metabase/metabase
coturn | docker:coturn/coturn
SeaweedFS | docker:chrislusf/seaweedfs
Envoy | docker:envoyproxy/envoy
Kong Gateway | docker:kong
imgproxy | docker:darthsim/imgproxy gem:imgproxy
Supervisor | system:supervisor file:supervisord.conf
Apache HTTP Server | docker:httpd image:php:*apache* system:apache2
"""
