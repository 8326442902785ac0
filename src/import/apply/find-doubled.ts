import { getOrMake } from "../../core/collections.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Plan } from "../../core/plan/plan.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { knownKind } from "../../kinds/registry.ts";
import { naturalKey } from "../../matching/match-records.ts";
import { listedKey } from "./poll-until-listed.ts";

/**
 * Finds records with the name of one that this run created, but which appeared during the run and were not made by it. Nothing
 * locks a target: of two imports that run at once on two machines, the one that looks last sees the other's records.
 * @param listed the records in the target's lists, by `listedKey`
 * @returns the ids of the others, by the listed key of the created record
 */
export function findDoubled(
  outcomes: readonly Outcome[],
  listed: ReadonlyMap<string, StackRecord>,
  present: Plan["present"],
): ReadonlyMap<string, readonly string[]> {
  const created = outcomes.filter(({ action, status }) => action === "create" && status === "done");
  const knownKeys = new Set(
    [
      ...outcomes.map(({ kind, targetId = "" }) => ({ kind, id: targetId })),
      ...[...present].flatMap(([kind, ids]) => [...ids].map((id) => ({ kind, id }))),
    ].map(listedKey),
  );
  const strangers = new Map<string, string[]>();
  for (const [key, record] of listed) {
    const called = callOf(record);
    if (!knownKeys.has(key) && called !== undefined) getOrMake(strangers, called, () => []).push(record.id);
  }
  return new Map(
    created.flatMap(({ kind, targetId = "" }) => {
      const key = listedKey({ kind, id: targetId });
      const record = listed.get(key);
      const others = strangers.get((record && callOf(record)) ?? "");
      return others === undefined ? [] : [[key, others] as const];
    }),
  );
}

function callOf({ kind, body }: StackRecord): string | undefined {
  const natural = naturalKey(knownKind(kind), body);
  return natural === undefined ? undefined : `${kind} ${natural}`;
}
