import { willWrite } from "../../core/plan/plan.ts";
import type { RecordKey } from "../../core/records/record.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import { yieldToEventLoop } from "../../core/event-loop.ts";
import { decisionKey, type Decision } from "./decide/decision.ts";
import type { Resolution, Blocker } from "./resolve-references.ts";

export interface BlockReason {
  readonly key: RecordKey;
  readonly blocker: Blocker;
}

/** The decisions after each blocked record has blocked its dependents, the dependencies of the writes, and the blockers. */
export interface PropagatedBlocks {
  readonly decisions: ReadonlyMap<RecordKey, Decision>;
  readonly resolutions: ReadonlyMap<RecordKey, Resolution>;
  readonly blockers: readonly BlockReason[];
}

type Resolve = (decision: Decision, decisions: ReadonlyMap<RecordKey, Decision>) => Resolution;

/**
 * Blocks the records that cannot be written, then the records that depend on them, until nothing more is blocked. Each round looks
 * only at the dependents of the records that the last round blocked.
 */
export async function propagateBlocks(
  decided: ReadonlyMap<RecordKey, Decision>,
  archive: ArchiveIndex,
  resolve: Resolve,
  signal?: AbortSignal,
): Promise<PropagatedBlocks> {
  const decisions = new Map(decided);
  const resolutions = new Map<RecordKey, Resolution>();
  const blockers: BlockReason[] = [];
  let pendingKeys: readonly RecordKey[] = [...decisions.keys()];
  while (pendingKeys.length > 0) {
    const writes = pendingKeys.flatMap((key) => decisions.get(key) ?? []).filter(willWrite);
    const round: { readonly decision: Decision; readonly resolution: Resolution }[] = [];
    for (const decision of writes) {
      round.push({ decision, resolution: resolve(decision, decisions) });
      await yieldToEventLoop(signal);
    }
    const blocked = round.filter(({ resolution }) => resolution.blockers.length > 0);
    for (const { decision, resolution } of round) resolutions.set(decisionKey(decision), resolution);
    for (const { decision, resolution } of blocked) {
      const key = decisionKey(decision);
      resolutions.delete(key);
      decisions.set(key, blockDecision(decision, resolution.blockers));
      blockers.push(...resolution.blockers.map((blocker) => ({ key, blocker })));
    }
    const blockedKeys = new Set(blocked.map(({ decision }) => decisionKey(decision)));
    const waiting = [...resolutions].flatMap(([key, { needs }]) =>
      [...needs.hard].some((needed) => blockedKeys.has(needed)) ? [key] : [],
    );
    const dependents = [...blockedKeys].flatMap((key) => [...(archive.dependents().get(key) ?? [])]);
    pendingKeys = [...new Set([...dependents, ...waiting])];
  }
  return { decisions, resolutions, blockers };
}

function blockDecision(decision: Decision, blockers: readonly Blocker[]): Decision {
  const message = [...new Set(blockers.map((blocker) => blocker.message))].join("; ");
  const [first] = blockers;
  const blockedBy = first?.blockedBy;
  return { ...decision, action: "blocked", code: first?.code, message, ...(blockedBy && { blockedBy }) };
}
