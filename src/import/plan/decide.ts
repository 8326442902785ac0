import type { JsonObject } from "../../core/json.ts";
import { withoutPath } from "../../core/member-path.ts";
import type { RecordKey, StackRecord } from "../../core/record.ts";
import { recordKey } from "../../core/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import type { JournaledRecord } from "../../journal/state.ts";
import { codeOf, nounOf } from "../../kinds/id-spaces.ts";
import { findKind, kinds } from "../../kinds/registry.ts";
import type { ImportOptions } from "../../matching/import-options.ts";
import { isRequested } from "../../matching/import-options.ts";
import type { Matching } from "../../matching/match-all.ts";
import { translatedBody } from "../../matching/pair-kind.ts";
import type { PlaceholderPlace } from "../../redaction/placeholders.ts";
import { borrowSecrets, findPlaceholders } from "../../redaction/placeholders.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import { referenceTargetsOf } from "../../references/archive-index.ts";
import { forgetIds, mapChildrenByIdentity, childrenOf } from "../../references/children.ts";
import { content, recordFingerprint } from "../../references/record-content.ts";
import { lacksOnlyLinks } from "./half-linked.ts";

/** What would be done with a record if all that it points to can be had. */
export interface Decision {
  readonly kind: ResourceKind;
  readonly record: StackRecord;
  readonly action: "create" | "update" | "skip" | "unchanged" | "blocked";
  readonly targetId?: string;
  /** For an update: what is on the target. */
  readonly replaces?: StackRecord;
  readonly code?: string;
  readonly message?: string;
}

/** Of the records that one could be: a stack can have thousands of one name. */
const MOST_NAMED = 5;

/** What decisions rest on. */
export interface DecisionBasis {
  readonly archive: ArchiveIndex;
  readonly matching: Matching;
  readonly options: ImportOptions;
  readonly journaled: ReadonlyMap<RecordKey, JournaledRecord>;
  /** Records of which an earlier run began a create and did not learn its end. */
  readonly lost: ReadonlySet<RecordKey>;
}

/**
 * Decides on every record that is asked for and can be written. Under `duplicate`, the pairing of a record that differs is
 * taken back out of the matching's ids, so that what points to it follows the copy.
 */
export function decideAll(basis: DecisionBasis): Map<RecordKey, Decision> {
  const { archive } = basis;
  const decisions = new Map<RecordKey, Decision>();
  const copied = new Set<RecordKey>();
  const { users } = archive.links();
  const written = kinds.filter((each) => each.notReplayed === undefined);
  let open = written.flatMap((kind) => archive.byKind.get(kind.name) ?? []);
  while (open.length > 0) {
    const copies = decideEach(open, basis, decisions, copied);
    // What points to a copy becomes a copy too, and what points to that: until no more come.
    const next = new Set(copies.flatMap((key) => [...(users.get(key) ?? [])]));
    open = [...next].flatMap((key) => archive.byKey.get(key) ?? []);
  }
  return decisions;
}

/** Decides on those of the records that are asked for and can be written. Answers what has become a copy now. */
function decideEach(
  records: readonly StackRecord[],
  basis: DecisionBasis,
  decisions: Map<RecordKey, Decision>,
  copied: Set<RecordKey>,
): RecordKey[] {
  const { archive, matching, options } = basis;
  return records.flatMap((record) => {
    const kind = findKind(record.kind);
    if (kind === undefined || kind.notReplayed !== undefined || !isRequested(record, options)) return [];
    const key = recordKey(kind.name, record.id);
    const ofCopy =
      copied.has(key) ||
      referenceTargetsOf(archive, record).some(({ checked, record: to }) => checked && to && copied.has(to));
    const decided: Decision = ofCopy ? { kind, record, action: "create" } : decide(kind, record, basis);
    const decision = archive.redacted.has(key) ? blockRedacted(decided) : decided;
    decisions.set(key, decision);
    const isCopy = decision.action === "create" && matching.pairs.get(kind.name)?.pairs.has(record.id) === true;
    if (!isCopy || copied.has(key)) return [];
    copied.add(key);
    forgetIds(kind, record, matching.ids);
    return [key];
  });
}

