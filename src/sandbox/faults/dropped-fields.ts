import { Refusal } from "../errors.ts";
import type { Reply } from "../http/envelope.ts";
import type { SandboxRecord } from "../store/record.ts";
import { isObject } from "../store/record.ts";
import type { Call, Route, Stack } from "../routes/route.ts";
import type { Distortion } from "./distortion.ts";
import { collectionOf } from "./distortion.ts";
import type { Schedule } from "./schedule.ts";

/**
 * `drop-field`: the server does not know a member of the body, and drops it without a message, like all unknown members
 * (docs/api.md#dashboards). A required member is accepted and then lost.
 */
export function droppedFields(schedule: Schedule, stack: Stack): Distortion {
  const write = (name: string, route: Route, call: Call): Reply => {
    const due = schedule.due(["drop-field"], name).filter(({ rule }) => holdsMember(call.body, rule.field));
    const fields = due.filter(({ trigger }) => trigger()).map(({ rule }) => rule.field);
    if (fields.length === 0) return route.handle(call);
    try {
      return route.handle({ ...call, body: strip(call.body, fields) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return stripStored(stack, route, route.handle(call), fields);
    }
  };
  return (name, route) =>
    schedule.has("drop-field", name) ? { ...route, handle: (call) => write(name, route, call) } : route;
}

/** Removes the fields after the write. Only in this case does a handler run twice: the refused first run has changed nothing. */
function stripStored({ store }: Stack, route: Route, reply: Reply, fields: readonly string[]): Reply {
  if (reply.is !== "record") return reply;
  if (isRecord(reply.record)) {
    const records = store[collectionOf(route, store)];
    // The stored record may hold secrets that the reply omits.
    const stored = strip(records.get(reply.record.id), fields);
    if (isRecord(stored)) records.set(stored.id, stored);
  }
  return { is: "record", record: strip(reply.record, fields) };
}

function strip(value: unknown, fields: readonly string[]): unknown {
  return fields.reduce<unknown>((left, field) => withoutMember(left, field), value);
}

function isRecord(value: unknown): value is SandboxRecord {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string";
}

/** Tells whether a value has the member at a dotted path, which passes through the items of arrays: `tiles.config`. */
function holdsMember(value: unknown, path: string): boolean {
  const [member = "", ...rest] = path.split(".");
  if (Array.isArray(value)) return value.some((item) => holdsMember(item, path));
  if (!isObject(value) || !Object.hasOwn(value, member)) return false;
  return rest.length === 0 || holdsMember(value[member], rest.join("."));
}

/** The value without the member at a dotted path, in every item that the path reaches. */
function withoutMember(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutMember(item, path));
  if (!isObject(value)) return value;
  const [member = "", ...rest] = path.split(".");
  const kept = Object.entries(value).flatMap(([name, content]) => {
    if (name !== member) return [[name, content]];
    return rest.length === 0 ? [] : [[name, withoutMember(content, rest.join("."))]];
  });
  return Object.fromEntries(kept);
}
