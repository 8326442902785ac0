import { randomInt } from "node:crypto";
import type { Interceptor } from "../http/interceptor.ts";
import type { SandboxLimit } from "../options.ts";
import type { Stack, Call, Route } from "../routes/route.ts";
import type { Distortion } from "./distortion.ts";
import { droppedFields } from "./dropped-fields.ts";
import { createHold } from "./hold.ts";
import { shiftedPages, staleLists } from "./list-faults.ts";
import type { FaultName, FaultPlan } from "./plan.ts";
import { responseFaults, createFaultResponses } from "./response-faults.ts";
import { createSchedule } from "./schedule.ts";
import type { Reply } from "../http/envelope.ts";
import { isObject } from "../store/record.ts";
import type { Schedule } from "./schedule.ts";

/** A fault plan in use. */
export interface Faults {
  /** The seed in use, so that a random run can be repeated. */
  readonly seed: number;
  /** The faults of the response. Wraps `inner` if the sandbox has an interceptor of its own. */
  readonly intercept: Interceptor;
  /** The faults of the data. */
  readonly distort: Distortion;
  /** Releases every request that a fault holds, and holds none from then on. */
  readonly release: () => void;
}

interface Surroundings {
  readonly stack: Stack;
  readonly limit: Required<SandboxLimit> | undefined;
  readonly random: (() => number) | undefined;
  readonly inner: Interceptor | undefined;
  /** Called for every fault that occurs. */
  readonly triggered: (fault: FaultName) => void;
}

const SEEDS = 2 ** 32;

export function createFaults(plan: FaultPlan, { stack, limit, random, inner, triggered }: Surroundings): Faults {
  const seed = plan.seed ?? (random === undefined ? randomInt(SEEDS) : Math.floor(random() * SEEDS));
  const schedule = createSchedule(plan, seed, triggered);
  const hold = createHold();
  const spoil = responseFaults(schedule, createFaultResponses(stack, limit), hold);
  // From the store outwards: pages are cut from the stale list, and ids change case last.
  const distortions = [
    staleLists(schedule, stack),
    shiftedPages(schedule),
    droppedFields(schedule, stack),
    caseOfIds(schedule, stack),
  ];
  return {
    seed,
    intercept: (request, proceed) => spoil(request, async () => (inner ? inner(request, proceed) : proceed())),
    distort: (name, route) => distortions.reduce((inside, distortion) => distortion(name, inside), route),
    release: hold.release,
  };
}

const ID_MEMBER = /^id$|^connection$|Ids?$/;

/**
 * `case-ids`: the ids in a response are in upper case. A server that parses ids as numbers ignores their case, so every route
 * accepts both cases, whether or not the rule triggers.
 */
function caseOfIds(schedule: Schedule, stack: Stack): Distortion {
  const serve = (name: string, route: Route, call: Call): Reply => {
    const folded = { ...call, id: fold(call.id, stack), body: foldBody(call.body, "", stack) };
    const reply = route.handle(folded);
    const upper = upperCased(reply, stack);
    if (upper === undefined || !schedule.has("case-ids", name)) return reply;
    return schedule.due(["case-ids"], name).some(({ trigger }) => trigger()) ? upper : reply;
  };
  return (name, route) => (schedule.has("case-ids") ? { ...route, handle: (call) => serve(name, route, call) } : route);
}

/** The reply with its ids in upper case; undefined if it has no id that would change. */
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

/** Lower-cases only members that are named as ids: other texts that look like one stay as they are. */
function foldBody(value: unknown, member: string, stack: Stack): unknown {
  if (typeof value === "string") return ID_MEMBER.test(member) ? fold(value, stack) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => foldBody(item, member, stack));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [name, foldBody(content, name, stack)]));
}

/** The id as the stack generated it. An upper-case id from a seed is kept. */
function fold(id: string, { ids, store }: Stack): string {
  const isKnown = Object.values(store).some((records) => records.has(id));
  return ids.isId(id) && !isKnown ? id.toLowerCase() : id;
}
