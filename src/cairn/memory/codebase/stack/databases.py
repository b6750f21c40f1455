"""Databases, caches and search engines, by their drivers, their images and what settings name."""

from __future__ import annotations

DATABASES = """
PostgreSQL | db:postgresql docker:postgres docker:postgresql docker:postgis/postgis docker:bitnami/postgresql
    docker:timescale/timescaledb docker:pgvector/pgvector docker:supabase/postgres pypi:psycopg pypi:psycopg2
    pypi:psycopg2-binary pypi:asyncpg pypi:psycopg-binary pypi:pg8000 npm:pg npm:postgres npm:pg-promise
    npm:@prisma/adapter-pg npm:@vercel/postgres npm:@neondatabase/serverless gem:pg go:github.com/lib/pq
    go:github.com/jackc/pgx crate:postgres crate:tokio-postgres crate:pq-sys maven:org.postgresql:postgresql
    maven:org.postgresql:r2dbc-postgresql nuget:aspire.npgsql* nuget:aspire.hosting.postgresql nuget:npgsql
    nuget:npgsql.entityframeworkcore.postgresql php:ext-pdo_pgsql
    c:libpq c:postgresql include:libpq-fe.h go:gorm.io/driver/postgres
MySQL | db:mysql docker:mysql docker:bitnami/mysql docker:mysql/mysql-server pypi:mysqlclient pypi:pymysql
    pypi:mysql-connector-python pypi:aiomysql pypi:asyncmy npm:mysql npm:mysql2 gem:mysql2 gem:trilogy
    go:github.com/go-sql-driver/mysql crate:mysql crate:mysql_async maven:com.mysql:mysql-connector-j
    maven:mysql:mysql-connector-java nuget:mysql.data nuget:mysqlconnector nuget:pomelo.entityframeworkcore.mysql
    php:ext-pdo_mysql c:libmysqlclient c:mysql include:mysql.h include:mysql/mysql.h go:gorm.io/driver/mysql
MariaDB | db:mariadb docker:mariadb npm:mariadb pypi:mariadb maven:org.mariadb.jdbc:mariadb-java-client
SQLite | db:sqlite pypi:aiosqlite pypi:pysqlite3 pypi:sqlite-utils npm:better-sqlite3 npm:sqlite3 npm:@*/sqlite3
    npm:sqlite
    npm:@libsql/client gem:sqlite3 go:github.com/mattn/go-sqlite3 go:modernc.org/sqlite go:github.com/glebarez/sqlite
    go:zombiezen.com/go/sqlite crate:rusqlite crate:libsqlite3-sys maven:org.xerial:sqlite-jdbc
    nuget:microsoft.data.sqlite nuget:microsoft.entityframeworkcore.sqlite nuget:system.data.sqlite php:ext-pdo_sqlite
    c:sqlite3 include:sqlite3.h c:unofficial-sqlite3 import:sqlite3 go:gorm.io/driver/sqlite
SQL Server | db:sql_server docker:mssql/server docker:mssql-server-linux docker:azure-sql-edge pypi:pymssql npm:mssql
    npm:tedious maven:com.microsoft.sqlserver:mssql-jdbc nuget:microsoft.entityframeworkcore.sqlserver
    nuget:aspire.hosting.sqlserver
    nuget:microsoft.data.sqlclient nuget:system.data.sqlclient go:github.com/microsoft/go-mssqldb
    go:github.com/denisenkom/go-mssqldb gem:activerecord-sqlserver-adapter crate:tiberius
Oracle Database | db:oracle_database pypi:oracledb pypi:cx-oracle npm:oracledb maven:com.oracle.database.jdbc:*
    nuget:oracle.manageddataaccess.core
H2 | db:h2 maven:com.h2database:h2
HSQLDB | db:hsqldb maven:org.hsqldb:hsqldb
Apache Derby | db:apache_derby maven:org.apache.derby:derby
MongoDB | db:mongodb docker:mongo docker:bitnami/mongodb pypi:pymongo pypi:motor pypi:mongoengine pypi:beanie
    npm:mongodb npm:mongoose gem:mongoid gem:mongo go:go.mongodb.org/mongo-driver crate:mongodb
    maven:org.springframework.boot:spring-boot-starter-data-mongodb* maven:org.mongodb:* nuget:mongodb.driver
    php:mongodb/mongodb php:mongodb/laravel-mongodb
Redis | db:redis docker:redis docker:bitnami/redis docker:redis/redis-stack pypi:redis pypi:aioredis pypi:django-redis
    npm:redis npm:ioredis npm:@upstash/redis gem:redis gem:redis-rails~ gem:redis-client go:github.com/redis/go-redis
    go:github.com/go-redis/redis go:github.com/gomodule/redigo crate:redis crate:fred
    maven:org.springframework.boot:spring-boot-starter-data-redis* maven:redis.clients:jedis
    maven:io.lettuce:lettuce-core maven:org.redisson:redisson* nuget:stackexchange.redis nuget:aspire.hosting.redis
    nuget:aspire.stackexchange.redis*
    nuget:microsoft.extensions.caching.stackexchangeredis php:predis/predis c:hiredis
Valkey | docker:valkey docker:valkey/valkey pypi:valkey npm:iovalkey
Memcached | db:memcached docker:memcached pypi:pymemcache pypi:pylibmc npm:memjs npm:memcached gem:dalli
    maven:net.spy:spymemcached
Elasticsearch | db:elasticsearch docker:elasticsearch docker:elasticsearch/elasticsearch pypi:elasticsearch
    pypi:elasticsearch-dsl
    npm:@elastic/elasticsearch gem:elasticsearch gem:searchkick gem:chewy gem:elasticsearch-model
    go:github.com/elastic/go-elasticsearch
    go:github.com/olivere/elastic crate:elasticsearch
    maven:org.springframework.boot:spring-boot-starter-data-elasticsearch maven:co.elastic.clients:elasticsearch-java
    nuget:elastic.clients.elasticsearch nuget:nest php:elasticsearch/elasticsearch
OpenSearch | db:opensearch docker:opensearchproject/opensearch pypi:opensearch-py npm:@opensearch-project/opensearch
    gem:opensearch-ruby
Meilisearch | db:meilisearch go:github.com/meilisearch/meilisearch-go docker:getmeili/meilisearch pypi:meilisearch
    npm:meilisearch php:meilisearch/meilisearch-php
    gem:meilisearch-rails crate:meilisearch-sdk
LMDB | pypi:lmdb crate:lmdb crate:heed c:lmdb npm:lmdb include:lmdb.h
pgvector | pypi:pgvector npm:pgvector nuget:pgvector* docker:pgvector/pgvector gem:neighbor~ crate:pgvector
Typesense | db:typesense docker:typesense/typesense npm:typesense php:typesense/typesense-php
Algolia | npm:algoliasearch gem:algoliasearch-rails php:algolia/algoliasearch-client-php
Solr | docker:solr pypi:pysolr gem:sunspot_rails
ClickHouse | db:clickhouse docker:clickhouse/clickhouse-server docker:clickhouse-server pypi:clickhouse-driver
    pypi:clickhouse-connect npm:@clickhouse/client go:github.com/clickhouse/clickhouse-go crate:clickhouse
Cassandra | db:cassandra docker:cassandra pypi:cassandra-driver npm:cassandra-driver go:github.com/gocql/gocql
    maven:org.springframework.boot:spring-boot-starter-data-cassandra maven:com.datastax.oss:*
ScyllaDB | docker:scylladb/scylla crate:scylla
CockroachDB | db:cockroachdb docker:cockroachdb/cockroach
Neo4j | docker:neo4j pypi:neo4j npm:neo4j-driver maven:org.springframework.boot:spring-boot-starter-data-neo4j
InfluxDB | docker:influxdb pypi:influxdb-client npm:@influxdata/influxdb-client
TimescaleDB | db:timescaledb docker:timescale/timescaledb-ha docker:timescale/timescaledb
DynamoDB | docker:amazon/dynamodb-local npm:@aws-sdk/client-dynamodb npm:dynamoose pypi:pynamodb
Cosmos DB | nuget:microsoft.azure.cosmos nuget:microsoft.entityframeworkcore.cosmos npm:@azure/cosmos pypi:azure-cosmos
CouchDB | docker:couchdb npm:nano
PouchDB | npm:pouchdb
Firebase | npm:firebase npm:firebase-admin pypi:firebase-admin maven:com.google.firebase:* go:firebase.google.com/go
    root:firebase.json
Supabase | npm:@supabase/supabase-js pypi:supabase
DuckDB | pypi:duckdb npm:duckdb npm:@duckdb/node-api crate:duckdb go:github.com/marcboeker/go-duckdb
LevelDB | npm:level go:github.com/syndtr/goleveldb c:leveldb
RocksDB | crate:rocksdb c:rocksdb maven:org.rocksdb:rocksdbjni
BoltDB | go:go.etcd.io/bbolt go:github.com/boltdb/bolt
Badger | go:github.com/dgraph-io/badger
sled | crate:sled
etcd | docker:etcd docker:coreos/etcd go:go.etcd.io/etcd/client/v3
Qdrant | docker:qdrant/qdrant pypi:qdrant-client npm:@qdrant/js-client-rest
Milvus | pypi:pymilvus docker:milvusdb/milvus
Chroma | pypi:chromadb
Weaviate | pypi:weaviate-client docker:semitechnologies/weaviate
Pinecone | pypi:pinecone pypi:pinecone-client npm:@pinecone-database/pinecone
Tinybird | docker:tinybirdco/tinybird-local npm:@tinybirdco/charts npm:@tinybirdco/mockingbird ending:datasource
LiteDB | nuget:litedb
Snowflake | pypi:snowflake-connector-python npm:snowflake-sdk
BigQuery | pypi:google-cloud-bigquery npm:@google-cloud/bigquery
"""
