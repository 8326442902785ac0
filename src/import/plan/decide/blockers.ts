import { formatPointer, placesAt, valueAtTokens, withoutPath } from "../../../core/records/member-path.ts";
import type { Warning } from "../../../core/outcome.ts";
import type { MissingSecret, PlanItem, TargetVerdicts } from "../../../core/plan/plan.ts";
import type { RecordKey, StackRecord, Variant } from "../../../core/records/record.ts";
import { recordKey } from "../../../core/records/record.ts";
import type { NeededPath, ResourceKind } from "../../../core/resource-kind.ts";
import { printable } from "../../../core/text/printable.ts";
import { missingNeeds } from "../../../kinds/members/needed.ts";
import { neededContext, placeContext } from "../../../redaction/filling/context.ts";
import type { Within } from "../../../redaction/filling/surroundings.ts";
import { shownAddresses, surroundingsOf } from "../../../redaction/filling/surroundings.ts";
import type { PlaceholderPlace } from "../../../redaction/placeholders.ts";
import { findPlaceholders } from "../../../redaction/placeholders.ts";
import type { FilledRecord, IsListed } from "../../read/fill-records.ts";
import { isFillable } from "../../read/fill-records.ts";
import { mappedChanges } from "../../read/mapped-members.ts";
import type { Decision } from "./decision.ts";
import type { RememberedRecord } from "../../../core/plan/memory.ts";
import type { JournaledRecord } from "../../../journal/state.ts";
import type { ImportOptions } from "../../../matching/import-options.ts";
import type { Inventory } from "../../../matching/inventory.ts";
import type { Matching } from "../../../matching/match-all.ts";
import type { ArchiveIndex } from "../../../references/archive-index.ts";
import type { TransformNotes } from "../../transform/transform-records.ts";
import type { Excess } from "../../../kinds/limits.ts";
import { findExcess } from "../../../kinds/limits.ts";
import { applyLabels } from "../../../matching/labels.ts";
import { decisionKey } from "./decision.ts";

/** What is known of the archive's secrets when it is planned. */
export interface FillState {
  /** The records that differ from the archive's, as a fill or map file names them. */
  readonly filled: ReadonlyMap<RecordKey, FilledRecord>;
  readonly isListed: IsListed;
}

/** Nothing was filled in, and any placeholder may be. */
export const NO_FILLS: FillState = { filled: new Map(), isListed: () => true };

/** Why a record is blocked. */
type Reason = Pick<PlanItem, "code" | "message">;

/** What a decision is about, and what it came to. */
interface Decided extends Pick<PlanItem, "action" | "code"> {
  readonly kind: ResourceKind;
  readonly record: StackRecord;
}

const DRAFT = "--write-fill FILE drafts a file for your answers, --fill FILE uses it";

const CHANGED: Reason = {
  code: "fill-context-changed",
  message:
    "the fill file's value was drafted for another text than the archive has there now, or has no context, so it is not used; draft the file again with --write-fill, look at the text, and answer again",
};

const UNLISTED: Reason = {
  code: "placeholder-unlisted",
  message:
    "it holds a placeholder that the archive's manifest does not list, so no export made it and it is not filled in; correct the record on its stack and export again",
};

const FOREIGN: Reason = {
  code: "fill-other-host",
  message:
    "the fill file answers an address with a whole address on another host; give only what takes the placeholder's place, or the address on the host that the archive names",
};

/** Why a record with placeholders cannot be written; undefined where it can. */
function unfilledReason(kind: ResourceKind, record: StackRecord, fills: FillState): Reason | undefined {
  const key = recordKey(kind.name, record.id);
  const places = placesToFill(kind, record);
  if (places.length === 0) return undefined;
  if (places.some((place) => !isFillable(key, place, fills.isListed))) return UNLISTED;
  if (places.some(({ pointer }) => isRefused(key, pointer, fills))) return CHANGED;
  if (places.some(({ pointer }) => fills.filled.get(key)?.foreign?.has(pointer) === true)) return FOREIGN;
  const count = places.reduce((sum, { rules }) => sum + rules.length, 0);
  const what = count === 1 ? "a secret was" : `${count} secrets were`;
  return { code: "redacted", message: `${what} taken out of it when it was exported; ${DRAFT}` };
}

