"""Further libraries of the JVM and of .NET, and databases by drivers that are seldom seen."""

from __future__ import annotations

BACKEND = """
Querydsl | maven:com.querydsl:* maven:io.github.openfeign.querydsl:*
Jdbi | maven:org.jdbi:*
Ebean | maven:io.ebean:*
R2DBC | maven:io.r2dbc:*~ maven:org.postgresql:r2dbc-postgresql~ maven:org.mariadb:r2dbc-mariadb~ maven:io.asyncer:*~
RabbitMQ | maven:com.rabbitmq:amqp-client
ActiveMQ | maven:org.apache.activemq:* docker:apache/activemq-classic docker:rmohr/activemq
    maven:org.springframework.boot:spring-boot-starter-activemq~
    maven:org.springframework.boot:spring-boot-starter-artemis~
RocketMQ | maven:org.apache.rocketmq:* docker:apache/rocketmq
Apache Pulsar | maven:org.apache.pulsar:* docker:apachepulsar/pulsar pypi:pulsar-client
MQTT | maven:org.eclipse.paho:* nuget:mqttnet* crate:rumqttc~ npm:paho-mqtt
Spring Batch | maven:org.springframework.batch:*
Moshi | maven:com.squareup.moshi:*
Vavr | maven:io.vavr:vavr
ModelMapper | maven:org.modelmapper:*
Immutables | maven:org.immutables:value
AutoValue | maven:com.google.auto.value:*
Infinispan | maven:org.infinispan:*
Keycloak | maven:org.keycloak:*
pac4j | maven:org.pac4j:*
PF4J | maven:org.pf4j:pf4j*
Tomcat | maven:org.apache.tomcat.embed:* maven:org.springframework.boot:spring-boot-starter-tomcat~ docker:tomcat
iText | maven:com.itextpdf:*
PDFBox | maven:org.apache.pdfbox:pdfbox
JasperReports | maven:net.sf.jasperreports:jasperreports
OpenCSV | maven:com.opencsv:opencsv
ZXing | maven:com.google.zxing:core
Prometheus | maven:io.prometheus:simpleclient* maven:io.prometheus:prometheus-metrics-core
Brave | maven:io.zipkin.brave:*
Bucket4j | maven:com.bucket4j:* maven:com.github.vladimir-bukhtoyarov:*
Google Cloud Storage | maven:com.google.cloud:google-cloud-storage nuget:google.cloud.storage.v1
Azure Blob Storage | maven:com.azure:azure-storage-blob
MinIO | maven:io.minio:minio nuget:minio
Kubernetes Client | maven:io.kubernetes:client-java maven:io.fabric8:kubernetes-client pypi:kubernetes
    npm:@kubernetes/client-node crate:kube
ASM | maven:org.ow2.asm:asm
Byte Buddy | maven:net.bytebuddy:byte-buddy
Rhino | maven:org.mozilla:rhino
JGit | maven:org.eclipse.jgit:*
Spring Mail | maven:org.springframework.boot:spring-boot-starter-mail~
Spring WebSocket | maven:org.springframework.boot:spring-boot-starter-websocket~
Spring HATEOAS | maven:org.springframework.boot:spring-boot-starter-hateoas~
Spring for GraphQL | maven:org.springframework.boot:spring-boot-starter-graphql~
NHibernate | nuget:nhibernate
Marten | nuget:marten
EventStoreDB | nuget:eventstore.client* docker:eventstore/eventstore
FluentResults | nuget:fluentresults
ErrorOr | nuget:erroror
OneOf | nuget:oneof
Rebus | nuget:rebus
NServiceBus | nuget:nservicebus*
Coravel | nuget:coravel
Azure Key Vault | nuget:azure.security.keyvault.secrets nuget:azure.extensions.aspnetcore.configuration.secrets
    npm:@azure/keyvault-secrets pypi:azure-keyvault-secrets
log4net | nuget:log4net
Application Insights | nuget:microsoft.applicationinsights* npm:applicationinsights
    npm:@microsoft/applicationinsights-web
App Metrics | nuget:app.metrics*
Elastic APM | nuget:elastic.apm*
GraphQL.NET | nuget:graphql
Flurl | nuget:flurl.http
Polly | nuget:microsoft.extensions.http.resilience~
YamlDotNet | nuget:yamldotnet
EPPlus | nuget:epplus
QuestPDF | nuget:questpdf
PDFsharp | nuget:pdfsharp*
HtmlAgilityPack | nuget:htmlagilitypack
Magick.NET | nuget:magick.net*
FluentEmail | nuget:fluentemail*
Twilio | nuget:twilio
Scrutor | nuget:scrutor
Lamar | nuget:lamar
Simple Injector | nuget:simpleinjector
NodaTime | nuget:nodatime
Reactive Extensions | nuget:system.reactive
Microsoft.Extensions.AI | nuget:microsoft.extensions.ai*
Consul | nuget:consul
Steeltoe | nuget:steeltoe.*
Evolve | nuget:evolve
EFCore.BulkExtensions | nuget:efcore.bulkextensions*
Feature Management | nuget:microsoft.featuremanagement*
Audit.NET | nuget:audit.net*
EasyCaching | nuget:easycaching*
"""

