"""Libraries of .NET that are met less often."""

from __future__ import annotations

BACKEND = """
TMDbLib | nuget:tmdblib
MusicBrainz | nuget:metabrainz.musicbrainz
TagLib# | nuget:taglibsharp
SharpCompress | nuget:sharpcompress
SharpZipLib | nuget:sharpziplib
DotNetZip | nuget:dotnetzip
FFMpegCore | nuget:ffmpegcore nuget:xabe.ffmpeg
NAudio | nuget:naudio*
LibVLCSharp | nuget:libvlcsharp*
Svg.Skia | nuget:svg.skia
HarfBuzz | nuget:harfbuzzsharp*
Azure Queue Storage | nuget:azure.storage.queues npm:@azure/storage-queue pypi:azure-storage-queue
Azure Table Storage | nuget:azure.data.tables
Azure Event Grid | nuget:azure.messaging.eventgrid
Azure Event Hubs | nuget:azure.messaging.eventhubs* npm:@azure/event-hubs pypi:azure-eventhub
Azure Functions | nuget:microsoft.net.sdk.functions nuget:microsoft.azure.functions.worker* file:host.json
Azure Notification Hubs | nuget:microsoft.azure.notificationhubs
Azure App Configuration | nuget:microsoft.azure.appconfiguration.aspnetcore
Microsoft Graph | nuget:microsoft.graph npm:@microsoft/microsoft-graph-client
Microsoft Identity Web | nuget:microsoft.identity.web
Bot Framework | nuget:microsoft.bot.builder* npm:botbuilder
AspNetCoreRateLimit | nuget:aspnetcoreratelimit*
Health Checks | nuget:aspnetcore.healthchecks.*
MiniProfiler | nuget:miniprofiler.*
ElmahCore | nuget:elmahcore nuget:elmah
Serilog | nuget:serilog.*~
Seq | nuget:serilog.sinks.seq docker:datalust/seq
Graylog | nuget:serilog.sinks.graylog docker:graylog/graylog
SAML | nuget:sustainsys.saml2*~ nuget:itfoxtec.identity.saml2*~
Otp.NET | nuget:otp.net
DnsClient | nuget:dnsclient
MimeKit | nuget:mimekit
CommandDotNet | nuget:commanddotnet
Cocona | nuget:cocona
McMaster CommandLineUtils | nuget:mcmaster.extensions.commandlineutils
Newtonsoft JSON Schema | nuget:newtonsoft.json.schema nuget:njsonschema*
protobuf-net | nuget:protobuf-net*
MemoryPack | nuget:memorypack
Bond | nuget:bond.*
Utf8Json | nuget:utf8json
ServiceStack.Text | nuget:servicestack.text
LazyCache | nuget:lazycache*
BitFaster.Caching | nuget:bitfaster.caching
AsyncKeyedLock | nuget:asynckeyedlock
Nito.AsyncEx | nuget:nito.asyncex*
Akavache | nuget:akavache*
DynamicData | nuget:dynamicdata
MoreLINQ | nuget:morelinq
LanguageExt | nuget:languageext.core
CSharpFunctionalExtensions | nuget:csharpfunctionalextensions
Ardalis Result | nuget:ardalis.result*
SmartEnum | nuget:ardalis.smartenum*
Vogen | nuget:vogen
StronglyTypedId | nuget:stronglytypedid
Stateless | nuget:stateless
Workflow Core | nuget:workflowcore*
NCrontab | nuget:ncrontab*
Cronos | nuget:cronos
FluentScheduler | nuget:fluentscheduler
TickerQ | nuget:tickerq*
Brighter | nuget:paramore.brighter*
CAP | nuget:dotnetcore.cap*
EasyNetQ | nuget:easynetq*
SlimMessageBus | nuget:slimmessagebus*
NetMQ | nuget:netmq
SuperSocket | nuget:supersocket*
DotNetty | nuget:dotnetty.*
WebSocketSharp | nuget:websocketsharp*
Swashbuckle | nuget:swashbuckle*
ReDoc | nuget:swashbuckle.aspnetcore.redoc npm:redoc
Castle Core | nuget:castle.core nuget:castle.windsor
Ninject | nuget:ninject*
DryIoc | nuget:dryioc*
Unity Container | nuget:unity nuget:unity.container
PostSharp | nuget:postsharp
Fody | nuget:fody nuget:*.fody
Roslyn | nuget:microsoft.codeanalysis.csharp nuget:microsoft.codeanalysis.csharp.workspaces
Mono.Cecil | nuget:mono.cecil
Harmony | nuget:lib.harmony
Jint | nuget:jint
ClearScript | nuget:microsoft.clearscript*
MoonSharp | nuget:moonsharp
IronPython | nuget:ironpython
Python.NET | nuget:pythonnet
Scriban | nuget:scriban*
Fluid | nuget:fluid.core
RazorLight | nuget:razorlight
DotLiquid | nuget:dotliquid
Puppeteer Sharp | nuget:puppeteersharp
NPOI | nuget:npoi
DocumentFormat.OpenXml | nuget:documentformat.openxml
iText | nuget:itext* nuget:itextsharp
PdfPig | nuget:pdfpig
DinkToPdf | nuget:dinktopdf
LibGit2Sharp | nuget:libgit2sharp
Octokit | nuget:octokit
SSH.NET | nuget:ssh.net
FluentFTP | nuget:fluentftp
Docker.DotNet | nuget:docker.dotnet
Kubernetes Client | nuget:kubernetesclient
Discord.Net | nuget:discord.net*
Telegram.Bot | nuget:telegram.bot
SendGrid | nuget:sendgrid*
PayPal | nuget:paypal*
LaunchDarkly | nuget:launchdarkly.serversdk
Auth0 | nuget:auth0.*
Finbuckle MultiTenant | nuget:finbuckle.multitenant*
EF Core Naming Conventions | nuget:efcore.namingconventions
EFCore Plus | nuget:z.entityframework*
Entity Framework | nuget:entityframework
SqlKata | nuget:sqlkata*
RepoDB | nuget:repodb*
FreeSql | nuget:freesql*
SqlSugar | nuget:sqlsugar*
ServiceStack.OrmLite | nuget:servicestack.ormlite*
Microsoft.Extensions.Hosting | nuget:microsoft.extensions.hosting.windowsservices
"""
