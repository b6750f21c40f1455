"""Further technologies of each ecosystem: widely used, and known by a package or two."""

from __future__ import annotations

FRAMEWORKS = """
restify | npm:restify
LoopBack | npm:loopback
Polka | npm:polka
Hexo | npm:hexo
Apache Cordova | npm:cordova
Wouter | npm:wouter
MobX-State-Tree | npm:mobx-state-tree
Effector | npm:effector
NGXS | npm:@ngxs/store
Immutable.js | npm:immutable
React Window | npm:react-window
React Virtualized | npm:react-virtualized
Victory | npm:victory
React Three Fiber | npm:@react-three/fiber
Liveblocks | npm:@liveblocks/client
STOMP | npm:@stomp/stompjs npm:stompjs
SockJS | npm:sockjs npm:sockjs-client
Ably | npm:ably
IndexedDB | npm:idb
GSAP | npm:gsap
anime.js | npm:animejs
Lottie | npm:lottie-web npm:lottie-react~
React Select | npm:react-select
Downshift | npm:downshift
react-dropzone | npm:react-dropzone
Slick | npm:slick-carousel npm:react-slick~
blessed | npm:blessed npm:neo-blessed
Showdown | npm:showdown
PDFKit | npm:pdfkit
pdf-lib | npm:pdf-lib
jsPDF | npm:jspdf
React PDF | npm:@react-pdf/renderer
Papa Parse | npm:papaparse
simple-peer | npm:simple-peer
mediasoup | npm:mediasoup
Tone.js | npm:tone
WaveSurfer | npm:wavesurfer.js
ffmpeg.wasm | npm:@ffmpeg/ffmpeg
ONNX Runtime | npm:onnxruntime-web npm:onnxruntime-node pypi:onnxruntime crate:ort nuget:microsoft.ml.onnxruntime
MiniSearch | npm:minisearch
FlexSearch | npm:flexsearch
Lunr | npm:lunr
ProseMirror | npm:prosemirror-commands npm:prosemirror-model
vis.js | npm:vis-network npm:vis-timeline
bpmn-js | npm:bpmn-js
Tabulator | npm:tabulator-tables
flatpickr | npm:flatpickr
Cropper.js | npm:cropperjs
Choices.js | npm:choices.js
Tribute | npm:tributejs
Tippy.js | npm:tippy.js
Discord.js | npm:discord.js
Telegraf | npm:telegraf
grammY | npm:grammy
Slack Bolt | npm:@slack/bolt pypi:slack-bolt
ethers.js | npm:ethers
web3.js | npm:web3
viem | npm:viem
wagmi | npm:wagmi
Hardhat | npm:hardhat
Medusa | npm:@medusajs/medusa
Ghost | npm:ghost
CherryPy | pypi:cherrypy
Masonite | pypi:masonite
Bokeh | pypi:bokeh
Altair | pypi:altair
seaborn | pypi:seaborn
XGBoost | pypi:xgboost
LightGBM | pypi:lightgbm
CatBoost | pypi:catboost
Diffusers | pypi:diffusers
Panel | pypi:panel
Jupyter | pypi:jupyter
Dask | pypi:dask
Ray | pypi:ray
Luigi | pypi:luigi
dbt | pypi:dbt-core
MLflow | pypi:mlflow
Weights & Biases | pypi:wandb
Optuna | pypi:optuna
Hydra | pypi:hydra-core
scikit-image | pypi:scikit-image
wxPython | pypi:wxpython
Arcade | pypi:arcade
discord.py | pypi:discord-py
python-telegram-bot | pypi:python-telegram-bot
aiogram | pypi:aiogram
docopt | pypi:docopt
questionary | pypi:questionary
GeoPandas | pypi:geopandas
NetworkX | pypi:networkx
SymPy | pypi:sympy
statsmodels | pypi:statsmodels
httprouter | go:github.com/julienschmidt/httprouter
Revel | go:github.com/revel/revel
Negroni | go:github.com/urfave/negroni
go-flags | go:github.com/jessevdk/go-flags
Huh | go:github.com/charmbracelet/huh
promptui | go:github.com/manifoldco/promptui
survey | go:github.com/alecaivazis/survey
Salvo | crate:salvo
Gotham | crate:gotham
argh | crate:argh
structopt | crate:structopt
inquire | crate:inquire
Cursive | crate:cursive
termion | crate:termion
rustyline | crate:rustyline
reedline | crate:reedline
Sycamore | crate:sycamore
macroquad | crate:macroquad
ggez | crate:ggez
fltk-rs | crate:fltk
Serenity | crate:serenity
teloxide | crate:teloxide
Padrino | gem:padrino
Phlex | gem:phlex gem:phlex-rails~
Simple Form | gem:simple_form
Formtastic | gem:formtastic
CoffeeScript | gem:coffee-rails~ npm:coffeescript ending:coffee
Middleman | gem:middleman
Nanoc | gem:nanoc
Bridgetown | gem:bridgetown
Refinery CMS | gem:refinerycms-core
Alchemy CMS | gem:alchemy_cms
Hyperf | php:hyperf/hyperf
Backpack | php:backpack/crud
Plates | php:league/plates
EasyAdmin | php:easycorp/easyadmin-bundle
Sonata Admin | php:sonata-project/admin-bundle
Sylius | php:sylius/sylius
Shopware | php:shopware/core
Bagisto | php:bagisto/bagisto
Winter CMS | php:wintercms/winter
Workerman | php:workerman/workerman
ReactPHP | php:react/event-loop
Amp | php:amphp/amp
Spring Shell | maven:org.springframework.shell:*
Spring Modulith | maven:org.springframework.modulith:*
Spark Java | maven:com.sparkjava:spark-core
Apache Pekko | maven:org.apache.pekko:*
Apache Hadoop | maven:org.apache.hadoop:*
Apache Beam | maven:org.apache.beam:* pypi:apache-beam
Guice | maven:com.google.inject:guice
picocli | maven:info.picocli:picocli*
JCommander | maven:com.beust:jcommander maven:org.jcommander:jcommander
JLine | maven:org.jline:*
Clikt | maven:com.github.ajalt.clikt:*
FlatLaf | maven:com.formdev:flatlaf
RxJava | maven:io.reactivex.rxjava2:rxjava maven:io.reactivex.rxjava3:rxjava
ABP Framework | nuget:volo.abp.*
Orchard Core | nuget:orchardcore.*
Umbraco | nuget:umbraco.cms*
ReactiveUI | nuget:reactiveui*
Prism Library | nuget:prism.core nuget:prism.wpf nuget:prism.dryioc*
Xamarin.Forms | nuget:xamarin.forms
Uno Platform | nuget:uno.winui*
Windows App SDK | nuget:microsoft.windowsappsdk
MonoGame | nuget:monogame.framework.*
Silk.NET | nuget:silk.net*
Blazorise | nuget:blazorise*
Carter | nuget:carter
Hot Chocolate | nuget:hotchocolate.*
Orleans | nuget:microsoft.orleans.*
Akka.NET | nuget:akka nuget:akka.*
Dapr | nuget:dapr.* go:github.com/dapr/go-sdk pypi:dapr npm:@dapr/dapr
Ocelot | nuget:ocelot
"""

