import { z } from "zod";
import { flag, number, text, texts } from "./loose.ts";

const certificate = text;

const kafka = z.looseObject({
  brokers: text,
  topics: text,
  consumerGroup: text,
  iamRole: text,
  offset: z.looseObject({ timestamp: text }).nullish(),
  schemaRegistry: z.looseObject({ url: text, authentication: text, caCertificate: certificate }).nullish(),
  caCertificate: certificate,
  reversePrivateEndpointIds: texts,
});

const objectStorage = z.looseObject({
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

const cloudstream = z.looseObject({
  streamName: text,
  region: text,
  useEnhancedFanOut: flag,
  timestamp: number,
  iamRole: text,
});

const postgres = z.looseObject({
  host: text,
  port: number,
  database: text,
  settings: z
    .looseObject({
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
      z.looseObject({
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

const destination = z.looseObject({
  database: text,
  table: text,
  managedTable: flag,
  tableDefinition: z
    .looseObject({
      engine: z.looseObject({ versionColumnId: text, columnIds: texts }).nullish(),
      sortingKey: texts,
      partitionBy: text,
      primaryKey: text,
    })
    .nullish(),
  columns: z.array(z.looseObject({ name: text, type: text })).nullish(),
});

const settings = z.looseObject({
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

/** Every member of the pipe record (contract 2.6), each of them optional: "required status … not shown". */
export const pipeShape = {
  serviceId: text,
  name: text,
  state: text,
  scaling: z
    .looseObject({ replicas: number, concurrency: number, replicaCpuMillicores: number, replicaMemoryGb: number })
    .nullish(),
  source: z
    .looseObject({
      kafka: kafka.nullish(),
      objectStorage: objectStorage.nullish(),
      cloudstream: cloudstream.nullish(),
      postgres: postgres.nullish(),
    })
    .nullish(),
  destination: destination.nullish(),
  fieldMappings: z.array(z.looseObject({ sourceField: text, destinationField: text })).nullish(),
  settings: settings.nullish(),
  createdAt: text,
  updatedAt: text,
};
