import type { Mint } from "../mint.ts";
import type { SandboxRecord } from "../record.ts";

/** What one pipe has of its own; the rest is the same for all. */
export interface PipeParts {
  readonly name: string;
  readonly table: string;
  readonly source: Readonly<Record<string, unknown>>;
}

const SETTINGS = {
  streaming_max_insert_wait_ms: 5000,
  object_storage_concurrency: 4,
  object_storage_polling_interval_ms: 30_000,
  object_storage_max_insert_bytes: 10_737_418_240,
  object_storage_max_file_count: 1000,
  engine_max_threads: 8,
  engine_max_insert_threads: 2,
  engine_min_insert_block_size_bytes: 268_402_944,
  engine_max_download_threads: 4,
  engine_parallel_distributed_insert_select: 2,
  object_storage_use_cluster_function: true,
  engine_parallel_view_processing: false,
};

/** A pipe record with every field of contract 2.6. */
export function seedPipe({ name, table, source }: PipeParts, serviceId: string, at: string, mint: Mint): SandboxRecord {
  return {
    id: mint.uuid(),
    serviceId,
    name,
    state: "Running",
    scaling: { replicas: 2, concurrency: 4, replicaCpuMillicores: 500, replicaMemoryGb: 2.5 },
    source,
    destination: {
      database: "default",
      table,
      managedTable: true,
      tableDefinition: {
        engine: { versionColumnId: "updated_at", columnIds: ["id", "amount"] },
        sortingKey: ["id", "updated_at"],
        partitionBy: "toYYYYMM(updated_at)",
        primaryKey: "id",
      },
      columns: [
        { name: "id", type: "UUID" },
        { name: "amount", type: "Decimal(18, 4)" },
        { name: "updated_at", type: "DateTime64(3)" },
      ],
    },
    fieldMappings: [
      { sourceField: "order_id", destinationField: "id" },
      { sourceField: "total", destinationField: "amount" },
    ],
    settings: SETTINGS,
    createdAt: at,
    updatedAt: at,
  };
}