STYLING = """
NG-ZORRO | npm:ng-zorro-antd
Nebular | npm:@nebular/theme
Clarity | npm:@clr/angular
CoreUI | npm:@coreui/react npm:@coreui/vue npm:@coreui/angular npm:@coreui/coreui
Elastic UI | npm:@elastic/eui
Grommet | npm:grommet
Evergreen | npm:evergreen-ui
Base Web | npm:baseui
React Suite | npm:rsuite
reactstrap | npm:reactstrap
React Icons | npm:react-icons
Iconify | npm:@iconify/vue npm:@iconify/react
Material Design Icons | npm:@mdi/font npm:material-icons npm:@mdi/js
Feather Icons | npm:feather-icons npm:react-feather
Phosphor Icons | npm:@phosphor-icons/react npm:@phosphor-icons/vue
Ionicons | npm:ionicons
animate.css | npm:animate.css
Material Design in XAML | nuget:materialdesignthemes
MahApps.Metro | nuget:mahapps.metro*
Ant Design Blazor | nuget:antdesign
BootstrapBlazor | nuget:bootstrapblazor
django-crispy-forms | pypi:django-crispy-forms
"""

TESTING = """
React Test Renderer | npm:react-test-renderer
c8 | npm:c8
Ladle | npm:@ladle/react
go-cmp | go:github.com/google/go-cmp
mockery | go:github.com/vektra/mockery file:.mockery.yaml file:.mockery.yml
quicktest | go:github.com/frankban/quicktest
gotest.tools | go:gotest.tools
trybuild | crate:trybuild
test-case | crate:test-case
libFuzzer | crate:libfuzzer-sys
Fabrication | gem:fabrication
NetArchTest | nuget:netarchtest.rules
Test::More | ending:t
Goss | file:goss.yaml
"""

