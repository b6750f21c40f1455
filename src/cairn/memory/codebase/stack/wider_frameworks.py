"""Frameworks, kits of parts and icons that are met less often."""

from __future__ import annotations

FRAMEWORKS = """
A-Frame | npm:aframe
AG Grid | npm:@ag-grid-community/core
Agora | npm:agora-rtc-sdk-ng
ahooks | npm:ahooks
Airflow | docker:apache/airflow
Anchor | npm:@coral-xyz/anchor file:anchor.toml
Ant Design Pro | npm:@ant-design/pro-components
Apache Flink | pypi:apache-flink docker:flink
Apache Spark | docker:apache/spark docker:bitnami/spark
assistant-ui | npm:@assistant-ui/react
AutoAnimate | npm:@formkit/auto-animate
AutoGen | pypi:autogen-agentchat pypi:pyautogen
Axon Framework | maven:org.axonframework:*
Beego | go:github.com/astaxie/beego
BentoML | pypi:bentoml
Blitz.js | npm:blitz
cannon-es | npm:cannon-es
Chart.js | npm:react-chartjs-2~ npm:vue-chartjs~
Colyseus | npm:colyseus npm:@colyseus/core
CometBFT | go:github.com/cometbft/cometbft
Compose Multiplatform | maven:plugin:org.jetbrains.compose
Contentlayer | npm:contentlayer
CopilotKit | npm:@copilotkit/react-core
Crawlee | npm:crawlee pypi:crawlee
CRXJS | npm:@crxjs/vite-plugin
CustomTkinter | pypi:customtkinter
DataTables | npm:datatables
deck.gl | npm:deck.gl npm:@deck.gl/core
Directus | npm:@directus/sdk
Dropwizard | maven:io.dropwizard:*
Dva | npm:dva
DVC | pypi:dvc
Eta | npm:eta
Expo Router | npm:expo-router
Fat-Free Framework | php:bcosca/fatfree
FFmpeg | npm:ffmpeg-static npm:@ffmpeg-installer/ffmpeg pypi:imageio-ffmpeg nuget:ffmpegcore nuget:xabe.ffmpeg
    crate:ffmpeg-next maven:org.bytedeco:ffmpeg pypi:av docker:linuxserver/ffmpeg docker:jrottenberg/ffmpeg
Figma Plugin API | npm:@figma/plugin-typings
FilePond | npm:react-filepond
Flax | pypi:flax
Flet | pypi:flet
FormatJS | npm:@formatjs/cli~
go-micro | go:go-micro.dev/v4 go:github.com/micro/go-micro go:go-micro.dev
Godot | file:project.godot
Grails | maven:org.grails:*
Home Assistant | pypi:homeassistant
Hotwire | gem:turbo-rails~
Hugo | file:hugo.toml file:hugo.yaml path:*archetypes/default.md
i18next | npm:next-i18next~
Instructor | pypi:instructor
Jakarta EE | maven:jakarta.platform:*
JavaFX | maven:plugin:org.openjfx.javafxplugin
Javalin | maven:io.javalin:*
Jekyll | file:.jekyll-metadata
Jersey | maven:org.glassfish.jersey.*
Jetpack Compose | maven:androidx.compose.*
Jitsi | docker:jitsi/web
JTE | maven:gg.jte:*
Kitex | go:github.com/cloudwego/kitex
Konva | npm:react-konva~
Kotlin Multiplatform | maven:plugin:org.jetbrains.kotlin.multiplatform
Ktor | maven:io.ktor:*
Kubeflow | pypi:kfp
Latte | php:latte/latte
Leaf PHP | php:leafs/leaf
Lingui | npm:@lingui/react
LiveKit | npm:livekit-server-sdk pypi:livekit-agents pypi:livekit go:github.com/livekit/server-sdk-go
    docker:livekit/livekit-server
llama.cpp | pypi:llama-cpp-python
LWJGL | maven:org.lwjgl:*
Mastra | npm:@mastra/core
Matter.js | npm:matter-js
MDX | npm:@mdx-js/loader npm:@next/mdx
Metaflow | pypi:metaflow
Meteor | path:.meteor/release
Mezzanine | pypi:mezzanine
MicroProfile | maven:org.eclipse.microprofile:*
Million.js | npm:million
Minecraft Fabric | maven:net.fabricmc:fabric-loader maven:plugin:fabric-loom
minijinja | pypi:minijinja
MJML | gem:mjml-rails pypi:mjml
MobX | npm:mobx-react-lite~
Modern.js | npm:@modern-js/app-tools
Module Federation | npm:@module-federation/enhanced npm:@module-federation/vite
Moment.js | npm:moment-timezone~
Mustache | pypi:pystache maven:com.github.spullara.mustache.java:compiler
Neutralino | npm:@neutralinojs/lib
Nextcloud | npm:@nextcloud/vue npm:@nextcloud/router
NgRx | npm:@ngrx/signals
Nivo | npm:@nivo/line~
NW.js | npm:nw
Obsidian API | npm:obsidian
October CMS | php:october/system
OpenAI Agents SDK | pypi:openai-agents npm:@openai/agents
OpenCV | npm:opencv.js
OpenZeppelin | npm:@openzeppelin/contracts
p5.js | npm:p5
Paper API | maven:io.papermc.paper:paper-api
Paraglide | npm:@inlang/paraglide-js
Partytown | npm:@builder.io/partytown npm:@qwik.dev/partytown
Pebble Templates | maven:io.pebbletemplates:*
PEFT | pypi:peft
Phalcon | php:phalcon/devtools
Pinia | npm:@pinia/nuxt~
Plasmo | npm:plasmo
Play Framework | maven:com.typesafe.play:* maven:org.playframework:*
Plotly | npm:react-plotly.js~
PocketBase | go:github.com/pocketbase/pocketbase npm:pocketbase
Prism | npm:prism-react-renderer~
Prismic | npm:@prismicio/client
Pydantic AI | pypi:pydantic-ai-slim
pygame | pypi:pygame-ce
PyTorch | pypi:pytorch
qiankun | npm:qiankun
Quarkus | maven:io.quarkus:* maven:plugin:io.quarkus
ratatui | crate:tui
Raycast | npm:@raycast/api
React Admin | npm:react-admin
React Email | npm:react-email
React Final Form | npm:react-final-form
react-beautiful-dnd | npm:react-beautiful-dnd npm:@hello-pangea/dnd
Reanimated | npm:react-native-reanimated
Redux Toolkit | npm:@reduxjs/toolkit
Refine | npm:@refinedev/core
Reflex | file:reflex.conf
remark | npm:react-markdown~
Remix | npm:@remix-run/node
Ruby on Rails | gem:railties
Shiny | pypi:shiny
Sigma.js | npm:sigma
Single-SPA | npm:single-spa
smolagents | pypi:smolagents
Spiral | php:spiral/framework
Storyblok | npm:@storyblok/react npm:@storyblok/js
TanStack Query | npm:@tanstack/solid-query
Taro | npm:@tarojs/taro
Thymeleaf | maven:org.thymeleaf:*
Transloco | npm:@ngneat/transloco npm:@jsverse/transloco
Truffle | file:truffle-config.js npm:truffle
UmiJS | npm:umi npm:@umijs/max
uni-app | npm:@dcloudio/uni-app
Unity | path:projectsettings/projectversion.txt
Unreal Engine | ending:uproject
Vert.x | maven:io.vertx:*
Visx | npm:@visx/visx
Vue Flow | npm:@vue-flow/core
vue-i18n | npm:@nuxtjs/i18n~
Wails | file:wails.json
WebRTC | crate:webrtc pypi:aiortc
Weights & Biases | pypi:weave
WooCommerce | php:wpackagist-plugin/woocommerce npm:@woocommerce/components
WordPress | php:roots/wordpress file:wp-config.php docker:wordpress php:wpackagist-plugin/*
    php:johnpbloch/wordpress-core
Workbox | npm:workbox-webpack-plugin npm:workbox-build
Wxt | npm:wxt
XState | npm:@xstate/react~
"""

