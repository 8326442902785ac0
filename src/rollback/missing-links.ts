import type { IdMap, KnownId, KnownIds } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import { valueAtTokens, withValueAt } from "../core/records/member-path.ts";
import type { StackRecord } from "../core/records/record.ts";
import { targetKey } from "../core/records/record.ts";
import type { BroughtBackRecord, JournalReplay } from "../journal/replay.ts";
import { acceptedBody } from "../import/write-body.ts";
import { fitBody } from "../kinds/limits.ts";
import { knownKind } from "../kinds/registry.ts";
import type { Inventory } from "../matching/inventory.ts";
import { foldIds, idsIn, replaceKnownIds } from "../references/known-ids.ts";
import { haveSameContent } from "../references/record-content.ts";
import { findReferences } from "../references/references.ts";
import type { RollbackItem } from "./item.ts";
import { mentionsOf, mentionsOfItems, withNewIds } from "./new-ids.ts";
import type { RollbackInput } from "./written-records.ts";

/** A record that an earlier run of the rollback created again: its former and its present state. */
export interface MadeAgain {
  readonly was: BroughtBackRecord;
  readonly targetRecord: StackRecord;
}

export function madeAgain({ broughtBack }: JournalReplay, inventory: Inventory): MadeAgain[] {
  return broughtBack.flatMap((was): MadeAgain[] => {
    const kind = was.key.slice(0, was.key.indexOf("/"));
    const targetRecord = inventory.kinds.get(kind)?.records.find(({ id }) => foldIds(id) === foldIds(was.targetId));
    return targetRecord === undefined ? [] : [{ was, targetRecord }];
  });
}

/**
 * Plans to add the links that an earlier run of the rollback could not write. Records that link to each other, or mention each
 * other in a text, are first created without these links and with the old ids in the texts. Everything else in these records stays
 * as it is on the target.
 * @param returning records that this rollback creates again
 */
export function planMissingLinks(
  { state, inventory, runs, now = Number.NaN }: RollbackInput,
  returning: readonly RollbackItem[],
  ids: IdMap,
): RollbackItem[] {
  const again = new Set([...state.broughtBack.map(({ key }) => key), ...returning.map(targetKey)]);
  const mentions = new Map([...mentionsOf(ids), ...mentionsOfItems(returning)]);
  const made = madeAgain(state, inventory).filter(
    ({ was: { linked, run } }) => !linked && (run === undefined || runs === undefined || runs.includes(run)),
  );
  return made.flatMap(({ was: { key, body }, targetRecord }): RollbackItem[] => {
    const kind = knownKind(targetRecord.kind);
    const links = findReferences(kind, body, mentions).flatMap(({ record, deferPath, form, tokens }) => {
      if (record === undefined || !again.has(record)) return [];
      if (form === "embedded") return hasOldIds(targetRecord.body, body, tokens, { ids, mentions }) ? [tokens] : [];
      return deferPath && valueAtTokens(targetRecord.body, deferPath) === undefined ? [deferPath] : [];
    });
    if (links.length === 0) return [];
    const item = { key, kind: kind.name, sourceId: key.slice(kind.name.length + 1), name: targetRecord.name };
    const withLinks = (to: JsonObject, from?: JsonObject): JsonObject =>
      links.reduce((copy, link) => withValueAt(copy, link, from && valueAtTokens(from, link)), to);
    // The record may have been created in a fitted form: `--fit-limits` of the earlier run decided that, not `--fit-limits` of this
    // run.
    const forms = [body, fitBody(kind, acceptedBody(kind, body), now)];
    const isAsMade = (form: JsonObject): boolean =>
      haveSameContent(kind, withLinks(withNewIds(kind, form, ids)), withLinks(targetRecord.body));
    if (!forms.some(isAsMade)) {
      const message = "was created again without some of its links, and changed since; add them by hand";
      return [{ ...item, targetId: targetRecord.id, action: "skip", code: "changed-since", message }];
    }
    const why = { code: "finish-links", message: "was created again without some of its links; they are added now" };
    const previous = withLinks(targetRecord.body, body);
    return [{ ...item, targetId: targetRecord.id, action: "update", ...why, previous, current: targetRecord.body }];
  });
}

/** Tells whether a text of the target came from the lost record and contains ids that no longer exist. */
function hasOldIds(
  targetBody: JsonObject,
  was: JsonObject,
  tokens: readonly string[],
  { ids, mentions }: { readonly ids: IdMap; readonly mentions: KnownIds },
): boolean {
  const [now, before] = [valueAtTokens(targetBody, tokens), valueAtTokens(was, tokens)];
  if (typeof now !== "string" || typeof before !== "string") return false;
  const newId = ({ space, id }: KnownId): string | undefined => ids.get(space, id);
  if (replaceKnownIds(now, mentions, newId) !== replaceKnownIds(before, mentions, newId)) return false;
  return idsIn(now).some((token) => {
    const knownId = mentions.get(token);
    return knownId !== undefined && newId(knownId)?.toLowerCase() !== token;
  });
}
