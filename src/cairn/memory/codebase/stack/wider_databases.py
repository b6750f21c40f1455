"""Databases by the drivers, images and helpers that imply them, and tools of tests."""

from __future__ import annotations

DATABASES = """
Aerospike | npm:aerospike pypi:aerospike maven:com.aerospike:* docker:aerospike/aerospike-server
    go:github.com/aerospike/aerospike-client-go
Algolia | npm:react-instantsearch npm:instantsearch.js npm:@docsearch/react gem:algolia pypi:algoliasearch
    nuget:algolia.search
Amazon Athena | pypi:pyathena npm:@aws-sdk/client-athena
Amazon Redshift | pypi:redshift-connector pypi:sqlalchemy-redshift pypi:dbt-redshift npm:@aws-sdk/client-redshift-data
    maven:com.amazon.redshift:redshift-jdbc42
Apache Derby | maven:org.apache.derby:*
Apache Doris | docker:apache/doris
Apache Druid | pypi:pydruid docker:apache/druid
Apache HBase | maven:org.apache.hbase:* pypi:happybase docker:harisekhon/hbase
Apache Hive | pypi:pyhive maven:org.apache.hive:* docker:apache/hive
Apache Iceberg | pypi:pyiceberg maven:org.apache.iceberg:* crate:iceberg
Apache IoTDB | maven:org.apache.iotdb:* docker:apache/iotdb
Apache Kudu | maven:org.apache.kudu:*
Apache TinkerPop | maven:org.apache.tinkerpop:* pypi:gremlinpython npm:gremlin
Badger | go:github.com/timshannon/badgerhold
BigQuery | go:cloud.google.com/go/bigquery gem:google-cloud-bigquery nuget:google.cloud.bigquery.v2
    maven:com.google.cloud:google-cloud-bigquery pypi:dbt-bigquery pypi:sqlalchemy-bigquery
BoltDB | go:github.com/asdine/storm go:github.com/timshannon/bolthold
BuntDB | go:github.com/tidwall/buntdb
Cassandra | crate:scylla~ maven:org.springframework.boot:spring-boot-starter-data-cassandra* docker:bitnami/cassandra
Ceph | docker:ceph/ceph
Chroma | npm:chromadb docker:chromadb/chroma docker:chroma-core/chroma pypi:langchain-chroma
ClickHouse | npm:clickhouse gem:clickhouse-activerecord docker:bitnami/clickhouse php:smi2/phpclickhouse
    docker:altinity/clickhouse-server docker:yandex/clickhouse-server pypi:asynch nuget:clickhouse.driver
Cloud Spanner | npm:@google-cloud/spanner pypi:google-cloud-spanner go:cloud.google.com/go/spanner
    maven:com.google.cloud:google-cloud-spanner*
CockroachDB | npm:cockroachdb gem:activerecord-cockroachdb-adapter pypi:sqlalchemy-cockroachdb pypi:django-cockroachdb
    go:github.com/cockroachdb/cockroach-go
Cosmos DB | maven:com.azure:azure-cosmos docker:cosmosdb/linux/azure-cosmos-emulator
    docker:cosmosdb/azure-cosmos-emulator go:github.com/azure/azure-sdk-for-go/sdk/data/azcosmos
Couchbase | npm:couchbase pypi:couchbase docker:couchbase nuget:couchbasenetclient maven:com.couchbase.client:*
    go:github.com/couchbase/gocb
CouchDB | pypi:couchdb
Dameng | maven:com.dameng:*
Databricks | pypi:databricks-sql-connector pypi:databricks-sdk npm:@databricks/sql maven:com.databricks:*
Delta Lake | pypi:deltalake pypi:delta-spark crate:deltalake maven:io.delta:*
Dgraph | docker:dgraph/dgraph npm:dgraph-js go:github.com/dgraph-io/dgo
DuckDB | npm:@duckdb/duckdb-wasm maven:org.duckdb:duckdb_jdbc nuget:duckdb.net.data.full
    go:github.com/duckdb/duckdb-go
DynamoDB | npm:@aws-sdk/lib-dynamodb npm:electrodb crate:aws-sdk-dynamodb maven:software.amazon.awssdk:dynamodb*
    maven:com.amazonaws:aws-java-sdk-dynamodb npm:dynamodb-toolbox go:github.com/guregu/dynamo npm:dynamodb-onetable
Elasticsearch | npm:elasticsearch maven:co.elastic.clients:* docker:bitnami/elasticsearch npm:@nestjs/elasticsearch
    maven:org.hibernate.search:hibernate-search-backend-elasticsearch nuget:serilog.sinks.elasticsearch~
    pypi:django-haystack~ npm:@elastic/ecs-pino-format~ php:babenkoivan/elastic-scout-driver php:jolicode/elastically
ElectricSQL | npm:electric-sql npm:@electric-sql/client docker:electricsql/electric
etcd | go:go.etcd.io/etcd/client docker:bitnami/etcd npm:etcd3 pypi:etcd3
FalkorDB | docker:falkordb/falkordb pypi:falkordb
FaunaDB | npm:faunadb npm:fauna pypi:faunadb
Firebase | nuget:firebaseadmin npm:@react-native-firebase/app npm:firebase-functions~ php:kreait/firebase-php
    maven:plugin:com.google.gms.google-services~
Firestore | npm:@google-cloud/firestore pypi:google-cloud-firestore go:cloud.google.com/go/firestore
    file:firestore.rules
FoundationDB | pypi:foundationdb go:github.com/apple/foundationdb crate:foundationdb
Garage | docker:dxflrs/garage
Garnet | docker:microsoft/garnet
H2 | maven:io.quarkus:quarkus-jdbc-h2
InfluxDB | pypi:influxdb gem:influxdb crate:influxdb nuget:influxdb.client npm:influx docker:library/influxdb
    go:github.com/influxdata/influxdb
JanusGraph | maven:org.janusgraph:* docker:janusgraph/janusgraph
Kvrocks | docker:apache/kvrocks
LanceDB | npm:@lancedb/lancedb npm:vectordb pypi:lancedb crate:lancedb
LevelDB | npm:classic-level npm:leveldown pypi:plyvel crate:rusty-leveldb
LMDB | go:github.com/bmatsuo/lmdb-go
LokiJS | npm:lokijs
LowDB | npm:lowdb
MariaDB | docker:bitnami/mariadb docker:linuxserver/mariadb maven:io.quarkus:quarkus-jdbc-mariadb
    maven:org.testcontainers:mariadb docker:mariadb/server docker:jbergstroem/mariadb-alpine
    docker:yobasystems/alpine-mariadb docker:cimg/mariadb
Meilisearch | gem:meilisearch nuget:meilisearch npm:@meilisearch/instant-meilisearch pypi:meilisearch-python-sdk
Memcached | docker:bitnami/memcached system:memcached crate:memcache
Memgraph | docker:memgraph/memgraph pypi:gqlalchemy
Milvus | npm:@zilliz/milvus2-sdk-node go:github.com/milvus-io/milvus-sdk-go pypi:langchain-milvus maven:io.milvus:*
MMKV | npm:react-native-mmkv maven:com.tencent:mmkv
MongoDB | pypi:djongo php:ext-mongodb php:doctrine/mongodb-odm docker:mongodb/mongodb-community-server
    docker:percona/percona-server-mongodb npm:@typegoose/typegoose npm:@nestjs/mongoose npm:connect-mongo npm:monk
    npm:mongoist npm:papr npm:mongodb-memory-server pypi:flask-pymongo pypi:odmantic pypi:mongomock
    maven:io.quarkus:quarkus-mongodb-panache maven:org.testcontainers:mongodb maven:dev.morphia.morphia:*
    maven:de.flapdoodle.embed:* nuget:testcontainers.mongodb go:gopkg.in/mgo.v2 docker:mongodb/mongodb-atlas-local
MySQL | docker:percona docker:percona/percona-server docker:cimg/mysql maven:io.quarkus:quarkus-jdbc-mysql
    maven:org.testcontainers:mysql npm:@planetscale/database~ npm:serverless-mysql nuget:testcontainers.mysql
    npm:express-mysql-session
NeDB | npm:nedb npm:@seald-io/nedb npm:nedb-promises
Neo4j | pypi:neomodel pypi:py2neo gem:neo4j maven:org.neo4j:* nuget:neo4j.driver npm:@neo4j/graphql crate:neo4rs
OceanBase | maven:com.oceanbase:oceanbase-client docker:oceanbase/oceanbase-ce
OpenSearch | go:github.com/opensearch-project/opensearch-go nuget:opensearch.client
    php:opensearch-project/opensearch-php maven:org.opensearch:* docker:bitnami/opensearch
Oracle Database | nuget:oracle.entityframeworkcore gem:activerecord-oracle_enhanced-adapter gem:ruby-oci8
    go:github.com/godror/godror go:github.com/sijms/go-ora php:ext-oci8 php:yajra/laravel-oci8
    maven:com.oracle.ojdbc:* maven:com.oracle:ojdbc*
OrientDB | npm:orientjs docker:orientdb
PGlite | npm:@electric-sql/pglite
Pgpool-II | docker:bitnami/pgpool
pgvector | docker:ankane/pgvector go:github.com/pgvector/pgvector-go maven:com.pgvector:pgvector php:pgvector/pgvector
Pinecone | pypi:langchain-pinecone
PlanetScale | npm:@planetscale/database
PostGIS | docker:postgis/postgis gem:activerecord-postgis-adapter maven:net.postgis:*
    maven:org.hibernate.orm:hibernate-spatial docker:imresamu/postgis docker:kartoza/postgis
PostgreSQL | pypi:aiopg npm:@electric-sql/pglite~ docker:ankane/pgvector docker:cloudnative-pg/postgresql
    docker:zalando/spilo docker:crunchydata/crunchy-postgres docker:tensorchord/pgvecto-rs docker:imresamu/postgis
    docker:paradedb/paradedb docker:kartoza/postgis nuget:marten~ maven:io.quarkus:quarkus-jdbc-postgresql
    maven:io.quarkus:quarkus-reactive-pg-client maven:io.vertx:vertx-pg-client maven:com.impossibl.pgjdbc-ng:*
    maven:org.testcontainers:postgresql npm:@testcontainers/postgresql nuget:testcontainers.postgresql
    go:github.com/jackc/pgconn go:github.com/go-pg/pg go:github.com/uptrace/bun/driver/pgdriver
    go:github.com/fergusstrange/embedded-postgres npm:graphile-worker npm:connect-pg-simple npm:pgtyped gem:que
    gem:good_job gem:pg_search gem:pghero crate:pgrx c:pqxx include:pqxx/pqxx pypi:pgvector pypi:procrastinate
    nuget:hangfire.postgresql
PouchDB | npm:pouchdb-browser
PowerSync | npm:@powersync/web npm:@powersync/react-native
Presto | pypi:presto-python-client pypi:pyhive~ npm:presto-client docker:prestodb/presto maven:com.facebook.presto:*
ProxySQL | docker:proxysql/proxysql
Qdrant | crate:qdrant-client go:github.com/qdrant/go-client nuget:qdrant.client pypi:langchain-qdrant
Quickwit | docker:quickwit/quickwit
Realm | npm:realm maven:io.realm.kotlin:* nuget:realm
Redis | npm:bullmq npm:bull pypi:rq pypi:arq gem:sidekiq gem:resque maven:org.redisson:*
    docker:redis/redis-stack-server npm:handy-redis npm:rate-limit-redis npm:@socket.io/redis-adapter
    npm:socket.io-redis npm:cache-manager-redis-store npm:cache-manager-ioredis-yet npm:@keyv/redis npm:redlock
    npm:ioredis-mock npm:bee-queue npm:kue npm:@fastify/redis pypi:hiredis pypi:flask-redis pypi:fakeredis
    pypi:celery-redbeat pypi:walrus pypi:redis-om pypi:redisvl pypi:django-rq pypi:taskiq-redis gem:redis-store
    gem:redis-actionpack gem:redlock gem:rollout go:github.com/hibiken/asynq go:github.com/alicebob/miniredis
    go:github.com/mediocregopher/radix nuget:hangfire.redis.stackexchange nuget:servicestack.redis nuget:csredis
    nuget:csrediscore nuget:freeredis nuget:redis.om maven:io.quarkus:quarkus-redis-client
    maven:org.springframework.session:spring-session-data-redis docker:redislabs/rejson docker:library/redis
    docker:bitnami/redis-cluster php:laravel/horizon php:symfony/redis-messenger crate:redis-async system:redis-server
    maven:com.redis:testcontainers-redis docker:redis/redis
RethinkDB | npm:rethinkdb npm:rethinkdbdash docker:rethinkdb pypi:rethinkdb
RocksDB | npm:rocksdb go:github.com/tecbot/gorocksdb go:github.com/linxgnu/grocksdb nuget:rocksdb pypi:python-rocksdb
rqlite | docker:rqlite/rqlite
RustFS | docker:rustfs/rustfs
SAP HANA | pypi:hdbcli npm:@sap/hana-client npm:hdb maven:com.sap.cloud.db.jdbc:ngdbc
ScyllaDB | go:github.com/scylladb/gocqlx
SingleStore | docker:singlestore-labs/singlestoredb-dev pypi:singlestoredb
Snowflake | pypi:snowflake-sqlalchemy maven:net.snowflake:snowflake-jdbc go:github.com/snowflakedb/gosnowflake
    pypi:snowflake-snowpark-python nuget:snowflake.data pypi:dbt-snowflake
Solr | gem:rsolr php:solarium/solarium docker:bitnami/solr
Sphinx Search | gem:thinking-sphinx
SQL Server | pypi:pyodbc~ pypi:mssql-django pypi:django-mssql-backend go:gorm.io/driver/sqlserver
    nuget:hangfire.sqlserver nuget:testcontainers.mssql maven:org.testcontainers:mssqlserver
    maven:io.r2dbc:r2dbc-mssql npm:msnodesqlv8 ending:sqlproj file:*.sqlproj
SQLite | npm:sql.js pypi:pysqlite3-binary nuget:system.data.sqlite* npm:@capacitor-community/sqlite
    npm:react-native-sqlite-storage npm:@op-engineering/op-sqlite npm:react-native-quick-sqlite
    npm:@sqlite.org/sqlite-wasm npm:wa-sqlite npm:@journeyapps/wa-sqlite module:bun:sqlite module:node:sqlite
    maven:app.cash.sqldelight:* npm:connect-sqlite3 npm:@tauri-apps/plugin-sql~ pypi:sqlcipher3
    maven:org.hibernate.orm:hibernate-community-dialects~ npm:@types/better-sqlite3 crate:tauri-plugin-sql~
    pypi:sqlite-vec npm:sqlite-vec nuget:microsoft.data.sqlite.core nuget:microsoft.entityframeworkcore.sqlite.core
    go:github.com/glebarez/go-sqlite go:crawshaw.io/sqlite go:github.com/libtnb/sqlite
StarRocks | docker:starrocks/allin1-ubuntu
Supabase | npm:@supabase/ssr path:supabase/config.toml
TDengine | docker:tdengine/tdengine maven:com.taosdata.jdbc:taos-jdbcdriver go:github.com/taosdata/driver-go
Teradata | pypi:teradatasql
TiDB | npm:@tidbcloud/serverless
TigerBeetle | npm:tigerbeetle-node docker:tigerbeetle/tigerbeetle
TimescaleDB | gem:timescaledb
TinyDB | pypi:tinydb
Trino | pypi:trino docker:trinodb/trino maven:io.trino:* npm:trino-client
Turso | npm:@tursodatabase/api npm:@libsql/client~
Typesense | pypi:typesense gem:typesense npm:typesense-instantsearch-adapter go:github.com/typesense/typesense-go
Valkey | npm:@valkey/valkey-glide pypi:valkey-glide gem:valkey nuget:valkey.glide
Vertica | pypi:vertica-python
Vitess | docker:vitess/vttestserver
WatermelonDB | npm:@nozbe/watermelondb
Weaviate | npm:weaviate-client npm:weaviate-ts-client docker:weaviate/weaviate
Zinc | docker:zinclabs/zincsearch
ZODB | pypi:zodb
"""

