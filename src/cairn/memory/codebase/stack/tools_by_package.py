"""Tools that a package shows: build plugins, linters, generators, releases."""

from __future__ import annotations

TOOLING = """
alex | npm:alex
angular-eslint | npm:angular-eslint npm:@angular-eslint/builder
ansible-lint | file:.ansible-lint pypi:ansible-lint tool:ansible-lint
ANTLR | maven:org.antlr:* nuget:antlr4.runtime.standard maven:plugin:antlr
API Extractor | npm:@microsoft/api-extractor
Appraisal | gem:appraisal file:appraisals
Are the Types Wrong | npm:@arethetypeswrong/cli
AsyncAPI | file:asyncapi.yaml file:asyncapi.yml npm:@asyncapi/cli
autopep8 | pypi:autopep8
better_errors | gem:better_errors
Bit | npm:@teambit/bit
Buf | npm:@bufbuild/buf file:buf.work.yaml
bump-my-version | pypi:bump-my-version
bumpp | npm:bumpp
Bunchee | npm:bunchee
Bundlesize | npm:bundlesize
Bundlewatch | npm:bundlewatch
CaptainHook | php:captainhook/captainhook file:captainhook.json
Cloudflare Workers | npm:@cloudflare/workers-types root:wrangler.json
CodePush | npm:react-native-code-push
Compodoc | npm:@compodoc/compodoc
conventional-changelog | npm:conventional-changelog-cli
Cookiecutter | pypi:cookiecutter root:cookiecutter.json
Copier | pypi:copier root:copier.yml root:copier.yaml root:.copier-answers.yml
Costura | nuget:costura.fody
Crowdin | root:crowdin.yaml npm:@crowdin/cli
cx_Freeze | pypi:cx-freeze
Danger | gem:danger npm:danger file:dangerfile file:dangerfile.js file:dangerfile.ts
depcheck | npm:depcheck
deptry | pypi:deptry
detect-secrets | pypi:detect-secrets file:.secrets.baseline tool:detect-secrets
detekt | file:detekt.yml maven:plugin:dev.detekt
django-upgrade | pypi:django-upgrade tool:django-upgrade
Dumi | npm:dumi
electron-updater | npm:electron-updater
electron-vite | npm:electron-vite
ESLint | npm:@eslint/js~ npm:eslint-config-next~
Fantomas | nuget:fantomas file:.fantomasignore
Flay | gem:flay
Flog | gem:flog
Flow | npm:flow-bin file:.flowconfig
Fumadocs | npm:fumadocs-core npm:fumadocs-ui
    maven:io.github.git-commit-id:git-commit-id-maven-plugin
GitBook | npm:gitbook-cli
gitmoji | npm:gitmoji-cli
google-java-format | maven:com.google.googlejavaformat:*
gosec | tool:gosec go:github.com/securego/gosec
Gulp | npm:gulp-cli
Hatch | backend:hatchling pypi:hatchling
Herb | gem:herb
HTMLHint | npm:htmlhint file:.htmlhintrc
Hygen | npm:hygen
Imagemin | npm:imagemin
japicmp | maven:plugin:me.champeau.gradle.japicmp
jOOQ Codegen | maven:plugin:nu.studer.jooq
JReleaser | maven:plugin:org.jreleaser maven:org.jreleaser:* file:jreleaser.yml
Kotlinter | maven:plugin:org.jmailen.kotlinter
ktfmt | maven:plugin:com.ncorti.ktfmt.gradle
Laravel Dump Server | php:beyondcode/laravel-dump-server
Laravel Envoy | php:laravel/envoy file:envoy.blade.php
Laravel Shift Blueprint | php:laravel-shift/blueprint
ls-lint | npm:@ls-lint/ls-lint file:.ls-lint.yml
madge | npm:madge
Manypkg | npm:@manypkg/cli
Mintlify | npm:mintlify
Modernizer | maven:org.gaul:modernizer-maven-plugin
nanobind | pypi:nanobind
nbstripout | pypi:nbstripout tool:nbstripout
np | npm:np
npm-check-updates | npm:npm-check-updates
OWASP Dependency-Check | maven:org.owasp:dependency-check-maven maven:plugin:org.owasp.dependencycheck
Packwerk | gem:packwerk root:packwerk.yml
phpDocumentor | php:phpdocumentor/phpdocumentor file:phpdoc.dist.xml file:phpdoc.xml
PHPStan | php:phpstan/phpstan-symfony~ php:phpstan/phpstan-doctrine~ file:phpstan.dist.neon
pip-audit | pypi:pip-audit
Plasmic | npm:@plasmicapp/cli
Plop | npm:plop file:plopfile.js file:plopfile.mjs
poethepoet | pypi:poethepoet
Poetry | backend:poetry
PolySharp | nuget:polysharp
Prettier | npm:prettier-plugin-tailwindcss~
Prosopite | gem:prosopite
protobuf-es | npm:@bufbuild/protoc-gen-es
    maven:org.sonatype.plugins:protobuf-maven-plugin
publint | npm:publint
Pulumi | npm:@pulumi/pulumi pypi:pulumi go:github.com/pulumi/pulumi/sdk
py2app | pypi:py2app
Pyre | file:.pyre_configuration pypi:pyre-check
pytype | pypi:pytype
Radon | pypi:radon
Rails Best Practices | gem:rails_best_practices
RBS | gem:rbs
RDoc | gem:rdoc
React Compiler | npm:babel-plugin-react-compiler
React Cosmos | npm:react-cosmos
React DevTools | npm:react-devtools
React Scan | npm:react-scan
Rector | php:driftingly/rector-laravel~
Rome | npm:rome file:rome.json
Rspress | npm:rspress npm:@rspress/core
RuboCop | gem:rubocop-rails-omakase~ gem:rubocop-minitest~ gem:rubocop-rake~ gem:rubocop-factory_bot~
    gem:rubocop-capybara~ gem:rubocop-ast~
RubyCritic | gem:rubycritic
Safety | pypi:safety
scikit-build | pypi:scikit-build-core pypi:scikit-build
Snowpack | npm:snowpack
Solhint | npm:solhint file:.solhint.json
SonarQube | root:.sonarcloud.properties root:sonarlint.json nuget:dotnet-sonarscanner npm:sonarqube-scanner
    npm:sonar-scanner
Spectral | npm:@stoplight/spectral-cli file:.spectral.yml file:.spectral.yaml
Squirrel.Windows | nuget:squirrel.windows nuget:clowd.squirrel
Stylelint | npm:stylelint-config-standard~ file:stylelint.config.*
SVGO | npm:svgo file:svgo.config.js
Swagger Codegen | file:.swagger-codegen-ignore maven:io.swagger.codegen.v3:*
    maven:io.swagger:swagger-codegen-maven-plugin
Symfony Maker | php:symfony/maker-bundle
Syncpack | npm:syncpack
Taskipy | pypi:taskipy
textlint | npm:textlint file:.textlintrc
Tolgee | npm:@tolgee/react npm:@tolgee/cli file:.tolgeerc.json
ts-loader | npm:ts-loader
ts-proto | npm:ts-proto
tsc-alias | npm:tsc-alias
Twig CS Fixer | php:vincentlanglet/twig-cs-fixer
TypeSpec | npm:@typespec/compiler ending:tsp
Ultracite | npm:ultracite
Velopack | nuget:velopack
wemake-python-styleguide | pypi:wemake-python-styleguide
why-did-you-render | npm:@welldone-software/why-did-you-render
WordPress Scripts | npm:@wordpress/scripts
WP-CLI | php:wp-cli/wp-cli file:wp-cli.yml
wp-env | npm:@wordpress/env file:.wp-env.json
Xenon | pypi:xenon
yapf | pypi:yapf file:.style.yapf
Yeoman | npm:yeoman-generator
"""
