import { expect } from "vitest";
import { StackError, StackferryError } from "../../src/core/errors.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import type { StackClient } from "../../src/core/ports.ts";
import type { KindName, Variant } from "../../src/core/records/record.ts";
import type { ResourceKind } from "../../src/core/resource-kind.ts";

/** A request that a memory stack has received. */
export interface SeenRequest {
  readonly operation: string;
  readonly body?: JsonObject;
}

/** A stack in memory, without HTTP. It has only the behaviour of a server that the jobs need. */
export interface MemoryStack {
  readonly client: StackClient;
  readonly records: ReadonlyMap<KindName, Map<string, JsonObject>>;
  readonly requests: SeenRequest[];
  /** Called before each request. If it throws, the request fails with this error and is not carried out. */
  intercept: (operation: string, body?: JsonObject) => void;
  /** Called after each write. If it throws, the write has been carried out, but the request fails with this error. */
  interceptAfter: (operation: string, body?: JsonObject) => void;
  /** Replaces the record that a write stores and returns. */
  replaceStored: (operation: string, stored: JsonObject) => JsonObject;
  /** A list is returned when this promise resolves. */
  whileListing: (kind: KindName, signal: AbortSignal | undefined) => Promise<void>;
  /** Ids of tiles that stand for tiles which the API cannot show. They lack the members that a server adds to its own tiles. */
  readonly substitutes: Set<string>;
  /** Replaces the records that a list returns. */
  replaceListed: (kind: KindName, bodies: readonly JsonObject[]) => readonly JsonObject[];
}

let minted = 0;

/** Returns a new id of 24 hex digits. */
function mintId(): string {
  minted += 1;
  return `f00d${minted.toString(16).padStart(20, "0")}`;
}

/** Makes a memory stack with the given records. It does not offer the other kinds. */
export function memoryStack(
  seed: Readonly<Record<KindName, readonly JsonObject[]>>,
  variant: Variant = "self-hosted",
): MemoryStack {
  const records = new Map(
    Object.entries(seed).map(([kind, bodies]) => [kind, new Map(bodies.map((body) => [String(body["id"]), body]))]),
  );
  const stack: MemoryStack = {
    client: undefined as never,
    records,
    requests: [],
    substitutes: new Set(),
    intercept: () => {},
    interceptAfter: () => {},
    replaceStored: (_, stored) => stored,
    whileListing: async () => {},
    replaceListed: (_, bodies) => bodies,
  };
  const see = (operation: string, body?: JsonObject): void => {
    stack.requests.push(body ? { operation, body } : { operation });
    stack.intercept(operation, body);
  };
  const storeOf = (kind: ResourceKind): Map<string, JsonObject> => {
    const store = records.get(kind.name);
    if (!store) throw refusalError("not-offered", `${kind.name} are not offered`);
    return store;
  };
  const answered = (body: JsonObject): JsonObject => withServerMembers(body, stack.substitutes);
  const client: StackClient = {
    identity: { variant, baseUrl: "http://memory.test" },
    async *list(kind, signal) {
      see(`list ${kind.name}`);
      await stack.whileListing(kind.name, signal);
      yield stack.replaceListed(kind.name, [...storeOf(kind).values()].map(answered)).map((value) => ({ value }));
    },
    async get(kind, id) {
      see(`get ${kind.name}`);
      const body = storeOf(kind).get(id);
      if (!body) throw refusalError("not-found", `${id} not found`);
      return answered(body);
    },
    async create(kind, body) {
      see(`create ${kind.name}`, body);
      const stored = stack.replaceStored(`create ${kind.name}`, withNewIds(kind, body));
      storeOf(kind).set(String(stored["id"]), stored);
      stack.interceptAfter(`create ${kind.name}`, body);
      return stored;
    },
    async update(kind, id, body, { look } = {}) {
      if (look?.(await client.get(kind, id), false) === "done") return client.get(kind, id);
      see(`update ${kind.name}`, body);
      const stored = stack.replaceStored(`update ${kind.name}`, {
        ...storeOf(kind).get(id),
        ...withChildIds(kind, body),
        id,
      });
      storeOf(kind).set(id, stored);
      stack.interceptAfter(`update ${kind.name}`, body);
      return stored;
    },
    async delete(kind, id, { look } = {}) {
      const seen = look && (await client.get(kind, id).catch(ignoreMissing));
      look?.(seen, false);
      see(`delete ${kind.name}`);
      storeOf(kind).delete(id);
      // The server deletes the alerts of a dashboard with it.
      for (const [alert, { dashboardId }] of records.get("alerts") ?? []) {
        if (kind.name === "dashboards" && dashboardId === id) records.get("alerts")?.delete(alert);
      }
      stack.interceptAfter(`delete ${kind.name}`, undefined);
    },
    async validate(kind, body) {
      see(`validate ${kind.name}`, body);
      return { valid: true, errors: [] };
    },
    querySeries: async () => ({}),
    requestCounts: () => ({ total: stack.requests.length, retried: 0, rateLimited: 0, waitedMs: 0 }),
    [Symbol.asyncDispose]: async () => {},
  };
  return Object.assign(stack, { client });
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof StackferryError) || error.code !== "not-found") throw error;
}