STYLING = """
AdminLTE | php:jeroennoten/laravel-adminlte
Angular CDK | npm:@angular/cdk
Ark UI | npm:@ark-ui/react
Atlaskit | npm:@atlaskit/button
Autoprefixer | gem:autoprefixer-rails
Bootstrap | pypi:bootstrap-flask~ pypi:flask-bootstrap~ gem:cssbundling-rails~
Bootstrap Icons | npm:react-bootstrap-icons
BootstrapVue | npm:bootstrap-vue-next
Carbon | php:nesbot/carbon
Carbon Design System | npm:carbon-components
DevExtreme | npm:devextreme-react
Fluent UI | nuget:microsoft.fluentui.aspnetcore.components*
Font Awesome | npm:@fortawesome/vue-fontawesome npm:@fortawesome/angular-fontawesome gem:font-awesome-sass
Foundation | gem:foundation-rails
Heroicons | php:blade-ui-kit/blade-heroicons gem:heroicon pypi:heroicons
Hugeicons | npm:@hugeicons/react
Kendo UI | npm:@progress/kendo-react-grid npm:@progress/kendo-angular-grid
Lucide | npm:lucide-svelte npm:@lucide/svelte npm:lucide-static npm:lucide-angular npm:lucide-react-native
    gem:lucide-rails
Melt UI | npm:@melt-ui/svelte
Milligram | npm:milligram
MUI Icons | npm:@mui/icons-material
MUI X | npm:@mui/x-data-grid npm:@mui/x-date-pickers
next-themes | npm:next-themes
Open Props | npm:open-props
Preline | npm:preline
PrimeFlex | npm:primeflex
React Native Elements | npm:@rneui/themed
React Native Paper | npm:react-native-paper
react-hot-toast | npm:react-hot-toast
Rebass | npm:rebass
Remix Icon | npm:@remixicon/react
Semantic UI | npm:fomantic-ui-css
shadcn-vue | npm:shadcn-nuxt
Simple Icons | npm:simple-icons
Skeleton CSS | npm:skeleton-css
Spectre.css | npm:spectre.css
Storybook | path:.storybook/main.ts path:.storybook/main.js
Styled System | npm:styled-system
Syncfusion | npm:@syncfusion/ej2-react-grids nuget:syncfusion.*
Tabler Icons | npm:@tabler/icons npm:@tabler/icons-vue
Tachyons | npm:tachyons
Taiga UI | npm:@taiga-ui/core
Tailwind Variants | npm:tailwind-variants
Tamagui | npm:@tamagui/core
TDesign | npm:tdesign-vue-next npm:tdesign-react
Theme UI | npm:theme-ui
Toastr | npm:toastr npm:ngx-toastr
Tremor | npm:@tremor/react
UI Kitten | npm:@ui-kitten/components
UnoCSS | npm:@unocss/nuxt
unplugin-icons | npm:unplugin-icons
Web Awesome | npm:@awesome.me/webawesome
Windi CSS | npm:vite-plugin-windicss
"""
