"""Libraries of Go, Rust, the JVM and .NET that are met less often."""

from __future__ import annotations

FRAMEWORKS = """
Macaron | go:gopkg.in/macaron.v1 go:github.com/go-macaron/macaron
Flamego | go:github.com/flamego/flamego
Martini | go:github.com/go-martini/martini
GoFrame | go:github.com/gogf/gf
Encore | go:encore.dev
Goa | go:goa.design/goa
Gio | go:gioui.org
Raylib | go:github.com/gen2brain/raylib-go c:raylib include:raylib.h crate:raylib
termbox | go:github.com/nsf/termbox-go
gocui | go:github.com/jroimartin/gocui go:github.com/jesseduffield/gocui
Termina | crate:termina
Loco | crate:loco-rs
Relm4 | crate:relm4
GPUI | crate:gpui
Pingora | crate:pingora
Embassy | crate:embassy-executor
RTIC | crate:rtic crate:cortex-m-rtic
Anchor | crate:anchor-lang
Substrate | crate:sp-core crate:frame-support
Armeria | maven:com.linecorp.armeria:*
Jooby | maven:io.jooby:*
Ratpack | maven:io.ratpack:*
JHipster | maven:tech.jhipster:*
Eclipse RCP | maven:org.eclipse.platform:*
JSF | maven:org.glassfish:jakarta.faces maven:org.apache.myfaces.core:*
Tapestry | maven:org.apache.tapestry:*
Apache CXF | maven:org.apache.cxf:*
Spring Cloud Gateway | maven:org.springframework.cloud:spring-cloud-starter-gateway*
http4s | maven:org.http4s:*
ZIO | maven:dev.zio:*
Cats Effect | maven:org.typelevel:cats-effect*
Compose Multiplatform | maven:plugin:org.jetbrains.compose.multiplatform
libGDX | maven:com.badlogicgames.gdx:*
Swing | package:javax.swing
ServiceStack | nuget:servicestack*
Nancy | nuget:nancy
Giraffe | nuget:giraffe
Terminal.Gui | nuget:terminal.gui
Caliburn.Micro | nuget:caliburn.micro*
Eto.Forms | nuget:eto.forms
Stride | nuget:stride.engine
Elsa Workflows | nuget:elsa nuget:elsa.*
Topshelf | nuget:topshelf
DNN | nuget:dotnetnuke.*
"""

