"""Further libraries for servers and programs, ecosystem by ecosystem."""

from __future__ import annotations

SCRIPTED = """
Bookshelf.js | npm:bookshelf
Slonik | npm:slonik
Bee-Queue | npm:bee-queue
node-cron | npm:node-cron npm:cron
Croner | npm:croner
node-schedule | npm:node-schedule
Bunyan | npm:bunyan
Morgan | npm:morgan
log4js | npm:log4js
Lucia | npm:lucia
iron-session | npm:iron-session
express-session | npm:express-session
Formidable | npm:formidable
Jimp | npm:jimp
Mailgun | npm:mailgun.js gem:mailgun-ruby php:symfony/mailgun-mailer~
LlamaIndex | npm:llamaindex
GraphQL Yoga | npm:graphql-yoga
TypeGraphQL | npm:type-graphql
Pothos | npm:@pothos/core
Nexus | npm:nexus
graphql-request | npm:graphql-request
io-ts | npm:io-ts
Superstruct | npm:superstruct
TypeBox | npm:@sinclair/typebox
node-fetch | npm:node-fetch
SuperAgent | npm:superagent
ofetch | npm:ofetch
ExcelJS | npm:exceljs
OpenPGP.js | npm:openpgp
libsodium | npm:libsodium-wrappers npm:sodium-native pypi:pynacl
fluent-ffmpeg | npm:fluent-ffmpeg
Mixpanel | npm:mixpanel npm:mixpanel-browser
Amplitude | npm:@amplitude/analytics-browser
Segment | npm:@segment/analytics-node npm:@segment/analytics-next crate:segment
LaunchDarkly | npm:launchdarkly-js-client-sdk npm:launchdarkly-node-server-sdk npm:@launchdarkly/node-server-sdk
Unleash | npm:unleash-client npm:@unleash/proxy-client-react
Okta | npm:@okta/okta-react npm:@okta/okta-auth-js
MSAL | npm:@azure/msal-browser npm:@azure/msal-node npm:@azure/msal-react pypi:msal nuget:microsoft.identity.web*
Web Push | npm:web-push gem:web-push gem:webpush pypi:pywebpush php:minishlink/web-push
    php:laravel-notification-channels/webpush~
Solana | npm:@solana/web3.js crate:solana-sdk
Contentful | npm:contentful
Sanity | npm:@sanity/client npm:sanity
chokidar | npm:chokidar
Ariadne | pypi:ariadne
Flask-RESTX | pypi:flask-restx
Flask-CORS | pypi:flask-cors
Flask-Admin | pypi:flask-admin
Flask-Mail | pypi:flask-mail
Flask-Limiter | pypi:flask-limiter
Flask-Security | pypi:flask-security pypi:flask-security-too
Flask-Caching | pypi:flask-caching
Flask-Babel | pypi:flask-babel
ODMantic | pypi:odmantic
arq | pypi:arq
Kombu | pypi:kombu
Faust | pypi:faust pypi:faust-streaming
websockets | pypi:websockets
websocket-client | pypi:websocket-client
cattrs | pypi:cattrs
JSON Schema | pypi:jsonschema crate:jsonschema
Mistune | pypi:mistune
feedparser | pypi:feedparser
Hugging Face Datasets | pypi:datasets
Accelerate | pypi:accelerate
Gensim | pypi:gensim
LiteLLM | pypi:litellm
tiktoken | pypi:tiktoken
Hugging Face Hub | pypi:huggingface-hub crate:hf-hub
python-docx | pypi:python-docx
openpyxl | pypi:openpyxl
XlsxWriter | pypi:xlsxwriter
Google API Client | pypi:google-api-python-client npm:googleapis
eventlet | pypi:eventlet
pyOpenSSL | pypi:pyopenssl
Dynaconf | pypi:dynaconf
python-decouple | pypi:python-decouple
environs | pypi:environs
Slack SDK | pypi:slack-sdk gem:slack-ruby-client npm:@slack/web-api go:github.com/slack-go/slack
Tweepy | pypi:tweepy
django-environ | pypi:django-environ
django-storages | pypi:django-storages
django-import-export | pypi:django-import-export
django-oauth-toolkit | pypi:django-oauth-toolkit
django-simple-history | pypi:django-simple-history
django-mptt | pypi:django-mptt
django-treebeard | pypi:django-treebeard
Python Social Auth | pypi:social-auth-app-django
Django Q | pypi:django-q pypi:django-q2
Shapely | pypi:shapely
MessagePack | pypi:msgpack npm:@msgpack/msgpack npm:msgpackr
Pendulum | pypi:pendulum
hyper-h2 | pypi:h2
h11 | pypi:h11
wsproto | pypi:wsproto
aioquic | pypi:aioquic
dnspython | pypi:dnspython
Scapy | pypi:scapy
Zeroconf | pypi:zeroconf
pySerial | pypi:pyserial
Bleak | pypi:bleak
Falcon server | gem:falcon
Que | gem:que
Sucker Punch | gem:sucker_punch
Shoryuken | gem:shoryuken
ROM | gem:rom gem:rom-sql
Chewy | gem:chewy
Thinking Sphinx | gem:thinking-sphinx
Rodauth | gem:rodauth gem:rodauth-rails
Sorcery | gem:sorcery
Authlogic | gem:authlogic
Clearance | gem:clearance
Action Policy | gem:action_policy
RailsAdmin | gem:rails_admin
Trestle | gem:trestle
Active Model Serializers | gem:active_model_serializers
JSON:API Serializer | gem:jsonapi-serializer gem:fast_jsonapi gem:jsonapi-resources
Blueprinter | gem:blueprinter
Alba | gem:alba
will_paginate | gem:will_paginate gem:will_paginate-bootstrap~
Mechanize | gem:mechanize pypi:mechanize
REST Client | gem:rest-client
Typhoeus | gem:typhoeus
Fog | gem:fog gem:fog-aws gem:fog-core
Paperclip | gem:paperclip gem:kt-paperclip
Prawn | gem:prawn
Wicked PDF | gem:wicked_pdf
acts-as-taggable-on | gem:acts-as-taggable-on
Ancestry | gem:ancestry
Audited | gem:audited
AASM | gem:aasm
State Machines | gem:state_machines gem:state_machines-activerecord
Trailblazer | gem:trailblazer
Pay | gem:pay
Lograge | gem:lograge
Skylight | gem:skylight
AppSignal | gem:appsignal npm:@appsignal/nodejs
Rollbar | gem:rollbar npm:rollbar php:rollbar/rollbar php:rollbar/rollbar-laravel pypi:rollbar
Scout APM | gem:scout_apm pypi:scout-apm
Bugsnag | npm:@bugsnag/js gem:bugsnag php:bugsnag/bugsnag-laravel
Yabeda | gem:yabeda
reCAPTCHA | gem:recaptcha npm:react-google-recaptcha php:anhskohbo/no-captcha
Postmark | gem:postmark-rails npm:postmark php:wildbit/postmark-php php:symfony/postmark-mailer~
Premailer | gem:premailer-rails gem:premailer
Whenever | gem:whenever
Clockwork | gem:clockwork
rufus-scheduler | gem:rufus-scheduler
sidekiq-cron | gem:sidekiq-cron
sidekiq-scheduler | gem:sidekiq-scheduler
EventMachine | gem:eventmachine
RubyLLM | gem:ruby_llm
Wisper | gem:wisper
Laravel WebSockets | php:beyondcode/laravel-websockets
Laravel UI | php:laravel/ui
Laravel Pulse | php:laravel/pulse
Laravel Pennant | php:laravel/pennant
Cycle ORM | php:cycle/orm
LexikJWTAuthenticationBundle | php:lexik/jwt-authentication-bundle
FOSRestBundle | php:friendsofsymfony/rest-bundle
KnpPaginator | php:knplabs/knp-paginator-bundle
VichUploader | php:vich/uploader-bundle
Symfony Validator | php:symfony/validator
Spatie Activitylog | php:spatie/laravel-activitylog
Spatie Query Builder | php:spatie/laravel-query-builder
Spatie Translatable | php:spatie/laravel-translatable
mPDF | php:mpdf/mpdf
TCPDF | php:tecnickcom/tcpdf
PhpSpreadsheet | php:phpoffice/phpspreadsheet
Google2FA | php:pragmarx/google2fa php:pragmarx/google2fa-laravel
Omnipay | php:omnipay/omnipay php:league/omnipay
Laravel Auditing | php:owen-it/laravel-auditing
Enqueue | php:enqueue/enqueue
Scramble | php:dedoc/scramble
SimplePie | php:simplepie/simplepie
Parsedown | php:erusev/parsedown
ActivityPub | folder:activitypub php:landrok/activitypub
"""

