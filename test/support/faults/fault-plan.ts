import { z } from "zod";
import { createHash } from "node:crypto";

/** The faults of the response. At most one of them applies to a request. */
export const RESPONSE_FAULTS = [
  "429",
  "500",
  "500-after",
  "reset",
  "reset-after",
  "slow",
  "never",
  "never-after",
  "truncated",
  "html-502",
  "html-502-after",
] as const;

// The longest delay of a timer. With a longer delay, the timer would fire at once.
const MAX_MS = 2_147_483_647;

const natural = z.number().int().min(0);
const ordinal = z.number().int().min(1);
const ms = natural.max(MAX_MS).optional();

const when = {
  route: z.string().optional(),
  rate: z.number().min(0).max(1).optional(),
  nth: z
    .union([ordinal, z.array(ordinal).min(1).readonly()], "a request's number or a list of them, from 1")
    .optional(),
  times: natural.optional(),
};

const simple = z.enum([
  ...RESPONSE_FAULTS.filter((fault) => fault !== "429" && fault !== "slow"),
  "case-ids",
  "page-skip",
  "page-repeat",
]);

const rule = z.discriminatedUnion("fault", [
  z.strictObject({ fault: simple, ...when }),
  z.strictObject({ fault: z.literal("429"), headers: z.boolean().optional(), ...when }),
  z.strictObject({ fault: z.enum(["slow", "stale-list"]), ms, ...when }),
  z.strictObject({
    fault: z.literal("drop-field"),
    field: z.string().regex(/^[^.]+(?:\.[^.]+)*$/, "a member path such as tags or tiles.config"),
    ...when,
  }),
]);

/** One rule of a plan: a fault, the requests to which the fault applies, and how often it occurs. */
export type FaultRule = z.output<typeof rule>;
export type FaultName = FaultRule["fault"];

/** A rule whose fault is one of `Name`, with the members that only rules of these faults have. */
export type RuleOf<Name extends FaultName> = FaultRule & { readonly fault: Name };

const faultPlanSchema = z.strictObject({
  seed: z.number().int().optional(),
  rules: z.array(rule.superRefine(refuseIdle)).readonly(),
  quietAfter: natural.optional(),
});

/**
 * The faults of a sandbox, and when they occur. The same seed and the same requests give the same faults. Without a seed, a random
 * seed is used.
 */
export type FaultPlan = z.output<typeof faultPlanSchema>;

/** Refuses a rule that can never trigger: a test that relies on such a rule would prove nothing. */
function refuseIdle({ fault, route, rate, nth }: FaultRule, context: z.RefinementCtx): void {
  const refuse = (member: string, message: string): void =>
    context.addIssue({ code: "custom", path: [member], message });
  if (rate !== undefined && nth !== undefined) refuse("nth", "a rule has a rate or an nth, not both");
  if (!FAULT_ROUTES.some((name) => appliesToRoute(fault, route, name)))
    refuse("route", `never meets the fault ${fault}`);
}

const WRITTEN = ["dashboards", "alerts", "connections", "sources", "webhooks", "saved-searches"];
const CREATES = WRITTEN.map((word) => `POST ${word}`);
const UPDATES = WRITTEN.map((word) => `PUT ${word}/{id}`);
const PAGED = ["GET alerts", "GET webhooks", "GET saved-searches"];
const LISTS = ["GET dashboards", "GET sources", "GET connections", "GET pipes"];
const GOT = ["dashboards", "alerts", "connections", "sources", "saved-searches", "pipes"];
const READS = [...LISTS, ...GOT.map((word) => `GET ${word}/{id}`)];
const DELETES = WRITTEN.map((word) => `DELETE ${word}/{id}`);
const TEAM = ["GET root", "GET team", "GET team/members", "GET team/invitations"];
const OTHERS = [...DELETES, ...TEAM, "POST dashboards/validate", "POST charts/series", "POST search"];
const UNKNOWN = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].map((method) => `${method} unknown`);

/** The routes of both variants that a rule can name, by their names in the statistics. */
export const FAULT_ROUTES: readonly string[] = [...CREATES, ...UPDATES, ...PAGED, ...READS, ...OTHERS, ...UNKNOWN];

