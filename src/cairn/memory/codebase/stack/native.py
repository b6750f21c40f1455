"""Libraries of C and C++: by build files, by the headers that sources include, by folders that vendor them."""

from __future__ import annotations

FRAMEWORKS = """
Qt | c:qt c:qt5 c:qt6 c:qt5* c:qt6* include:qapplication include:qobject include:qwidget include:qstring
GTK | c:gtk+-3.0 c:gtk4 c:gtk3 crate:gtk crate:gtk4 include:gtk/gtk.h
GLib | c:glib-2.0 c:glib include:glib.h
wxWidgets | c:wxwidgets include:wx/wx.h
Boost | c:boost include:boost/*
SDL | c:sdl2 c:sdl3 c:sdl include:sdl.h include:sdl2/sdl.h include:sdl3/sdl.h
GLFW | c:glfw3 include:glfw/glfw3.h
OpenGL | c:opengl include:gl/gl.h include:glad/glad.h include:gl/glew.h
Vulkan | c:vulkan include:vulkan/vulkan.h
OpenCV | c:opencv pypi:opencv-python pypi:opencv-python-headless include:opencv2/*
Dear ImGui | c:imgui include:imgui.h
Eigen | c:eigen3 include:eigen/dense include:eigen/core
X11 | c:x11 include:x11/xlib.h
Wayland | c:wayland-client include:wayland-client.h
Cairo | c:cairo include:cairo.h
FFmpeg | c:libavcodec c:ffmpeg include:libavcodec/avcodec.h include:libavformat/avformat.h system:ffmpeg
    php:php-ffmpeg/php-ffmpeg~ php:pbmedia/laravel-ffmpeg~ npm:fluent-ffmpeg~ pypi:ffmpeg-python~ gem:streamio-ffmpeg~
"""

