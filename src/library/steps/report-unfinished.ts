import type { RunContext } from "../../core/events.ts";
import { asCommandArgument } from "../../config/stacks/stack-address.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { keyOfRecord, splitKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { quoteShellWord } from "../../core/text/format.ts";
import type { UnfinishedImport } from "../../journal/unfinished-imports.ts";
import { findKind } from "../../kinds/registry.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { foldedKey } from "../../references/known-ids.ts";
import { recordFingerprint } from "../../references/record-content.ts";
import type { ImportState } from "./import-state.ts";

/** The run that finds unfinished imports, and what it has read. */
interface ReadRun {
  readonly settings: Pick<StackSettings, "stackName" | "identity">;
  /** Returns the command that finishes the import of a backup; undefined if the run's archive is no backup of a repository. */
  readonly finishCommand?: ((backup: string) => string) | undefined;
  readonly records: readonly StackRecord[];
  /** True if the archive was exported from the target itself. The archive may then have been made after the interrupted import. */
  readonly isOfTarget: boolean;
  readonly state: ImportState | undefined;
  readonly inventory: Inventory;
}

/** Warns of interrupted imports into the target that this run does not finish. */
export function reportUnfinishedImports(
  unfinished: readonly UnfinishedImport[],
  run: ReadRun,
  { events }: Pick<RunContext, "events">,
): void {
  const keys = new Set(run.records.map(keyOfRecord));
  for (const one of unfinished) {
    const isFinished = (key: RecordKey): boolean => hasState(one, run) && (!run.isOfTarget || keys.has(key));
    if (!isHalfDone(one, isFinished, run.inventory)) continue;
    const { path, backup, begunAt } = one;
    const finish = backup === undefined ? undefined : run.finishCommand?.(backup);
    const undo = `stackferry rollback ${quoteShellWord(path)} --to ${quoteShellWord(asCommandArgument(run.settings))}`;
    const ways = [
      ...(finish === undefined ? [] : [`finish it with: ${finish}, and the flags that it had`]),
      `undo it with: ${undo}`,
    ];
    const message = `an import of ${begunAt} into this stack was interrupted (journal ${path}). This run imports other records and does not finish it: ${ways.join("; or ")}`;
    events({ type: "warning", warning: { code: "unfinished-import", message } });
  }
}

/** Tells whether this run uses the state to which the interrupted import has written. */
function hasState({ state: path }: UnfinishedImport, { state }: ReadRun): boolean {
  return state !== undefined && state.unusable === undefined && state.location.path === path;
}

/**
 * Tells whether writes are pending, or whether records that may lack links are still as the import left them.
 * @param isFinished tells whether this run finishes the writes of a record
 */
function isHalfDone(
  { replay }: UnfinishedImport,
  isFinished: (key: RecordKey) => boolean,
  inventory: Inventory,
): boolean {
  if (replay.pendingWrites.some(({ key, write }) => write !== "remove" && !isFinished(key))) return true;
  const unlinked = new Map(
    [...replay.records].flatMap(([key, { targetId, content, linked }]) =>
      linked || isFinished(key) ? [] : [[foldedKey(splitKey(key)[0], targetId), content] as const],
    ),
  );
  return [...inventory.kinds].some(([name, { records }]) => {
    const kind = findKind(name);
    return records.some(({ id, body }) => {
      const content = unlinked.get(foldedKey(name, id));
      return kind !== undefined && content !== undefined && recordFingerprint(kind, body) === content;
    });
  });
}