/** The decision, or that the record is blocked: a placeholder is nothing that anybody wants on a stack. */
export function blockUnfilled(decision: Decision, fills: FillState): Decision {
  const { kind, record, action, targetId, targetName } = decision;
  const reason = action === "create" || action === "update" ? unfilledReason(kind, record, fills) : undefined;
  if (reason === undefined) return decision;
  return {
    kind,
    record,
    ...(targetId !== undefined && { targetId }),
    ...(targetName !== undefined && { targetName }),
    action: "blocked",
    ...reason,
  };
}

/** Why a record cannot be created without what no stack shows; undefined where it can. */
export function neededReason(kind: ResourceKind, record: StackRecord, fills: FillState): Reason | undefined {
  const key = recordKey(kind.name, record.id);
  const needs = missingNeedsOf(kind, record, fills);
  if (needs.length === 0) return undefined;
  if (needs.some(({ path }) => isRefused(key, `/${path}`, fills))) return CHANGED;
  const members = needs.map(({ path }) => path).join(", ");
  return {
    code: "needed",
    message: `the API never returns its ${members}; ${DRAFT}, null where there was none`,
  };
}

/** What a fill file has to say before this record can be written. */
export function missingSecrets({ kind, record, code }: Decided, fills: FillState): MissingSecret[] {
  if (code === undefined || code === UNLISTED.code || !OPEN.includes(code)) return [];
  const key = recordKey(kind.name, record.id);
  const { name } = record;
  const archived = archivedOf(key, record, fills);
  const { body } = archived;
  const open = placesToFill(kind, record).filter((place) => isFillable(key, place, fills.isListed));
  const placeholders = open.map(({ pointer, rules, tokens }): MissingSecret => {
    const around = surroundingsAt(body, tokens).map(({ shown }) => shown);
    return { key, name, pointer, rules, context: placeContext(kind, body, tokens), around };
  });
  const needs = missingNeedsOf(kind, record, fills).map((need): MissingSecret => {
    const context = neededContext(kind, body, need);
    const moved = mappedChanges(record, archived).map(({ member, to }) => `map file: ${member} ${to}`);
    const around = [...shownAddresses(kind, body), ...moved.map((text) => printable(text))];
    const about = { context, around, needed: true } as const;
    const named = need.named === undefined ? {} : ({ named: true } as const);
    return { key, name, pointer: `/${need.path}`, rules: [need.rule], ...about, ...named };
  });
  return [...placeholders, ...needs];
}

const EXPOSED: Readonly<Record<Within, string>> = {
  url: "is part of an address, so whoever answers there sees it",
  header: "is sent in a header",
  image: "is part of the address of an image, so everybody who looks at it sends the secret there",
};

const OPEN = [undefined, "redacted", "needed", CHANGED.code, FOREIGN.code, UNLISTED.code];

/** A warning for each secret that goes, or would go, to where others see it. */
export function exposedPlaces({ kind, record, action, code }: Decided, fills: FillState): Warning[] {
  const isWritten = action === "create" || action === "update" || (action === "blocked" && OPEN.includes(code));
  if (!isWritten) return [];
  const archived = archivedOf(recordKey(kind.name, record.id), record, fills);
  // A declared secret, such as a webhook's own address, is where the secret belongs.
  const own = new Set(
    kind.secrets.flatMap(({ path }) => placesAt(archived.body, path).map(({ tokens }) => formatPointer(tokens))),
  );
  const places = placesToFill(kind, archived).filter(({ pointer }) => !own.has(pointer));
  return places.flatMap(({ tokens, pointer }) => {
    const found = surroundingsAt(archived.body, tokens).flatMap(({ within, hosts }) =>
      within.map((each) => ({ each, host: hosts.length === 0 ? "" : ` (${hosts.join(", ")})` })),
    );
    const distinct = new Map(found.map(({ each, host }) => [`${each}${host}`, { each, host }]));
    return [...distinct.values()].map(({ each, host }) => {
      const message = `a secret of the ${kind.singular} "${archived.name}" that is filled in ${EXPOSED[each]}${host}`;
      return { code: `placeholder-in-${each}`, message, pointer };
    });
  });
}

/** Where a record would be written with a placeholder in the place of a secret. Members that are never sent do not count. */
function placesToFill(kind: ResourceKind, { body }: StackRecord): PlaceholderPlace[] {
  return findPlaceholders([...kind.serverOwned, ...kind.refusedOnCreate].reduce(withoutPath, body));
}

function missingNeedsOf(kind: ResourceKind, { id, body }: StackRecord, { filled }: FillState): readonly NeededPath[] {
  return missingNeeds(kind, body, filled.get(recordKey(kind.name, id))?.supplied);
}

