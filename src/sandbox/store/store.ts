import { sandboxError } from "../errors.ts";
import type { SandboxSeed } from "../options.ts";

export type Collection = keyof SandboxSeed;

/** The content of a stack, each collection in the order of creation. */
export type Store = Readonly<Record<Collection, Map<string, SandboxRecord>>>;

/** Makes a store with the seed's records. Throws `sandbox-usage` for a record without an id, or with a duplicate one. */
export function createStore(seed: SandboxSeed): Store {
  const recordsOf = (collection: Collection): Map<string, SandboxRecord> => {
    const records = new Map<string, SandboxRecord>();
    for (const [index, record] of (seed[collection] ?? []).entries()) {
      if (!isRecord(record) || records.has(record.id)) {
        throw sandboxError("sandbox-usage", `seed refused: ${collection}[${index}] needs a string id of its own`);
      }
      records.set(record.id, record);
    }
    return records;
  };
  return {
    dashboards: recordsOf("dashboards"),
    alerts: recordsOf("alerts"),
    sources: recordsOf("sources"),
    webhooks: recordsOf("webhooks"),
    pipes: recordsOf("pipes"),
    connections: recordsOf("connections"),
    "saved-searches": recordsOf("saved-searches"),
  };
}

/** The records of a store, in the form that `createStore` takes. */
export function snapshotOf(store: Store): Record<Collection, readonly SandboxRecord[]> {
  return {
    dashboards: [...store.dashboards.values()],
    alerts: [...store.alerts.values()],
    sources: [...store.sources.values()],
    webhooks: [...store.webhooks.values()],
    pipes: [...store.pipes.values()],
    connections: [...store.connections.values()],
    "saved-searches": [...store["saved-searches"].values()],
  };
}

function isRecord(value: unknown): value is SandboxRecord {
  return isObject(value) && typeof value["id"] === "string" && value["id"] !== "";
}

/** A record as stored: `GET` may return less of it, or other values. */
export interface SandboxRecord {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** Any JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Tells whether `value` is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The record without some of its members. */
export function without(record: JsonObject, members: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([member]) => !members.includes(member)));
}

/** The ids of the records in `value`; none if it is not an array of records. */
export function idsIn(value: unknown): ReadonlySet<string> {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return new Set(items.filter(isObject).flatMap((item) => (typeof item["id"] === "string" ? [item["id"]] : [])));
}
