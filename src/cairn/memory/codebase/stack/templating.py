"""Template languages and notations, by the endings of files or the package that renders them."""

from __future__ import annotations

TEMPLATING = """
Blade | ending:blade.php
Twig | php:twig/twig php:symfony/twig-bundle~ ending:twig
Smarty | php:smarty/smarty ending:tpl.php
ERB | ending:erb
Haml | gem:haml gem:haml-rails~ ending:haml
Slim | gem:slim gem:slim-rails~ ending:slim
Jbuilder | gem:jbuilder
RABL | gem:rabl
Liquid | gem:liquid npm:liquidjs crate:liquid
Razor | ending:cshtml
Blazor | sdk:microsoft.net.sdk.blazorwebassembly nuget:microsoft.aspnetcore.components.webassembly*
    nuget:microsoft.aspnetcore.components ending:razor
JSP | ending:jsp
FreeMarker | maven:org.freemarker:freemarker maven:org.springframework.boot:spring-boot-starter-freemarker~ ending:ftl
    ending:ftlh
Velocity | maven:org.apache.velocity:* ending:vm
Mustache | npm:mustache gem:mustache php:mustache/mustache ending:mustache
    maven:org.springframework.boot:spring-boot-starter-mustache~
Handlebars | npm:handlebars npm:express-handlebars~ npm:hbs~ crate:handlebars go:github.com/aymerick/raymond
    maven:com.github.jknack:handlebars nuget:handlebars.net ending:hbs
Pug | npm:pug ending:pug
EJS | npm:ejs ending:ejs
Nunjucks | npm:nunjucks ending:njk
Jinja | pypi:jinja2 ending:jinja ending:jinja2
Mako | pypi:mako
Chameleon | pypi:chameleon
Thymeleaf | maven:org.springframework.boot:spring-boot-starter-thymeleaf~ maven:org.thymeleaf:thymeleaf*
templ | go:github.com/a-h/templ
Askama | crate:askama
Tera | crate:tera
Maud | crate:maud
minijinja | crate:minijinja
MJML | npm:mjml ending:mjml
React Email | npm:@react-email/components
MDX | npm:@mdx-js/react npm:@mdx-js/mdx
"""

STYLES = """
CSS Modules | ending:module.css ending:module.scss ending:module.less
"""

NOTATIONS = """
ANTLR | maven:org.antlr:antlr4* pypi:antlr4-python3-runtime go:github.com/antlr4-go/antlr npm:antlr4 ending:g4
Bison | ending:y ending:yy
Flex | ending:l ending:ll
"""
