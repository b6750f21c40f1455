"""Libraries of the browser: editors, charts, maps, tables, forms, state, media, and what everybody takes along."""

from __future__ import annotations

BROWSER = """
CodeMirror | npm:codemirror npm:@codemirror/view~ npm:@codemirror/state~ npm:@uiw/react-codemirror~ npm:vue-codemirror~
    file:codemirror.js file:codemirror.min.js
Monaco Editor | npm:monaco-editor npm:@monaco-editor/react~
Ace | npm:ace-builds npm:react-ace~ npm:brace~ file:ace.js
ProseMirror | npm:prosemirror-view npm:prosemirror-state
Tiptap | npm:@tiptap/core npm:@tiptap/react npm:@tiptap/vue-3 npm:@tiptap/vue-2
Lexical | npm:lexical npm:@lexical/react~ folder:lexical
TinyMCE | npm:tinymce npm:@tinymce/tinymce-react~ npm:@tinymce/tinymce-vue~ npm:@tinymce/tinymce-angular~
    pypi:django-tinymce~ gem:tinymce-rails~ file:tinymce.min.js folder:tinymce
CKEditor | npm:ckeditor5 npm:@ckeditor/ckeditor5-core~ npm:@ckeditor/ckeditor5-react~ npm:ckeditor4
    pypi:django-ckeditor~
    gem:ckeditor file:ckeditor.js folder:ckeditor
Quill | npm:quill npm:react-quill~ npm:vue-quill-editor~ file:quill.min.js
Slate | npm:slate npm:slate-react~
Draft.js | npm:draft-js
EasyMDE | npm:easymde npm:simplemde~ file:easymde.min.js
Editor.js | npm:@editorjs/editorjs
Trix | npm:trix file:trix.js
BlockNote | npm:@blocknote/core
Milkdown | npm:@milkdown/core
Summernote | npm:summernote file:summernote.min.js
Yjs | npm:yjs
Automerge | npm:@automerge/automerge crate:automerge
Three.js | npm:three
Babylon.js | npm:@babylonjs/core npm:babylonjs
PixiJS | npm:pixi.js
Phaser | npm:phaser
Konva | npm:konva
Fabric.js | npm:fabric
D3.js | npm:d3 npm:d3-selection~ file:d3.min.js file:d3.v*.min.js
Chart.js | npm:chart.js file:chart.min.js file:chart.umd.js pypi:django-chartjs~ gem:chartkick~
Recharts | npm:recharts
ECharts | npm:echarts npm:vue-echarts~ npm:echarts-for-react~ file:echarts.min.js
ApexCharts | npm:apexcharts npm:react-apexcharts~ npm:vue3-apexcharts~
Highcharts | npm:highcharts file:highcharts.js
Plotly | npm:plotly.js npm:plotly.js-dist pypi:plotly
Nivo | npm:@nivo/core
Visx | npm:@visx/shape
uPlot | npm:uplot
Vega | npm:vega npm:vega-lite
Leaflet | npm:leaflet npm:react-leaflet~ file:leaflet.js
MapLibre GL JS | npm:maplibre-gl
Mapbox GL JS | npm:mapbox-gl
OpenLayers | npm:ol file:ol.js
Cesium | npm:cesium
Mermaid | npm:mermaid file:mermaid.min.js
KaTeX | npm:katex file:katex.min.js
MathJax | npm:mathjax npm:mathjax-full
React Flow | npm:reactflow npm:@xyflow/react
Cytoscape.js | npm:cytoscape
AG Grid | npm:ag-grid-community npm:ag-grid-react~ npm:ag-grid-angular~
TanStack Table | npm:@tanstack/react-table npm:@tanstack/vue-table npm:react-table
TanStack Virtual | npm:@tanstack/react-virtual npm:@tanstack/vue-virtual
TanStack Form | npm:@tanstack/react-form
TanStack Start | npm:@tanstack/react-start
DataTables | npm:datatables.net file:jquery.datatables.min.js
Select2 | npm:select2 file:select2.min.js gem:select2-rails~
Tom Select | npm:tom-select
FullCalendar | npm:@fullcalendar/core npm:@fullcalendar/react~
Swiper | npm:swiper
SortableJS | npm:sortablejs npm:vuedraggable~ npm:react-sortablejs~ file:sortable.min.js
dnd-kit | npm:@dnd-kit/core
React DnD | npm:react-dnd
Video.js | npm:video.js
Plyr | npm:plyr
hls.js | npm:hls.js
Howler.js | npm:howler
PDF.js | npm:pdfjs-dist npm:react-pdf~ npm:ng2-pdf-viewer~ npm:ngx-extended-pdf-viewer~ file:pdf.min.js
Dropzone | npm:dropzone
Uppy | npm:@uppy/core
FilePond | npm:filepond
React Aria | npm:react-aria-components npm:react-aria npm:@react-aria/*~
Fuse.js | npm:fuse.js
SheetJS | npm:xlsx
Turndown | npm:turndown
Peggy | npm:peggy npm:pegjs
Floating UI | npm:@floating-ui/react npm:@floating-ui/dom npm:@floating-ui/vue
jQuery UI | npm:jquery-ui file:jquery-ui.min.js file:jquery-ui-*.min.js gem:jquery-ui-rails~ maven:org.webjars:jquery-ui
Turbolinks | npm:turbolinks gem:turbolinks~
Rails UJS | npm:@rails/ujs file:rails_ujs.js
Handsontable | npm:handsontable
SweetAlert2 | npm:sweetalert2
highlight.js | npm:highlight.js file:highlight.min.js
Prism | npm:prismjs
Shiki | npm:shiki
Marked | npm:marked file:marked.min.js
markdown-it | npm:markdown-it
remark | npm:remark npm:remark-gfm~ npm:remark-parse
react-markdown | npm:react-markdown
DOMPurify | npm:dompurify npm:isomorphic-dompurify~
Lodash | npm:lodash npm:lodash-es
Underscore.js | npm:underscore
Immer | npm:immer
Ramda | npm:ramda
date-fns | npm:date-fns
Day.js | npm:dayjs
Moment.js | npm:moment file:moment.min.js
Luxon | npm:luxon
Redux | npm:redux npm:@reduxjs/toolkit npm:react-redux~
Redux Saga | npm:redux-saga
Zustand | npm:zustand
Jotai | npm:jotai
Recoil | npm:recoil
MobX | npm:mobx
Valtio | npm:valtio
XState | npm:xstate
Nanostores | npm:nanostores
SWR | npm:swr
React Hook Form | npm:react-hook-form
Formik | npm:formik
Final Form | npm:final-form
VeeValidate | npm:vee-validate
Vuelidate | npm:@vuelidate/core npm:vuelidate
FormKit | npm:@formkit/vue
VueUse | npm:@vueuse/core
NgRx | npm:@ngrx/store
ngx-bootstrap | npm:ngx-bootstrap
i18next | npm:i18next npm:react-i18next~
FormatJS | npm:react-intl npm:@formatjs/intl
next-intl | npm:next-intl
vue-i18n | npm:vue-i18n
ngx-translate | npm:@ngx-translate/core
Lingui | npm:@lingui/core
Workbox | npm:workbox-core npm:workbox-precaching npm:workbox-window
vite-plugin-pwa | npm:vite-plugin-pwa
Dexie.js | npm:dexie
localForage | npm:localforage
RxDB | npm:rxdb
Comlink | npm:comlink
sql.js | npm:sql.js npm:@jlongster/sql.js
WebTorrent | npm:webtorrent
PeerJS | npm:peerjs
LiveKit | npm:livekit-client
Laravel Echo | npm:laravel-echo
Ziggy | npm:ziggy-js php:tightenco/ziggy
"""
