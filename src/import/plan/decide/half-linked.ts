import type { JsonObject } from "../../../core/json.ts";
import { valueAtTokens, withValueAt } from "../../../core/records/member-path.ts";
import type { StackRecord } from "../../../core/records/record.ts";
import { recordKey } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import type { ArchiveIndex } from "../../../references/archive-index.ts";
import { referencesOf } from "../../../references/archive-index.ts";
import { haveSameContent } from "../../../references/record-content.ts";

/** Why such a record is updated. */
export const FINISH_LINKS = {
  code: "finish-links",
  message: "an earlier import wrote it before the record that it links to; the link is added now",
} as const;

/**
 * Whether the target has this record as a first write leaves it: equal but for links in a cycle that a second write adds. It
 * lacks declared links, and in texts it has ids of the source stack. Only a run that was cut short leaves a record like that,
 * so it can be finished without a journal.
 * @param isUnlinked known from a journal. Then contents are not compared, as a server may keep a record in another form.
 */
export function lacksOnlyLinks(
  kind: ResourceKind,
  record: StackRecord,
  wanted: JsonObject,
  stored: JsonObject,
  archive: ArchiveIndex,
  isUnlinked: boolean,
): boolean {
  const { lacking, certain, otherwiseEqual } = compareLinks(kind, record, wanted, stored, archive);
  return lacking.length > 0 && (isUnlinked || (certain && otherwiseEqual()));
}

/**
 * Pointers of the links in a cycle that the target's record lacks where it is equal otherwise. Nothing proves that an import left
 * it so: somebody may want it without.
 */
export function linksLacking(
  kind: ResourceKind,
  record: StackRecord,
  wanted: JsonObject,
  stored: JsonObject,
  archive: ArchiveIndex,
): readonly string[] {
  const { lacking, otherwiseEqual } = compareLinks(kind, record, wanted, stored, archive);
  return lacking.length > 0 && otherwiseEqual() ? lacking : [];
}

function compareLinks(
  kind: ResourceKind,
  record: StackRecord,
  wanted: JsonObject,
  stored: JsonObject,
  archive: ArchiveIndex,
) {
  const key = recordKey(kind.name, record.id);
  const { componentOf } = archive.links();
  const cyclic = referencesOf(archive, record).filter(
    ({ deferrable, record: to }) => deferrable && to && componentOf.get(to) === componentOf.get(key),
  );
  let [left, right] = [wanted, stored];
  const lacking: string[] = [];
  let certain = false;
  for (const { form, leaveOut = [], tokens, pointer } of cyclic) {
    const [original, there] = [valueAtTokens(record.body, tokens), valueAtTokens(stored, tokens)];
    const lacks = form === "embedded" ? there === original : valueAtTokens(stored, leaveOut) === undefined;
    if (!lacks) continue;
    lacking.push(pointer);
    // Ids of another stack in a text are nothing that anybody writes; a click that leads nowhere may be somebody's wish.
    certain ||= form === "embedded" && valueAtTokens(wanted, tokens) !== original;
    const path = form === "embedded" ? tokens : leaveOut;
    left = withValueAt(left, path, undefined);
    right = withValueAt(right, path, undefined);
  }
  return { lacking, certain, otherwiseEqual: () => haveSameContent(kind, left, right) };
}
