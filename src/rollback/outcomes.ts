import type { Code } from "../core/codes.ts";
import { leavesRunIncomplete, type Outcome, type Warning } from "../core/outcome.ts";
import { willWrite, itemKey, type Plan, type PlanItem } from "../core/plan/plan.ts";
import { recordKey, splitKey, type NamedRecord, type RecordKey, type StackRecord } from "../core/records/record.ts";
import type { FindRecord } from "../core/resource-kind.ts";
import { warnOfMayHide } from "../import/plan/update-losses.ts";
import { lossOfSettingsText } from "../kinds/hidden-settings.ts";
import { displayNameMember, nameOfRecord } from "../kinds/nouns.ts";
import { hiddenContentText, substitutesIn } from "../references/hidden-content.ts";
import { isSameId } from "../references/known-ids.ts";
import type { SettledHistory } from "../import/read/settle-open-writes.ts";
import type { RunWrite } from "../journal/fold.ts";
import type { Inventory } from "../matching/inventory.ts";

export interface RunToUndo {
  readonly history: SettledHistory;
  readonly inventory: Inventory;
  readonly run: number;
  readonly force: boolean;
}

/** Messages for codes that only a rollback has, or that mean something else in an import. */
export const OWN_MESSAGES: Readonly<Partial<Record<Code, string>>> = {
  gone: "is no longer on the target",
  "put-back": "is on the target as it was before the import",
  "changed-since": "was changed on the target since the import; --force undoes it anyway",
  "no-previous": "the journal does not have its former content; restore it by hand, or from an archive",
  redacted:
    "held a secret that the journal does not store, or may have held one that the API never returns; restore it by hand, or from an archive with --secrets",
  exists: "is on the target again, with other content or without some of its links; compare it, and change it by hand",
  "dead-reference": "the record that it needs is not there, and is not restored; restore both by hand",
  "unshown-tile": "was on a tile that the API does not show; create both again by hand",
};

export function leaveAlone(
  { kind, id, name, body }: NamedRecord & Partial<StackRecord>,
  code: Code,
  about: { readonly sourceId?: string; readonly message?: string | undefined; readonly find?: FindRecord } = {},
): Outcome {
  const { sourceId = id, message = OWN_MESSAGES[code] ?? "", find } = about;
  const displayName = body && find && displayNameMember({ kind, id, name, body }, find);
  return { kind, name, ...displayName, sourceId, targetId: id, action: "skip", status: "done", code, message };
}

/** @param isReplaced a run replaced the record; otherwise a run deleted it */
export function rollbackOutcome(outcome: Outcome, isReplaced: boolean): Outcome {
  const { action, code, message, ...about } = outcome;
  if (isAsBefore(outcome, isReplaced)) {
    return { ...about, action: "skip", code: "put-back", message: OWN_MESSAGES["put-back"] };
  }
  // With `--force`, the record is updated although somebody had changed it.
  if (action === "update" && code === "both-changed") return { ...about, action };
  if ((action !== "skip" && action !== "blocked") || code === undefined) return outcome;
  const ownCode = code === "both-changed" || code === "kept" ? "changed-since" : code;
  const isNamed = ownCode === "dead-reference" && message !== undefined;
  return { ...outcome, code: ownCode, message: isNamed ? message : (OWN_MESSAGES[ownCode] ?? message) };
}

/** A deleted record that is back under its id counts as restored, whatever its content. */
function isAsBefore({ action, code, sourceId, targetId = "" }: Outcome, isReplaced: boolean): boolean {
  if (action === "unchanged" || code === "matched") return true;
  return !isReplaced && code === "exists" && isSameId(sourceId, targetId);
}

const NOTHING_TO_UNDO: ReadonlySet<string> = new Set(["gone", "put-back"]);

const RESTORED_IN_PART: ReadonlySet<string> = new Set(["hidden-lost", "left-out", "not-stored"]);