DATABASES = """
H2 | maven:io.r2dbc:r2dbc-h2
MariaDB | maven:org.mariadb:r2dbc-mariadb
MySQL | maven:io.asyncer:r2dbc-mysql nuget:aspire.hosting.mysql nuget:aspire.pomelo.*
SQL Server | nuget:aspire.microsoft.entityframeworkcore.sqlserver nuget:aspire.hosting.azure.sql
    nuget:aspire.microsoft.data.sqlclient
PostgreSQL | nuget:aspire.hosting.azure.postgresql
SQLite | nuget:communitytoolkit.aspire.hosting.sqlite
MongoDB | nuget:aspire.hosting.mongodb nuget:aspire.mongodb.driver
Elasticsearch | maven:org.elasticsearch.client:* nuget:aspire.hosting.elasticsearch
OpenSearch | maven:org.opensearch.client:*
Solr | maven:org.apache.solr:*
Cassandra | maven:org.apache.cassandra:*
Neo4j | maven:org.neo4j.driver:neo4j-java-driver go:github.com/neo4j/neo4j-go-driver
InfluxDB | maven:com.influxdb:* go:github.com/influxdata/influxdb-client-go
Oracle Database | docker:gvenzl/oracle-xe docker:gvenzl/oracle-free docker:database/free docker:database/express
Valkey | docker:bitnami/valkey docker:bitnamilegacy/valkey
Dragonfly | docker:dragonflydb/dragonfly
KeyDB | docker:eqalpha/keydb
SurrealDB | docker:surrealdb/surrealdb crate:surrealdb npm:surrealdb pypi:surrealdb
ArangoDB | docker:arangodb npm:arangojs pypi:python-arango
QuestDB | docker:questdb/questdb
Manticore Search | docker:manticoresearch/manticore
YugabyteDB | docker:yugabytedb/yugabyte
TiDB | docker:pingcap/tidb
IBM Db2 | docker:ibmcom/db2 pypi:ibm-db npm:ibm_db maven:com.ibm.db2:jcc
Firebird | nuget:firebirdsql.data.firebirdclient npm:node-firebird maven:org.firebirdsql.jdbc:*
libSQL | crate:libsql npm:@libsql/client~ go:github.com/tursodatabase/libsql-client-go
PostgreSQL | nuget:npgsql.* gem:activerecord-postgis-adapter npm:pg-native pypi:psycopg2cffi php:ext-pgsql
MySQL | php:ext-mysqli nuget:mysql.entityframeworkcore gem:activerecord-trilogy-adapter crate:mysqlclient-sys
SQLite | php:ext-sqlite3 nuget:sqlite-net-pcl nuget:sqlitepclraw.* npm:expo-sqlite npm:node-sqlite3-wasm crate:sqlite
    go:github.com/ncruces/go-sqlite3 maven:androidx.sqlite:* maven:androidx.room:*
SQL Server | gem:tiny_tds php:ext-pdo_sqlsrv php:ext-sqlsrv
Redis | php:ext-redis php:snc/redis-bundle nuget:microsoft.aspnetcore.signalr.stackexchangeredis crate:deadpool-redis
    crate:bb8-redis pypi:channels-redis npm:connect-redis gem:redis-namespace gem:hiredis-client
    go:github.com/rueian/rueidis go:github.com/redis/rueidis maven:org.springframework.data:spring-data-redis
Memcached | php:ext-memcached pypi:python-memcached pypi:aiomcache
MongoDB | go:github.com/globalsign/mgo php:jenssegers/mongodb php:doctrine/mongodb-odm-bundle
    nuget:mongodb.entityframeworkcore
Elasticsearch | php:ruflin/elastica php:friendsofsymfony/elastica-bundle pypi:django-elasticsearch-dsl
    gem:elasticsearch-rails
    maven:org.elasticsearch:* maven:org.springframework.data:spring-data-elasticsearch
DynamoDB | go:github.com/aws/aws-sdk-go-v2/service/dynamodb gem:aws-sdk-dynamodb nuget:awssdk.dynamodbv2 gem:dynamoid
Cassandra | gem:cassandra-driver nuget:cassandracsharpdriver maven:org.springframework.data:spring-data-cassandra
ClickHouse | nuget:clickhouse.client maven:com.clickhouse:*
RavenDB | nuget:ravendb.client
Memcached | go:github.com/bradfitz/gomemcache nuget:enyimmemcachedcore c:libmemcached
Pebble | go:github.com/cockroachdb/pebble
pgvector | gem:pgvector
"""
