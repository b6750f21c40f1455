"""Files with planted secrets and with lines that only look like secrets; all values are generated at run time.

A form such as ``ghp_{a36}`` describes a value. A third of the kinds is held out from tuning.
"""

from __future__ import annotations

import base64
import hashlib
import random
import re
import string
from typing import NamedTuple

HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
ALPHABETS = {"h": HEX, "a": ALNUM, "b": ALNUM + "+/", "w": ALNUM + "-_", "u": string.ascii_uppercase + "234567",
             "g": string.ascii_lowercase + string.digits, "d": string.digits, "s": ALNUM + "!@#%^&*(-_=+)"}  # fmt: skip
NATURE = "river copper meadow falcon harbor winter tiger garden silver maple orange thunder pepper monkey island marble"
WORDS = re.findall(r"\w+", NATURE + " pencil rocket castle bridge dragon summer coffee guitar")
HOSTS = ["db.internal", "10.20.3.14", "pg-prod-1.acme.net", "cache.svc.cluster.local", "mq01.corp.lan"]


class Place(NamedTuple):
    """The lines of a file, from first to last, that hold a secret or a look-alike."""

    kind: str
    path: str
    first: int
    last: int


class SampleFiles(NamedTuple):
    files: dict[str, str]
    planted: list[Place]
    lookalikes: list[Place]


