"""Frameworks, libraries of pages and styles of Python, Ruby, PHP and JavaScript that are met less often."""

from __future__ import annotations

FRAMEWORKS = """
RequireJS | npm:requirejs
Zend Framework | php:zendframework/zendframework php:zendframework/zend-mvc php:zendframework/zendframework1 folder:zend
jqPlot | npm:jqplot folder:jqplot
Knockout | npm:knockout file:knockout.js
ExtJS | file:ext-all.js npm:@sencha/ext
Dojo | npm:dojo file:dojo.js
MooTools | npm:mootools file:mootools.js
Prototype | file:prototype.js
Modernizr | npm:modernizr file:modernizr.js
Ember Data | npm:ember-data
Ember CLI | npm:ember-cli
Raphael | npm:raphael file:raphael.js
Flot | npm:jquery-flot npm:flot file:jquery.flot.js
Masonry | npm:masonry-layout
Gridstack | npm:gridstack
Clipboard.js | npm:clipboard file:clipboard.js
Popper | npm:@popperjs/core npm:popper.js file:popper.js
Emoji Mart | npm:emoji-mart npm:@emoji-mart/react
Sonner | npm:sonner
cmdk | npm:cmdk
Vaul | npm:vaul
es-toolkit | npm:es-toolkit
react-helmet | npm:react-helmet npm:react-helmet-async
Unhead | npm:@unhead/vue npm:@unhead/react
mobx-react | npm:mobx-react npm:mobx-react-lite
Draftail | npm:draftail
Mousetrap | npm:mousetrap
Toastify | npm:react-toastify
notistack | npm:notistack
Embla Carousel | npm:embla-carousel npm:embla-carousel-react
React Day Picker | npm:react-day-picker
React Datepicker | npm:react-datepicker
react-virtuoso | npm:react-virtuoso
React Grid Layout | npm:react-grid-layout
Reveal.js | npm:reveal.js
xterm.js | npm:@xterm/xterm npm:xterm
GrapesJS | npm:grapesjs
Gantt | npm:frappe-gantt
jsPlumb | npm:jsplumb npm:@jsplumb/browser-ui
JointJS | npm:jointjs npm:@joint/core
mathjs | npm:mathjs
Tauri | npm:@tauri-apps/api npm:@tauri-apps/cli crate:tauri
Capacitor | npm:@capacitor/core
Ionic | npm:@ionic/angular npm:@ionic/react npm:@ionic/vue
React Navigation | npm:@react-navigation/native
Remix Router | npm:@remix-run/router
Vinxi | npm:vinxi
Fresh | npm:@fresh/core
Oak | npm:@oak/oak
h3 | npm:h3
itty-router | npm:itty-router
JupyterLab | pypi:jupyterlab
Jupyter Notebook | pypi:notebook
Jupyter Server | pypi:jupyter-server import:jupyter_server
traitlets | pypi:traitlets
Plone | pypi:plone
Zope | pypi:zope pypi:zope-interface
web2py | pypi:web2py
Robyn | pypi:robyn
BlackSheep | pypi:blacksheep
Chainlit | pypi:chainlit
Manim | pypi:manim
Open3D | pypi:open3d
PyTorch Lightning | pypi:pytorch-lightning pypi:lightning
fastai | pypi:fastai
Detectron2 | pypi:detectron2
Ultralytics | pypi:ultralytics
vLLM | pypi:vllm
Pydantic AI | pypi:pydantic-ai
CrewAI | pypi:crewai
DSPy | pypi:dspy pypi:dspy-ai
Kedro | pypi:kedro
Great Expectations | pypi:great-expectations
ViewComponent | gem:view_component
Cells | gem:cells
Roda | gem:roda
Cuba | gem:cuba
Spree | gem:spree gem:spree_core
Solidus | gem:solidus
Decidim | gem:decidim
React on Rails | gem:react_on_rails gem:react-rails
Lumen | php:laravel/lumen-framework
Laravel Nova | php:laravel/nova
Laravel Folio | php:livewire/volt php:laravel/folio
Statamic | php:statamic/cms
October CMS | php:october/rain
Craft CMS | php:craftcms/cms
Neos | php:neos/neos
Contao | php:contao/core-bundle
Grav | php:getgrav/grav
Flarum | php:flarum/core
Nette | php:nette/application php:nette/nette
Phalcon | php:ext-phalcon
Joomla | php:joomla/application
Magento | php:magento/framework php:magento/product-community-edition
PrestaShop | php:prestashop/prestashop
"""

STYLING = """
Semantic UI | npm:fomantic-ui npm:semantic-ui file:semantic.css
Materialize | npm:@materializecss/materialize file:materialize.css
Foundation | file:foundation.css
Bulma | file:bulma.css
Font Awesome | file:font-awesome.css file:fontawesome.css
Normalize.css | npm:normalize.css
tailwind-merge | npm:tailwind-merge
StyleX | npm:@stylexjs/stylex
Twin.macro | npm:twin.macro
Remix Icon | npm:remixicon
Octicons | npm:@primer/octicons npm:@primer/octicons-react gem:octicons
Primer | npm:@primer/css npm:@primer/react
Vuestic UI | npm:vuestic-ui
Buefy | npm:buefy
Nuxt UI | npm:@nuxt/ui
Bits UI | npm:bits-ui
Skeleton | npm:@skeletonlabs/skeleton
Flowbite React | npm:flowbite-react
Kendo UI | npm:@progress/kendo-ui
DevExtreme | npm:devextreme
Telerik UI | nuget:telerik.ui.*
DevExpress | nuget:devexpress.*
Cloudscape | npm:@cloudscape-design/components
PatternFly | npm:@patternfly/react-core npm:@patternfly/patternfly
Polaris | npm:@shopify/polaris
Gluestack UI | npm:@gluestack-ui/themed
NativeWind | npm:nativewind
Tamagui | npm:tamagui
"""