/** A record that was left alone because somebody changed it counts, too: the user must know. */
function isNotUndone(outcome: Outcome): boolean {
  const { action, code = "" } = outcome;
  return leavesRunIncomplete(outcome) || (action === "skip" && !NOTHING_TO_UNDO.has(code));
}

export function isUndone(outcomes: readonly Outcome[], warnings: readonly Warning[]): boolean {
  return !outcomes.some(isNotUndone) && !warnings.some(({ code }) => RESTORED_IN_PART.has(code));
}

export function laterWrite({ standing }: SettledHistory, run: number, key: RecordKey): RunWrite | undefined {
  return standing.get(key)?.find((each) => each.run > run && each.action !== "delete");
}

/** A rollback leaves out these warnings of its plan, or replaces them with its own. */
const NOT_ABOUT_IMAGES: ReadonlySet<string> = new Set([
  "hidden-members",
  "may-lose-hidden",
  "created-beside",
  "no-journal",
  "substitute-tiles",
]);

export function warningsOf(plan: Plan, records: ReadonlyMap<RecordKey, StackRecord>, input: RunToUndo): Warning[] {
  const writes = plan.items.filter(willWrite);
  const written = writes.flatMap((item) => records.get(itemKey(item)) ?? []);
  const lost = written.flatMap((record): Warning[] => {
    const substitutes = substitutesIn(record, input.inventory.stack.variant);
    if (substitutes.length === 0) return [];
    const message = `${nameOfRecord(record)} is restored as far as the API showed it; create its hidden content again by hand: ${hiddenContentText({ substitutes, watchers: [] })}`;
    return [{ code: "hidden-lost", message }];
  });
  const fitted = writes.flatMap((item) =>
    (item.fitted ?? []).map(({ pointer, change }): Warning => {
      const message = `${nameOfRecord({ ...item, id: item.sourceId })} is restored with ${change}`;
      return { code: "fitted", message, pointer };
    }),
  );
  const told = plan.warnings.filter(({ code }) => !NOT_ABOUT_IMAGES.has(code));
  return [...told, ...fitted, ...lost, ...warnOfHiddenSettings(writes, input)];
}

/** A forced undo also undoes the writes of later runs. */
export function warnOfLaterRuns(outcomes: readonly Outcome[], { history, run }: RunToUndo): Warning[] {
  return outcomes.flatMap(({ kind, name, sourceId: id, action }): Warning[] => {
    const later = ["update", "delete"].includes(action) ? laterWrite(history, run, recordKey(kind, id)) : undefined;
    if (later === undefined) return [];
    const message = `${nameOfRecord({ kind, id, name })}: what run ${later.run} wrote later is undone with it`;
    return [{ code: "later-run", message }];
  });
}

/** The journal has only what answers show, so a rollback cannot restore hidden content. */
function warnOfHiddenSettings(writes: readonly PlanItem[], { history, run }: RunToUndo): Warning[] {
  const lost = new Map(
    history.writesOf(run).map(({ key, targetId, mayLose }) => [recordKey(splitKey(key)[0], targetId), mayLose]),
  );
  const ofSettings = writes.flatMap(({ kind, name, sourceId: id, action, targetId = id, mayHide }): Warning[] => {
    const { settings = [], notHeld = [] } = mayHide ?? {};
    const undone = lost.get(recordKey(kind, targetId)) ?? [];
    const names = [...new Set([...undone, ...settings, ...(action === "create" ? notHeld : [])])];
    if (names.length === 0) return [];
    const message = `${nameOfRecord({ kind, id, name })}: ${lossOfSettingsText(kind, names)}`;
    return [{ code: "may-lose-hidden", message }];
  });
  const ofTiles = writes.map((item) => ({
    ...item,
    mayHide: item.mayHide && { ...item.mayHide, settings: [], notHeld: [] },
  }));
  return [...ofSettings, ...warnOfMayHide(ofTiles)];
}
