import { z } from "zod";
import { flag, number, text, texts, looseBody, nameKeyOf, textOf, withoutDefaults } from "./descriptor-parts.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { pipeFile } from "./members/file-shapes.ts";

const certificate = text;

const kafka = z.object({
  brokers: text,
  topics: text,
  consumerGroup: text,
  iamRole: text,
  offset: z.object({ timestamp: text }).nullish(),
  schemaRegistry: z.object({ url: text, authentication: text, caCertificate: certificate }).nullish(),
  caCertificate: certificate,
  reversePrivateEndpointIds: texts,
});

const objectStorage = z.object({
  url: text,
  delimiter: text,
  compression: text,
  isContinuous: flag,
  queueUrl: text,
  iamRole: text,
  connectionString: text,
  path: text,
  cloudContainerName: text,
});

const cloudstream = z.object({
  streamName: text,
  region: text,
  useEnhancedFanOut: flag,
  timestamp: number,
  iamRole: text,
});

const postgres = z.object({
  host: text,
  port: number,
  database: text,
  settings: z
    .object({
      syncIntervalSeconds: number,
      pullBatchSize: number,
      publicationName: text,
      replicationSlotName: text,
      allowNullableColumns: flag,
      initialLoadParallelism: number,
      snapshotNumRowsPerPartition: number,
      snapshotNumberOfParallelTables: number,
      enableFailoverSlots: flag,
    })
    .nullish(),
  tableMappings: z
    .array(
      z.object({
        sourceSchemaName: text,
        sourceTable: text,
        targetTable: text,
        excludedColumns: texts,
        useCustomSortingKey: flag,
        sortingKeys: texts,
      }),
    )
    .nullish(),
});

const mapping = { targetTable: text, excludedColumns: texts, useCustomSortingKey: flag, sortingKeys: texts };

const mysql = z.object({
  host: text,
  port: number,
  authentication: text,
  tableMappings: z.array(z.object({ sourceSchemaName: text, sourceTable: text, ...mapping })).nullish(),
});

const bigquery = z.object({
  snapshotStagingPath: text,
  tableMappings: z.array(z.object({ sourceDatasetName: text, sourceTable: text, ...mapping })).nullish(),
});

const mongodb = z.object({
  uri: text,
  readPreference: text,
  tableMappings: z.array(z.object({ sourceDatabaseName: text, sourceCollection: text, targetTable: text })).nullish(),
});

const pubsub = z.object({ projectId: text, topic: text, authentication: text, seekTimestamp: text, filter: text });

const destination = z.object({
  database: text,
  table: text,
  managedTable: flag,
  tableDefinition: z
    .object({
      engine: z.object({ versionColumnId: text, columnIds: texts }).nullish(),
      sortingKey: texts,
      partitionBy: text,
      primaryKey: text,
    })
    .nullish(),
  columns: z.array(z.object({ name: text, type: text })).nullish(),
});

const settings = z.object({
  streaming_max_insert_wait_ms: number,
  object_storage_concurrency: number,
  object_storage_polling_interval_ms: number,
  object_storage_max_insert_bytes: number,
  object_storage_max_file_count: number,
  engine_max_threads: number,
  engine_max_insert_threads: number,
  engine_min_insert_block_size_bytes: number,
  engine_max_download_threads: number,
  engine_parallel_distributed_insert_select: number,
  object_storage_use_cluster_function: flag,
  engine_parallel_view_processing: flag,
});

/** The members of a pipe that we rely on (docs/api.md#managed), all of them optional. */
const pipeShape = {
  serviceId: text,
  name: text,
  state: text,
  scaling: z
    .object({ replicas: number, concurrency: number, replicaCpuMillicores: number, replicaMemoryGb: number })
    .nullish(),
  source: z
    .object({
      kafka: kafka.nullish(),
      objectStorage: objectStorage.nullish(),
      cloudstream: cloudstream.nullish(),
      postgres: postgres.nullish(),
      mysql: mysql.nullish(),
      bigquery: bigquery.nullish(),
      mongodb: mongodb.nullish(),
      pubsub: pubsub.nullish(),
    })
    .nullish(),
  destination: destination.nullish(),
  fieldMappings: z.array(z.object({ sourceField: text, destinationField: text })).nullish(),
  settings: settings.nullish(),
  createdAt: text,
  updatedAt: text,
};

/** Authentication methods of a source: names, not secrets (docs/api.md#managed). */
const METHODS =
  "PLAIN SCRAM-SHA-256 SCRAM-SHA-512 IAM_ROLE IAM_USER MUTUAL_TLS SERVICE_ACCOUNT CONNECTION_STRING basic".split(" ");

/**
 * Ingestion pipes (docs/api.md#managed). Pipes are archived, never written. Newer deployments list pipes; others return one pipe at
 * a time, by its id.
 */
export const pipes: ResourceKind = {
  name: "pipes",
  singular: "pipe",
  listing: "by-id",
  routes: {
    managed: {
      list: { method: "GET", path: "{service}/{pipes}", optional: true },
      get: { method: "GET", path: "{service}/{pipes}/{id}" },
    },
    "self-hosted": {},
  },
  schema: looseBody(pipeShape),
  nameOf: (body) => textOf(body, "name"),
  naturalKeys: [nameKeyOf],
  references: [],
  children: [],
  idsLearnedFrom: [],
  writeOnly: [],
  secrets: [
    { path: "source.objectStorage.connectionString", rule: "connection-string", keep: "nothing" },
    {
      path: "source.kafka.schemaRegistry.authentication",
      rule: "schema-registry-authentication",
      keep: "nothing",
      except: METHODS,
    },
  ],
  serverOwned: ["id", "serviceId", "state", "createdAt", "updatedAt"],
  refusedOnCreate: [],
  leaveOutWhen: [],
  limits: [],
  nameFields: {},
  clearOnUpdate: {},
  code: {
    shape: pipeFile,
    order: ["name", "source", "destination", "fieldMappings", "settings", "scaling"],
    defaults: {},
  },
  comparable: (body) => withoutDefaults(body, {}),
  importPolicy: {
    when: "never",
    why: "the API can read a pipe but not create one; set it up by hand from the archived record",
  },
};
