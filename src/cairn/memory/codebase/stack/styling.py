"""Styling: CSS frameworks, preprocessors, component libraries, icons that come as a system."""

from __future__ import annotations

STYLING = """
Tailwind CSS | npm:tailwindcss npm:@tailwindcss/vite npm:@tailwindcss/postcss file:tailwind.config.*
    gem:tailwindcss-rails~ gem:tailwindcss-ruby pypi:django-tailwind~
Bootstrap | php:twbs/bootstrap npm:bootstrap gem:bootstrap gem:bootstrap-sass maven:org.webjars.npm:bootstrap
    maven:org.webjars:bootstrap
    nuget:bootstrap pypi:django-bootstrap5~ npm:react-bootstrap~ npm:@ng-bootstrap/ng-bootstrap~ npm:bootstrap-vue~
    file:bootstrap.min.css file:bootstrap.css file:bootstrap.min.js
Sass | ending:scss ending:sass php:symfonycasts/sass-bundle~ npm:sass npm:node-sass npm:sass-embedded
    gem:sass-rails~ gem:sassc-rails~ gem:dartsass-rails~ gem:sassc~
    gem:cssbundling-rails~ maven:com.gitlab.haynes:libsass-maven-plugin~ pypi:libsass~
Less | npm:less ending:less
Stylus | npm:stylus
Autoprefixer | npm:autoprefixer
AdminLTE | npm:admin-lte file:adminlte.min.css
Pico CSS | npm:@picocss/pico
Materialize | npm:materialize-css
UIkit | npm:uikit
Pure.css | file:pure-min.css npm:purecss
ng-bootstrap | npm:@ng-bootstrap/ng-bootstrap
React Bootstrap | npm:react-bootstrap
Bootstrap Icons | npm:bootstrap-icons
ng-select | npm:@ng-select/ng-select
Element UI | npm:element-ui
Vant | npm:vant
Arco Design | npm:@arco-design/web-vue npm:@arco-design/web-react
Reka UI | npm:reka-ui npm:radix-vue
Class Variance Authority | npm:class-variance-authority
Tabler | npm:@tabler/core npm:@tabler/icons-react~
Heroicons | npm:@heroicons/react npm:@heroicons/vue
PostCSS | npm:postcss file:postcss.config.*
Lightning CSS | npm:lightningcss
UnoCSS | npm:unocss
Windi CSS | npm:windicss
Bulma | npm:bulma gem:bulma-rails~
Foundation | npm:foundation-sites
Font Awesome | npm:font-awesome npm:@fortawesome/fontawesome-free npm:@fortawesome/fontawesome-svg-core~
    npm:@fortawesome/react-fontawesome~ file:font-awesome.min.css
    maven:org.webjars.npm:font-awesome maven:org.webjars:font-awesome gem:font-awesome-rails~
Lucide | npm:lucide-react npm:lucide-vue-next npm:lucide
styled-components | npm:styled-components
Emotion | npm:@emotion/css npm:@emotion/react npm:@emotion/styled
vanilla-extract | npm:@vanilla-extract/css
Stitches | npm:@stitches/react
Linaria | npm:@linaria/core
Panda CSS | npm:@pandacss/dev
Material UI | npm:@mui/material npm:@material-ui/core npm:@mui/joy
Angular Material | npm:@angular/material
Vuetify | npm:vuetify
Quasar | npm:quasar
Element Plus | npm:element-plus
PrimeVue | npm:primevue
PrimeNG | npm:primeng
PrimeReact | npm:primereact
Naive UI | npm:naive-ui
Ant Design | npm:antd
Ant Design Vue | npm:ant-design-vue
Chakra UI | npm:@chakra-ui/react
Mantine | npm:@mantine/core
Radix UI | npm:radix-ui npm:@radix-ui/react-dialog~ npm:@radix-ui/react-slot~ npm:@radix-ui/themes~
    npm:@radix-ui/react-*~ npm:@radix-ui/react-popover~ npm:@radix-ui/react-dropdown-menu~ npm:@radix-ui/react-tabs~
shadcn/ui | root:components.json path:packages/ui/components.json path:apps/web/components.json
    path:frontend/components.json path:web/components.json path:client/components.json path:ui/components.json
Headless UI | npm:@headlessui/react npm:@headlessui/vue
Base UI | npm:@base-ui-components/react npm:@base-ui/react
NextUI | npm:@nextui-org/react npm:@heroui/react
daisyUI | npm:daisyui
Flowbite | npm:flowbite
Semantic UI | npm:semantic-ui-css npm:semantic-ui-react
Fluent UI | npm:@fluentui/react npm:@fluentui/react-components nuget:microsoft.fluentui.aspnetcore.components
Blueprint | npm:@blueprintjs/core
Carbon | npm:@carbon/react
Shoelace | npm:@shoelace-style/shoelace
Ariakit | npm:@ariakit/react
Framer Motion | npm:framer-motion npm:motion
react-spring | npm:@react-spring/web npm:react-spring
MudBlazor | nuget:mudblazor
Radzen Blazor | nuget:radzen.blazor
Syncfusion | nuget:syncfusion.blazor
Storybook | npm:storybook npm:@storybook/react npm:@storybook/vue3 npm:@storybook/angular npm:@storybook/react-vite
"""
