import type { IdMap } from "../domain/id-map.ts";
import type { Warning } from "../domain/outcome.ts";
import { recordKey } from "../domain/record.ts";
import type { RecordKey } from "../domain/record.ts";
import { codeOf, nounOf } from "../kinds/id-spaces.ts";
import { referencesOf } from "./archive-index.ts";
import type { ArchiveIndex } from "./archive-index.ts";
import type { Decision } from "./decide.ts";
import type { Matching } from "./match-all.ts";
import type { Needs } from "./order-writes.ts";
import type { Reference } from "./references.ts";
import type { TargetIndex } from "./target-index.ts";

/** Why a record cannot be written. */
export interface Obstacle {
  readonly code: string;
  readonly message: string;
  /** What is missing, where it is an id that a map file could name. */
  readonly reference?: Reference;
}

/** What a record that is to be written needs, what stands in its way, and what the user should know. */
export interface Resolution {
  readonly needs: Needs;
  readonly obstacles: readonly Obstacle[];
  readonly warnings: readonly Warning[];
  /** Pointers of text in which an id is rewritten. */
  readonly rewrites: readonly string[];
}

/** What the references of one record come to. */
export function resolveReferences(
  decision: Decision,
  archive: ArchiveIndex,
  matching: Matching,
  target: TargetIndex,
  decisions: ReadonlyMap<RecordKey, Decision>,
): Resolution {
  const hard = new Set<RecordKey>();
  const soft = new Set<RecordKey>();
  const obstacles: Obstacle[] = [];
  const warnings: Warning[] = [];
  const rewrites: string[] = [];
  for (const reference of referencesOf(archive, decision.record)) {
    const written = reference.record && decisions.get(reference.record);
    // A copy is made of what the target has already: then the copy is what is meant, not what has the id of old.
    const toCome = written?.action === "create" && matching.ids.get(reference.space, reference.id) === undefined;
    if (!toCome && isKnown(reference, matching.ids, target)) rewrites.push(...embeddedPointer(reference));
    else if (reference.record && written && willWrite(written)) {
      const deferrable = reference.form === "embedded" || reference.leaveOut !== undefined;
      (deferrable ? soft : hard).add(reference.record);
      rewrites.push(...embeddedPointer(reference));
    } else if (reference.form === "embedded" || isDangling(reference, archive)) {
      warnings.push(describeLeftover(decision, reference));
    } else obstacles.push(describeObstacle(reference, archive, matching, written));
  }
  // What cannot be left out of one place cannot be waited for in another.
  for (const key of hard) soft.delete(key);
  return { needs: { hard, soft }, obstacles, warnings, rewrites };
}

/** True when a decision leads to a write. */
export function willWrite(decision: Decision): boolean {
  return decision.action === "create" || decision.action === "update";
}

function isKnown(reference: Reference, ids: IdMap, target: TargetIndex): boolean {
  if (ids.get(reference.space, reference.id) !== undefined) return true;
  // The archive's own stack: what it points to may still be there, whether or not it is in the archive.
  return reference.form === "whole" && target.has(reference.space, reference.id);
}

function embeddedPointer(reference: Reference): string[] {
  return reference.form === "embedded" ? [reference.pointer] : [];
}

/** The server does not look at the id, and nothing in the archive has it: it was dangling on its own stack already. */
function isDangling(reference: Reference, archive: ArchiveIndex): boolean {
  return !reference.checked && !archive.byKey.has(recordKey(reference.space, reference.id));
}

function describeLeftover(decision: Decision, reference: Reference): Warning {
  const what = `the id of a ${nounOf(reference.space)} that has no counterpart on the target`;
  const message = `${decision.kind.singular} "${decision.record.name}" keeps ${what}`;
  return { code: "unmapped-id", message, pointer: reference.pointer };
}

function describeObstacle(
  reference: Reference,
  archive: ArchiveIndex,
  matching: Matching,
  written: Decision | undefined,
): Obstacle {
  const noun = nounOf(reference.space);
  const name = nameOf(reference, archive);
  if (written?.action === "blocked") {
    const message = `needs the ${written.kind.singular} "${written.record.name}", which is blocked`;
    return { code: "dependency-blocked", message };
  }
  const candidates = matching.ambiguous.get(reference.space)?.get(reference.id);
  if (candidates) {
    const message = `needs the ${noun} "${name}", and ${candidates.length} of the target's could be it`;
    return { code: codeOf("ambiguous", reference.space), message, reference };
  }
  const message = `needs the ${noun} "${name}", which has no counterpart on the target`;
  return { code: codeOf("missing", reference.space), message, reference };
}

/** What people call the thing that a reference leads to: its name in the archive, else its id. */
export function nameOf(reference: Reference, archive: ArchiveIndex): string {
  const record = archive.byKey.get(recordKey(reference.space, reference.id));
  return record?.name || (reference.id.split("/").at(-1) ?? reference.id);
}
