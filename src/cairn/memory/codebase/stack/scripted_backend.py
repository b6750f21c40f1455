"""Libraries of Python, Ruby, PHP and JavaScript for servers and programs that are met less often."""

from __future__ import annotations

BACKEND = """
Bull | npm:bull
configurable-http-proxy | npm:configurable-http-proxy
PAM | pypi:pamela pypi:python-pam
django-tables2 | pypi:django-tables2
django-modelcluster | pypi:django-modelcluster
django-taggit | pypi:django-taggit
django-tasks | pypi:django-tasks
django-polymorphic | pypi:django-polymorphic
django-model-utils | pypi:django-model-utils
django-reversion | pypi:django-reversion
django-axes | pypi:django-axes
django-otp | pypi:django-otp
django-two-factor-auth | pypi:django-two-factor-auth
django-rules | pypi:rules
django-waffle | pypi:django-waffle
django-anymail | pypi:django-anymail
django-silk | pypi:django-silk
django-prometheus | pypi:django-prometheus
django-rq | pypi:django-rq
django-imagekit | pypi:django-imagekit
django-countries | pypi:django-countries
django-phonenumber-field | pypi:django-phonenumber-field
django-ratelimit | pypi:django-ratelimit
django-csp | pypi:django-csp
django-picklefield | pypi:django-picklefield
django-webpack-loader | pypi:django-webpack-loader
django-vite | pypi:django-vite
django-widget-tweaks | pypi:django-widget-tweaks
django-autocomplete-light | pypi:django-autocomplete-light
django-hijack | pypi:django-hijack
django-unfold | pypi:django-unfold
django-tenants | pypi:django-tenants pypi:django-tenant-schemas
dj-rest-auth | pypi:dj-rest-auth
Djoser | pypi:djoser
drf-nested-routers | pypi:drf-nested-routers
Willow | pypi:willow
netaddr | pypi:netaddr
sorl-thumbnail | pypi:sorl-thumbnail
easy-thumbnails | pypi:easy-thumbnails
flask-smorest | pypi:flask-smorest pypi:apispec~
Flask-Talisman | pypi:flask-talisman
Flask-HTTPAuth | pypi:flask-httpauth
Flask-Principal | pypi:flask-principal
Eve | pypi:eve
FastAPI Users | pypi:fastapi-users
SlowAPI | pypi:slowapi
SQLAdmin | pypi:sqladmin
Taskiq | pypi:taskiq
Procrastinate | pypi:procrastinate
Nameko | pypi:nameko
aiohttp-jinja2 | pypi:aiohttp-jinja2
aiocache | pypi:aiocache
aiofiles | pypi:aiofiles
cachetools | pypi:cachetools
diskcache | pypi:diskcache
dogpile.cache | pypi:dogpile-cache
tenacity | pypi:tenacity
ruamel.yaml | pypi:ruamel-yaml
lark | pypi:lark
PLY | pypi:ply
sqlparse | pypi:sqlparse
sqlglot | pypi:sqlglot
SQLAlchemy-Utils | pypi:sqlalchemy-utils
GeoAlchemy | pypi:geoalchemy2
GitPython | pypi:gitpython
PyGithub | pypi:pygithub
Dulwich | pypi:dulwich
Netmiko | pypi:netmiko
NAPALM | pypi:napalm
pysnmp | pypi:pysnmp
asyncssh | pypi:asyncssh
python-multipart | pypi:python-multipart
email-validator | pypi:email-validator
nh3 | pypi:nh3
bleach | pypi:bleach
markdown-it-py | pypi:markdown-it-py
docutils | pypi:docutils
phonenumbers | pypi:phonenumbers
PyOTP | pypi:pyotp
python-magic | pypi:python-magic
rapidfuzz | pypi:rapidfuzz
trafilatura | pypi:trafilatura
newspaper3k | pypi:newspaper3k
yt-dlp | pypi:yt-dlp pypi:youtube-dl
mutagen | pypi:mutagen
pydub | pypi:pydub
MoviePy | pypi:moviepy
python-pptx | pypi:python-pptx
PyMuPDF | pypi:pymupdf
pdfminer.six | pypi:pdfminer-six
pdfplumber | pypi:pdfplumber
Google Cloud | pypi:google-auth pypi:google-cloud-core npm:google-auth-library
Google Pub/Sub | pypi:google-cloud-pubsub npm:@google-cloud/pubsub go:cloud.google.com/go/pubsub gem:google-cloud-pubsub
Google Gemini | pypi:google-generativeai pypi:google-genai npm:@google/generative-ai npm:@google/genai
Mistral AI | pypi:mistralai npm:@mistralai/mistralai
Cohere | pypi:cohere npm:cohere-ai
Groq | pypi:groq npm:groq-sdk
Langfuse | pypi:langfuse npm:langfuse
PayPal | npm:@paypal/checkout-server-sdk npm:@paypal/react-paypal-js pypi:paypalrestsdk gem:paypal-sdk-rest
Braintree | nuget:braintree gem:braintree pypi:braintree npm:braintree php:braintree/braintree_php
Plaid | npm:plaid pypi:plaid-python gem:plaid
Fastly | gem:fastly npm:fastly pypi:fastly
Cloudflare | npm:cloudflare pypi:cloudflare go:github.com/cloudflare/cloudflare-go
Varnish | docker:varnish
Mailchimp | npm:@mailchimp/mailchimp_marketing gem:gibbon php:drewm/mailchimp-api
Firebase Cloud Messaging | gem:fcm pypi:pyfcm
Bree | npm:bree
Keyv | npm:keyv
cache-manager | npm:cache-manager
Redlock | npm:redlock
Umzug | npm:umzug
node-pg-migrate | npm:node-pg-migrate
sequelize-typescript | npm:sequelize-typescript
Waterline | npm:waterline
koa-router | npm:koa-router npm:@koa/router
rate-limiter-flexible | npm:rate-limiter-flexible
express-rate-limit | npm:express-rate-limit
http-proxy | npm:http-proxy
nconf | npm:nconf
convict | npm:convict
sanitize-html | npm:sanitize-html
mailparser | npm:mailparser
fflate | npm:fflate
tus | npm:tus-js-client npm:@tus/server
Clack | npm:@clack/prompts
Ora | npm:ora
cac | npm:cac
zx | npm:zx
graphql-ws | npm:graphql-ws
GraphQL Compose | npm:graphql-compose
Mercurius | npm:mercurius
PostGraphile | npm:postgraphile
Hasura | docker:hasura/graphql-engine
Language Server Protocol | path:*-lsp/src/* crate:lsp-types crate:tower-lsp crate:lsp-server npm:vscode-languageserver
    pypi:pygls
    npm:vscode-languageclient npm:vscode-languageserver-protocol pypi:lsprotocol go:go.lsp.dev/protocol
    nuget:omnisharp.extensions.languageserver maven:org.eclipse.lsp4j:*
Debug Adapter Protocol | path:*-dap/src/* npm:@vscode/debugadapter npm:@vscode/debugprotocol crate:dap
Hiredis | gem:hiredis pypi:hiredis
rails-i18n | gem:rails-i18n
rack-cors | gem:rack-cors
OmniAuth | gem:omniauth-*~
Devise Two-Factor | gem:devise-two-factor
Devise Token Auth | gem:devise_token_auth
image_processing | gem:image_processing
sidekiq-unique-jobs | gem:sidekiq-unique-jobs
sidekiq-throttled | gem:sidekiq-throttled
concurrent-ruby | gem:concurrent-ruby
activerecord-import | gem:activerecord-import
rubyzip | gem:rubyzip
Feedjira | gem:feedjira
JSON-LD | gem:json-ld
json_schemer | gem:json_schemer
Stoplight | gem:stoplight
rack-timeout | gem:rack-timeout
sitemap_generator | gem:sitemap_generator
Prometheus Exporter | gem:prometheus_exporter
hCaptcha | gem:hcaptcha npm:@hcaptcha/react-hcaptcha npm:@hcaptcha/vue3-hcaptcha
inline_svg | gem:inline_svg
js-routes | gem:js-routes
HTTPClient | gem:httpclient
Koala | gem:koala
tty-prompt | gem:tty-prompt
Honeycomb | gem:honeycomb-beeline
Segment | gem:analytics-ruby
StatsD | gem:dogstatsd-ruby
Roadie | gem:roadie-rails gem:roadie
pdf-reader | gem:pdf-reader
Laravel Socialite | php:socialiteproviders/*~
Flysystem | php:league/flysystem-*~
HTML To Markdown | php:league/html-to-markdown
Whoops | php:filp/whoops
Clockwork | php:itsgoingd/clockwork
bacon-qr-code | php:bacon/bacon-qr-code
Symfony Process | php:symfony/process
Symfony EventDispatcher | php:symfony/event-dispatcher
Symfony Yaml | php:symfony/yaml
Symfony DependencyInjection | php:symfony/dependency-injection
Symfony HttpFoundation | php:symfony/http-foundation
Laravel Breadcrumbs | php:diglactic/laravel-breadcrumbs
svg-sanitize | php:enshrined/svg-sanitize
rack-mini-profiler | gem:rack-mini-profiler
Bootsnap | gem:bootsnap
Ox | gem:ox
Oj | gem:oj
Sanitize | gem:sanitize
Addressable | gem:addressable
Strong Migrations | gem:strong_migrations
Scenic | gem:scenic
PgHero | gem:pghero
Blazer | gem:blazer
Groupdate | gem:groupdate
Discard | gem:discard
Paranoia | gem:paranoia gem:acts_as_paranoid
Counter Culture | gem:counter_culture
Interactor | gem:interactor
ActiveInteraction | gem:active_interaction
Reform | gem:reform
Statesman | gem:statesman
Simple Navigation | gem:simple-navigation
cocoon | gem:cocoon
Gon | gem:gon
Money Rails | gem:money-rails gem:money
Geocoder | gem:geocoder
RQRCode | gem:rqrcode
ROTP | gem:rotp
Devise Invitable | gem:devise_invitable
Rpush | gem:rpush
Grover | gem:grover
Ferrum | gem:ferrum
Rswag | gem:rswag
Grape Entity | gem:grape-entity
Racecar | gem:racecar
PHP-DI | php:php-di/php-di
Device Detector | php:matomo/device-detector php:piwik/device-detector gem:device_detector
GeoIP2 | php:geoip2/geoip2 npm:@maxmind/geoip2-node pypi:geoip2 pypi:maxminddb gem:maxmind-geoip2
    gem:maxmind-db go:github.com/oschwald/geoip2-golang go:github.com/oschwald/maxminddb-golang nuget:maxmind.geoip2
    maven:com.maxmind.geoip2:geoip2 crate:maxminddb
Pimple | php:pimple/pimple
league/container | php:league/container
FastRoute | php:nikic/fast-route
League Route | php:league/route
League CSV | php:league/csv
Laravel Prompts | php:laravel/prompts
Laravel Wayfinder | php:laravel/wayfinder
Laravel Boost | php:laravel/boost
Bouncer | php:silber/bouncer
Laratrust | php:santigarcor/laratrust
Spatie Settings | php:spatie/laravel-settings
Spatie Tags | php:spatie/laravel-tags
Spatie Feed | php:spatie/laravel-feed
Laravel Translatable | php:astrotomic/laravel-translatable
Stancl Tenancy | php:stancl/tenancy
Ratchet | php:cboden/ratchet
Swift Mailer | php:swiftmailer/swiftmailer
Laminas Diactoros | php:laminas/laminas-diactoros php:zendframework/zend-diactoros
Nyholm PSR-7 | php:nyholm/psr7
Imagine | php:imagine/imagine
Glide | php:league/glide php:league/glide-laravel
Snappy | php:knplabs/knp-snappy php:barryvdh/laravel-snappy
Symfony Cache | php:symfony/cache
Symfony Translation | php:symfony/translation
Symfony Scheduler | php:symfony/scheduler
Symfony Workflow | php:symfony/workflow
Symfony Serializer | php:symfony/serializer
JMS Serializer | php:jms/serializer php:jms/serializer-bundle
Gedmo Extensions | php:gedmo/doctrine-extensions php:stof/doctrine-extensions-bundle
Propel | php:propel/propel
RedBeanPHP | php:gabordemooij/redbean
Medoo | php:catfan/medoo
Phinx | php:robmorgan/phinx
"""
