"""Libraries that give the inside of a program its shape: validation, serialization, mail, documents, images, time."""

from __future__ import annotations

LIBRARIES = """
MediatR | nuget:mediatr
AutoMapper | nuget:automapper*
FluentValidation | nuget:fluentvalidation*
NumPy | pypi:numpy
pandas | pypi:pandas
Polars | pypi:polars crate:polars
SciPy | pypi:scipy
scikit-learn | pypi:scikit-learn
Matplotlib | pypi:matplotlib
Hugging Face Transformers | pypi:transformers
LangChain | pypi:langchain pypi:langchain-*~ npm:langchain npm:@langchain/core~
LlamaIndex | pypi:llama-index pypi:llama-index-*~
Pygments | pypi:pygments
Saloon | php:saloonphp/saloon php:saloonphp/laravel-plugin~
TNTSearch | php:teamtnt/tntsearch php:teamtnt/laravel-scout-tntsearch-driver~
Symfony Security | php:symfony/security-bundle
Symfony Forms | php:symfony/form
Symfony UX | php:symfony/ux-* php:symfony/stimulus-bundle~
Doctrine Migrations | php:doctrine/doctrine-migrations-bundle~ php:doctrine/migrations
HTML Purifier | php:ezyang/htmlpurifier php:mews/purifier~ php:stevebauman/purify~
Ollama | npm:ollama pypi:ollama nuget:ollamasharp docker:ollama/ollama
LangGraph | pypi:langgraph npm:@langchain/langgraph
uvloop | pypi:uvloop
Flower | pypi:flower
django-extensions | pypi:django-extensions
gettext | ending:po
JWT | npm:jsonwebtoken~ npm:jose~ npm:@nestjs/jwt~ npm:jws~ pypi:pyjwt~ pypi:python-jose~ pypi:joserfc~ gem:jwt~
    pypi:djangorestframework-simplejwt~ pypi:flask-jwt-extended~ php:firebase/php-jwt~ php:lcobucci/jwt~
    php:tymon/jwt-auth~ php:php-open-source-saver/jwt-auth~ go:github.com/golang-jwt/jwt~ go:github.com/lestrrat-go/jwx~
    go:github.com/go-jose/go-jose~ crate:jsonwebtoken~ maven:io.jsonwebtoken:*~ maven:com.auth0:java-jwt~
    maven:com.nimbusds:nimbus-jose-jwt~ nuget:system.identitymodel.tokens.jwt~
    nuget:microsoft.aspnetcore.authentication.jwtbearer~
OAuth 2.0 | go:golang.org/x/oauth2~ crate:oauth2~ php:league/oauth2-client~ php:league/oauth2-server~ gem:oauth2~
    pypi:requests-oauthlib~ pypi:oauthlib~ pypi:httpx-oauth~ npm:@node-oauth/oauth2-server~
    maven:org.springframework.boot:spring-boot-starter-oauth2-*~
OpenID Connect | crate:openidconnect~ npm:openid-client~ npm:oidc-client-ts~ npm:express-openid-connect~
    go:github.com/coreos/go-oidc~ go:github.com/zitadel/oidc~ pypi:mozilla-django-oidc~ gem:omniauth_openid_connect~
    gem:openid_connect~ gem:doorkeeper-openid_connect~ nuget:microsoft.aspnetcore.authentication.openidconnect~
    php:jumbojett/openid-connect-php~
SAML | php:onelogin/php-saml~ gem:ruby-saml~ gem:omniauth-saml~ pypi:python3-saml~ pypi:pysaml2~
    npm:@node-saml/node-saml~
    npm:passport-saml~ go:github.com/crewjam/saml~
LDAP | gem:net-ldap~ php:ext-ldap~ php:directorytree/ldaprecord-laravel~ go:github.com/go-ldap/ldap~ npm:ldapjs~
    npm:ldapts~ pypi:python-ldap~ pypi:django-auth-ldap~ pypi:ldap3~ crate:ldap3~
    nuget:novell.directory.ldap.netstandard~
WebAuthn | go:github.com/go-webauthn/webauthn~ npm:@simplewebauthn/server~ pypi:webauthn~ pypi:fido2~ nuget:fido2*~
    gem:webauthn~ crate:webauthn-rs~ php:web-auth/webauthn-lib~ php:asbiin/laravel-webauthn~
    maven:com.yubico:webauthn-*~
Zod | npm:zod
Valibot | npm:valibot
Yup | npm:yup
Joi | npm:joi npm:@hapi/joi
Ajv | npm:ajv
class-validator | npm:class-validator
ArkType | npm:arktype
Effect | npm:effect
fp-ts | npm:fp-ts
Inversify | npm:inversify
Got | npm:got
ky | npm:ky
undici | npm:undici
Helmet | npm:helmet
Multer | npm:multer
dotenv | npm:dotenv pypi:python-dotenv gem:dotenv gem:dotenv-rails~ go:github.com/joho/godotenv crate:dotenvy
    php:vlucas/phpdotenv
bcrypt | npm:bcrypt npm:bcryptjs pypi:bcrypt gem:bcrypt crate:bcrypt nuget:bcrypt.net-next
Argon2 | pypi:argon2-cffi crate:argon2 npm:argon2 npm:@node-rs/argon2
Hocuspocus | npm:@hocuspocus/server
Cheerio | npm:cheerio
Inquirer.js | npm:inquirer npm:@inquirer/prompts
yargs | npm:yargs
Commander.js | npm:commander
oclif | npm:@oclif/core
Model Context Protocol | npm:@modelcontextprotocol/sdk pypi:mcp pypi:fastmcp~ go:github.com/modelcontextprotocol/go-sdk
    go:github.com/mark3labs/mcp-go crate:rmcp nuget:modelcontextprotocol
Pillow | pypi:pillow pypi:pillow-simd
lxml | pypi:lxml
Beautiful Soup | pypi:beautifulsoup4 pypi:bs4
attrs | pypi:attrs
orjson | pypi:orjson
Arrow | pypi:arrow
psutil | pypi:psutil
watchdog | pypi:watchdog
watchfiles | pypi:watchfiles
passlib | pypi:passlib
itsdangerous | pypi:itsdangerous
WTForms | pypi:wtforms pypi:flask-wtf~
Flask-Login | pypi:flask-login
Flask-RESTful | pypi:flask-restful
drf-spectacular | pypi:drf-spectacular
django-filter | pypi:django-filter
django-cors-headers | pypi:django-cors-headers
django-guardian | pypi:django-guardian
django-celery-beat | pypi:django-celery-beat
django-debug-toolbar | pypi:django-debug-toolbar
Whoosh | pypi:whoosh pypi:whoosh-reloaded
Haystack | pypi:django-haystack
Tesseract | pypi:pytesseract system:tesseract-ocr npm:tesseract.js
OCRmyPDF | pypi:ocrmypdf
pikepdf | pypi:pikepdf
pypdf | pypi:pypdf pypi:pypdf2
ReportLab | pypi:reportlab
WeasyPrint | pypi:weasyprint
NLTK | pypi:nltk
spaCy | pypi:spacy
sentence-transformers | pypi:sentence-transformers
FAISS | pypi:faiss-cpu pypi:faiss-gpu
Tantivy | crate:tantivy pypi:tantivy
ImageMagick | system:imagemagick gem:mini_magick~ gem:rmagick~ php:ext-imagick npm:imagemagick
Ghostscript | system:ghostscript
libvips | system:libvips gem:ruby-vips~ pypi:pyvips
Granian | pypi:granian
Tkinter | import:tkinter
Action Cable | npm:@rails/actioncable
Redcarpet | gem:redcarpet
Commonmarker | gem:commonmarker
Kramdown | gem:kramdown
Rouge | gem:rouge
Ransack | gem:ransack
pg_search | gem:pg_search
Searchkick | gem:searchkick
FriendlyId | gem:friendly_id
Shrine | gem:shrine
MiniMagick | gem:mini_magick
HTTParty | gem:httparty
Dry-rb | gem:dry-validation gem:dry-types gem:dry-struct gem:dry-monads
Flipper | gem:flipper
Rolify | gem:rolify
Administrate | gem:administrate
Avo | gem:avo
Octokit | gem:octokit npm:octokit npm:@octokit/rest
Pagy | gem:pagy
Ahoy | gem:ahoy_matey
Draper | gem:draper
Thor | gem:thor
Mission Control Jobs | gem:mission_control-jobs
Laravel Echo Server | npm:laravel-echo-server
Laravel Excel | php:maatwebsite/excel
Laravel Debugbar | php:barryvdh/laravel-debugbar php:fruitcake/laravel-debugbar
CommonMark | php:league/commonmark
Fractal | php:league/fractal
Ramsey UUID | php:ramsey/uuid
PHPMailer | php:phpmailer/phpmailer
Symfony Mailer | php:symfony/mailer
Symfony Console | php:symfony/console
Symfony HttpClient | php:symfony/http-client
Pusher | php:pusher/pusher-php-server npm:pusher-js npm:pusher gem:pusher pypi:pusher
Laravel Modules | php:nwidart/laravel-modules
Spatie Media Library | php:spatie/laravel-medialibrary
Spatie Laravel Data | php:spatie/laravel-data
Spatie Backup | php:spatie/laravel-backup
getID3 | php:james-heinrich/getid3
phpseclib | php:phpseclib/phpseclib
Swoole | php:ext-swoole php:swoole/ide-helper
RoadRunner | php:spiral/roadrunner php:spiral/roadrunner-cli
FrankenPHP | docker:dunglas/frankenphp
PHP-FPM | image:php:*fpm*
JPA | package:jakarta.persistence package:javax.persistence maven:jakarta.persistence:jakarta.persistence-api
    maven:org.hibernate.javax.persistence:*
Bean Validation | package:jakarta.validation package:javax.validation
    maven:org.springframework.boot:spring-boot-starter-validation~ maven:org.hibernate.validator:hibernate-validator~
SLF4J | maven:org.slf4j:slf4j-api package:org.slf4j
Apache Commons | maven:org.apache.commons:commons-lang3 maven:commons-io:commons-io
Apache HttpClient | maven:org.apache.httpcomponents:httpclient maven:org.apache.httpcomponents.client5:httpclient5
Hutool | maven:cn.hutool:*
Fastjson | maven:com.alibaba:fastjson maven:com.alibaba.fastjson2:fastjson2
Druid | maven:com.alibaba:druid*
MyBatis-Plus | maven:com.baomidou:*
MyBatis Generator | maven:org.mybatis.generator:*
PageHelper | maven:com.github.pagehelper:*
EasyExcel | maven:com.alibaba:easyexcel
Apache POI | maven:org.apache.poi:*
Apache Tika | maven:org.apache.tika:* docker:apache/tika pypi:tika~ pypi:tika-client~
Apache Lucene | maven:org.apache.lucene:lucene-core nuget:lucene.net
jsoup | maven:org.jsoup:jsoup
Joda-Time | maven:joda-time:joda-time
Sa-Token | maven:cn.dev33:*
Apache Shiro | maven:org.apache.shiro:*
Dubbo | maven:org.apache.dubbo:* maven:com.alibaba:dubbo
Nacos | maven:com.alibaba.cloud:spring-cloud-starter-alibaba-nacos-* docker:nacos/nacos-server
Sentinel | maven:com.alibaba.cloud:spring-cloud-starter-alibaba-sentinel maven:com.alibaba.csp:*
Seata | maven:io.seata:* docker:seataio/seata-server
Resilience4j | maven:io.github.resilience4j:*
OpenFeign | maven:org.springframework.cloud:spring-cloud-starter-openfeign maven:io.github.openfeign:*
Eureka | maven:org.springframework.cloud:spring-cloud-starter-netflix-eureka-*
Spring AMQP | maven:org.springframework.boot:spring-boot-starter-amqp maven:org.springframework.amqp:*
Spring AOP | maven:org.springframework.boot:spring-boot-starter-aop
    maven:org.springframework.boot:spring-boot-starter-aspectj
Spring Data MongoDB | maven:org.springframework.boot:spring-boot-starter-data-mongodb*
Spring Data Redis | maven:org.springframework.boot:spring-boot-starter-data-redis*
Spring Data Elasticsearch | maven:org.springframework.boot:spring-boot-starter-data-elasticsearch
Spring Session | maven:org.springframework.session:*
Spring Integration | maven:org.springframework.integration:*
Spring AI | maven:org.springframework.ai:*
DGS | maven:com.netflix.graphql.dgs:*
LangChain4j | maven:dev.langchain4j:*
Project Reactor | maven:io.projectreactor:reactor-core package:reactor.core
Micrometer | maven:io.micrometer:*
Aliyun OSS | maven:com.aliyun.oss:* npm:ali-oss
Alipay SDK | maven:com.alipay.sdk:*
Bouncy Castle | maven:org.bouncycastle:* nuget:bouncycastle.cryptography
Kotlin Coroutines | maven:org.jetbrains.kotlinx:kotlinx-coroutines-core
kotlinx.serialization | maven:org.jetbrains.kotlinx:kotlinx-serialization-json
Koin | maven:io.insert-koin:*
Hilt | maven:com.google.dagger:hilt-android
Coil | maven:io.coil-kt:*
Glide | maven:com.github.bumptech.glide:glide
OpenAPI | nuget:microsoft.aspnetcore.openapi nuget:microsoft.openapi
Scalar | nuget:scalar.aspnetcore
API Versioning | nuget:asp.versioning.*
YARP | nuget:yarp.* nuget:aspire.hosting.yarp~
Azure Identity | nuget:azure.identity
MailKit | nuget:mailkit
CsvHelper | nuget:csvhelper
AngleSharp | nuget:anglesharp
Ardalis Specification | nuget:ardalis.specification*
Ardalis GuardClauses | nuget:ardalis.guardclauses
FluentMigrator | nuget:fluentmigrator*
DbUp | nuget:dbup*
LINQ to DB | nuget:linq2db*
ClosedXML | nuget:closedxml
Markdig | nuget:markdig
FusionCache | nuget:ziggycreatures.fusioncache*
Spectre.Console | nuget:spectre.console*
System.CommandLine | nuget:system.commandline
CommandLineParser | nuget:commandlineparser
Azure Service Bus | nuget:azure.messaging.servicebus pypi:azure-servicebus npm:@azure/service-bus
Mapster | nuget:mapster
Mapperly | nuget:riok.mapperly
Refit | nuget:refit*
RestSharp | nuget:restsharp
Autofac | nuget:autofac*
Wolverine | nuget:wolverinefx*
MessagePack | nuget:messagepack crate:rmp-serde
Semantic Kernel | nuget:microsoft.semantickernel* pypi:semantic-kernel
ML.NET | nuget:microsoft.ml
CommunityToolkit.Mvvm | nuget:communitytoolkit.mvvm
OpenIddict | nuget:openiddict*
Humanizer | nuget:humanizer*
"""