function decide(kind: ResourceKind, record: StackRecord, basis: DecisionBasis): Decision {
  const { archive, matching, options, journaled, lost } = basis;
  const paired = matching.pairs.get(kind.name);
  const target = paired?.pairs.get(record.id);
  if (!target) return decideUnpaired(kind, record, paired?.ambiguous.get(record.id), options);
  const there = { kind, record, targetId: target.id } as const;
  // What was taken out on export is taken to be what the target has there.
  const body = borrowSecrets(translatedBody(kind, record, archive, options, matching.ids), target.body);
  if (content(kind, body) === content(kind, target.body)) return { ...there, action: "unchanged" };

  const key = recordKey(kind.name, record.id);
  const written = journaled.get(key);
  const asWritten = written?.content === recordFingerprint(kind, target.body);
  // A create is begun only where nothing is there, so what is there now is its record (copies have the same name).
  const isLost = lost.has(key) && options.onConflict !== "duplicate" && hasSameParts(kind, body, target.body);
  const isUnlinked = isLost || (asWritten && !written.linked);
  if (lacksOnlyLinks(kind, record, body, target.body, archive, isUnlinked)) {
    const message = "an earlier import wrote it without a link that had to wait; the link is added now";
    return { ...there, action: "update", replaces: target, code: "finish-links", message };
  }
  // The stack keeps it in another form than it was sent in; that was reported when it was written.
  if (asWritten) return { ...there, action: "unchanged", code: "journaled" };
  return decideConflict(there, target, written !== undefined, options);
}

/** Every tile has its like on the other side: somebody else's record of the same name would not. */
function hasSameParts(kind: ResourceKind, body: JsonObject, target: JsonObject): boolean {
  const alike = mapChildrenByIdentity(kind, "", body, target).length;
  const count = (side: JsonObject): number => kind.children.flatMap((children) => childrenOf(side, children)).length;
  return alike > 0 && count(body) === alike && count(target) === alike;
}

function decideUnpaired(
  kind: ResourceKind,
  record: StackRecord,
  ambiguous: readonly StackRecord[] | undefined,
  options: ImportOptions,
): Decision {
  if (!ambiguous || options.onConflict === "duplicate") return { kind, record, action: "create" };
  const named = ambiguous.slice(0, MOST_NAMED).map(({ id }) => id);
  const more = ambiguous.length > named.length ? ` and ${ambiguous.length - named.length} more` : "";
  const message = `the target has ${ambiguous.length} ${kind.name} that it could be (${named.join(", ")}${more}); name the right one in a map file`;
  return { kind, record, action: "blocked", code: codeOf("ambiguous", kind.name), message };
}

function decideConflict(
  there: Pick<Decision, "kind" | "record"> & { readonly targetId: string },
  target: StackRecord,
  ours: boolean,
  { onConflict }: ImportOptions,
): Decision {
  const { kind, record } = there;
  if (onConflict === "update") return { ...there, action: "update", replaces: target };
  // A copy that an earlier run made is that copy, whatever became of it since.
  if (onConflict === "duplicate" && !ours) return { kind, record, action: "create" };
  const message = `the target has this ${nounOf(kind.name)} with other content; --on-conflict says what to do with it`;
  if (onConflict === "fail") return { ...there, action: "blocked", code: "conflict", message };
  return { ...there, action: "skip", code: "exists", message };
}

/** Where a record would be written with a placeholder in the place of a secret. Members that are never sent do not count. */
export function placeholdersToFill(kind: ResourceKind, record: StackRecord): PlaceholderPlace[] {
  return findPlaceholders([...kind.serverOwned, ...kind.refusedOnCreate].reduce(withoutPath, record.body));
}

/** The decision, or that the record is blocked: a placeholder is nothing that anybody wants on a stack. */
function blockRedacted(decision: Decision): Decision {
  const { kind, record, action, targetId } = decision;
  if (action !== "create" && action !== "update") return decision;
  const count = placeholdersToFill(kind, record).reduce((sum, { rules }) => sum + rules.length, 0);
  if (count === 0) return decision;
  const what = count === 1 ? "a secret was" : `${count} secrets were`;
  const message = `${what} taken out of it when it was exported; --write-fill FILE drafts a file to name them in, --fill FILE uses it`;
  return {
    kind,
    record,
    ...(targetId !== undefined && { targetId }),
    action: "blocked",
    code: "redacted",
    message,
  };
}