TOOLING = """
GraphQL Code Generator | npm:@graphql-codegen/cli file:codegen.ts file:codegen.yml
Node-gyp | file:binding.gyp
unbuild | npm:unbuild
microbundle | npm:microbundle
ncc | npm:@vercel/ncc
pkg | npm:pkg npm:@yao-pkg/pkg
PM2 | npm:pm2 file:ecosystem.config.js file:ecosystem.config.cjs
Commitizen | npm:commitizen pypi:commitizen
standard-version | npm:standard-version
XO | npm:xo
JSHint | npm:jshint file:.jshintrc
TSLint | npm:tslint file:tslint.json
markdownlint | npm:markdownlint-cli npm:markdownlint-cli2 file:.markdownlint.json file:.markdownlint.yaml
    file:.markdownlint.yml tool:markdownlint
CSpell | npm:cspell file:cspell.json file:.cspell.json
size-limit | npm:size-limit
JSDoc | npm:jsdoc
CRACO | npm:@craco/craco
Serverless Framework | npm:serverless file:serverless.yml
AWS CDK | npm:aws-cdk-lib pypi:aws-cdk-lib file:cdk.json
SST | npm:sst
Cython | pypi:cython ending:pyx
Numba | pypi:numba
pybind11 | pypi:pybind11 c:pybind11
Nuitka | pypi:nuitka
Briefcase | pypi:briefcase
Invoke | pypi:invoke
Fabric | pypi:fabric
bindgen | crate:bindgen
cbindgen | crate:cbindgen file:cbindgen.toml
LALRPOP | crate:lalrpop
cargo-fuzz | crate:libfuzzer-sys~
Mina | gem:mina
Steep | gem:steep
Solargraph | gem:solargraph
HAML-Lint | gem:haml_lint file:.haml-lint.yml
annotate | gem:annotate gem:annotaterb
bundler-audit | gem:bundle-audit
Byebug | gem:byebug
Letter Opener | gem:letter_opener gem:letter_opener_web
Scribe | php:knuckleswtf/scribe
Laravel Tinker | php:laravel/tinker
Collision | php:nunomaduro/collision
Ignition | php:spatie/laravel-ignition
DDEV | path:.ddev/config.yaml
Lando | file:.lando.yml
frontend-maven-plugin | maven:com.github.eirslett:frontend-maven-plugin
Gradle Node Plugin | maven:plugin:com.github.node-gradle.node
OpenAPI Generator | maven:org.openapitools:openapi-generator-maven-plugin maven:plugin:org.openapi.generator
NSwag | npm:nswag nuget:nswag.msbuild nuget:nswag.aspnetcore file:nswag.json
Meziantou.Analyzer | nuget:meziantou.analyzer
ReportGenerator | nuget:reportgenerator
Tilt | root:tiltfile
Garden | file:garden.yml
Dagger CI | file:dagger.json
Earthly | root:earthfile
devenv | root:devenv.nix
direnv | root:.envrc
Overmind | file:.overmind.env
Semaphore CI | path:.semaphore/semaphore.yml
Buildkite | path:.buildkite/*
Google Cloud Build | root:cloudbuild.yaml root:cloudbuild.yml
Railway | root:railway.json root:railway.toml
Heroku | root:app.json
Firebase Hosting | root:.firebaserc
Sourcery | root:.sourcery.yaml
Trunk | path:.trunk/trunk.yaml
MegaLinter | root:.mega-linter.yml
yamllint | root:.yamllint root:.yamllint.yml root:.yamllint.yaml tool:yamllint
actionlint | tool:actionlint
Trivy | tool:trivy file:trivy.yaml
Gitleaks | tool:gitleaks file:.gitleaks.toml
Syft | tool:syft
Cosign | tool:cosign
"""
