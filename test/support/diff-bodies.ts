import type { Diff } from "../../src/core/diff.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { KindStatus } from "../../src/core/manifest.ts";
import type { DiffRequest } from "../../src/diff/diff-stacks.ts";
import { diffStacks } from "../../src/diff/diff-stacks.ts";
import type { DiffSide } from "../../src/diff/side.ts";
import { records } from "./stack-records.ts";

export type Bodies = Readonly<Record<string, readonly JsonObject[]>>;

/** One side of a comparison: every kind that is named is complete. @param unread kinds that are not */
export function sideOf(bodies: Bodies, unread: Readonly<Record<string, KindStatus>> = {}): DiffSide {
  const statuses = Object.keys(bodies).map((kind): [string, KindStatus] => [kind, "complete"]);
  return {
    identity: { variant: "self-hosted", baseUrl: "http://memory.test" },
    records: records(bodies),
    statuses: new Map([...statuses, ...Object.entries(unread)]),
  };
}

/** The same as a stack gives that reads some records one by one and was asked for those. */
export function readSingly(side: DiffSide, ...ids: readonly string[]): DiffSide {
  return { ...side, requestedIds: new Set(ids) };
}

/** Compares two sides. */
export function diffOf(left: DiffSide, right: DiffSide, request: Partial<DiffRequest> = {}): Promise<Diff> {
  return diffStacks(left, right, { kinds: [], filter: { include: [], exclude: [] }, mapping: {}, ...request });
}

/** The differences, each as `sign kind name`. */
export function linesOf({ changes }: Pick<Diff, "changes">): string[] {
  const signs = { added: "+", removed: "-", changed: "~" } as const;
  return changes.map(({ change, kind, name }) => `${signs[change]} ${kind} ${name}`);
}