# How each file format assigns a value to a name: %U UPPER_NAME, %s snake_name, %c camelName, %P PascalName,
# %k kebab-name, %d dotted.name, %v the value, %1 and %2 its halves.
FORMATS: dict[str, tuple[str, str, list[str]]] = {
    "python": ("app/settings_{}.py", "import os\nDEBUG = False\nTIMEOUT = 30\n",
        ['%U = "%v"', "%U = '%v'", '    "%s": "%v",', 'client = Client(%s="%v", timeout=30)', 'self.%s = "%v"',
         '%U = os.environ.get("%U", "%v")', '%U: str = "%v"', '%U = (\n    "%1"\n    "%2"\n)']),
    "env": (".env.production{}", "APP_NAME=billing\nPORT=8080\n", ["%U=%v", 'export %U="%v"', "%U='%v'", "%U = %v"]),
    "yaml": ("deploy/values-{}.yaml", "replicas: 3\nimage: billing\n",
        ["  %c: %v", '  %s: "%v"', "  %k: '%v'", "  - name: %U\n    value: %v", '    - {name: %U, value: "%v"}',
         "      %U: %v", "  %s: |\n    %v", "  %s: >-\n    %v", "      - %U=%v"]),
    "json": ("config/app{}.json", '{\n  "port": 8080,\n', ['  "%c": "%v",', '  "%s": "%v",', '    "%U": "%v",',
         '  {"name": "%U", "value": "%v"},', '  "payload": "{\\"%s\\": \\"%v\\"}",']),
    "terraform": ("infra/main{}.tf", 'provider "aws" {\n  region = "eu-west-1"\n}\n',
        ['  %s = "%v"', '  %s      = "%v"', 'variable "%s" {\n  default = "%v"\n}', '    %U = "%v"']),
    "properties": ("src/main/resources/application{}.properties", "server.port=8080\n",
        ["%d=%v", "%d = %v", "%d: %v", "%k=%v", "%d=${%U:%v}"]),
    "js": ("src/config{}.js", "const express = require('express');\n",
        ["const %c = '%v';", '  %c: "%v",', "module.exports.%c = '%v';", "const %U = process.env.%U || '%v';",
         "  '%k': '%v',", "const %c = `%v`;", "const %c = '%1' +\n  '%2';"]),
    "ts": ("src/environment{}.ts", "export const production = true;\n",
        ["export const %U: string = '%v';", "  %c: '%v',", "private readonly %c = \"%v\";",
         "  %c: process.env.%U ?? '%v',"]),
    "go": ("internal/config/config{}.go", "package config\n",
        ['const %c = "%v"', '\t%P: "%v",', 'var %c string = "%v"', '\t%c := "%v"', "\t%c := `%v`",
         'os.Setenv("%U", "%v")', 'flag.String("%k", "%v", "")']),
    "java": ("src/main/java/App{}.java", "package com.acme;\n", ['private static final String %U = "%v";',
         'config.set%P("%v");', 'String %c = "%v";', 'props.put("%d", "%v");', '@Value("${%d:%v}")']),
    "csharp": ("Service/Startup{}.cs", "using System;\n", ['private const string %P = "%v";', '%P = "%v",',
         'var %c = "%v";', 'Environment.SetEnvironmentVariable("%U", "%v");', 'public string %P { get; } = "%v";']),
    "ruby": ("config/initializers/app{}.rb", "require 'yaml'\n", ["%U = '%v'", "  %s: '%v',", ':%s => "%v",',
         "config.%s = '%v'", "ENV['%U'] ||= '%v'", "ENV.fetch('%U', '%v')"]),
    "php": ("src/Config{}.php", "<?php\n", ["$%s = '%v';", "    '%s' => '%v',", "define('%U', '%v');",
         "'%s' => env('%U', '%v'),", 'const %U = "%v";', "$config['%s'] = \"%v\";"]),
    "shell": ("scripts/deploy{}.sh", "#!/bin/bash\nset -e\n", ['export %U="%v"', "%U=%v", "%U='%v' ./run.sh",
         'deploy --%k "%v" --region eu', "deploy --%k=%v", '%U="${%U:-%v}"']),
    "docker": ("Dockerfile.{}", "FROM python:3.12\n", ["ENV %U=%v", 'ENV %U "%v"', "ARG %U=%v", "ENV %U %v"]),
    "ci": (".github/workflows/build{}.yml", "on: push\njobs:\n", ["          %U: %v", '      %U: "%v"', "    - %U=%v",
         "        run: deploy --%k %v"]),
    "sql": ("db/setup{}.sql", "CREATE DATABASE app;\n", ["INSERT INTO settings (k, v) VALUES ('%s', '%v');",
         "UPDATE config SET %s = '%v' WHERE id = 1;"]),
    "nginx": ("nginx/site{}.conf", "server {\n  listen 80;\n", ['  set $%s "%v";', '  proxy_set_header X-%k "%v";']),
    "ini": ("conf/app{}.ini", "[main]\ndebug = false\n", ["%s = %v", "%s=%v", '%s = "%v"', "%c: %v"]),
    "xml": ("Web{}.config", "<configuration>\n", ['<add key="%P" value="%v" />', "<%c>%v</%c>",
         '<property name="%c" value="%v"/>', '<bean %c="%v"/>']),
    "toml": ("conf/app{}.toml", "[app]\nport = 80\n", ['%s = "%v"', "%k = '%v'", '"%c" = "%v"']),
}  # fmt: skip

