import { expect } from "vitest";
import { StackError, StackferryError } from "../../src/core/errors.ts";
import type { JsonObject, JsonValue } from "../../src/core/json.ts";
import { isJsonArray, isJsonObject } from "../../src/core/json.ts";
import type { StackClient } from "../../src/core/ports.ts";
import type { KindName, Variant } from "../../src/core/records/record.ts";
import type { ResourceKind } from "../../src/core/resource-kind.ts";

/** A request that a memory stack has seen. */
export interface SeenRequest {
  readonly operation: string;
  readonly body?: JsonObject;
}

/** A stack in memory: just enough of the server's behaviour to try the jobs on, without HTTP. */
export interface MemoryStack {
  readonly client: StackClient;
  readonly records: ReadonlyMap<KindName, Map<string, JsonObject>>;
  readonly requests: SeenRequest[];
  /** Called before each request; what it throws is the answer. */
  intercept: (operation: string, body?: JsonObject) => void;
  /** Called once a write has been carried out; what it throws is the answer all the same. */
  interceptAfter: (operation: string, body?: JsonObject) => void;
  /** Replaces the record that a write stores and answers. */
  keep: (operation: string, stored: JsonObject) => JsonObject;
  /** A list answers once this has ended. */
  whileListing: (kind: KindName, signal: AbortSignal | undefined) => Promise<void>;
  /** Ids of tiles that its answers show in the place of others: they lack what a server says of each tile of its own. */
  readonly substitutes: Set<string>;
  /** Replaces the records that a list shows. */
  show: (kind: KindName, bodies: readonly JsonObject[]) => readonly JsonObject[];
}

let minted = 0;

/** A fresh 24-hex id. */
function mintId(): string {
  minted += 1;
  return `f00d${minted.toString(16).padStart(20, "0")}`;
}

/** Starts a memory stack that holds the given records. Kinds that are not named are not offered. */
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
    keep: (_, stored) => stored,
    whileListing: async () => {},
    show: (_, bodies) => bodies,
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
  const answered = (body: JsonObject): JsonObject => withServersWords(body, stack.substitutes);
  const client: StackClient = {
    identity: { variant, baseUrl: "http://memory.test" },
    async *list(kind, signal) {
      see(`list ${kind.name}`);
      await stack.whileListing(kind.name, signal);
      yield stack.show(kind.name, [...storeOf(kind).values()].map(answered)).map((value) => ({ value }));
    },
    async get(kind, id) {
      see(`get ${kind.name}`);
      const body = storeOf(kind).get(id);
      if (!body) throw refusalError("not-found", `${id} not found`);
      return answered(body);
    },
    async create(kind, body) {
      see(`create ${kind.name}`, body);
      const stored = stack.keep(`create ${kind.name}`, withNewIds(kind, body));
      storeOf(kind).set(String(stored["id"]), stored);
      stack.interceptAfter(`create ${kind.name}`, body);
      return stored;
    },
    async update(kind, id, body) {
      see(`update ${kind.name}`, body);
      const stored = stack.keep(`update ${kind.name}`, { ...storeOf(kind).get(id), ...withChildIds(kind, body), id });
      storeOf(kind).set(id, stored);
      stack.interceptAfter(`update ${kind.name}`, body);
      return stored;
    },
    async delete(kind, id) {
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

/** The body with what a server says of each line tile and select item (docs/api.md#hidden-tiles). */
function withServersWords(body: JsonObject, substitutes: ReadonlySet<string>): JsonObject {
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

/** An error as a stack's answer. */
export function refusalError(
  code: "not-offered" | "not-found" | "rejected" | "unauthorized" | "unreadable-record",
  message: string,
): StackError {
  return new StackError(code, message, { method: "?", path: "?", applied: "no" });
}

/** The loss of an answer: whether the server has carried the request out is not known. */
export function lostAnswerError(): StackError {
  return new StackError("unreachable", "the connection was reset", { method: "?", path: "?", applied: "unknown" });
}

/** The user stops the run while a request waits for its turn: it is never sent. */
export function interruptionError(): StackferryError {
  return new StackferryError("interrupted", "interrupted by SIGINT");
}

/** A stack that does not answer at all: the request was surely not carried out. */
export function unreachableError(): StackError {
  return new StackError("unreachable", "connection refused", { method: "?", path: "?", applied: "no" });
}

/** Requests of an operation get this answer from here on; with a number, that one of them alone. */
export function answerWith(stack: MemoryStack, wanted: string, error: () => Error, only?: number): void {
  let count = 0;
  stack.intercept = (operation) => {
    if (operation !== wanted) return;
    count += 1;
    if (only === undefined || only === count) throw error();
  };
}

/**
 * A run that dies at a write, and all that it had begun with it.
 * @param at which of the writes that `isMeant` finds: `before` the stack has seen it, or `after` it is stored
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
  // Requests that the dead run had begun end first.
  await new Promise((resolve) => setTimeout(resolve, 1));
  stack[method] = usual;
}

/** Somebody makes a record, or puts it in the place of the one of that id. */
export function putRecord(stack: MemoryStack, kind: KindName, body: JsonObject): void {
  stack.records.get(kind)?.set(String(body["id"]), body);
}

/** Somebody changes members of every record of a kind, or of the one of that name. */
export function changeRecords(stack: MemoryStack, kind: KindName, members: JsonObject, name?: string): void {
  for (const body of stack.records.get(kind)?.values() ?? []) {
    if (name === undefined || body["name"] === name) putRecord(stack, kind, { ...body, ...members });
  }
}

/** The one record of that name; throws where there is none. */
export function storedRecord(stack: MemoryStack, kind: KindName, name: string): JsonObject & { readonly id: string } {
  for (const body of stack.records.get(kind)?.values() ?? []) {
    if (body["name"] === name) return { ...body, id: String(body["id"]) };
  }
  throw new Error(`no ${kind} "${name}"`);
}

/** Somebody deletes the record of that name. */
export function deleteRecord(stack: MemoryStack, kind: KindName, name: string): void {
  stack.records.get(kind)?.delete(storedRecord(stack, kind, name).id);
}

/** The names of what a stack has of a kind, in its order. */
export function namesOn(stack: MemoryStack, kind: KindName = "dashboards"): string[] {
  return [...(stack.records.get(kind)?.values() ?? [])].map(({ name }) => String(name));
}

/** An update keeps the ids of children and mints them for new ones. */
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
