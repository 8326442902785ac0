import { z } from "zod";
import { flag, number, text, texts } from "../record-schema.ts";

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
export const pipeShape = {
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
