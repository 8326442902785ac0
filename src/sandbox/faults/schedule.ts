import { createHash } from "node:crypto";
import type { FaultName, FaultPlan, FaultRule, RuleOf } from "./plan.ts";
import { isOnRoute } from "./plan.ts";

/** A rule that is due. */
interface Due<Name extends FaultName> {
  readonly rule: RuleOf<Name>;
  /** Counts one occurrence of the fault; returns false if the limit of the rule or of the plan is reached. */
  readonly trigger: () => boolean;
}

/** Decides which rules of a plan apply to which request. */
export interface Schedule {
  /** Tells whether a rule of the fault can apply to the route; without a route, to any. */
  has(fault: FaultName, route?: string): boolean;
  /** Counts one request for every matching rule of these faults, and returns the rules that are due, in the plan's order. */
  due<Name extends FaultName>(faults: readonly Name[], route: string): readonly Due<Name>[];
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
  const isEntryOn = (entry: Entry, route: string): boolean => isOnRoute(entry.rule.fault, entry.rule.route, route);
  return {
    has: (fault, route) =>
      entries.some((entry) => entry.rule.fault === fault && (route === undefined || isEntryOn(entry, route))),
    due(faults, route) {
      const routeEntries = entries.filter((entry) => isEntryOn(entry, route));
      return routeEntries.flatMap((entry) => {
        if (!isOneOf(entry.rule, faults)) return [];
        entry.requestCount += 1;
        return isTurn(entry, seed) ? [{ rule: entry.rule, trigger: () => trigger(entry) }] : [];
      });
    },
  };
}

/** A page starts in the wrong place once, unless the rule sets a number. */
function timesOf({ fault, rate, nth, times }: FaultRule): number {
  const isOnce = (fault === "page-skip" || fault === "page-repeat") && rate === undefined && nth === undefined;
  return times ?? (isOnce ? 1 : Infinity);
}

function isTurn({ rule: { rate, nth }, index, requestCount }: Entry, seed: number): boolean {
  if (nth !== undefined) return [nth].flat().includes(requestCount);
  return rate === undefined || draw(seed, index, requestCount) < rate;
}

/** A number from 0 up to 1 that depends only on its arguments, not on other rules. */
function draw(seed: number, rule: number, request: number): number {
  return createHash("sha256").update(`${seed} ${rule} ${request}`).digest().readUIntBE(0, 6) / 2 ** 48;
}

function isOneOf<Name extends FaultName>(rule: FaultRule, faults: readonly Name[]): rule is RuleOf<Name> {
  return faults.some((fault) => fault === rule.fault);
}
