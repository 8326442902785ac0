import type { Reply } from "../http/envelope.ts";
import { isObject } from "../store/record.ts";
import type { Call, Route, Stack } from "../routes/route.ts";
import type { Distortion } from "./distortion.ts";
import type { Schedule } from "./schedule.ts";

const ID_MEMBER = /^id$|^connection$|Ids?$/;

/**
 * `case-ids`: the ids of the records in a response come in upper case. A server that reads ids as numbers does not
 * mind their case, so every route takes ids in either, whether or not the rule triggers.
 */
export function caseOfIds(schedule: Schedule, stack: Stack): Distortion {
  const serve = (name: string, route: Route, call: Call): Reply => {
    const folded = { ...call, id: fold(call.id, stack), body: foldBody(call.body, "", stack) };
    const reply = route.handle(folded);
    const upper = upperCased(reply, stack);
    if (upper === undefined || !schedule.has("case-ids", name)) return reply;
    return schedule.due(["case-ids"], name).some(({ trigger }) => trigger()) ? upper : reply;
  };
  return (name, route) => (schedule.has("case-ids") ? { ...route, handle: (call) => serve(name, route, call) } : route);
}

/** Nothing where the response holds no id to write otherwise. */
function upperCased(reply: Reply, { ids }: Stack): Reply | undefined {
  if (reply.is !== "record" && reply.is !== "list") return undefined;
  let changes = 0;
  const upper = (record: unknown): unknown => {
    if (!isObject(record) || typeof record["id"] !== "string" || !ids.isId(record["id"])) return record;
    changes += 1;
    return { ...record, id: record["id"].toUpperCase() };
  };
  const other: Reply =
    reply.is === "record"
      ? { is: "record", record: upper(reply.record) }
      : { ...reply, records: reply.records.map((record) => upper(record)) };
  return changes === 0 ? undefined : other;
}

/** Only members named as ids: a text that looks like one stays what it is. */
function foldBody(value: unknown, member: string, stack: Stack): unknown {
  if (typeof value === "string") return ID_MEMBER.test(member) ? fold(value, stack) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => foldBody(item, member, stack));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [name, foldBody(content, name, stack)]));
}

/** An id as the stack generated it; one that a seed brought in upper case is known as it is. */
function fold(id: string, { ids, store }: Stack): string {
  const isKnown = Object.values(store).some((records) => records.has(id));
  return ids.isId(id) && !isKnown ? id.toLowerCase() : id;
}