# kind | names (blank: the form is the whole line) | forms, split at " || " | formats (blank: all)
SECRETS = r"""
aws-access-key-id | aws access key id | AKIA{u16} || ASIA{u16} |
aws-secret-key | aws secret access key/secret access key | {b40} |
github-token | github token/gh token/release token | ghp_{a36} || gho_{a36} || ghs_{a36} |
github-fine-grained | github token/repo pat | github_pat_{a22}_{a59} |
gitlab-token | gitlab token/ci deploy token | glpat-{w20} |
slack-token | slack token/slack bot token | xoxb-{d11}-{d12}-{a24} || xoxp-{d11}-{d11}-{d12}-{h32} |
slack-webhook | slack webhook url/alert hook | https://hooks.slack.com/services/T{u8}/B{u10}/{a24} |
stripe-key | stripe secret key/stripe key/payment key | sk_live_{a24} || rk_live_{a24} || sk_live_51{a97} |
google-api-key | google api key/maps key/gcp key | AIza{w35} |
google-client-secret | google client secret/oauth secret | GOCSPX-{w28} |
azure-storage | azure storage connection string/storage connection | DefaultEndpointsProtocol=https;AccountName={word}{word};AccountKey={b86}==;EndpointSuffix=core.windows.net |
azure-client-secret | azure client secret/arm client secret | {a3}8Q~{w34} |
sendgrid | sendgrid api key/mail api key | SG.{w22}.{w43} |
twilio-auth | twilio auth token | {h32} |
mailgun | mailgun api key/mail key | key-{h32} |
npm-token | npm token/npm auth token | npm_{a36} |
npmrc | | //registry.acme.dev/:_authToken={uuid} || //npm.corp.lan/:_authToken=npm_{a36} || _auth={b44}= | env ini
pypi-token | pypi token/twine password | pypi-AgEIcHlwaS5vcmc{w130} |
openai | openai api key/llm key | sk-proj-{w48} || sk-{a20}T3BlbkFJ{a20} |
anthropic | anthropic api key/claude key | sk-ant-api03-{w93}AA |
huggingface | hf token/hugging face token | hf_{a34} |
digitalocean | do token/digitalocean access token | dop_v1_{h64} |
telegram | telegram bot token/bot token | {d10}:AA{w33} |
discord | discord token/bot token | M{a23}.{w6}.{w38} |
shopify | shopify access token/shop password | shpat_{h32} |
datadog | dd api key/datadog api key/datadog app key | {h32} || {h40} |
heroku | heroku api key | {uuid} |
cloudflare | cloudflare api token/cf api key | {w40} || {h37} |
newrelic | new relic api key/new relic license key | NRAK-{u27} || {h36}NRAL |
vault-token | vault token/vault root token | hvs.{w24} || hvs.CAESI{w86} |
databricks | databricks token | dapi{h32} |
square | square access token | EAAA{w60} || sq0atp-{w22} |
jwt | service role key/access token/id token/api jwt | {jwt} |
pem-key | | {pem} | shell yaml js python go env
pem-escaped | private key/tls key/service account key | -----BEGIN PRIVATE KEY-----\n{b64}\n{b64}\n{b40}==\n-----END PRIVATE KEY-----\n | json env js python go
database-url | database url/db url/sqlalchemy database uri/dsn | postgres://{word}:{upw}@{host}:5432/{word} || postgresql+psycopg2://{word}:{upw}@{host}/{word} || mysql://root:{upw}@{host}:3306/{word} |
mongo-url | mongo url/mongodb uri | mongodb+srv://{word}:{upw}@{word}.{g5}.mongodb.net/{word}?retryWrites=true |
queue-url | redis url/broker url/amqp url | redis://:{upw}@{host}:6379/0 || amqp://{word}:{upw}@{host}:5672/{word} |
sqlserver-string | connection string/default connection | Server={host};Database={word};User Id=sa;Password={cpw}; || Data Source={host};Initial Catalog={word};uid={word};pwd={cpw} | python json csharp xml env yaml java toml
jdbc-password | datasource url/jdbc url | jdbc:mysql://{host}:3306/{word}?user={word}&password={upw} || jdbc:sqlserver://{host}:1433;databaseName={word};user=sa;password={upw} | java properties env yaml json
url-basic-auth | repo url/artifact url/proxy/index url | https://{word}:{upw}@nexus.corp.lan/{word} || http://{word}:{upw}@proxy.corp.lan:3128 || https://{word}:{a32}@git.corp.lan/{word}.git |
basic-header | | curl -H "Authorization: Basic {basic}" https://api.corp.lan/v1 || proxy_set_header Authorization "Basic {basic}"; || headers = {"Authorization": "Basic {basic}"} | shell nginx python js
bearer-header | | curl -H 'Authorization: Bearer {a40}' https://api.corp.lan || headers: { Authorization: `Bearer {a40}` }, || req.Header.Set("Authorization", "Bearer {h40}") | shell go js ts python
curl-user | | curl -u {word}:{pw} https://nexus.corp.lan/upload || curl --user "{word}:{pw}" -T a.tgz https://nexus.corp.lan || wget --password={pw} https://files.corp.lan/a.tgz | shell ci docker
mysql-flag | | mysql -h {host} -u root -p{upw} {word} < dump.sql || mysqldump -uroot -p'{upw}' {word} > out.sql || PGPASSWORD={upw} psql -h {host} -U {word} || sshpass -p '{upw}' ssh deploy@{host} | shell ci
docker-login | | docker login -u {word} -p {upw} registry.corp.lan || echo '{upw}' \| docker login -u {word} --password-stdin || redis-cli -h {host} -a {upw} ping | shell ci
sql-user | | CREATE USER {word} WITH PASSWORD '{pw}'; || ALTER USER {word} IDENTIFIED BY '{pw}'; || CREATE LOGIN {word} WITH PASSWORD = '{pw}'; || GRANT ALL ON {word}.* TO '{word}'@'%' IDENTIFIED BY '{pw}'; | sql
human-password | db password/admin password/password/root passwd/ftp pwd/smtp password/ldap bind password/keystore password | {pw} |
user-and-password | | username: {word}, password: '{pw}' || login("{word}", password="{pw}") || {"user": "{word}", "password": "{pw}"} || if (password === "{pw}") { | js ts python ruby
word-password | db password/admin password/mysql root password | {word}{word}{d1} || {Word}{word} || {word}-{word}-{word} | python env yaml json java php ruby properties docker
django-secret | secret key/django secret key | {s50} || django-insecure-{s50} | python
rails-secret | secret key base | {h128} | ruby yaml env
laravel-key | app key | base64:{b43}= | env php yaml
jwt-secret | jwt secret/token secret/auth secret/nextauth secret | {a32} || {b43}= || {h64} || {word}-{word}-{d4} |
generic-api-key | api key/weather api key/x api key/partner apikey | {h32} || {a24} || {a40} || {g32} |
generic-access-token | access token/auth token/refresh token/personal access token | {a40} || {w43} || {h40} |
client-secret | client secret/oauth client secret/oidc client secret | {a32} || {w40} || {uuid} |
encryption-key | encryption key/aes key/signing key/cookie secret/session secret/hmac secret | {b43}= || {h64} || {h32} || {b44} |
private-token | private token/deploy token/webhook secret/bot secret | {a20} || {h40} || whsec_{b32} |
kubernetes-secret | | apiVersion: v1\nkind: Secret\ndata:\n  password: {b64pw}\n || kind: Secret\nstringData:\n  password: {pw} | yaml
setter | | cfg.setPassword("{pw}"); || new NetworkCredential("{word}", "{pw}"); || DriverManager.getConnection(url, "{word}", "{pw}"); || factory.setApiKey("{a32}"); | java csharp
ansible-pass | ansible ssh pass/ansible become pass/ansible password | {pw} | yaml ini
netrc | | machine git.corp.lan login {word} password {upw} || machine api.corp.lan\n  login {word}\n  password {upw} | env shell
signed-url | download url/blob url | https://{word}.blob.core.windows.net/{word}?sv=2022-11-02&sp=rl&sig={b42}%3D || https://{word}.s3.amazonaws.com/{word}?X-Amz-Signature={h64} |
"""  # noqa: E501

