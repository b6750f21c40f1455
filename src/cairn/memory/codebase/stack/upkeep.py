"""What keeps a project in order: bots, releases, documentation, spelling, and tests and libraries of .NET."""

from __future__ import annotations

TOOLING = """
Renovate | file:renovate.json file:renovate.json5 file:.renovaterc file:.renovaterc.json path:.github/renovate.json
    path:.github/renovate.json5 tool:renovate
Dependabot | path:.github/dependabot.yml path:.github/dependabot.yaml
Codecov | root:codecov.yml root:.codecov.yml path:.github/codecov.yml tool:codecov
Coveralls | root:.coveralls.yml tool:coveralls
CodeQL | path:.github/workflows/*codeql*.yml path:.github/workflows/*codeql*.yaml tool:codeql
OpenSSF Scorecard | tool:scorecard
release-please | root:release-please-config.json root:.release-please-manifest.json tool:release-please
Release Drafter | path:.github/release-drafter.yml tool:release-drafter
Mergify | root:.mergify.yml path:.github/mergify.yml
git-cliff | root:cliff.toml
Changie | root:.changie.yaml
Cocogitto | root:cog.toml
bump2version | root:.bumpversion.cfg pypi:bump2version pypi:bumpversion
tbump | pypi:tbump root:tbump.toml tool:tbump
setuptools-scm | pypi:setuptools-scm tool:setuptools_scm
typos | root:typos.toml root:.typos.toml root:_typos.toml tool:typos
Vale | root:.vale.ini
Lychee | root:lychee.toml tool:lychee
zizmor | root:zizmor.yml path:.github/zizmor.yml tool:zizmor
Semgrep | tool:semgrep path:.semgrep/* root:.semgrep.yml
Snyk | root:.snyk tool:snyk
SonarQube | tool:sonarqube
Trivy | root:.trivyignore
dprint | file:.dprint.json file:dprint.jsonc
Taplo | file:taplo.toml file:.taplo.toml tool:taplo
StyLua | file:stylua.toml file:.stylua.toml
Luacheck | file:.luacheckrc
SQLFluff | file:.sqlfluff pypi:sqlfluff tool:sqlfluff-lint
swift-format | file:.swift-format
SwiftLint | file:.swiftlint.yml
Selene | file:selene.toml
VitePress | npm:vitepress path:*.vitepress/config.*
Docusaurus | npm:@docusaurus/core path:*docusaurus.config.*
VuePress | npm:vuepress npm:@vuepress/core path:*.vuepress/config.*
Nextra | npm:nextra
Starlight | npm:@astrojs/starlight
Mintlify | path:*mint.json
GitBook | file:.gitbook.yaml
Docsify | npm:docsify
mdBook | file:book.toml tool:mdbook path:*/book.toml
Sphinx | path:docs/*conf.py path:doc/*conf.py path:documentation/*conf.py tool:sphinx
MkDocs | path:docs/mkdocs.yml file:mkdocs.yaml tool:mkdocs
Zensical | pypi:zensical file:zensical.toml
mkdocstrings | pypi:mkdocstrings
Antora | file:antora.yml path:*/antora-playbook.yml npm:@antora/cli
Asciidoctor | gem:asciidoctor npm:asciidoctor maven:org.asciidoctor:* maven:plugin:org.asciidoctor.*
Redocly | npm:@redocly/cli file:redocly.yaml
DocFX | file:docfx.json
Dokka | maven:plugin:org.jetbrains.dokka
LDoc | file:config.ld
autoflake | pypi:autoflake tool:autoflake
pyupgrade | pypi:pyupgrade tool:pyupgrade
ty | pypi:ty tool:ty
Basedpyright | pypi:basedpyright tool:basedpyright
Vulture | pypi:vulture
pydocstyle | pypi:pydocstyle tool:pydocstyle
interrogate | pypi:interrogate
Import Linter | pypi:import-linter tool:importlinter
Pyroma | pypi:pyroma
twine | pypi:twine
cibuildwheel | pypi:cibuildwheel tool:cibuildwheel
Pixi | file:pixi.toml file:pixi.lock
Rye | tool:rye
djHTML | pypi:djhtml tool:djhtml
curlylint | pypi:curlylint tool:curlylint
semantic-release | file:.releaserc file:.releaserc.json file:release.config.js
dependency-cruiser | npm:dependency-cruiser
Secretlint | npm:secretlint
typescript-eslint | npm:typescript-eslint
ember-template-lint | npm:ember-template-lint
Broccoli | npm:broccoli
patch-package | npm:patch-package
concurrently | npm:concurrently
cross-env | npm:cross-env
npm-run-all | npm:npm-run-all npm:npm-run-all2
Wireit | npm:wireit
Verdaccio | npm:verdaccio
webpack-dev-server | npm:webpack-dev-server
BrowserSync | npm:browser-sync
Metro | npm:metro file:metro.config.js
UglifyJS | npm:uglify-js
cssnano | npm:cssnano
PurgeCSS | npm:purgecss npm:@fullhuman/postcss-purgecss
Vite+ | npm:vite-plus
license-checker | npm:license-checker
RuboCop | gem:rubocop-performance~ gem:rubocop-rspec~ gem:standard-rails~
Slim-Lint | gem:slim_lint
Fasterer | gem:fasterer
Debride | gem:debride
ruby-lsp | gem:ruby-lsp
Web Console | gem:web-console
Tapioca | gem:tapioca
Deptrac | php:qossmic/deptrac php:deptrac/deptrac
PHPArkitect | php:phparkitect/phparkitect
ECS | php:symplify/easy-coding-standard
Phan | php:phan/phan
Box | file:box.json
Robo | php:consolidation/robo
Deployer | php:deployer/deployer file:deploy.php
Phing | file:build.xml php:phing/phing
govulncheck | tool:govulncheck go:golang.org/x/vuln
gotestsum | go:gotest.tools/gotestsum tool:gotestsum
Zig | tool:zig
cargo-llvm-cov | tool:cargo-llvm-cov
Tarpaulin | tool:tarpaulin
cargo-machete | tool:cargo-machete
Miri | tool:miri
wasm-pack | tool:wasm-pack
cargo-make | root:makefile.toml
WiX | path:*.wxs
Inno Setup | path:*.iss
Xcode | path:*.xcodeproj/project.pbxproj
Buck2 | root:.buckconfig
xmake | root:xmake.lua
Premake | root:premake5.lua
SCons | root:sconstruct
Ant | root:build.xml
japicmp | maven:com.github.siom79.japicmp:*
Animal Sniffer | maven:org.codehaus.mojo:animal-sniffer-maven-plugin
Develocity | maven:plugin:com.gradle.develocity maven:plugin:com.gradle.enterprise
Kover | maven:plugin:org.jetbrains.kotlinx.kover
Scalafmt | file:.scalafmt.conf
Scalafix | file:.scalafix.conf
google-java-format | maven:com.spotify.fmt:fmt-maven-plugin maven:com.google.googlejavaformat:google-java-format
License Maven Plugin | maven:com.mycila:license-maven-plugin
ILRepack | nuget:ilrepack*
Paket | file:paket.dependencies
FAKE | file:build.fsx
Husky.NET | nuget:husky
SourceLink | nuget:microsoft.sourcelink.*
IDisposableAnalyzers | nuget:idisposableanalyzers
dotnet-ef | nuget:dotnet-ef
"""

