"""Frameworks and the libraries that give an application its shape: a name, then the signs it is known by."""

from __future__ import annotations

FRAMEWORKS = """
Django | pypi:django
Django REST Framework | pypi:djangorestframework
Django Ninja | pypi:django-ninja
Wagtail | pypi:wagtail
Flask | pypi:flask
FastAPI | pypi:fastapi
Starlette | pypi:starlette
Litestar | pypi:litestar
Tornado | pypi:tornado
aiohttp | pypi:aiohttp
Sanic | pypi:sanic
Bottle | pypi:bottle
Pyramid | pypi:pyramid
Falcon | pypi:falcon
Quart | pypi:quart
Streamlit | pypi:streamlit
Gradio | pypi:gradio
Dash | pypi:dash
Scrapy | pypi:scrapy
Click | pypi:click
Typer | pypi:typer
Rich | pypi:rich
Textual | pypi:textual
Jinja | pypi:jinja2
HTMX | pypi:django-htmx~ npm:htmx.org gem:htmx-rails~
NumPy | pypi:numpy
pandas | pypi:pandas
Polars | pypi:polars crate:polars
SciPy | pypi:scipy
Matplotlib | pypi:matplotlib
scikit-learn | pypi:scikit-learn
PyTorch | pypi:torch
TensorFlow | pypi:tensorflow npm:@tensorflow/tfjs
Keras | pypi:keras
JAX | pypi:jax
Hugging Face Transformers | pypi:transformers
LangChain | pypi:langchain npm:langchain
LlamaIndex | pypi:llama-index
Airflow | pypi:apache-airflow
Dagster | pypi:dagster
Prefect | pypi:prefect
PySpark | pypi:pyspark
PyQt | pypi:pyqt5 pypi:pyqt6
Pygments | pypi:pygments
React | npm:react maven:org.webjars.npm:react
React Native | npm:react-native
Expo | npm:expo
Preact | npm:preact
Next.js | npm:next
Gatsby | npm:gatsby
Remix | npm:@remix-run/react
React Router | npm:react-router npm:react-router-dom
TanStack Router | npm:@tanstack/react-router
TanStack Query | npm:@tanstack/react-query npm:react-query npm:@tanstack/vue-query npm:@tanstack/svelte-query
Redux | npm:redux npm:@reduxjs/toolkit npm:react-redux~
Zustand | npm:zustand
Jotai | npm:jotai
Recoil | npm:recoil
MobX | npm:mobx
XState | npm:xstate
SWR | npm:swr
React Hook Form | npm:react-hook-form
Formik | npm:formik
Vue.js | npm:vue maven:org.webjars.npm:vue
Nuxt | npm:nuxt npm:nuxt3
Vue Router | npm:vue-router
Pinia | npm:pinia
Vuex | npm:vuex
Inertia.js | npm:@inertiajs/vue3 npm:@inertiajs/react npm:@inertiajs/inertia~ npm:@inertiajs/svelte
    php:inertiajs/inertia-laravel~ gem:inertia_rails~
Svelte | npm:svelte
SvelteKit | npm:@sveltejs/kit
SolidJS | npm:solid-js
Qwik | npm:@builder.io/qwik
Lit | npm:lit npm:lit-element
Stencil | npm:@stencil/core
Angular | npm:@angular/core
AngularJS | npm:angular
RxJS | npm:rxjs
NgRx | npm:@ngrx/store
Ember.js | npm:ember-source
Backbone.js | npm:backbone
Alpine.js | npm:alpinejs
Stimulus | npm:@hotwired/stimulus gem:stimulus-rails~
Turbo | npm:@hotwired/turbo npm:@hotwired/turbo-rails~ gem:turbo-rails~
jQuery | npm:jquery gem:jquery-rails~ nuget:jquery maven:org.webjars:jquery maven:org.webjars.npm:jquery
    file:jquery.min.js file:jquery.js file:jquery-*.min.js
Astro | npm:astro
Eleventy | npm:@11ty/eleventy
VitePress | npm:vitepress
Docusaurus | npm:@docusaurus/core
Express | npm:express
Koa | npm:koa
Fastify | npm:fastify
NestJS | npm:@nestjs/core
Hono | npm:hono
Elysia | npm:elysia
hapi | npm:@hapi/hapi
AdonisJS | npm:@adonisjs/core
Meteor | npm:meteor-node-stubs
Electron | npm:electron
Tauri | crate:tauri npm:@tauri-apps/api
Ionic | npm:@ionic/angular npm:@ionic/react npm:@ionic/vue npm:@ionic/core
Capacitor | npm:@capacitor/core
Three.js | npm:three
D3.js | npm:d3
Chart.js | npm:chart.js
Phaser | npm:phaser
CodeMirror | npm:codemirror npm:@codemirror/view~
Monaco Editor | npm:monaco-editor npm:@monaco-editor/react~
ProseMirror | npm:prosemirror-view
Tiptap | npm:@tiptap/core npm:@tiptap/react npm:@tiptap/vue-3
Lexical | npm:lexical
i18next | npm:i18next npm:react-i18next~
next-intl | npm:next-intl
vue-i18n | npm:vue-i18n
Ink | npm:ink
oclif | npm:@oclif/core
Commander.js | npm:commander
Zod | npm:zod
Ruby on Rails | gem:rails
Sinatra | gem:sinatra
Hanami | gem:hanami
Roda | gem:roda
Grape | gem:grape
Jekyll | gem:jekyll
ViewComponent | gem:view_component
Importmap for Rails | gem:importmap-rails
Propshaft | gem:propshaft
Sprockets | gem:sprockets gem:sprockets-rails~
Haml | gem:haml gem:haml-rails~
Slim | gem:slim gem:slim-rails~
Laravel | php:laravel/framework
Lumen | php:laravel/lumen-framework
Livewire | php:livewire/livewire
Filament | php:filament/filament
Symfony | php:symfony/framework-bundle php:symfony/symfony
Twig | php:twig/twig
CakePHP | php:cakephp/cakephp
CodeIgniter | php:codeigniter4/framework
Yii | php:yiisoft/yii2
Slim Framework | php:slim/slim
Laminas | php:laminas/laminas-mvc
Drupal | php:drupal/core php:drupal/core-recommended
WordPress | php:johnpbloch/wordpress path:wp-config-sample.php
Spring Boot | maven:org.springframework.boot:* maven:plugin:org.springframework.boot
Spring MVC | maven:org.springframework.boot:spring-boot-starter-web
    maven:org.springframework.boot:spring-boot-starter-webmvc maven:org.springframework:spring-webmvc
Spring WebFlux | maven:org.springframework.boot:spring-boot-starter-webflux maven:org.springframework:spring-webflux
Spring Framework | maven:org.springframework:spring-context maven:org.springframework:spring-core
Spring Cloud | maven:org.springframework.cloud:*
JHipster | npm:generator-jhipster maven:tech.jhipster:*
Quarkus | maven:io.quarkus:quarkus-* maven:io.quarkus.platform:*
Micronaut | maven:io.micronaut:* maven:plugin:io.micronaut.application
Vert.x | maven:io.vertx:vertx-core maven:io.vertx:vertx-web
Jakarta EE | maven:jakarta.platform:jakarta.jakartaee-api maven:jakarta.platform:jakarta.jakartaee-web-api
Dropwizard | maven:io.dropwizard:dropwizard-core
Play Framework | maven:com.typesafe.play:play*~
Thymeleaf | maven:org.springframework.boot:spring-boot-starter-thymeleaf~ maven:org.thymeleaf:thymeleaf*
Vaadin | maven:com.vaadin:*
JavaFX | maven:org.openjfx:*
Ktor | maven:io.ktor:ktor-server-* maven:plugin:io.ktor.plugin
Jetpack Compose | maven:androidx.compose.ui:ui maven:androidx.compose:compose-bom maven:org.jetbrains.compose:*
    maven:plugin:org.jetbrains.compose
Android SDK | maven:plugin:com.android.application maven:plugin:com.android.library
Dagger | maven:com.google.dagger:*
Akka | maven:com.typesafe.akka:*
Apache Spark | maven:org.apache.spark:*
Apache Flink | maven:org.apache.flink:*
ASP.NET Core | sdk:microsoft.net.sdk.web nuget:microsoft.aspnetcore.app nuget:microsoft.aspnetcore.mvc
Blazor | sdk:microsoft.net.sdk.blazorwebassembly nuget:microsoft.aspnetcore.components.webassembly*
    nuget:microsoft.aspnetcore.components
.NET MAUI | nuget:microsoft.maui.controls tool:usemaui
WPF | tool:usewpf
Windows Forms | tool:usewindowsforms
Avalonia | nuget:avalonia
Orleans | nuget:microsoft.orleans.server
.NET Aspire | nuget:aspire.hosting.apphost
MediatR | nuget:mediatr
AutoMapper | nuget:automapper*
FluentValidation | nuget:fluentvalidation*
Gin | go:github.com/gin-gonic/gin
Echo | go:github.com/labstack/echo
Fiber | go:github.com/gofiber/fiber
chi | go:github.com/go-chi/chi
Gorilla Mux | go:github.com/gorilla/mux
Beego | go:github.com/beego/beego
Buffalo | go:github.com/gobuffalo/buffalo
Hugo | root:hugo.toml root:hugo.yaml
Cobra | go:github.com/spf13/cobra
Viper | go:github.com/spf13/viper
urfave/cli | go:github.com/urfave/cli
Kong | go:github.com/alecthomas/kong
Bubble Tea | go:github.com/charmbracelet/bubbletea go:charm.land/bubbletea
tcell | go:github.com/gdamore/tcell
templ | go:github.com/a-h/templ
Wails | go:github.com/wailsapp/wails
Actix Web | crate:actix-web
Axum | crate:axum
Rocket | crate:rocket
warp | crate:warp
Tide | crate:tide
Poem | crate:poem
Leptos | crate:leptos
Yew | crate:yew
Dioxus | crate:dioxus
Bevy | crate:bevy
egui | crate:egui crate:eframe
Tokio | crate:tokio
async-std | crate:async-std
Rayon | crate:rayon
clap | crate:clap
Serde | crate:serde
ratatui | crate:ratatui
syntect | crate:syntect
wgpu | crate:wgpu
Qt | c:qt c:qt5 c:qt6 c:qt5* c:qt6*
GTK | c:gtk+-3.0 c:gtk4 c:gtk3 crate:gtk crate:gtk4
Boost | c:boost
SDL | c:sdl2 c:sdl3 c:sdl
OpenCV | c:opencv pypi:opencv-python
Dear ImGui | c:imgui
libuv | c:libuv
"""