COMPILED = """
pflag | go:github.com/spf13/pflag
go-pg | go:github.com/go-pg/pg
SQLBoiler | go:github.com/volatiletech/sqlboiler
goqu | go:github.com/doug-martin/goqu
ozzo-dbx | go:github.com/go-ozzo/ozzo-dbx
ozzo-validation | go:github.com/go-ozzo/ozzo-validation go:github.com/invopop/validation
Ristretto | go:github.com/dgraph-io/ristretto
go-cache | go:github.com/patrickmn/go-cache
BigCache | go:github.com/allegro/bigcache
gocron | go:github.com/go-co-op/gocron
Twirp | go:github.com/twitchtv/twirp
graphql-go | go:github.com/graph-gophers/graphql-go go:github.com/graphql-go/graphql
coder/websocket | go:nhooyr.io/websocket go:github.com/coder/websocket
Goth | go:github.com/markbates/goth
Fosite | go:github.com/ory/fosite
go-hclog | go:github.com/hashicorp/go-hclog
klog | go:k8s.io/klog
sql-migrate | go:github.com/rubenv/sql-migrate
Atlas | go:ariga.io/atlas file:atlas.hcl
Dig | go:go.uber.org/dig
lo | go:github.com/samber/lo
Bubbles | go:github.com/charmbracelet/bubbles
Blackfriday | go:github.com/russross/blackfriday
gomarkdown | go:github.com/gomarkdown/markdown
alecthomas/chroma | go:github.com/alecthomas/chroma
Colly | go:github.com/gocolly/colly
chromedp | go:github.com/chromedp/chromedp
Rod | go:github.com/go-rod/rod
Helm SDK | go:helm.sh/helm
Terraform Plugin SDK | go:github.com/hashicorp/terraform-plugin-sdk go:github.com/hashicorp/terraform-plugin-framework
memberlist | go:github.com/hashicorp/memberlist
go-plugin | go:github.com/hashicorp/go-plugin
Resty | go:github.com/go-resty/resty go:resty.dev/v3
Pion | go:github.com/pion/webrtc
lego | go:github.com/go-acme/lego
miekg/dns | go:github.com/miekg/dns
go-imap | go:github.com/emersion/go-imap
go-smtp | go:github.com/emersion/go-smtp
go-mail | go:github.com/wneessen/go-mail
imaging | go:github.com/disintegration/imaging
gofpdf | go:github.com/jung-kurt/gofpdf go:github.com/go-pdf/fpdf
Excelize | go:github.com/xuri/excelize
GopherLua | go:github.com/yuin/gopher-lua
wazero | go:github.com/tetratelabs/wazero
Open Policy Agent | go:github.com/open-policy-agent/opa docker:openpolicyagent/opa
Expr | go:github.com/expr-lang/expr
pongo2 | go:github.com/flosch/pongo2
kin-openapi | go:github.com/getkin/kin-openapi
go-ethereum | go:github.com/ethereum/go-ethereum
Cosmos SDK | go:github.com/cosmos/cosmos-sdk
DiscordGo | go:github.com/bwmarrin/discordgo
go-github | go:github.com/google/go-github
go-git | go:github.com/go-git/go-git
LangChainGo | go:github.com/tmc/langchaingo
SCS | go:github.com/alexedwards/scs
gofeed | go:github.com/mmcdole/gofeed
go-i18n | go:github.com/nicksnyder/go-i18n
smol | crate:smol
isahc | crate:isahc
dashmap | crate:dashmap
parking_lot | crate:parking_lot
bb8 | crate:bb8
rumqttc | crate:rumqttc
Apalis | crate:apalis
snafu | crate:snafu
slog | crate:slog
Apache Arrow | crate:arrow pypi:pyarrow go:github.com/apache/arrow/go npm:apache-arrow
DataFusion | crate:datafusion
Burn | crate:burn
tch-rs | crate:tch
tokenizers | crate:tokenizers pypi:tokenizers
image | crate:image
resvg | crate:resvg
web-sys | crate:web-sys
ring | crate:ring
Object Store | crate:object_store
rust-s3 | crate:rust-s3
schemars | crate:schemars
figment | crate:figment
ignore | crate:ignore
walkdir | crate:walkdir
chumsky | crate:chumsky
Neon | crate:neon
CXX | crate:cxx
mio | crate:mio
Quinn | crate:quinn
Hickory DNS | crate:hickory-resolver crate:trust-dns-resolver
Octocrab | crate:octocrab
roaring | crate:roaring go:github.com/roaringbitmap/roaring maven:org.roaringbitmap:roaringbitmap
fst | crate:fst
petgraph | crate:petgraph
Rhai | crate:rhai
mlua | crate:mlua
Deno Core | crate:deno_core
Boa | crate:boa_engine
Wasmtime | crate:wasmtime
Wasmer | crate:wasmer
Extism | crate:extism
alloy | crate:alloy
scraper | crate:scraper
html5ever | crate:html5ever
"""