function isRefused(key: RecordKey, pointer: string, { filled }: FillState): boolean {
  return filled.get(key)?.refused.has(pointer) === true;
}

/** Contexts and what is shown are of the archive's own text: other places of the record may be filled in. */
function archivedOf(key: RecordKey, record: StackRecord, { filled }: FillState): StackRecord {
  return filled.get(key)?.archived ?? record;
}

function surroundingsAt(body: StackRecord["body"], tokens: readonly string[]): ReturnType<typeof surroundingsOf> {
  const text = valueAtTokens(body, tokens);
  return typeof text === "string" ? surroundingsOf(text, tokens) : [];
}

/** What every decision rests on. */
export interface DecisionBasis {
  readonly archive: ArchiveIndex;
  readonly matching: Matching;
  readonly options: ImportOptions;
  readonly journaled: ReadonlyMap<RecordKey, JournaledRecord>;
  /** What became of the records in earlier imports, also of other archives of the same stack. */
  readonly remembered: ReadonlyMap<RecordKey, RememberedRecord>;
  /** Records whose create an earlier run began without a known end. */
  readonly lost: ReadonlySet<RecordKey>;
  readonly inventory: Inventory;
  readonly fills: FillState;
  readonly transformed: TransformNotes;
  readonly verdicts: TargetVerdicts;
  /** The variant of the stack that the archive is from; absent where it is not known. */
  readonly from?: Variant;
}

/** Of the members that have to change: a dashboard can have hundreds. */
const MAX_NAMES_SHOWN = 5;

/** What a decision about a body rests on. */
interface BodyBasis {
  readonly archive: ArchiveIndex;
  readonly options: ImportOptions;
  readonly verdicts: TargetVerdicts;
}

/** The decision, or that the body cannot be written: by what is known of the API, and by what the target says of it. */
export function judgeBody(decision: Decision, { archive, options, verdicts }: BodyBasis): Decision {
  const { action } = decision;
  const key = decisionKey(decision);
  const lacked = action === "update" ? verdicts.notKept.get(key) : undefined;
  if (lacked !== undefined) return asItIs(decision, lacked);
  const reason = action === "create" ? verdicts.refused.get(key) : undefined;
  const { namePrefix, tags } = options.labels;
  const { kind } = decision;
  const isTimed = kind.limits.some((limit) => limit.rule === "fits" && limit.timed === true);
  const mayExceed = isTimed || archive.excessive.has(key) || namePrefix !== undefined || tags.length > 0;
  if (reason === undefined) return mayExceed ? judgeLimits(decision, options) : decision;
  return { ...decision, action: "blocked", code: "would-be-refused", message: `the target would refuse it: ${reason}` };
}

/** Nothing is written where the target has what it would keep of it. */
function asItIs({ kind, record, targetId, targetName }: Decision, lacked: readonly string[]): Decision {
  const there = { ...(targetId !== undefined && { targetId }), ...(targetName !== undefined && { targetName }) };
  return { kind, record, ...there, action: "unchanged", code: "not-kept", lacked, isSaid: true };
}

/**
 * The decision, with what `--adapt` changes in the record, or that it is blocked: the API shows records in forms that it
 * refuses, and that is better known before anything is written.
 */
function judgeLimits(decision: Decision, { adapt = false, labels, now }: ImportOptions): Decision {
  const { action, kind, record } = decision;
  if (action !== "create" && action !== "update") return decision;
  const excess = findExcess(kind, applyLabels(kind, record.body, labels), now);
  if (excess.length === 0) return decision;
  const fixed = excess.filter((each) => each.fixed);
  if (fixed.length > 0) {
    const message = `the API takes only ${named(fixed)}, and anything else in its place would change its meaning; change it on the stack that it is from`;
    return { ...decision, action: "blocked", code: "over-limit", message };
  }
  if (!adapt) {
    const message = `the API refuses the form in which it shows this record; --adapt would write ${named(excess)}`;
    return { ...decision, action: "blocked", code: "needs-adapting", message };
  }
  return { ...decision, adaptations: excess.map(({ pointer, change }) => ({ pointer, change })) };
}

function named(excess: readonly Excess[]): string {
  const some = excess.slice(0, MAX_NAMES_SHOWN).map(({ pointer, change }) => `${pointer}: ${change}`);
  const more = excess.length > some.length ? [`and ${excess.length - some.length} more`] : [];
  return [...some, ...more].join(", ");
}
