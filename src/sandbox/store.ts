import { sandboxError, type Collection, type SandboxSeed, type SandboxIdForm } from "./options.ts";
import { randomBytes, randomUUID } from "node:crypto";

/** Each collection is in the order of creation. */
export type Store = Readonly<Record<Collection, Map<string, SandboxRecord>>>;

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
  return byCollection(recordsOf);
}

function byCollection<Content>(contentOf: (collection: Collection) => Content): Record<Collection, Content> {
  return {
    dashboards: contentOf("dashboards"),
    alerts: contentOf("alerts"),
    sources: contentOf("sources"),
    webhooks: contentOf("webhooks"),
    pipes: contentOf("pipes"),
    connections: contentOf("connections"),
    "saved-searches": contentOf("saved-searches"),
  };
}

export function snapshotOf(store: Store): Record<Collection, readonly SandboxRecord[]> {
  return byCollection((collection) => [...store[collection].values()]);
}

function isRecord(value: unknown): value is SandboxRecord {
  return isObject(value) && typeof value["id"] === "string" && value["id"] !== "";
}

/** A record as stored; responses may omit members or show other values. */
export interface SandboxRecord {
  readonly id: string;
  readonly [member: string]: unknown;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function omitMembers(record: JsonObject, members: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([member]) => !members.includes(member)));
}

export function definedMembers(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, content]) => content !== undefined));
}

export function idsIn(value: unknown): ReadonlySet<string> {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return new Set(items.filter(isObject).flatMap((item) => (typeof item["id"] === "string" ? [item["id"]] : [])));
}

export interface IdGenerator {
  readonly id: () => string;
  readonly uuid: () => string;
  readonly secret: (bytes: number) => string;
  readonly isId: (text: string) => boolean;
  /** The servers' name for the form of ids. */
  readonly form: "uuid" | "ObjectId";
}

const OBJECT_ID = /^[0-9a-f]{24}$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function isObjectId(text: string): boolean {
  return OBJECT_ID.test(text);
}

/** A counter keeps ids different even if a test makes `random` constant. */
export function createIdGenerator(form: SandboxIdForm, now: () => number, random?: () => number): IdGenerator {
  const bytes = (count: number): Buffer =>
    random === undefined ? randomBytes(count) : Buffer.from(Array.from({ length: count }, () => random() * 256));
  const origin = bytes(5);
  let counter = bytes(3).readUIntBE(0, 3);
  const next = (): number => (counter = (counter + 1) % 0x1_00_00_00);

  const objectId = (): string => {
    const id = Buffer.alloc(12);
    id.writeUInt32BE(Math.floor(now() / 1000) % 0x1_0000_0000, 0);
    origin.copy(id, 4);
    id.writeUIntBE(next(), 9, 3);
    return id.toString("hex");
  };
  const uuid = (): string => {
    if (random === undefined) return randomUUID();
    const id = bytes(16);
    id.writeUIntBE(id.readUIntBE(13, 3) ^ next(), 13, 3);
    id.writeUInt8((id.readUInt8(6) & 0x0f) | 0x40, 6);
    id.writeUInt8((id.readUInt8(8) & 0x3f) | 0x80, 8);
    return id.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };
  return {
    id: form === "uuid" ? uuid : objectId,
    uuid,
    secret: (count) => bytes(count).toString("hex"),
    isId: form === "uuid" ? isUuid : isObjectId,
    form: form === "uuid" ? "uuid" : "ObjectId",
  };
}