BACKEND = """
CEL | go:github.com/google/cel-go crate:cel-interpreter
ACMEz | go:github.com/mholt/acmez
Smallstep certificates | go:github.com/smallstep/certificates
klauspost/compress | go:github.com/klauspost/compress
suture | go:github.com/thejerf/suture
notify | go:github.com/rjeczalik/notify go:github.com/syncthing/notify
gopsutil | go:github.com/shirou/gopsutil
afero | go:github.com/spf13/afero
go-retryablehttp | go:github.com/hashicorp/go-retryablehttp
HCL | go:github.com/hashicorp/hcl crate:hcl-rs
Serf | go:github.com/hashicorp/serf
Dragonboat | go:github.com/lni/dragonboat
groupcache | go:github.com/golang/groupcache
freecache | go:github.com/coocood/freecache
Sonic | go:github.com/bytedance/sonic
jsoniter | go:github.com/json-iterator/go
easyjson | go:github.com/mailru/easyjson
GJSON | go:github.com/tidwall/gjson
envdecode | go:github.com/caarlos0/env
lumberjack | go:gopkg.in/natefinch/lumberjack.v2
golang-lru | go:github.com/hashicorp/golang-lru
gRPC Middleware | go:github.com/grpc-ecosystem/go-grpc-middleware
Machinery | go:github.com/richardartoul/machinery go:github.com/richardknop/machinery
Sarama | go:github.com/shopify/sarama
franz-go | go:github.com/twmb/franz-go
Go Cloud | go:gocloud.dev
Bluge | go:github.com/blugelabs/bluge
Gonum | go:gonum.org/v1/gonum
GoCV | go:gocv.io/x/gocv
Tesseract | go:github.com/otiai10/gosseract
bimg | go:github.com/h2non/bimg
govips | go:github.com/davidbyttow/govips
gg | go:github.com/fogleman/gg
hermes | go:github.com/matcornic/hermes
otp | go:github.com/pquerna/otp
Paseto | go:github.com/o1egl/paseto
Authboss | go:github.com/volatiletech/authboss
Ory Kratos | go:github.com/ory/kratos-client-go docker:oryd/kratos
Nebula | go:github.com/slackhq/nebula
Tailscale | go:tailscale.com
WireGuard | go:golang.zx2c4.com/wireguard
netlink | go:github.com/vishvananda/netlink
eBPF | go:github.com/cilium/ebpf crate:aya
containerd | go:github.com/containerd/containerd
BuildKit | go:github.com/moby/buildkit
Operator SDK | go:github.com/operator-framework/operator-sdk
Sprig | go:github.com/masterminds/sprig
gomponents | go:maragu.dev/gomponents go:github.com/maragudk/gomponents
quicktemplate | go:github.com/valyala/quicktemplate
Jet | go:github.com/cloudykit/jet
pterm | go:github.com/pterm/pterm
tablewriter | go:github.com/olekukonko/tablewriter
go-prompt | go:github.com/c-bata/go-prompt
mpb | go:github.com/vbauer/mpb go:github.com/vbauerster/mpb
Starlark | go:go.starlark.net crate:starlark
Tengo | go:github.com/d5/tengo
Ropey | crate:ropey
tree-sitter | crate:tree-house
Nucleo | crate:nucleo
fuzzy-matcher | crate:fuzzy-matcher
pest parser | crate:pest crate:pest_derive~
nu-ansi-term | crate:nu-ansi-term
owo-colors | crate:owo-colors
colored | crate:colored
tabled | crate:tabled crate:comfy-table
similar | crate:similar
globset | crate:globset
grep | crate:grep crate:grep-searcher~
quick-xml | crate:quick-xml
toml_edit | crate:toml_edit
ron | crate:ron
bincode | crate:bincode
postcard | crate:postcard
rkyv | crate:rkyv
Cap'n Proto | crate:capnp-rpc
zbus | crate:zbus
sysinfo | crate:sysinfo
portable-pty | crate:portable-pty
alacritty_terminal | crate:alacritty_terminal
flume | crate:flume
async-channel | crate:async-channel
kanal | crate:kanal
bumpalo | crate:bumpalo
zerocopy | crate:zerocopy
confy | crate:confy
directories | crate:directories
fern | crate:fern
log4rs | crate:log4rs
flexi_logger | crate:flexi_logger
ed25519-dalek | crate:ed25519-dalek
age | crate:age
native-tls | crate:native-tls
aws-lc-rs | crate:aws-lc-rs
rcgen | crate:rcgen
s2n-quic | crate:s2n-quic
quiche | crate:quiche c:quiche c:libquiche include:quiche.h
tarpc | crate:tarpc
jsonrpsee | crate:jsonrpsee
axum-extra | crate:axum-extra
tower-sessions | crate:tower-sessions
ractor | crate:ractor
paho-mqtt | crate:paho-mqtt
usvg | crate:usvg
font-kit | crate:font-kit
cosmic-text | crate:cosmic-text
rodio | crate:rodio
cpal | crate:cpal
Symphonia | crate:symphonia
Rapier | crate:rapier3d crate:rapier2d
hecs | crate:hecs
specs | crate:specs
glam | crate:glam
glium | crate:glium
vulkano | crate:vulkano
ash | crate:ash
WRY | crate:wry
objc2 | crate:objc2
jni-rs | crate:jni
UniFFI | crate:uniffi
rustpython | crate:rustpython-vm
Oxc | crate:oxc crate:oxc_parser
deadpool | crate:deadpool-redis
bb8 | crate:bb8-redis
rustls | crate:tokio-rustls~ c:rustls c:librustls include:rustls.h
Californium | maven:org.eclipse.californium:*
Leshan | maven:org.eclipse.leshan:*
Paho | maven:org.eclipse.paho:org.eclipse.paho.client.mqttv3
HiveMQ | maven:com.hivemq:*
Eclipse Ditto | maven:org.eclipse.ditto:*
Apache Curator | maven:org.apache.curator:*
ZooKeeper | maven:org.apache.zookeeper:zookeeper
Apache Ignite | maven:org.apache.ignite:*
Apache Calcite | maven:org.apache.calcite:*
Apache Avro | maven:org.apache.avro:avro npm:avsc pypi:fastavro pypi:avro
Apache Thrift | maven:org.apache.thrift:libthrift pypi:thrift npm:thrift go:github.com/apache/thrift ending:thrift
Apache Parquet | maven:org.apache.parquet:* crate:parquet
Disruptor | maven:com.lmax:disruptor
Agrona | maven:org.agrona:agrona
Eclipse Collections | maven:org.eclipse.collections:*
fastutil | maven:it.unimi.dsi:fastutil
Failsafe | maven:dev.failsafe:failsafe maven:net.jodah:failsafe
Spring Retry | maven:org.springframework.retry:spring-retry
Spring Statemachine | maven:org.springframework.statemachine:*
Spring LDAP | maven:org.springframework.ldap:*
ShedLock | maven:net.javacrumbs.shedlock:*
JobRunr | maven:org.jobrunr:*
db-scheduler | maven:com.github.kagkarlsson:db-scheduler
Temporal | maven:io.temporal:*
Camunda | maven:org.camunda.bpm*
Flowable | maven:org.flowable:*
Activiti | maven:org.activiti:*
Drools | maven:org.drools:*
MVEL | maven:org.mvel:mvel2
Jython | maven:org.python:jython*
GraalJS | maven:org.graalvm.js:* maven:org.graalvm.polyglot:*
ClassGraph | maven:io.github.classgraph:classgraph
Reflections | maven:org.reflections:reflections
cglib | maven:cglib:cglib
Javassist | maven:org.javassist:javassist
AspectJ | maven:org.aspectj:*
JSON-java | maven:org.json:json
JsonPath | maven:com.jayway.jsonpath:json-path
SnakeYAML | maven:org.yaml:snakeyaml
XStream | maven:com.thoughtworks.xstream:xstream
JAXB | maven:jakarta.xml.bind:* maven:javax.xml.bind:jaxb-api maven:org.glassfish.jaxb:*
dom4j | maven:dom4j:dom4j maven:org.dom4j:dom4j
Netty | maven:io.netty:*
gRPC | maven:net.devh:*~
Brave | maven:io.zipkin.brave:* maven:io.zipkin.reporter2:*~
AsyncHttpClient | maven:org.asynchttpclient:async-http-client
Unirest | maven:com.konghq:unirest-java*
Feign | maven:com.netflix.feign:*
Hystrix | maven:com.netflix.hystrix:*
Twilio | maven:com.twilio.sdk:*
Thumbnailator | maven:net.coobird:thumbnailator
Tess4J | maven:net.sourceforge.tess4j:tess4j
JavaMail | maven:com.sun.mail:* maven:jakarta.mail:* maven:org.eclipse.angus:*
OpenPDF | maven:com.github.librepdf:openpdf
Flying Saucer | maven:org.xhtmlrenderer:*
commonmark-java | maven:org.commonmark:*
flexmark | maven:com.vladsch.flexmark:*
Arrow | maven:io.arrow-kt:*
Ktorm | maven:org.ktorm:*
SQLDelight | maven:app.cash.sqldelight:* maven:plugin:app.cash.sqldelight
Timber | maven:com.jakewharton.timber:timber
WorkManager | maven:androidx.work:*
Kodein | maven:org.kodein.di:*
doobie | maven:org.tpolecat:doobie-*
circe | maven:io.circe:*
"""