# kind | names (blank: the form is the whole line) | forms | formats
LOOKALIKES = r"""
commit-sha | | REVISION = "{h40}" || uses: actions/checkout@{h40} || GIT_COMMIT={h40} || "gitHead": "{h40}", || ref: {h40} | python ci yaml json docker shell env
image-digest | | FROM node:20@sha256:{h64} || image: nginx@sha256:{h64} || digest: sha256:{h64} | docker yaml ci
integrity | | "integrity": "sha512-{b86}==", || <script src="/a.js" integrity="sha384-{b64}"></script> || integrity sha512-{b86}== | json xml yaml js
checksum | | sha256 = "{h64}" || "md5": "{h32}", || echo "{h64}  app.tar.gz" \| sha256sum -c || checksum: {h64} || CHECKSUM = '{h40}' | python json shell yaml toml terraform ruby
lock-line | | "resolved": "https://registry.acme.dev/{word}/-/{word}-1.2.3.tgz#{h40}", || golang.org/x/crypto v0.1.0 h1:{b43}= || content-hash = "{h64}" || hash = "sha256-{b43}=" | json go toml
uuid | tenant id/request id/user id/project id/subscription id/client id | {uuid} |
placeholder | api key/db password/password/auth token/client secret/secret key | changeme || your-api-key-here || <your-token> || xxxxxxxxxxxxxxxx || CHANGE_ME || replace-me || ******** || example || YOUR_SECRET_KEY || TODO || insert-token-here || dummy-value || not-a-real-key |
env-lookup | | API_KEY = os.environ["API_KEY"] || password = os.getenv("DB_PASSWORD") || const secret = process.env.JWT_SECRET; || token: process.env.API_TOKEN, || password := os.Getenv("DB_PASSWORD") || String token = System.getenv("API_TOKEN"); || var key = Environment.GetEnvironmentVariable("API_KEY"); || password = ENV['DB_PASSWORD'] || 'password' => env('DB_PASSWORD'), || SECRET_KEY = config("SECRET_KEY") | python js ts go java csharp ruby php
variable-reference | db password/api key/auth token/client secret | ${DB_PASSWORD} || $API_KEY || ${API_TOKEN:?missing} || %env(API_KEY)% || {{ .Values.apiKey }} || {{ vault_db_password }} | env yaml shell ini docker properties
pipeline-secret | github token/npm token/aws secret access key | ${{ secrets.DEPLOY_TOKEN }} || $(API_KEY) || ${{ steps.auth.outputs.token }} || $CI_JOB_TOKEN | ci yaml
terraform-reference | db password/master password/api token/private key | var.db_password || random_password.db.result || data.vault_generic_secret.db.data["password"] || module.db.password || file("~/.ssh/id_rsa") || tls_private_key.main.private_key_pem | tfraw
code-expression | | password = request.form["password"] || token = generate_token(user, expires=3600) || secret = hashlib.sha256(raw).hexdigest() || const token = await signIn(user.email, password); || String password = passwordEncoder.encode(dto.getPassword()); || password := r.FormValue("password") || api_key = settings.API_KEY or fallback_key() || $password = $_POST['password']; || this.accessToken = response.data.access_token; | python js ts go java php
type-annotation | | password: str || token?: string; || Password string `json:"password" validate:"required"` || private readonly string _password; || secret_key: Optional[str] = None || apiKey: z.string().min(20), || accessToken String? @db.Text || password: { type: String, required: true }, | python ts go csharp js
signature-of-function | | def login(username, password, token=None): || async function verifyToken(token, secret) { || func NewClient(apiKey string, secret string) *Client { || public bool CheckPassword(string password, string salt) || def reset_password(token:, new_password:) | python js go csharp ruby
label | | "password": "Password", || "forgotPassword": "Forgot your password?", || passwordConfirm: 'Confirm new password', || "token": "Access token", || "api_key": "API-Schlüssel", || 'password' => 'Passwort', || "invalidToken": "This link has expired." | json js ts php
form-field | | <input type="password" name="password" placeholder="Enter password"> || <label for="api_key">API key</label> || input(type="password", autocomplete="new-password") || <PasswordField label="Password" name="new_password" /> | xml js ts python
style | | color: #3fa9f5; || background: #deadbe; || .password-input { border: 1px solid #c0ffee; } || --token-color-primary: #1a2b3c; | css
data-image | | background: url(data:image/png;base64,{b240}); || logo = "data:image/png;base64,{b240}" || "icon": "data:image/svg+xml;base64,{b200}=", || src: url(data:font/woff2;base64,{b300}) | css json python js
public-key | | -----BEGIN PUBLIC KEY-----\n{b64}\n{b64}\n{b24}\n-----END PUBLIC KEY----- || -----BEGIN CERTIFICATE-----\n{b64}\n{b64}\n{b24}\n-----END CERTIFICATE----- || ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB{b240} deploy@host || public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} me@host" | yaml terraform shell env
documented-example | aws access key id/access key/secret access key | AKIAIOSFODNN7EXAMPLE || wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY |
ansible-vault | | db_password: !vault \|\n  $ANSIBLE_VAULT;1.1;AES256\n  {h80}\n  {h80} | yaml
sops | | db_password: ENC[AES256_GCM,data:{b24},iv:{b43}=,tag:{b22}==,type:str] || "api_key": "ENC[AES256_GCM,data:{b24},iv:{b43}=,tag:{b22}==,type:str]", || jasypt.password=ENC({b44}) | yaml json properties
sealed-secret | | kind: SealedSecret\nspec:\n  encryptedData:\n    password: AgB{b300} || secure: "{b171}=" || encrypted_key: AQICAHh{b150} || password: '{cipher}{h96}' | yaml ci
secret-location | | secret_arn: arn:aws:secretsmanager:eu-west-1:{d12}:secret:db-{a6} || secretName: payments-db-credentials || vault_path = "secret/data/billing/db" || password: vault:secret/data/db#password || token = "op://prod/github/token" || password: ref+awsssm://prod/db/password || secret_id = "projects/{d12}/secrets/db-password" | yaml terraform python ini toml
secret-key-ref | | valueFrom:\n  secretKeyRef:\n    name: db-credentials\n    key: password || envFrom:\n  - secretRef:\n      name: billing-secrets | yaml
endpoint | token url/password reset url/secret endpoint | https://auth.example.net/oauth/token || /api/v1/password/reset || https://login.microsoftonline.com/{uuid}/oauth2/v2.0/token |
kind-of-token | token type/auth method/credentials type/password policy | bearer || access_token || client_credentials || Bearer || authorization_code || strong |
name-of-thing | api key header/password field/token cookie name/secret name/csrf token name | X-Api-Key || user_password || sessionid || refresh_token || csrf_token || db-credentials |
algorithm | | PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"] || jwt_algorithm = "HS256" || encryption_key_type: AES-256-GCM || token_signing: RS256 || const secretAlgorithm = 'aes-256-gcm'; | python yaml js
number | token ttl/max tokens/password min length/token expiry/secret rotation days | 3600 || 4096 || 15m || 2592000 || 90d |
message | | raise ValueError("Password must contain at least one digit") || throw new Error('Invalid API key: check your settings'); || logger.info("token: refreshed for user %s", user) || flash('Your password has been changed. Please log in.') || echo "Enter the database password:" | python js ruby shell
file-path | | ssl_certificate_key /etc/nginx/ssl/server.key; || private_key_path = "/run/secrets/key.pem" || POSTGRES_PASSWORD_FILE=/run/secrets/db_password || keyFile: ./certs/tls.key || "credentials": "config/credentials.json", || GOOGLE_APPLICATION_CREDENTIALS=/var/keys/gcp-sa-2024.json | nginx python env yaml json docker
plain-url | database url/repo url/redis url/clone url | postgres://localhost:5432/app || https://github.com/acme/billing.git || redis://cache:6379/0 || ssh://git@github.com/acme/app.git || https://deploy@git.corp.lan/app.git || http://10.0.0.12:8080/a:b/c@d |
placeholder-url | database url/dsn/proxy | postgres://user:${DB_PASSWORD}@db/app || mysql://<user>:<password>@host/db || postgresql://USER:PASSWORD@HOST:5432/DB || https://{{ user }}:{{ token }}@git.corp.lan |
publishable | | stripePublishableKey: 'pk_live_{a24}', || RECAPTCHA_SITE_KEY=6L{w38} || GA_ID = "G-{u10}" || appInsightsId: "{uuid}" || SENTRY_DSN = "https://{h32}@o{d6}.ingest.sentry.io/{d7}" || algoliaAppId: '{u10}', | js env python yaml ts
test-id | | <input data-testid="login-password-input-2" /> || cy.get('[data-cy=reset-token-form-v2]') || expect(screen.getByTestId('api-key-row-12')) || id="secret-question-1" | xml js ts
trace | | traceparent: 00-{h32}-{h16}-01 || X-Request-Id: {h32} || "etag": "W/\"{h32}\"", || span_id={h16} trace_id={h32} | yaml json ini js
minified | | !function(e,t){var n=e.token,r="{g6}",o=t.password;return n?o:{a:1,b:"{g8}",c:function(e){return e.secret}}}(window,document);{mini} | js
long-identifier | | beanName = "springSecurityFilterChainProxyFactoryBean" || key = "feature.checkout.enable_new_payment_flow_v2" || class TokenAuthenticationBackendConfigurationProvider: || handler: "com.acme.billing.security.PasswordResetTokenHandler2" | python java yaml json
other-key | cache key/primary key/sort key/partition key/idempotency key/translation key/next page token | user:profile:42 || order_id || created_at || checkout.button.label || {h12} |
asset-name | | <script src="/static/js/main.{h20}.js"></script> || "main.css": "/static/css/main.{h8}.chunk.css", || import './chunk-{u8}.js'; || url(/fonts/inter-{h16}.woff2) | xml json js css
password-hash | | password_hash: $2b$12${a53} || ('admin', '$2y$10${a53}'), || "password": "$argon2id$v=19$m=65536,t=3,p=4${b22}${b43}", || password='pbkdf2_sha256$600000${a22}${b43}=' | yaml sql json python
test-vector | | assert digest == "{h64}" || KEY = bytes.fromhex("000102030405060708090a0b0c0d0e0f") || EXPECTED_SHA1 = "{h40}" || // vector 3: 6bc1bee22e409f96e93d7e117393172a | python js go
pattern | | PASSWORD_RE = r"^(?=.*[A-Z])(?=.*\d).{8,64}$" || const TOKEN_PATTERN = /^[A-Za-z0-9_-]{20,}$/; || apiKeyRegex: '[a-f0-9]{32}', || location ~ ^/reset-password/(?<token>[a-z0-9]+)$ { | python js nginx
column | | password VARCHAR(255) NOT NULL, || reset_token text UNIQUE, || ALTER TABLE users ADD COLUMN api_key CHAR(64); || SELECT id, password_hash, token FROM users WHERE email = $1; || GRANT SELECT ON secrets TO reader; | sql
resource-id | | subnet_id = "subnet-{h17}" || ami: ami-{h17} || zone_id = "Z{u20}" || account_id: "{d12}" || sg = "sg-{h17}" | terraform yaml
comment | | # set DB_PASSWORD before you run this || // TODO: move the api key to the vault || # password: see the team's vault || /* token = base64(header) + "." + base64(body) */ || # e.g. token = <paste it here> | python js go yaml shell
shell-reference | | curl -H "Authorization: Bearer $TOKEN" https://api.corp.lan || curl -u "$USER:$PASS" https://api.corp.lan || mysql -u root -p"$MYSQL_ROOT_PASSWORD" app || docker login -u ci -p "${REGISTRY_TOKEN}" || read -s -p "Password: " PASSWORD || --password-file=/run/pw | shell ci
"""  # noqa: E501
EXTRA = {"css": ("web/style{}.css", "body { margin: 0; }\n", ["%v"]),
         "tfraw": ("infra/rds{}.tf", "locals {\n}\n", ["  %s = %v"])}  # fmt: skip


