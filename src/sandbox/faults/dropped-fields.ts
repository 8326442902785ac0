import type { Reply } from "../envelope/reply.ts";
import type { SandboxRecord } from "../record.ts";
import { Refusal } from "../refusal.ts";
import type { Call, Route, Stack } from "../routes/route.ts";
import type { Distortion } from "./distortion.ts";
import { collectionOf } from "./distortion.ts";
import { holdsMember, withoutMember } from "./member-of-body.ts";
import type { Schedule } from "./schedule.ts";

/**
 * `drop-field`: a member of the body that the server does not know and so drops without a word, as it does with all
 * that is unknown to it (field notes, Dashboards). One that a record cannot do without is accepted and lost.
 */
export function droppedFields(schedule: Schedule, stack: Stack): Distortion {
  const write = (name: string, route: Route, call: Call): Reply => {
    const due = schedule.due(["drop-field"], name).filter(({ rule }) => holdsMember(call.body, rule.field));
    const fields = due.filter(({ fire }) => fire()).map(({ rule }) => rule.field);
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

/** Only here do handlers run twice: a refused one has changed nothing. */
function stripStored({ store }: Stack, route: Route, reply: Reply, fields: readonly string[]): Reply {
  if (reply.is !== "record") return reply;
  const record = strip(reply.record, fields);
  if (isRecord(record)) store[collectionOf(route, store)].set(record.id, record);
  return { is: "record", record };
}

function strip(value: unknown, fields: readonly string[]): unknown {
  return fields.reduce<unknown>((left, field) => withoutMember(left, field), value);
}

function isRecord(value: unknown): value is SandboxRecord {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string";
}
