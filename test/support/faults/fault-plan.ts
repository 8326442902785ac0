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
type ResponseFault = (typeof RESPONSE_FAULTS)[number];

/** Which requests a rule applies to, and how often its fault occurs. */
interface When {
  /** A route, or its beginning and `*`. Without it, the rule applies to every route on which the fault can occur. */
  readonly route?: string;
  /** How likely the fault is, from 0 to 1. */
  readonly rate?: number;
  /** The numbers of the requests, from 1, among those that the rule applies to. */
  readonly nth?: number | readonly number[];
  /** How often the fault occurs at most. */
  readonly times?: number;
}

/** One rule of a plan. */
export type FaultRule = When &
  (
    | { readonly fault: Exclude<ResponseFault, "429" | "slow"> | "case-ids" }
    | { readonly fault: "429"; readonly headers?: boolean }
    | { readonly fault: "slow" | "stale-list"; readonly ms?: number }
    // A path such as `tags` or `tiles.config`.
    | { readonly fault: "drop-field"; readonly field: string }
  );
type FaultName = FaultRule["fault"];

/** A rule whose fault is one of `Name`, with the members that only rules of these faults have. */
type RuleOf<Name extends FaultName> = FaultRule & { readonly fault: Name };

/** The faults of a sandbox, and when they occur. The same seed and the same requests give the same faults. */
export interface FaultPlan {
  readonly seed?: number;
  readonly rules: readonly FaultRule[];
  /** After this many faults, no more occur. */
  readonly quietAfter?: number;
}

const RECORDS = "(?:dashboards|alerts|connections|sources|webhooks|saved-searches)";
// Faults of the data apply only to routes that store or return that data; all others apply to any request.
const ONLY_ON: Readonly<Partial<Record<FaultName, RegExp>>> = {
  "stale-list": new RegExp(`^POST ${RECORDS}$`),
  "drop-field": new RegExp(`^(?:POST ${RECORDS}|PUT ${RECORDS}/\\{id\\})$`),
  "case-ids": new RegExp(`^(?:POST|PUT|GET) ${RECORDS}(?:/\\{id\\})?$`),
};

function appliesTo({ fault, route: pattern = "*" }: FaultRule, route: string): boolean {
  const isMatch = pattern.endsWith("*") ? route.startsWith(pattern.slice(0, -1)) : route === pattern;
  return isMatch && (ONLY_ON[fault]?.test(route) ?? true);
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
  requestCount: number;
  triggerCount: number;
}

/** @param onTrigger called for every fault that occurs */
export function createSchedule(
  { seed = 1, rules, quietAfter = Infinity }: FaultPlan,
  onTrigger: (fault: FaultName) => void,
): Schedule {
  const entries = rules.map((rule, index): Entry => ({ rule, index, requestCount: 0, triggerCount: 0 }));
  let remainingFaults = quietAfter;
  const trigger = (entry: Entry): boolean => {
    if (remainingFaults === 0 || entry.triggerCount >= (entry.rule.times ?? Infinity)) return false;
    remainingFaults -= 1;
    entry.triggerCount += 1;
    onTrigger(entry.rule.fault);
    return true;
  };
  return {
    hasRule: (fault, route) =>
      rules.some((rule) => rule.fault === fault && (route === undefined || appliesTo(rule, route))),
    takeDueRules: (faults, route) =>
      entries.flatMap((entry) => {
        if (!isOneOf(entry.rule, faults) || !appliesTo(entry.rule, route)) return [];
        entry.requestCount += 1;
        return isTurn(entry, seed) ? [{ rule: entry.rule, trigger: () => trigger(entry) }] : [];
      }),
  };
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