def is_held_out(kind: str) -> bool:
    """Whether a kind is held out: about a third are, chosen by a hash of the name."""
    return hashlib.sha256(kind.encode()).digest()[0] % 3 == 0


def kinds(table: str) -> list[tuple[str, list[str], list[str], list[str]]]:
    rows = [[cell.strip() for cell in re.split(r"(?<![|\\])\|(?!\|)", row)] for row in table.strip().split("\n")]
    return [
        (kind, [name for name in names.split("/") if name], forms.replace("\\|", "|").split(" || "), formats.split())
        for kind, names, forms, formats in rows
    ]


def make(seed: int, each: int = 9, lookalikes_each: int = 14) -> SampleFiles:
    """Generate this many samples of each kind, shuffled and spread over files of all formats."""
    rng = random.Random(seed)
    rows: dict[str, list[tuple[bool, str, str]]] = {}
    for is_secret, table, count in ((True, SECRETS, each), (False, LOOKALIKES, lookalikes_each)):
        for kind, names, forms, formats in kinds(table):
            for number in range(count):
                file_format = rng.choice(formats or list(FORMATS))
                value = _fill_form(forms[number % len(forms)], rng)
                text = _assignment(file_format, rng.choice(names), value, rng) if names else value
                rows.setdefault(file_format, []).append((is_secret, kind, text))
    samples = SampleFiles({}, [], [])
    for file_format, found in rows.items():
        rng.shuffle(found)
        for number, start in enumerate(range(0, len(found), 20)):
            _write(samples, file_format, number, found[start : start + 20])
    return samples


