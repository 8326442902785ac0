import { willWrite, itemKey, type Plan } from "../core/plan/plan.ts";
import type { Outcome, Warning } from "../core/outcome.ts";
import { recordKey, splitKey, type RecordKey, type StackRecord } from "../core/records/record.ts";
import { warnOfMayHide } from "../import/plan/update-losses.ts";
import { lossOfSettingsText } from "../kinds/hidden-settings.ts";
import { nameOfRecord } from "../kinds/nouns.ts";
import { hiddenContentText, substitutesIn } from "../references/hidden-content.ts";
import { laterWrite, type BeforeImagesInput } from "./before-images.ts";

/** Codes of warnings of an import that say nothing about images of the target's own records. */
const NOT_ABOUT_IMAGES: ReadonlySet<string> = new Set([
  "hidden-members",
  "may-lose-hidden",
  "created-beside",
  "no-journal",
  "substitute-tiles",
]);

/** Lists the warnings of the plan, in the words of a rollback, and warns of what is not restored as it was. */
export function warningsOf(
  plan: Plan,
  records: ReadonlyMap<RecordKey, StackRecord>,
  input: BeforeImagesInput,
): Warning[] {
  const written = plan.items.filter(willWrite).flatMap((item) => records.get(itemKey(item)) ?? []);
  const lost = written.flatMap((record): Warning[] => {
    const substitutes = substitutesIn(record, input.inventory.stack.variant);
    if (substitutes.length === 0) return [];
    const message = `${nameOfRecord(record)} is restored as far as the API showed it; create its hidden content again by hand: ${hiddenContentText({ substitutes, watchers: [] })}`;
    return [{ code: "hidden-lost", message }];
  });
  const fitted = plan.items.filter(willWrite).flatMap((item) =>
    (item.fitted ?? []).map(({ pointer, change }): Warning => {
      const message = `${nameOfRecord({ ...item, id: item.sourceId })} is restored with ${change}`;
      return { code: "fitted", message, pointer };
    }),
  );
  const told = plan.warnings.filter(({ code }) => !NOT_ABOUT_IMAGES.has(code));
  return [...told, ...fitted, ...lost, ...warnOfHiddenSettings(plan, input)];
}

/** Warns of what later runs wrote to the records, because a forced undo takes it back, too. */
export function warnOfLaterRuns(outcomes: readonly Outcome[], { history, run }: BeforeImagesInput): Warning[] {
  return outcomes.flatMap(({ kind, name, sourceId: id, action }): Warning[] => {
    const later = ["update", "delete"].includes(action) ? laterWrite(history, run, recordKey(kind, id)) : undefined;
    if (later === undefined) return [];
    const message = `${nameOfRecord({ kind, id, name })}: what run ${later.run} wrote later is undone with it`;
    return [{ code: "later-run", message }];
  });
}

/**
 * Warns of restored records whose settings do not come back, because the journal holds only what answers show: those that the undone
 * updates may have deleted, those that somebody may have set since, and those of records that are created again.
 */
function warnOfHiddenSettings({ items }: Plan, input: BeforeImagesInput): Warning[] {
  const lost = new Map<RecordKey, readonly string[]>();
  for (const { key, targetId, mayLose } of input.history.writesOf(input.run)) {
    lost.set(recordKey(splitKey(key)[0], targetId), mayLose);
  }
  const written = items.filter(willWrite);
  const ofSettings = written.flatMap(({ kind, name, sourceId: id, action, targetId = id, mayHide }): Warning[] => {
    const { settings = [], notHeld = [] } = mayHide ?? {};
    const undone = lost.get(recordKey(kind, targetId)) ?? [];
    const names = [...new Set([...undone, ...settings, ...(action === "create" ? notHeld : [])])];
    if (names.length === 0) return [];
    const message = `${nameOfRecord({ kind, id, name })}: ${lossOfSettingsText(kind, names)}`;
    return [{ code: "may-lose-hidden", message }];
  });
  const ofTiles = written.map((item) => ({
    ...item,
    mayHide: item.mayHide && { ...item.mayHide, settings: [], notHeld: [] },
  }));
  return [...ofSettings, ...warnOfMayHide(ofTiles)];
}