BACKEND = """
ncurses | c:ncurses c:ncursesw c:curses c:tinfo include:ncurses.h include:curses.h include:ncurses/ncurses.h
    include:term.h
    include:ncursesw/curses.h
libuv | c:libuv c:uv include:uv.h
libevent | c:libevent c:libevent_core c:event c:event_core include:event.h include:event2/event.h
libev | c:libev c:ev include:ev.h
OpenSSL | c:openssl c:ssl c:crypto c:libssl c:libcrypto crate:openssl include:openssl/ssl.h include:openssl/evp.h
GnuTLS | c:gnutls include:gnutls/gnutls.h
Mbed TLS | c:mbedtls include:mbedtls/ssl.h
wolfSSL | c:wolfssl include:wolfssl/ssl.h
libsodium | c:libsodium c:sodium include:sodium.h
libcurl | c:curl c:libcurl include:curl/curl.h
libgit2 | crate:git2 c:libgit2 include:git2.h
zlib | c:zlib c:z include:zlib.h
Zstandard | c:zstd c:libzstd include:zstd.h crate:zstd
LZ4 | c:lz4 c:liblz4 include:lz4.h
Brotli | c:libbrotlidec c:libbrotlienc c:brotlidec c:brotli include:brotli/decode.h
ngtcp2 | c:ngtcp2 c:libngtcp2 include:ngtcp2/ngtcp2.h
nghttp3 | c:nghttp3 c:libnghttp3 include:nghttp3/nghttp3.h
libidn2 | c:libidn2 c:idn2 include:idn2.h
libpsl | c:libpsl c:psl include:libpsl.h
bzip2 | c:bz2 c:bzip2 include:bzlib.h
XZ Utils | c:liblzma c:lzma include:lzma.h
libarchive | c:libarchive c:archive include:archive.h
PCRE | c:libpcre c:pcre c:libpcre2-8 c:pcre2-8 c:pcre2 include:pcre.h include:pcre2.h
Oniguruma | c:oniguruma c:onig c:libonig include:oniguruma.h
libxml2 | c:libxml2 c:libxml-2.0 c:xml2 include:libxml/parser.h include:libxml/tree.h
Expat | c:expat include:expat.h
Jansson | c:jansson include:jansson.h
cJSON | c:cjson include:cjson.h
json-c | c:json-c include:json-c/json.h
nlohmann/json | c:nlohmann_json include:nlohmann/json.hpp
RapidJSON | c:rapidjson include:rapidjson/document.h
fmt | c:fmt include:fmt/format.h include:fmt/core.h
spdlog | c:spdlog include:spdlog/spdlog.h
Abseil | c:absl include:absl/strings/string_view.h
utf8proc | c:libutf8proc c:utf8proc include:utf8proc.h
ICU | c:icu c:icu-uc c:icu-i18n include:unicode/ucnv.h include:unicode/unistr.h
Readline | c:readline include:readline/readline.h
libedit | c:libedit c:edit include:histedit.h include:editline/readline.h
linenoise | c:linenoise include:linenoise.h
jemalloc | c:jemalloc crate:tikv-jemallocator include:jemalloc/jemalloc.h
mimalloc | c:mimalloc crate:mimalloc include:mimalloc.h
hwloc | c:hwloc include:hwloc.h
libpcap | c:libpcap c:pcap include:pcap.h include:pcap/pcap.h
libssh | c:libssh include:libssh/libssh.h
libssh2 | c:libssh2 c:ssh2 include:libssh2.h
nghttp2 | c:libnghttp2 c:nghttp2 include:nghttp2/nghttp2.h
c-ares | c:libcares c:cares include:ares.h
libseccomp | c:libseccomp c:seccomp include:seccomp.h
libsystemd | c:libsystemd c:systemd include:systemd/sd-daemon.h include:systemd/sd-bus.h
libcap | c:libcap c:cap include:sys/capability.h
lm-sensors | c:sensors include:sensors/sensors.h
GD | c:gdlib c:gd c:libgd include:gd.h
GeoIP | c:geoip include:geoip.h
libmaxminddb | c:libmaxminddb c:maxminddb include:maxminddb.h
libxslt | c:libxslt c:xslt include:libxslt/xslt.h
Schannel | include:schnlsp.h include:schannel.h
AWS-LC | c:aws-lc
BoringSSL | c:boringssl
libidn | c:libidn include:idna.h
librtmp | c:librtmp include:librtmp/rtmp.h
GSASL | c:libgsasl c:gsasl include:gsasl.h
libgcrypt | c:libgcrypt c:gcrypt include:gcrypt.h
Nettle | c:nettle c:hogweed include:nettle/sha2.h include:nettle/aes.h
GPGME | c:gpgme include:gpgme.h
libmagic | c:libmagic c:magic include:magic.h
libzip | c:libzip c:zip include:zip.h
libbsd | c:libbsd c:bsd include:bsd/string.h
libunwind | c:libunwind c:unwind include:libunwind.h
libelf | c:libelf c:elf include:libelf.h include:gelf.h
libdw | c:libdw c:dw include:elfutils/libdw.h
Capstone | c:capstone include:capstone/capstone.h include:capstone.h
libcap-ng | c:libcap-ng c:cap-ng include:cap-ng.h
libaudit | c:audit include:libaudit.h
AppArmor | c:libapparmor c:apparmor include:sys/apparmor.h
libacl | c:acl c:libacl include:sys/acl.h
libmount | c:mount include:libmount/libmount.h
libblkid | c:blkid include:blkid/blkid.h
cryptsetup | c:libcryptsetup c:cryptsetup include:libcryptsetup.h
kmod | c:libkmod c:kmod include:libkmod.h
libnuma | c:numa include:numa.h
DPDK | c:libdpdk include:rte_eal.h
libibverbs | c:libibverbs c:ibverbs include:infiniband/verbs.h
libmnl | c:libmnl c:mnl include:libmnl/libmnl.h
libnftables | c:libnftables c:libnftnl include:nftables/libnftables.h
libevdev | c:libevdev include:libevdev/libevdev.h
libnotify | c:libnotify include:libnotify/notify.h
libsoup | c:libsoup-3.0 c:libsoup-2.4 include:libsoup/soup.h
JSON-GLib | c:json-glib-1.0 include:json-glib/json-glib.h
WebKitGTK | c:webkit2gtk-4.1 c:webkit2gtk-4.0 include:webkit2/webkit2.h
libadwaita | c:libadwaita-1 include:adwaita.h
VTE | c:vte-2.91 include:vte/vte.h
Polkit | c:polkit-gobject-1 include:polkit/polkit.h
Little CMS | c:lcms2 include:lcms2.h
libexif | c:libexif include:libexif/exif-data.h
OpenJPEG | c:libopenjp2 c:openjpeg include:openjpeg.h
libheif | c:libheif include:libheif/heif.h
Poppler | c:poppler c:poppler-glib c:poppler-cpp
librsvg | c:librsvg-2.0 include:librsvg/rsvg.h
libass | c:libass include:ass/ass.h
x264 | c:x264 include:x264.h
libvpx | c:vpx c:libvpx include:vpx/vpx_decoder.h
dav1d | c:dav1d include:dav1d/dav1d.h
Vorbis | c:vorbis c:libvorbis include:vorbis/vorbisfile.h include:vorbis/codec.h
FLAC | c:flac include:flac/stream_decoder.h
mpg123 | c:libmpg123 c:mpg123 include:mpg123.h
JACK | c:jack include:jack/jack.h
libplacebo | c:libplacebo include:libplacebo/renderer.h
libmpv | c:mpv c:libmpv include:mpv/client.h
libVLC | c:libvlc include:vlc/vlc.h
Lua | c:lua c:lua5.4 c:lua54 include:lua.h include:lauxlib.h
Duktape | c:duktape include:duktape.h
QuickJS | c:quickjs include:quickjs.h
V8 | c:v8 include:v8.h
WAMR | c:wamr include:wasm_export.h
Tcl | c:tcl include:tcl.h
Python C API | include:python.h
libcbor | c:libcbor include:cbor.h
msgpack-c | c:msgpack c:msgpack-c include:msgpack.h
uthash | include:uthash.h
Berkeley DB | c:db include:db.h
GDBM | c:gdbm include:gdbm.h
Unbound | c:libunbound c:unbound include:unbound.h
ldns | c:ldns include:ldns/ldns.h
libnet | c:libnet include:libnet.h
libtirpc | c:libtirpc c:tirpc
libfuse | c:fuse c:fuse3 include:fuse.h include:fuse3/fuse.h crate:fuser
libvirt | c:libvirt include:libvirt/libvirt.h
Xen | c:xenlight include:libxl.h
tcmalloc | c:tcmalloc c:libtcmalloc include:gperftools/tcmalloc.h include:gperftools/profiler.h
re2 | c:re2 include:re2/re2.h
Hyperscan | c:hyperscan c:libhs include:hs.h
xxHash | c:xxhash c:libxxhash include:xxhash.h
BLAKE3 | c:blake3 include:blake3.h
libatomic_ops | c:atomic_ops include:atomic_ops.h
Libgpg-error | c:gpg-error include:gpg-error.h
GMP | c:gmp include:gmp.h
LibreSSL | c:libressl
decNumber | c:decnumber include:decnumber.h folder:decnumber
SASL | c:sasl2 c:sasl c:libsasl2 include:sasl/sasl.h
Kerberos | c:krb5 c:gssapi_krb5 c:krb5-gssapi include:krb5.h include:gssapi/gssapi.h
OpenLDAP | c:ldap include:ldap.h
PAM | c:pam include:security/pam_appl.h
SELinux | c:libselinux c:selinux include:selinux/selinux.h
libnl | c:libnl-3.0 c:nl-3 include:netlink/netlink.h
libbpf | c:libbpf c:bpf include:bpf/libbpf.h
liburing | c:liburing c:uring include:liburing.h
libffi | c:libffi c:ffi include:ffi.h
libuuid | c:uuid include:uuid/uuid.h
Snappy | c:snappy include:snappy.h include:snappy-c.h
libyaml | c:yaml-0.1 c:yaml include:yaml.h
yaml-cpp | c:yaml-cpp include:yaml-cpp/yaml.h
libconfig | c:libconfig include:libconfig.h
protobuf-c | c:libprotobuf-c c:protobuf-c include:protobuf-c/protobuf-c.h
librdkafka | c:rdkafka include:librdkafka/rdkafka.h
Mosquitto | c:mosquitto include:mosquitto.h
libmicrohttpd | c:libmicrohttpd c:microhttpd include:microhttpd.h
libwebsockets | c:libwebsockets c:websockets include:libwebsockets.h
nng | c:nng include:nng/nng.h
unixODBC | c:odbc include:sql.h
libpng | c:libpng c:png include:png.h
libjpeg | c:libjpeg c:jpeg c:libjpeg-turbo c:libturbojpeg include:jpeglib.h
libtiff | c:libtiff-4 c:tiff include:tiffio.h
WebP | c:libwebp c:webp include:webp/decode.h
FreeType | c:freetype2 c:freetype include:ft2build.h
HarfBuzz | c:harfbuzz include:hb.h
Fontconfig | c:fontconfig include:fontconfig/fontconfig.h
Pango | c:pango c:pangocairo include:pango/pango.h
GStreamer | c:gstreamer-1.0 include:gst/gst.h crate:gstreamer
ALSA | c:alsa c:asound include:alsa/asoundlib.h
PulseAudio | c:libpulse include:pulse/pulseaudio.h
PipeWire | c:libpipewire-0.3 include:pipewire/pipewire.h
PortAudio | c:portaudio-2.0 c:portaudio include:portaudio.h
OpenAL | c:openal include:al/al.h
libsndfile | c:sndfile include:sndfile.h
Opus | c:opus include:opus.h include:opus/opus.h
D-Bus | c:dbus-1 include:dbus/dbus.h
libusb | c:libusb-1.0 include:libusb.h include:libusb-1.0/libusb.h
libudev | c:libudev c:udev include:libudev.h
XCB | c:xcb include:xcb/xcb.h
xkbcommon | c:xkbcommon include:xkbcommon/xkbcommon.h
wlroots | c:wlroots include:wlr/backend.h
libinput | c:libinput include:libinput.h
GLM | c:glm include:glm/glm.hpp
Assimp | c:assimp include:assimp/importer.hpp
oneTBB | c:tbb include:tbb/tbb.h include:oneapi/tbb.h
OpenBLAS | c:openblas include:cblas.h
LAPACK | c:lapack include:lapacke.h
FFTW | c:fftw3 include:fftw3.h
HDF5 | c:hdf5 include:hdf5.h
GSL | c:gsl include:gsl/gsl_math.h
Folly | c:folly include:folly/portability.h
gflags | c:gflags include:gflags/gflags.h
glog | c:glog include:glog/logging.h
CLI11 | c:cli11 include:cli/cli.hpp
cxxopts | c:cxxopts include:cxxopts.hpp
Asio | c:asio include:asio.hpp
Drogon | c:drogon include:drogon/drogon.h
cpp-httplib | c:httplib include:httplib.h
pugixml | c:pugixml include:pugixml.hpp
TinyXML | c:tinyxml2 include:tinyxml2.h
simdjson | c:simdjson include:simdjson.h
FlatBuffers | c:flatbuffers include:flatbuffers/flatbuffers.h crate:flatbuffers pypi:flatbuffers npm:flatbuffers
Cap'n Proto | c:capnproto include:capnp/message.h crate:capnp
LLVM | c:llvm include:llvm/ir/module.h crate:inkwell
LuaJIT | c:luajit include:luajit.h
OpenMP | c:openmp include:omp.h
MPI | c:mpi include:mpi.h
CUDA | c:cudatoolkit c:cuda ending:cu include:cuda_runtime.h
"""
