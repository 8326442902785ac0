import { createHash } from "node:crypto";
import type { FaultName, FaultPlan, FaultRule, RuleOf } from "./plan.ts";
import { isOnRoute } from "./plan.ts";

/** A rule whose turn it is. */
interface Due<Name extends FaultName> {
  readonly rule: RuleOf<Name>;
  /** Counts it as having happened; false where the rule or the plan has had all of its faults. */
  readonly trigger: () => boolean;
}

/** Says which rules of a plan meet which request. */
export interface Schedule {
  /** Whether a rule of the fault can meet the route; any route where none is given. */
  has(fault: FaultName, route?: string): boolean;
  /** Counts one request for every rule of these faults that is on it, and gives those due, in the plan's order. */
  due<Name extends FaultName>(faults: readonly Name[], route: string): readonly Due<Name>[];
}

interface Entry {
  readonly rule: FaultRule;
  readonly index: number;
  readonly times: number;
  seen: number;
  triggered: number;
}

/** `triggered` is told of every fault that happens. */
export function createSchedule(plan: FaultPlan, seed: number, triggered: (fault: FaultName) => void): Schedule {
  const entries = plan.rules.map((rule, index): Entry => ({
    rule,
    index,
    times: timesOf(rule),
    seen: 0,
    triggered: 0,
  }));
  let left = plan.quietAfter ?? Infinity;
  const trigger = (entry: Entry): boolean => {
    if (left === 0 || entry.triggered >= entry.times) return false;
    left -= 1;
    entry.triggered += 1;
    triggered(entry.rule.fault);
    return true;
  };
  const on = (entry: Entry, route: string): boolean => isOnRoute(entry.rule.fault, entry.rule.route, route);
  return {
    has: (fault, route) =>
      entries.some((entry) => entry.rule.fault === fault && (route === undefined || on(entry, route))),
    due(faults, route) {
      const met = entries.filter((entry) => on(entry, route));
      return met.flatMap((entry) => {
        if (!isOneOf(entry.rule, faults)) return [];
        entry.seen += 1;
        return isTurn(entry, seed) ? [{ rule: entry.rule, trigger: () => trigger(entry) }] : [];
      });
    },
  };
}

/** A page starts in the wrong place once, unless the rule says how often. */
function timesOf({ fault, rate, nth, times }: FaultRule): number {
  const isOnce = (fault === "page-skip" || fault === "page-repeat") && rate === undefined && nth === undefined;
  return times ?? (isOnce ? 1 : Infinity);
}

function isTurn({ rule: { rate, nth }, index, seen }: Entry, seed: number): boolean {
  if (nth !== undefined) return [nth].flat().includes(seen);
  return rate === undefined || draw(seed, index, seen) < rate;
}

/** From 0 up to 1, hanging on nothing but its arguments: what other rules draw, and when, changes no draw. */
function draw(seed: number, rule: number, request: number): number {
  return createHash("sha256").update(`${seed} ${rule} ${request}`).digest().readUIntBE(0, 6) / 2 ** 48;
}

function isOneOf<Name extends FaultName>(rule: FaultRule, faults: readonly Name[]): rule is RuleOf<Name> {
  return faults.some((fault) => fault === rule.fault);
}
