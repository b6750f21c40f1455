"""Tools, hosts and pipelines that a file of settings shows."""

from __future__ import annotations

TOOLING = """
Ansible | path:ansible/*.yml file:galaxy.yml
AppImage | file:appimagebuilder.yml
AppVeyor | root:.appveyor.yaml
Argo CD | path:*argocd/*.yaml path:*argocd/*.yml
astyle | file:.astylerc
AWS App Runner | root:apprunner.yaml
AWS CodeBuild | root:buildspec.yml root:buildspec.yaml
AWS CodeDeploy | root:appspec.yml
AWS Copilot | path:copilot/.workspace
AWS Elastic Beanstalk | path:.ebextensions/* path:.elasticbeanstalk/config.yml
AWS SAM | file:samconfig.toml
Azure Pipelines | root:.azure-pipelines.yml path:.azure-pipelines/* path:azure-pipelines/* path:.azuredevops/*
Azure Static Web Apps | file:staticwebapp.config.json
bacon | root:bacon.toml
Bandit | file:.bandit tool:bandit
Bazel | root:.bazelrc root:.bazelversion
Bitrise | root:bitrise.yml
Black | file:.black
Bruno | file:bruno.json
Buddy | root:buddy.yml
Cabal | file:*.cabal
CapRover | root:captain-definition
Cargo | root:cargo.lock
cargo-mutants | path:.cargo/mutants.toml
cargo-vet | path:supply-chain/config.toml
cargo-xtask | path:xtask/cargo.toml
Carthage | root:cartfile
Checkov | file:.checkov.yaml file:.checkov.yml tool:checkov
Checkstyle | file:google_checks.xml path:config/checkstyle/*
Chef | root:berksfile
Clever Cloud | path:clevercloud/*
cmake-format | file:.cmake-format file:.cmake-format.yaml file:.cmake-format.py
Codacy | root:.codacy.yml root:.codacy.yaml
Code Climate | root:.codeclimate.yml
Codemagic | root:codemagic.yaml
CodeRabbit | root:.coderabbit.yaml
Codeship | root:codeship-services.yml
Commitizen | file:.czrc file:.cz.toml
commitlint | file:.commitlintrc file:.commitlintrc.json file:.commitlintrc.js file:.commitlintrc.yml
Concourse | path:ci/pipeline.yml
Conda | root:conda-lock.yml root:environment.yaml
Coolify | root:coolify.json
CPM.cmake | file:cpm.cmake
Credo | file:.credo.exs
CSpell | file:cspell.config.yaml file:.cspell.yml file:cspell.yml file:cspell.config.js
DeepSource | root:.deepsource.toml
Dev Containers | root:.devcontainer.json path:.devcontainer/*/devcontainer.json
Devbox | root:devbox.json
DevSpace | root:devspace.yaml
Dialyzer | file:.dialyzer_ignore.exs
Dip | root:dip.yml
Docusaurus | file:docusaurus.config.js
Dokku | root:.dokku path:dokku/*
Dune | root:dune-project
EAS | root:eas.json
Emscripten | docker:emscripten/emsdk
ESP-IDF | file:sdkconfig.defaults
Flatpak | root:flathub.json
fnm | root:.fnmrc
Forgejo Actions | path:.forgejo/workflows/*
FOSSA | root:.fossa.yml
Fourmolu | file:fourmolu.yaml
gersemi | file:.gersemirc
Gitea Actions | path:.gitea/workflows/*
GitLab CI | path:.gitlab/ci/* path:.gitlab-ci/*
golangci-lint | file:.golangci.json
GraphQL Code Generator | file:codegen.yaml
Helm | file:helmfile.yaml
Helmfile | file:helmfile.yaml file:helmfile.yaml.gotmpl
Heroku | root:heroku.yml
HLint | file:.hlint.yaml
Husky | root:.huskyrc
Husky.NET | path:.husky/task-runner.json
Infracost | file:infracost.yml
Inno Setup | ending:iss
Insomnia | path:.insomnia/*
Jenkins | root:jenkinsfile.groovy
Kiota | file:kiota-lock.json
Kodiak | root:.kodiak.toml path:.github/.kodiak.toml
Koyeb | root:koyeb.yaml
Kubernetes | path:*/k8s/*.yaml path:*kubernetes/*/deployment.yaml path:deploy/kubernetes/*
Kustomize | file:kustomization.yaml file:kustomization.yml
Laravel Forge | path:.forge/*
Laravel Pint | file:pint.json
Leiningen | root:project.clj
lint-staged | file:.lintstagedrc file:.lintstagedrc.json file:lint-staged.config.js file:.lintstagedrc.js
Localazy | file:localazy.json
Lokalise | root:lokalise.yml
LuaRocks | file:*.rockspec
markdownlint | file:.markdownlint-cli2.yaml file:.markdownlint-cli2.jsonc file:.markdownlintrc
    file:.markdownlint.jsonc file:.mdlrc
Maven | path:.mvn/wrapper/maven-wrapper.properties
Mill | root:build.sc root:build.mill
Mint | root:mintfile
Mix | root:mix.exs
Molecule | path:*molecule/default/molecule.yml
NDepend | ending:ndproj
nFPM | file:nfpm.yaml
Ninja | root:build.ninja
Nixpacks | root:nixpacks.toml
Northflank | root:northflank.json
NSIS | ending:nsi
Okteto | root:okteto.yml
OpenAPI Generator | file:.openapi-generator-ignore
OpenTofu | ending:tofu
Ormolu | file:.ormolu
Packer | file:*.pkr.hcl
Paket | root:paket.dependencies
Pants | root:pants.toml
PHP CS Fixer | file:.php_cs file:.php_cs.dist tool:php-cs-fixer
Phrase | root:.phrase.yml root:.phraseapp.yml
Pipenv | root:pipfile.lock
PlantUML | ending:puml
Platform.sh | path:.platform/routes.yaml root:.platform.app.yaml
PlatformIO | root:platformio.ini
PMD | file:pmd.xml path:config/pmd/*
Podman | file:*.containerfile
POEditor | root:poeditor-config.json
Postman | file:*.postman_collection.json
ProGuard | file:proguard-rules.pro
Prow | path:.prow/*
Psalm | file:psalm.xml.dist
Puppet | root:puppetfile
PurgeCSS | file:purgecss.config.js
Qodana | root:qodana.yaml
R8 | file:consumer-rules.pro
Railway | file:railway.toml
Rebar3 | root:rebar.config
release-it | file:.release-it.json
Remix IDE | file:remix.config.json
Render | root:render.yml
renv | root:renv.lock
revive | file:revive.toml
rust-analyzer | file:rust-analyzer.toml
SaltStack | file:saltfile
Scala Steward | file:.scala-steward.conf
Scalingo | root:scalingo.json
Scrutinizer | root:.scrutinizer.yml
SDKMAN | root:.sdkmanrc
semantic-release | file:.releaserc.js file:.releaserc.yml file:.releaserc.yaml file:release.config.cjs
    file:release.config.mjs
Slither | file:slither.config.json
Smithy | file:smithy-build.json
Speakeasy | path:.speakeasy/*
SpotBugs | file:spotbugs-exclude.xml
Stack | root:stack.yaml
StyleCI | root:.styleci.yml
StyleCop | file:stylecop.json file:stylecop.ruleset
SwiftFormat | file:.swiftformat
Task | root:taskfile.dist.yml root:taskfile.dist.yaml
TeamCity | path:.teamcity/*
Tekton | path:.tekton/* path:tekton/*
Terragrunt | file:terragrunt.hcl
TFLint | file:.tflint.hcl tool:tflint
Trunk (WASM) | root:trunk.toml
Tuist | path:tuist/config.swift root:tuist.swift
uncrustify | file:uncrustify.cfg
Upsun | path:.upsun/config.yaml
Vercel | root:vercel.ts path:.vercel/project.json
Wercker | root:wercker.yml
Yarn | root:.yarnrc.yml root:.yarnrc
Zeabur | root:zbpack.json
Zephyr | root:west.yml
Zuul | root:.zuul.yaml path:.zuul.d/*
"""
