import type { JsonObject } from "../core/json.ts";
import type { Warning } from "../core/outcome.ts";
import { lossOfSettingsText } from "../kinds/hidden-settings.ts";
import { nameOfRecord } from "../kinds/nouns.ts";
import { childrenHidingSettings, isAsLastWritten } from "../references/hidden-content.ts";
import { foldIds, foldedKey } from "../references/known-ids.ts";
import { isRestored, type RollbackItem } from "./item.ts";
import type { RollbackInput } from "./undo-record.ts";

/**
 * Adds to each restored record the names of children whose settings do not come back, because the journal holds only what answers
 * show: those that the undone update may have deleted, and those that somebody may have set since.
 */
export function nameHiddenSettings(items: readonly RollbackItem[], input: RollbackInput): RollbackItem[] {
  return items.map((item): RollbackItem => {
    if (!isRestored(item)) return item;
    // A record that is created again has no such update; what a delete of the import has deleted is in the restored content.
    const body = item.action === "update" ? item.current : item.previous;
    const mayLose = new Set([...lostByUpdate(item, input), ...hiddenIn(item, body, input)]);
    return mayLose.size === 0 ? item : { ...item, mayLose: [...mayLose] };
  });
}

/** Names the children whose settings the first of the undone updates may have deleted. */
function lostByUpdate({ key, targetId }: RollbackItem, { state, runs }: RollbackInput): readonly string[] {
  const writes = (state.writes.get(key) ?? []).filter((write) => foldIds(write.targetId) === foldIds(targetId));
  return writes.find(({ run }) => runs === undefined || runs.includes(run))?.mayLose ?? [];
}

/** Names the children in this content that may have settings which no answer shows; none if an import has stored the content. */
function hiddenIn(
  { kind, name, targetId: id }: RollbackItem,
  body: JsonObject = {},
  { state, inventory }: RollbackInput,
): string[] {
  const record = { kind, id, name, body };
  if (isAsLastWritten(record, state.lastWrites.get(foldedKey(kind, id)))) return [];
  return childrenHidingSettings(record, inventory.stack.variant);
}

/** Makes a warning for each record whose settings may not come back. */
export function warnOfHiddenSettings({ kind, name, targetId, mayLose = [] }: RollbackItem): Warning[] {
  if (mayLose.length === 0) return [];
  const record = nameOfRecord({ kind, name, id: targetId });
  return [{ code: "may-lose-hidden", message: `${record}: ${lossOfSettingsText(kind, mayLose, "do not come back")}` }];
}