TESTING = """
counterfeiter | go:github.com/maxbrunsfeld/counterfeiter
go-mockgen | go:github.com/derision-test/go-mockgen file:mockgen.yaml
moq (Go) | go:github.com/matryer/moq
GoConvey | go:github.com/smartystreets/goconvey
godog | go:github.com/cucumber/godog
httpexpect | go:github.com/gavv/httpexpect
httpmock | go:github.com/jarcoal/httpmock
gofuzz | go:github.com/google/gofuzz
rapid | go:pgregory.net/rapid
goleak | go:go.uber.org/goleak
testscript | go:github.com/rogpeppe/go-internal
Dockertest | go:github.com/ory/dockertest
miniredis | go:github.com/alicebob/miniredis
k3d | tool:k3d
kind | tool:kind
httpmock (Rust) | crate:httpmock
mockito (Rust) | crate:mockito
test-log | crate:test-log
fake-rs | crate:fake
arbitrary | crate:arbitrary
loom | crate:loom
cucumber-rs | crate:cucumber
iai-callgrind | crate:iai-callgrind
predicates | crate:predicates
temp-env | crate:temp-env
requests-mock | pypi:requests-mock
pytest-asyncio | pypi:pytest-asyncio
pytest-httpx | pypi:pytest-httpx
pytest-benchmark | pypi:pytest-benchmark
syrupy | pypi:syrupy
inline-snapshot | pypi:inline-snapshot
model-bakery | pypi:model-bakery pypi:model-mommy
mimesis | pypi:mimesis
Schemathesis | pypi:schemathesis
HTTPretty | pypi:httpretty
aioresponses | pypi:aioresponses
fakeredis | pypi:fakeredis gem:fakeredis gem:mock_redis
Splinter | pypi:splinter
Nose | pypi:nose pypi:nose2
Mirage JS | npm:miragejs
Testem | npm:testem
fetch-mock | npm:fetch-mock
Pollyjs | npm:@pollyjs/core
ioredis-mock | npm:ioredis-mock
mongodb-memory-server | npm:mongodb-memory-server
Detox | npm:detox
Appium | npm:appium
CodeceptJS | npm:codeceptjs
Lighthouse | npm:@lhci/cli npm:lighthouse
BackstopJS | npm:backstopjs
Percy | npm:@percy/cli gem:percy-capybara
Stryker | npm:@stryker-mutator/core nuget:dotnet-stryker
tsd | npm:tsd npm:expect-type
pa11y | npm:pa11y npm:pa11y-ci
Test Prof | gem:test-prof
rspec-retry | gem:rspec-retry
Spinach | gem:spinach
Aruba | gem:aruba
parallel_tests | gem:parallel_tests
Mutant | gem:mutant
PHPBench | php:phpbench/phpbench
vfsStream | php:mikey179/vfsstream
Panther | php:symfony/panther
Foundry | php:zenstruck/foundry
Alice | php:nelmio/alice php:hautelook/alice-bundle
Brain Monkey | php:brain/monkey
TestNG | package:org.testng maven:io.qameta.allure:allure-testng~
Allure | maven:io.qameta.allure:* npm:allure-playwright
EasyMock | maven:org.easymock:easymock
PowerMock | maven:org.powermock:*
JMockit | maven:org.jmockit:jmockit
Truth | maven:com.google.truth:truth
jqwik | maven:net.jqwik:jqwik
JMH | maven:org.openjdk.jmh:*
Selenide | maven:com.codeborne:selenide
Karate | maven:com.intuit.karate:* maven:io.karatelabs:*
MockServer | maven:org.mock-server:* docker:mockserver/mockserver
GreenMail | maven:com.icegreen:greenmail*
DBUnit | maven:org.dbunit:dbunit
Instancio | maven:org.instancio:*
Datafaker | maven:com.github.javafaker:javafaker
Turbine | maven:app.cash.turbine:turbine
MUnit | maven:org.scalameta:munit*
specs2 | maven:org.specs2:*
MockHttp | nuget:richardszalay.mockhttp
Machine.Specifications | nuget:machine.specifications*
LightBDD | nuget:lightbdd*
ApprovalTests | nuget:approvaltests
Snapshooter | nuget:snapshooter*
Verify | nuget:verify.nunit nuget:verify.xunitv3 nuget:verify.mstest
SharpFuzz | nuget:sharpfuzz
Expecto | nuget:expecto
AFL | tool:afl
"""
