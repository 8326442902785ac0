import type { PipeParts } from "./pipe.ts";

const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nNOT-A-REAL-CERTIFICATE\n-----END CERTIFICATE-----\n";
const IAM_ROLE = "arn:aws:iam::000000000000:role/example-reader";

const kafka = {
  brokers: "broker-1.example.com:9092,broker-2.example.com:9092",
  topics: "orders,refunds",
  consumerGroup: "orders-to-stack",
  iamRole: IAM_ROLE,
  offset: { timestamp: "2026-01-01T00:00:00.000Z" },
  schemaRegistry: {
    url: "https://reader:not-a-real-password@registry.example.com",
    authentication: "not-a-real-registry-secret",
    caCertificate: CERTIFICATE,
  },
  caCertificate: CERTIFICATE,
  reversePrivateEndpointIds: ["vpce-0123456789example"],
};

const objectStorage = {
  url: "https://storage.example.com/exports/**/*.json.gz?sig=not-a-real-signature",
  delimiter: ",",
  compression: "gzip",
  isContinuous: true,
  queueUrl: "https://queue.example.com/000000000000/exports",
  iamRole: IAM_ROLE,
  connectionString: "DefaultEndpointsProtocol=https;AccountName=example;AccountKey=bm90LWEtcmVhbC1rZXk=",
  path: "exports/2026-*/orders-*.json.gz",
  cloudContainerName: "exports",
};

const cloudstream = {
  streamName: "clicks",
  region: "eu-central-1",
  useEnhancedFanOut: true,
  timestamp: 1_767_225_600,
  iamRole: IAM_ROLE,
};

const postgres = {
  host: "db.example.com",
  port: 5432,
  database: "shop",
  settings: {
    syncIntervalSeconds: 60,
    pullBatchSize: 100_000,
    publicationName: "stack_publication",
    replicationSlotName: "stack_slot",
    allowNullableColumns: true,
    initialLoadParallelism: 4,
    snapshotNumRowsPerPartition: 500_000,
    snapshotNumberOfParallelTables: 2,
    enableFailoverSlots: false,
  },
  tableMappings: [
    {
      sourceSchemaName: "public",
      sourceTable: "orders",
      targetTable: "shop_orders",
      excludedColumns: ["card_number"],
      useCustomSortingKey: true,
      sortingKeys: ["order_id"],
    },
  ],
};

/** One pipe of each kind of source, every field of contract 2.6.1 filled; no secret among them is real. */
export const PIPES: readonly PipeParts[] = [
  { name: "Orders from Kafka", table: "orders", source: { kafka } },
  { name: "Exports from the bucket", table: "exports", source: { objectStorage } },
  { name: "Clicks", table: "clicks", source: { cloudstream } },
  { name: "Shop database – Bestellungen", table: "shop_orders", source: { postgres } },
];
