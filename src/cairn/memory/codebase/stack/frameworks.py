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
urwid | pypi:urwid
HTMX | file:htmx.min.js file:htmx.js pypi:django-htmx~ npm:htmx.org gem:htmx-rails~
PyTorch | pypi:torch
TensorFlow | pypi:tensorflow npm:@tensorflow/tfjs
Keras | pypi:keras
JAX | pypi:jax
Airflow | pypi:apache-airflow
Dagster | pypi:dagster
Prefect | pypi:prefect
PySpark | pypi:pyspark
PyQt | pypi:pyqt5 pypi:pyqt6
PySide | pypi:pyside2 pypi:pyside6
Kivy | pypi:kivy
pygame | pypi:pygame
NiceGUI | pypi:nicegui
Reflex | pypi:reflex
django CMS | pypi:django-cms
Connexion | pypi:connexion
prompt_toolkit | pypi:prompt-toolkit
Fire | pypi:fire
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
Vue.js | file:vue.min.js file:vue.js file:vue.global*.js npm:vue maven:org.webjars.npm:vue
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
AngularJS | file:angular.min.js npm:angular gem:angularjs-rails~
RxJS | npm:rxjs
Ember.js | npm:ember-source
Backbone.js | npm:backbone
Alpine.js | file:alpine.min.js npm:alpinejs
Stimulus | php:symfony/stimulus-bundle~ npm:@hotwired/stimulus gem:stimulus-rails~
Turbo | npm:@hotwired/turbo npm:@hotwired/turbo-rails~ gem:turbo-rails~
jQuery | npm:jquery gem:jquery-rails~ nuget:jquery maven:org.webjars:jquery maven:org.webjars.npm:jquery
    file:jquery.min.js file:jquery.js file:jquery-1*.js file:jquery-2*.js file:jquery-3*.js file:jquery-4*.js
Astro | npm:astro
Eleventy | npm:@11ty/eleventy
Marko | npm:marko
Mithril | npm:mithril
Inferno | npm:inferno
Polymer | npm:@polymer/polymer
Vike | npm:vike
RedwoodJS | npm:@redwoodjs/core
Payload CMS | npm:payload
Strapi | npm:@strapi/strapi
Keystone | npm:@keystone-6/core
Directus | npm:directus
Sails.js | npm:sails
Feathers | npm:@feathersjs/feathers
LoopBack | npm:@loopback/core
Nitro | npm:nitropack
NativeScript | npm:@nativescript/core
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
Ink | npm:ink
Ruby on Rails | gem:rails
Sinatra | gem:sinatra
Hanami | gem:hanami
Roda | gem:roda
Grape | gem:grape
Jekyll | gem:jekyll
ViewComponent | gem:view_component
Importmap | gem:importmap-rails
Hotwire | gem:hotwire-rails
Spree | gem:spree gem:spree_core
Solidus | gem:solidus
Refinery CMS | gem:refinerycms
Laravel | php:laravel/framework
Lumen | php:laravel/lumen-framework
Livewire | php:livewire/livewire
Filament | php:filament/filament
Laravel Nova | php:laravel/nova
Statamic | php:statamic/cms
October CMS | php:october/rain
Craft CMS | php:craftcms/cms
TYPO3 | php:typo3/cms-core
Magento | php:magento/product-community-edition php:magento/framework
Hyperf | php:hyperf/framework
Mezzio | php:mezzio/mezzio
Symfony | php:symfony/framework-bundle php:symfony/symfony
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
Grails | maven:org.grails:grails-core maven:plugin:org.grails.grails-web
Apache Struts | maven:org.apache.struts:*
Javalin | maven:io.javalin:javalin
Helidon | maven:io.helidon*
Jersey | maven:org.glassfish.jersey.core:*
RESTEasy | maven:org.jboss.resteasy:*
GWT | maven:com.google.gwt:* maven:org.gwtproject:*
PrimeFaces | maven:org.primefaces:primefaces
Apache Wicket | maven:org.apache.wicket:*
http4k | maven:org.http4k:*
Quarkus | maven:io.quarkus:quarkus-* maven:io.quarkus.platform:*
Micronaut | maven:io.micronaut:* maven:plugin:io.micronaut.application
Vert.x | maven:io.vertx:vertx-core maven:io.vertx:vertx-web
Jakarta EE | maven:jakarta.platform:jakarta.jakartaee-api maven:jakarta.platform:jakarta.jakartaee-web-api
Dropwizard | maven:io.dropwizard:dropwizard-core
Play Framework | maven:com.typesafe.play:play*~
Vaadin | maven:com.vaadin:*
JavaFX | maven:org.openjfx:*
Ktor | maven:io.ktor:ktor-server-* maven:plugin:io.ktor.plugin
Jetpack Compose | maven:androidx.compose.ui:ui maven:androidx.compose:compose-bom maven:org.jetbrains.compose:*
    maven:plugin:org.jetbrains.compose
Android | maven:plugin:com.android.application maven:plugin:com.android.library
Dagger | maven:com.google.dagger:*
Akka | maven:com.typesafe.akka:*
Apache Spark | maven:org.apache.spark:*
Apache Flink | maven:org.apache.flink:*
ASP.NET Core | sdk:microsoft.net.sdk.web nuget:microsoft.aspnetcore.app nuget:microsoft.aspnetcore.mvc
.NET MAUI | nuget:microsoft.maui.controls tool:usemaui
WPF | tool:usewpf
Windows Forms | tool:usewindowsforms
Avalonia | nuget:avalonia
Orleans | nuget:microsoft.orleans.server
.NET Aspire | nuget:aspire.hosting.apphost nuget:aspire.* sdk:aspire.apphost.sdk nuget:aspire.apphost.sdk
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
async-std | crate:async-std
ratatui | crate:ratatui
wgpu | crate:wgpu
"""