def _write(samples: SampleFiles, file_format: str, number: int, rows: list[tuple[bool, str, str]]) -> None:
    path, head, _ = (FORMATS | EXTRA)[file_format]
    path, text = path.format(number or ""), head
    for is_secret, kind, row in rows:
        first = text.count("\n") + 1
        text += row.rstrip("\n") + "\n"
        (samples.planted if is_secret else samples.lookalikes).append(Place(kind, path, first, text.count("\n")))
        text += "\n" if len(row) % 3 == 0 else ""
    samples.files[path] = text


def _assignment(file_format: str, name: str, value: str, rng: random.Random) -> str:
    words, half = name.split(), len(value) // 2
    pascal = "".join(map(str.capitalize, words))
    parts = {"U": "_".join(words).upper(), "s": "_".join(words), "c": pascal[0].lower() + pascal[1:], "P": pascal,
             "k": "-".join(words), "d": ".".join(words), "v": value, "1": value[:half], "2": value[half:]}  # fmt: skip
    return re.sub(r"%([UscPkdv12])", lambda match: parts[match[1]], rng.choice((FORMATS | EXTRA)[file_format][2]))


def _fill_form(form: str, rng: random.Random) -> str:
    def fill(match: re.Match[str]) -> str:
        alphabet, length, word = match.groups()
        return _random_string(rng, ALPHABETS[alphabet], int(length)) if alphabet else _generate_value(word, rng)

    text = form.replace("\\n", "\n") if "\n" not in form and not form.startswith("-----BEGIN PRIVATE") else form
    return re.sub(rf"\{{(?:([{''.join(ALPHABETS)}])(\d+)|([A-Za-z0-9]+))\}}", fill, text)