TESTING = """
Allure | npm:allure-commandline pypi:allure-pytest nuget:allure.*
AndroidX Test | maven:androidx.test:* maven:androidx.test.ext:*
Appium | pypi:appium-python-client maven:io.appium:java-client
ArchUnitNET | nuget:tngtech.archunitnet*
Arquillian | maven:org.jboss.arquillian:* maven:org.jboss.arquillian.junit5:*
AssertK | maven:com.willowtreeapps.assertk:*
Atoum | php:atoum/atoum
autocannon | npm:autocannon
aws-sdk-client-mock | npm:aws-sdk-client-mock
BackstopJS | file:backstop.json
Boost.Test | include:boost/test/unit_test.hpp
Bun Test | module:bun:test
busted | file:.busted
CppUnit | c:cppunit include:cppunit/extensions/helpermacros.h
CppUTest | c:cpputest include:cpputest/testharness.h
DAMADoctrineTestBundle | php:dama/doctrine-test-bundle
DeepDiff | pypi:deepdiff
EasyRandom | maven:org.jeasy:easy-random-core
Embedded Kafka | maven:org.springframework.kafka:spring-kafka-test~
Faker | gem:ffaker~ php:fzaninotto/faker npm:faker go:github.com/brianvoe/gofakeit
Foundry | file:foundry.toml
iai-callgrind | crate:iai
Japa | npm:@japa/runner
Jest | npm:@jest/core npm:babel-jest~ npm:@swc/jest~ npm:jest-expo~
JMeter | ending:jmx
JMH | maven:plugin:me.champeau.jmh
jqwik | maven:net.jqwik:*
JSON Server | npm:json-server
JSONAssert | maven:org.skyscreamer:jsonassert
JustMock | nuget:justmock
Kahlan | php:kahlan/kahlan
Kluent | maven:org.amshove.kluent:*
knapsack | gem:knapsack gem:knapsack_pro
Lighthouse | file:lighthouserc.js file:.lighthouserc.js file:lighthouserc.json file:.lighthouserc.json
Loki (visual testing) | npm:loki
Maestro | path:.maestro/*
Microsoft.AspNetCore.Mvc.Testing | nuget:microsoft.aspnetcore.mvc.testing
Mink | php:behat/mink
Mockito-Kotlin | maven:org.mockito.kotlin:mockito-kotlin
MockWebServer | maven:com.squareup.okhttp3:mockwebserver*
mongomock | pypi:mongomock
Mutant | gem:mutant-rspec
mutmut | pypi:mutmut
NBomber | nuget:nbomber*
Newman | npm:newman
ng-mocks | npm:ng-mocks
Orchestra Testbench | php:orchestra/testbench
pa11y | file:.pa11yci
Paparazzi | maven:plugin:app.cash.paparazzi
Percy | npm:@percy/playwright
Pest | php:pestphp/pest-plugin-laravel~
pgxmock | go:github.com/pashagolub/pgxmock
PHPBench | file:phpbench.json
Protractor | npm:protractor
Proxyquire | npm:proxyquire
pytest-bdd | pypi:pytest-bdd
Qt Test | include:qtest include:qttest
React Native Testing Library | npm:@testing-library/react-native
RSpec | gem:rspec-core~ gem:rspec-expectations~
ScalaCheck | maven:org.scalacheck:*
Serenity BDD | maven:net.serenity-bdd:*
similar-asserts | crate:similar-asserts
Site Prism | gem:site_prism
Spatie Snapshot Assertions | php:spatie/phpunit-snapshot-assertions
Spectator | npm:@ngneat/spectator
Spring Cloud Contract | maven:org.springframework.cloud:spring-cloud-starter-contract-*
Strikt | maven:io.strikt:*
Stryker | file:stryker-config.json file:stryker.conf.json
Symfony PHPUnit Bridge | php:symfony/phpunit-bridge
tape | npm:tape
Taurus | pypi:bzt
Tavern | pypi:tavern
Testcontainers | npm:@testcontainers/postgresql crate:testcontainers
testdouble.js | npm:testdouble
testfixtures | pypi:testfixtures
Testing Library | npm:@testing-library/user-event~ npm:@testing-library/preact~ npm:@testing-library/cypress~
    npm:@solidjs/testing-library~
tinybench | npm:tinybench
ts-mockito | npm:ts-mockito
UI Automator | maven:androidx.test.uiautomator:*
utest.h | include:utest.h
VCR.py | pypi:pytest-vcr pypi:pytest-recording
Vegeta | go:github.com/tsenart/vegeta
Verify | nuget:verify.* nuget:verify
vfsStream | php:bovigo/vfsstream
Vitest | npm:@vitest/ui~ npm:@vitest/coverage-v8~
Webdrivers | gem:webdrivers
WP_Mock | php:10up/wp_mock
XMLUnit | maven:org.xmlunit:*
"""