// Faults of the data apply only to routes that store or return that data; all others apply to any request.
const ONLY_ON: Readonly<Partial<Record<FaultName, readonly string[]>>> = {
  "stale-list": CREATES,
  "drop-field": [...CREATES, ...UPDATES],
  "case-ids": [...CREATES, ...UPDATES, ...PAGED, ...READS],
  "page-skip": PAGED,
  "page-repeat": PAGED,
};

/**
 * Tells whether a rule applies to a route. The rule's pattern is a route, or the beginning of a route followed by `*`. A rule
 * without a pattern applies to every route on which the fault can occur.
 */
export function appliesToRoute(fault: FaultName, pattern: string | undefined, route: string): boolean {
  return (ONLY_ON[fault]?.includes(route) ?? true) && matches(pattern ?? "*", route);
}

function matches(pattern: string, route: string): boolean {
  return pattern.endsWith("*") ? route.startsWith(pattern.slice(0, -1)) : route === pattern;
}

/** Checks a fault plan. Throws for a plan with a mistake, or with a rule that can never trigger. */
export function parseFaults(value: unknown): FaultPlan {
  return faultPlanSchema.parse(value);
}

interface Due<Name extends FaultName> {
  readonly rule: RuleOf<Name>;
  /** Counts one occurrence of the fault; returns false if the limit of the rule or of the plan is reached. */
  readonly trigger: () => boolean;
}

/** Decides which rules of a plan apply to which request. */
export interface Schedule {
  /** Tells whether a rule of the fault can apply to the route. Without a route, tells whether the plan has a rule of the fault. */
  hasRule(fault: FaultName, route?: string): boolean;
  /** Counts one request for every matching rule of these faults, and returns the rules that are due, in the plan's order. */
  takeDueRules<Name extends FaultName>(faults: readonly Name[], route: string): readonly Due<Name>[];
}

interface Entry {
  readonly rule: FaultRule;
  readonly index: number;
  readonly times: number;
  requestCount: number;
  triggerCount: number;
}

/** @param onTrigger called for every fault that occurs */
export function createSchedule(plan: FaultPlan, seed: number, onTrigger: (fault: FaultName) => void): Schedule {
  const entries = plan.rules.map((rule, index): Entry => ({
    rule,
    index,
    times: timesOf(rule),
    requestCount: 0,
    triggerCount: 0,
  }));
  let remainingFaults = plan.quietAfter ?? Infinity;
  const trigger = (entry: Entry): boolean => {
    if (remainingFaults === 0 || entry.triggerCount >= entry.times) return false;
    remainingFaults -= 1;
    entry.triggerCount += 1;
    onTrigger(entry.rule.fault);
    return true;
  };
  const isEntryOn = (entry: Entry, route: string): boolean => appliesToRoute(entry.rule.fault, entry.rule.route, route);
  return {
    hasRule: (fault, route) =>
      entries.some((entry) => entry.rule.fault === fault && (route === undefined || isEntryOn(entry, route))),
    takeDueRules(faults, route) {
      const routeEntries = entries.filter((entry) => isEntryOn(entry, route));
      return routeEntries.flatMap((entry) => {
        if (!isOneOf(entry.rule, faults)) return [];
        entry.requestCount += 1;
        return isTurn(entry, seed) ? [{ rule: entry.rule, trigger: () => trigger(entry) }] : [];
      });
    },
  };
}

/**
 * Returns the maximum number of times that a rule triggers. By default there is no limit, except that a page starts in the wrong
 * place only once.
 */
function timesOf({ fault, rate, nth, times }: FaultRule): number {
  const isOnce = (fault === "page-skip" || fault === "page-repeat") && rate === undefined && nth === undefined;
  return times ?? (isOnce ? 1 : Infinity);
}

function isTurn({ rule: { rate, nth }, index, requestCount }: Entry, seed: number): boolean {
  if (nth !== undefined) return [nth].flat().includes(requestCount);
  return rate === undefined || draw(seed, index, requestCount) < rate;
}

/** Returns a random-looking number from 0 up to 1 that depends only on the arguments, not on other rules. */
function draw(seed: number, rule: number, request: number): number {
  return createHash("sha256").update(`${seed} ${rule} ${request}`).digest().readUIntBE(0, 6) / 2 ** 48;
}

function isOneOf<Name extends FaultName>(rule: FaultRule, faults: readonly Name[]): rule is RuleOf<Name> {
  return faults.some((fault) => fault === rule.fault);
}
