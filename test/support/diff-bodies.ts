import type { Diff } from "../../src/core/diff.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { KindStatus } from "../../src/core/manifest.ts";
import { diffStacks, type DiffRequest } from "../../src/diff/diff-stacks.ts";
import type { DiffSide } from "../../src/diff/side.ts";
import { records } from "./stack-records.ts";

export type Bodies = Readonly<Record<string, readonly JsonObject[]>>;

/** Makes one side of a comparison. The kinds of `bodies` are complete. @param unread the status of kinds that are not complete */
export function sideOf(bodies: Bodies, unread: Readonly<Record<string, KindStatus>> = {}): DiffSide {
  const statuses = Object.keys(bodies).map((kind): [string, KindStatus] => [kind, "complete"]);
  return {
    identity: { variant: "self-hosted", baseUrl: "http://memory.test" },
    records: records(bodies),
    statuses: new Map([...statuses, ...Object.entries(unread)]),
  };
}

/** Compares two sides. */
export function diffOf(left: DiffSide, right: DiffSide, request: Partial<DiffRequest> = {}): Promise<Diff> {
  return diffStacks(left, right, { kinds: [], filter: { include: [], exclude: [] }, mapping: {}, ...request });
}

/** Returns the differences, each as `sign kind name`. */
export function linesOf({ changes }: Pick<Diff, "changes">): string[] {
  const signs = { added: "+", removed: "-", changed: "~" } as const;
  return changes.map(({ change, kind, name }) => `${signs[change]} ${kind} ${name}`);
}
