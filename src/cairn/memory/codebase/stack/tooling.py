"""Tooling: package managers, bundlers, linters, formatters, type checkers, CI, containers, documentation."""

from __future__ import annotations

TOOLING = """
npm | file:package-lock.json manager:npm
Yarn | file:yarn.lock manager:yarn
pnpm | file:pnpm-lock.yaml file:pnpm-workspace.yaml manager:pnpm
Poetry | file:poetry.lock manager:poetry
uv | tool:uv file:uv.lock manager:uv
Pipenv | file:pipfile
PDM | file:pdm.lock manager:pdm
Hatch | manager:hatch
Flit | manager:flit
Maturin | manager:maturin
setuptools | backend:setuptools root:setup.py root:setup.cfg
pip | root:requirements.txt
Conda | root:environment.yml
Bundler | versioned:gemfile.lock file:gemfile.lock root:gemfile
Composer | file:composer.json
Cargo | file:cargo.toml
Go Modules | file:go.mod
Maven | file:pom.xml versioned:maven-wrapper.properties
Gradle | file:build.gradle file:build.gradle.kts versioned:gradle-wrapper.properties
sbt | file:build.sbt
NuGet | file:*.csproj file:*.fsproj file:nuget.config file:directory.packages.props file:packages.lock.json
    file:packages.config
CMake | file:cmakelists.txt
Make | root:makefile root:gnumakefile root:makefile.in path:src/makefile
just | root:justfile root:.justfile
Task | root:taskfile.yml root:taskfile.yaml
Meson | root:meson.build
Bazel | root:workspace.bazel root:module.bazel
Autotools | root:configure.ac root:configure.in root:makefile.am
pkg-config | ending:pc.in
GCC | tool:gcc
Clang | tool:clang
cppcheck | tool:cppcheck
Coverity | tool:coverity
AddressSanitizer | tool:asan
Conan | file:conanfile.txt file:conanfile.py
vcpkg | file:vcpkg.json
Nix | root:flake.nix root:shell.nix root:default.nix
mise | root:mise.toml root:.mise.toml
Volta | tool:volta
Vite | npm:vite file:vite.config.*
Webpack | npm:webpack file:webpack.config.*
Rollup | npm:rollup file:rollup.config.*
Rolldown | npm:rolldown
esbuild | npm:esbuild gem:jsbundling-rails~
tsup | npm:tsup
tsx | npm:tsx
ts-node | npm:ts-node
SWC | npm:@swc/core
Babel | npm:@babel/core file:babel.config.* file:.babelrc
Parcel | npm:parcel
Rspack | npm:@rspack/core
Lage | npm:lage file:lage.config.js
Rush | file:rush.json
moon | path:.moon/workspace.yml
Turborepo | npm:turbo file:turbo.json
Nx | npm:nx file:nx.json
Lerna | npm:lerna file:lerna.json
Gulp | npm:gulp file:gulpfile.*
Grunt | npm:grunt file:gruntfile.js
Laravel Mix | npm:laravel-mix
Laravel Vite Plugin | npm:laravel-vite-plugin
Create React App | npm:react-scripts
Angular CLI | npm:@angular/cli
Vue CLI | npm:@vue/cli-service
Changesets | npm:@changesets/cli
semantic-release | npm:semantic-release pypi:python-semantic-release
release-it | npm:release-it
Knip | npm:knip
simple-git-hooks | npm:simple-git-hooks
nodemon | npm:nodemon
tsdown | npm:tsdown
vue-tsc | npm:vue-tsc
Terser | npm:terser
SVGR | npm:@svgr/webpack npm:@svgr/cli npm:vite-plugin-svgr~
electron-builder | npm:electron-builder
Electron Forge | npm:@electron-forge/cli
Rsbuild | npm:@rsbuild/core
Farm | npm:@farmfe/core
Browserify | npm:browserify
Bower | file:bower.json
Histoire | npm:histoire
dprint | npm:dprint file:dprint.json
ESLint | npm:eslint file:.eslintrc* file:eslint.config.* tool:eslintconfig tool:eslint
Prettier | npm:prettier file:.prettierrc* file:prettier.config.* tool:prettier
Biome | npm:@biomejs/biome file:biome.json file:biome.jsonc
oxlint | npm:oxlint file:.oxlintrc.json
Oxfmt | npm:oxfmt file:.oxfmtrc.json
Stylelint | npm:stylelint file:.stylelintrc*
Standard JS | npm:standard
Husky | npm:husky path:.husky/*
lint-staged | npm:lint-staged tool:lint-staged
Lefthook | npm:lefthook file:lefthook.yml gem:lefthook
commitlint | npm:@commitlint/cli file:commitlint.config.*
django-compressor | pypi:django-compressor
shfmt | tool:shfmt
Hadolint | tool:hadolint file:.hadolint.yaml
codespell | tool:codespell pypi:codespell file:.codespellrc
ShellCheck | tool:shellcheck file:.shellcheckrc
pre-commit | file:.pre-commit-config.yaml pypi:pre-commit
TypeDoc | npm:typedoc
Ruff | pypi:ruff tool:ruff tool:ruff-format tool:ruff-check file:ruff.toml file:.ruff.toml
Black | pypi:black tool:black
isort | pypi:isort tool:isort file:.isort.cfg
Flake8 | pypi:flake8 tool:flake8 file:.flake8
Pylint | pypi:pylint tool:pylint file:.pylintrc
mypy | pypi:mypy tool:mypy file:mypy.ini
Pyright | pypi:pyright npm:pyright tool:pyright file:pyrightconfig.json
Bandit | pypi:bandit
djLint | pypi:djlint tool:djlint
Sphinx | pypi:sphinx
Furo | pypi:furo
pdoc | pypi:pdoc
MyST | pypi:myst-parser
MkDocs | pypi:mkdocs file:mkdocs.yml
Material for MkDocs | pypi:mkdocs-material
towncrier | pypi:towncrier
pip-tools | pypi:pip-tools
PyInstaller | pypi:pyinstaller
RuboCop | gem:rubocop gem:rubocop-rails~ file:.rubocop.yml
Standard Ruby | gem:standard gem:standardrb file:.standard.yml
Brakeman | gem:brakeman
ERB Lint | gem:erb_lint file:.erb-lint.yml
Reek | gem:reek
bundler-audit | gem:bundler-audit
Rake | gem:rake
Foreman | gem:foreman
Propshaft | gem:propshaft
Sprockets | gem:sprockets gem:sprockets-rails~
Kamal | gem:kamal
Capistrano | gem:capistrano
Guard | gem:guard
Sorbet | gem:sorbet
YARD | gem:yard
Overcommit | gem:overcommit
Bullet | gem:bullet
Pry | gem:pry gem:pry-rails~
Thruster | gem:thruster
Vite Ruby | gem:vite_rails gem:vite_ruby
Shakapacker | gem:shakapacker gem:webpacker
PHPStan | php:phpstan/phpstan php:larastan/larastan~ php:nunomaduro/larastan~ file:phpstan.neon file:phpstan.neon.dist
Larastan | php:larastan/larastan php:nunomaduro/larastan
Psalm | php:vimeo/psalm php:psalm/plugin-laravel~ file:psalm.xml
Mago | php:carthage-software/mago file:mago.toml
PHPMD | php:phpmd/phpmd
PHP Insights | php:nunomaduro/phpinsights
Laravel IDE Helper | php:barryvdh/laravel-ide-helper
GrumPHP | php:phpro/grumphp
Xdebug | system:xdebug
PHP_CodeSniffer | php:squizlabs/php_codesniffer file:phpcs.xml file:phpcs.xml.dist
PHP CS Fixer | php:friendsofphp/php-cs-fixer file:.php-cs-fixer.php file:.php-cs-fixer.dist.php
Symfony AssetMapper | php:symfony/asset-mapper
Symfony Flex | php:symfony/flex
Webpack Encore | php:symfony/webpack-encore-bundle npm:@symfony/webpack-encore
Laravel Pint | php:laravel/pint
Laravel Sail | php:laravel/sail
Rector | php:rector/rector file:rector.php
golangci-lint | tool:golangci-lint file:.golangci.yml file:.golangci.yaml file:.golangci.toml
GoReleaser | tool:goreleaser file:.goreleaser.yml file:.goreleaser.yaml
gofmt | tool:gofmt tool:gofumpt
Staticcheck | tool:staticcheck file:staticcheck.conf
Mage | root:magefile.go go:github.com/magefile/mage
ko | root:.ko.yaml
protoc | tool:protoc
Buf | tool:buf file:buf.yaml file:buf.gen.yaml
Air | file:.air.toml
Clippy | tool:clippy file:clippy.toml file:.clippy.toml
rustfmt | tool:rustfmt file:rustfmt.toml file:.rustfmt.toml
cargo-deny | tool:cargo-deny root:deny.toml
cargo-audit | tool:cargo-audit
cross | tool:cross-rs root:cross.toml
cargo-dist | root:dist-workspace.toml
release-plz | file:release-plz.toml tool:release-plz
Error Prone | maven:com.google.errorprone:*
NullAway | maven:com.uber.nullaway:nullaway
OpenRewrite | maven:org.openrewrite.maven:* maven:plugin:org.openrewrite.rewrite
docker-maven-plugin | maven:io.fabric8:docker-maven-plugin maven:com.spotify:docker*-maven-plugin
CycloneDX | maven:org.cyclonedx:* maven:plugin:org.cyclonedx.bom
Kotlin Symbol Processing | maven:plugin:com.google.devtools.ksp
Shadow | maven:plugin:com.gradleup.shadow maven:plugin:com.github.johnrengelman.shadow
Checkstyle | maven:org.apache.maven.plugins:maven-checkstyle-plugin~ maven:plugin:checkstyle file:checkstyle.xml
    maven:com.puppycrawl.tools:checkstyle
Spotless | maven:com.diffplug.spotless:spotless-maven-plugin maven:plugin:com.diffplug.spotless~
SpotBugs | maven:com.github.spotbugs:spotbugs-maven-plugin~ maven:plugin:com.github.spotbugs~
PMD | maven:org.apache.maven.plugins:maven-pmd-plugin~ maven:plugin:pmd
Spring Java Format | maven:io.spring.javaformat:spring-javaformat-maven-plugin maven:plugin:io.spring.javaformat
Spring Boot DevTools | maven:org.springframework.boot:spring-boot-devtools
GraalVM Native Image | maven:org.graalvm.buildtools:native-maven-plugin~ maven:plugin:org.graalvm.buildtools.native~
Jib | maven:com.google.cloud.tools:jib-maven-plugin maven:plugin:com.google.cloud.tools.jib
ktlint | maven:plugin:org.jlleitschuh.gradle.ktlint~
detekt | maven:plugin:io.gitlab.arturbosch.detekt
SonarQube | maven:org.sonarsource.scanner.maven:*~ maven:plugin:org.sonarqube~ file:sonar-project.properties
    docker:sonarqube
Nerdbank.GitVersioning | nuget:nerdbank.gitversioning
MinVer | nuget:minver
GitVersion | file:gitversion.yml
dotnet format | tool:dotnet-format
CSharpier | nuget:csharpier file:.csharpierrc*
Roslynator | nuget:roslynator.analyzers
NUKE | nuget:nuke.common
Cake | file:build.cake
LibMan | file:libman.json
StyleCop | nuget:stylecop.analyzers
SonarAnalyzer | nuget:sonaranalyzer.csharp
clang-format | tool:clang-format file:.clang-format
clang-tidy | tool:clang-tidy file:.clang-tidy
Doxygen | file:doxyfile
Docker | tool:docker-build file:dockerfile file:dockerfile.* file:containerfile file:*.dockerfile compose:
Docker Compose | compose:
Podman | path:podman/*
Dev Containers | path:.devcontainer/devcontainer.json
Kubernetes | path:k8s/*.yml path:k8s/*.yaml path:kubernetes/*.yml path:kubernetes/*.yaml file:kustomization.yaml
    file:kustomization.yml
Helm | file:chart.yaml
Skaffold | file:skaffold.yaml
Terraform | ending:tf
Bicep | file:*.bicep
Azure Developer CLI | root:azure.yaml
Pulumi | root:pulumi.yaml
Ansible | root:ansible.cfg
Vagrant | root:vagrantfile
GitHub Actions | path:.github/workflows/*.yml path:.github/workflows/*.yaml
GitLab CI | root:.gitlab-ci.yml
CircleCI | path:.circleci/config.yml
Travis CI | root:.travis.yml
Cirrus CI | root:.cirrus.yml
Jenkins | file:jenkinsfile
Azure Pipelines | file:azure-pipelines.yml
AppVeyor | root:appveyor.yml root:.appveyor.yml
Woodpecker CI | root:.woodpecker.yml path:.woodpecker/*
Drone CI | root:.drone.yml
Bitbucket Pipelines | root:bitbucket-pipelines.yml
Netlify | root:netlify.toml
Vercel | root:vercel.json
Fly.io | root:fly.toml
Render | root:render.yaml
Cloudflare Workers | root:wrangler.toml root:wrangler.jsonc npm:wrangler
Crowdin | root:crowdin.yml
Swift Package Manager | root:package.swift
CocoaPods | file:podfile
Flutter | file:pubspec.yaml
Fastlane | path:fastlane/fastfile
DigitalOcean App Platform | path:.do/*
Snapcraft | file:snapcraft.yaml
Flatpak | path:*flatpak*.yml
Gitpod | root:.gitpod.yml
Weblate | root:.weblate tool:weblate
Transifex | path:.tx/config
Read the Docs | root:.readthedocs.yml root:.readthedocs.yaml
Swagger UI | npm:swagger-ui-express npm:swagger-ui-dist
OpenAPI Generator | npm:@openapitools/openapi-generator-cli file:openapitools.json
"""