/** Adds the members that a server adds to each line tile and select item (docs/api.md#hidden-tiles). */
function withServerMembers(body: JsonObject, substitutes: ReadonlySet<string>): JsonObject {
  const { tiles } = body;
  if (!isJsonArray(tiles)) return body;
  const said = (tile: JsonValue): JsonValue => {
    const config = isJsonObject(tile) ? tile["config"] : undefined;
    if (!isJsonObject(tile) || !isJsonObject(config)) return tile;
    const isSubstitute = substitutes.has(String(tile["id"]));
    const { displayType, select } = config;
    const item = (one: JsonValue): JsonValue => {
      if (!isJsonObject(one)) return one;
      const { whereLanguage = "lucene", ...rest } = one;
      return isSubstitute ? rest : { ...rest, whereLanguage };
    };
    const { fillNulls = true, ...rest } = config;
    const isFilled = !isSubstitute && (displayType === "line" || displayType === "stacked_bar");
    const filled = isFilled ? { ...rest, fillNulls } : rest;
    return { ...tile, config: isJsonArray(select) ? { ...filled, select: select.map(item) } : filled };
  };
  return { ...body, tiles: tiles.map(said) };
}

/** Makes the error for a response that refuses a request. */
export function refusalError(
  code: "not-offered" | "not-found" | "rejected" | "unauthorized" | "forbidden" | "unreadable-record",
  message: string,
): StackError {
  return new StackError(code, message, { method: "?", path: "?", applied: "no" });
}

/** Makes the error for a lost response. The server may have carried out the request. */
export function lostAnswerError(): StackError {
  return new StackError("unreachable", "the connection was reset", { method: "?", path: "?", applied: "unknown" });
}

/** Makes the error for a request that is never sent, because the user stops the run while the request waits. */
export function interruptionError(): StackferryError {
  return new StackferryError("interrupted", "interrupted by SIGINT");
}

/** Makes the error for an unreachable stack. The request was certainly not carried out. */
export function unreachableError(): StackError {
  return new StackError("unreachable", "connection refused", { method: "?", path: "?", applied: "no" });
}

/** Makes requests of an operation fail with this error from now on. @param only the number of the only request that fails */
export function failOperation(stack: MemoryStack, wanted: string, error: () => Error, only?: number): void {
  let count = 0;
  stack.intercept = (operation) => {
    if (operation !== wanted) return;
    count += 1;
    if (only === undefined || only === count) throw error();
  };
}

/**
 * Kills a run at a write. Its other requests in progress fail, too.
 * @param moment `before` the stack receives the write, or `after` it has stored the record
 * @param at the number of the write, counted from 1 among the writes that `isMeant` matches
 */
export async function runKilled(
  stack: MemoryStack,
  moment: "before" | "after",
  isMeant: RegExp,
  run: () => Promise<unknown>,
  at = 1,
): Promise<void> {
  const method = moment === "before" ? "intercept" : "interceptAfter";
  const usual = stack[method];
  let count = 0;
  stack[method] = (operation) => {
    count += isMeant.test(operation) ? 1 : 0;
    if (isMeant.test(operation) && count >= at) throw new Error("killed");
  };
  await expect(run()).rejects.toThrow("killed");
  // Waits for the requests that the killed run had begun.
  await new Promise((resolve) => setTimeout(resolve, 1));
  stack[method] = usual;
}

/** Makes the server delete alerts whenever a dashboard is updated: the alerts with these ids, or all if there are none. */
export function loseAlertsOnUpdate(stack: MemoryStack, ...ids: readonly string[]): void {
  stack.interceptAfter = (operation) => {
    const alerts = stack.records.get("alerts");
    if (operation === "update dashboards")
      for (const id of ids.length > 0 ? ids : [...(alerts?.keys() ?? [])]) alerts?.delete(id);
  };
}

/** Makes the list show the dashboards' ids in upper or in lower case. */
export function spellIds(stack: MemoryStack, spell: "toUpperCase" | "toLowerCase"): void {
  stack.replaceListed = (kind, bodies) =>
    kind === "dashboards" ? bodies.map((body) => ({ ...body, id: String(body["id"])[spell]() })) : bodies;
}

/** Adds a record, or replaces the record with the same id, as another user would. */
export function putRecord(stack: MemoryStack, kind: KindName, body: JsonObject): void {
  stack.records.get(kind)?.set(String(body["id"]), body);
}

/** Deletes the record with this name, as another user would. */
export function deleteRecord(stack: MemoryStack, kind: KindName, name: string): void {
  const [id] = [...(stack.records.get(kind) ?? [])].find(([, body]) => body["name"] === name) ?? [];
  if (id === undefined) throw new Error(`no ${kind} "${name}"`);
  stack.records.get(kind)?.delete(id);
}

/** Returns the names of a stack's records of a kind, in the stack's order. */
export function namesOn(stack: MemoryStack, kind: KindName = "dashboards"): string[] {
  return [...(stack.records.get(kind)?.values() ?? [])].map(({ name }) => String(name));
}

/** Returns the body with an id for each child: the given id, or a new one. */
function withChildIds(kind: ResourceKind, body: JsonObject): JsonObject {
  const parts = kind.children.flatMap(({ member }): [string, JsonValue][] => {
    const value = body[member];
    if (!isJsonArray(value)) return [];
    return [[member, value.map((part) => (isJsonObject(part) ? { id: mintId(), ...part } : part))]];
  });
  return { ...body, ...Object.fromEntries(parts) };
}

function withNewIds(kind: ResourceKind, body: JsonObject): JsonObject {
  const parts = kind.children.flatMap(({ member }): [string, JsonValue][] => {
    const value = body[member];
    if (!isJsonArray(value)) return [];
    return [[member, value.map((part) => (isJsonObject(part) ? { ...part, id: mintId() } : part))]];
  });
  return { ...body, ...Object.fromEntries(parts), id: mintId() };
}