def _random_string(rng: random.Random, letters: str, length: int) -> str:
    return "".join(rng.choice(letters) for _ in range(length))


def _generate_value(word: str, rng: random.Random) -> str:
    one, two = rng.sample(WORDS, 2)
    digits = _random_string(rng, string.digits, rng.choice((2, 3, 4)))
    sign = rng.choice("!_-*+.")
    easy = [f"{one.capitalize()}{digits}{sign}", f"{one}{sign}{two}{digits}", _random_string(rng, ALNUM, 12)]
    if word in ("pw", "cpw"):
        return rng.choice(
            [*easy, f"{one[:4]}@{digits}{two.upper()}", f"P@{one}{digits}", "#".join((one, digits + two))]
        )
    if word == "basic":
        return base64.b64encode(f"{one}:{easy[1]}".encode()).decode()
    if word == "b64pw":
        return base64.b64encode(easy[1].encode()).decode()
    if word == "jwt":
        head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
        body = base64.urlsafe_b64encode(f'{{"sub":"{digits}","role":"{one}"}}'.encode()).decode().rstrip("=")
        return f"{head}.{body}.{_random_string(rng, ALPHABETS['w'], 43)}"
    if word == "pem":
        kind = rng.choice(["RSA ", "EC ", "OPENSSH ", "", "DSA ", "ENCRYPTED "]) + "PRIVATE KEY"
        lines = [_random_string(rng, ALPHABETS["b"], 64) for _ in range(6)]
        return "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])
    values: dict[str, str] = {
            "upw": rng.choice(easy), "word": one, "Word": one.capitalize(), "host": rng.choice(HOSTS),
            "mini": "var a=1;" * 60, "cipher": "{cipher}",
            "uuid": "-".join(_random_string(rng, HEX, size) for size in (8, 4, 4, 4, 12))}  # fmt: skip
    return values.get(word, "{" + word + "}")
