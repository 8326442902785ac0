import { groupBy } from "../../../core/collections.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { recordKey, type KindName, type RecordKey, type StackRecord } from "../../../core/records/record.ts";
import type { IdSpace } from "../../../core/resource-kind.ts";
import { pluralize } from "../../../core/text/format.ts";
import { closestName } from "../../../core/text/similarity.ts";
import { findKind, isAlwaysWritten } from "../../../kinds/registry.ts";
import { nounOf } from "../../../kinds/nouns.ts";
import type { CodeEntry } from "./entries.ts";
import { type FileProblem, problemAt, quotedName } from "./code-file.ts";
import { arrangeChildren, type IdLookup, type WrittenReference } from "../convert-record.ts";
import { type LabelledRecords, listChildren, plainName } from "../write/file-keys.ts";

/** `not-offered`: the target has no such list. `forbidden`: the API key has no right to read the list. */
export interface TargetRecords {
  readonly status: "complete" | "partial" | "not-offered" | "forbidden";
  readonly records: readonly StackRecord[];
}

export interface NameSources {
  readonly entries: readonly CodeEntry[];
  readonly target: ReadonlyMap<KindName, TargetRecords>;
  readonly labels: LabelledRecords["labels"];
  /** By record of the target: the file that gives the record another name in this run. */
  readonly renames: ReadonlyMap<RecordKey, CodeEntry>;
  readonly leftOutIds: ReadonlySet<string>;
  readonly unreadableFiles: readonly FileProblem[];
}

interface Candidate {
  readonly id: string;
  readonly label: string;
  readonly plain: string;
  /** A reference by name prefers a namesake without `key`. */
  readonly isKeyed: boolean;
  /** Children are in the order in which references count them. */
  readonly body: JsonObject;
  readonly renamedBy?: CodeEntry | undefined;
}

export function createNameResolver(basis: NameSources, problems: FileProblem[]): (entry: CodeEntry) => IdLookup {
  const entriesByKind = groupBy(basis.entries.map(fromEntry), ({ kind }) => kind);
  const targetByKind = new Map(
    [...basis.target].map(([kind, { records }]) => [kind, records.map((record) => fromTarget(record, basis))]),
  );
  const recordsBySide = (space: IdSpace): readonly (readonly Candidate[])[] => [
    entriesByKind.get(space) ?? [],
    targetByKind.get(space) ?? [],
  ];
  // A name means the record that has the name after the run, so that a second run finds the same record.
  const keepsName = ({ renamedBy }: Candidate): boolean =>
    renamedBy === undefined || basis.leftOutIds.has(renamedBy.id);
  return ({ file }) => {
    const report = (tokens: readonly string[], message: string): undefined => {
      problems.push(problemAt(file, tokens, message));
    };
    const isLeftOut = ({ id }: Candidate): boolean => basis.leftOutIds.has(id);
    const reportDependency = (space: IdSpace, value: JsonValue, tokens: readonly string[]): undefined => {
      const message = `the ${nounOf(space)} ${quoteValue(value)} is left out, as its file has a mistake`;
      problems.push({ ...problemAt(file, tokens, message), isDependency: true });
    };
    const find = (space: IdSpace, value: JsonValue, tokens: readonly string[]): string | undefined => {
      // For a kind that imports do not always write, the target's record replaces a bad file.
      const isWritten = isAlwaysWritten(space);
      const sides = recordsBySide(space).map((side) => side.filter(keepsName));
      if (isWritten && isUnread(space, value, basis)) return reportDependency(space, value, tokens);
      for (const side of sides) {
        const found = recordsMeant(value, side).filter((candidate) => isWritten || !isLeftOut(candidate));
        const [first, ...others] = found;
        if (others.length > 0) return report(tokens, ambiguousText(space, value, found));
        if (first !== undefined) return isLeftOut(first) ? reportDependency(space, value, tokens) : first.id;
      }
      const isBad = isUnread(space, value, basis) || recordsMeant(value, sides.flat()).some(isLeftOut);
      if (isBad) return reportDependency(space, value, tokens);
      return report(tokens, unknownText(space, value, recordsBySide(space).flat(), basis.target.get(space)?.status));
    };
    return {
      resolve: (reference) => {
        const { space, value, tokens, owner } = reference;
        const id = idOf(value);
        if (id !== undefined) return id;
        if (owner === undefined && space.includes("/")) return undefined;
        return owner === undefined ? find(space, value, tokens) : resolveChild(reference, owner, recordsBySide, report);
      },
      resolveMention: (label, tokens) => {
        const [space = ""] = label.split("/");
        return find(space, label.slice(space.length + 1), tokens);
      },
    };
  };
}

function isUnread(space: IdSpace, value: JsonValue, { entries, unreadableFiles }: NameSources): boolean {
  const isNamed = unreadableFiles.some(
    (file) => file.unread?.kind === space && file.unread.names.includes(textOf(value)),
  );
  return isNamed && !entries.some(({ kind, label }) => kind.name === space && label === value);
}

function fromEntry({ kind, id, label, plain, file, code }: CodeEntry): Candidate & { readonly kind: KindName } {
  return { kind: kind.name, id, label, plain, isKeyed: file.code["key"] !== undefined, body: code };
}

function fromTarget(record: StackRecord, { labels, renames }: NameSources): Candidate {
  const label = labels.get(recordKey(record.kind, record.id));
  const plain = plainName(record);
  const body = arrangeChildren(findKind(record.kind), record.body);
  const renamedBy = renames.get(recordKey(record.kind, record.id));
  return { id: record.id, label: label?.label ?? plain, plain, isKeyed: label?.key !== undefined, body, renamedBy };
}

function idOf(value: JsonValue): string | undefined {
  const id = isJsonObject(value) && Object.keys(value).length === 1 ? value["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

/** Prefers a label to a plain name, and the only namesake without a key to the other namesakes. */
function recordsMeant(value: JsonValue, named: readonly Candidate[]): readonly Candidate[] {
  if (isJsonObject(value)) {
    return named.filter(({ body }) => Object.entries(value).every(([member, expected]) => body[member] === expected));
  }
  const labelled = named.filter(({ label }) => label === value);
  if (labelled.length > 0) return labelled;
  const ofName = named.filter(({ plain }) => plain === value);
  const keyless = ofName.filter(({ isKeyed }) => !isKeyed);
  return keyless.length === 1 ? keyless : ofName;
}

function textOf(value: JsonValue): string {
  if (isJsonObject(value))
    return Object.values(value)
      .map((inner) => textOf(inner ?? null))
      .join("/");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function quoteValue(value: JsonValue): string {
  return quotedName(textOf(value));
}

function ambiguousText(space: IdSpace, value: JsonValue, found: readonly Candidate[]): string {
  const keys = found.slice(0, 5).map(({ label }) => quotedName(label));
  return `${pluralize(found.length, nounOf(space))} are called ${quoteValue(value)}: write the key of one of them (${keys.join(", ")})`;
}

function unknownText(
  space: IdSpace,
  value: JsonValue,
  candidates: readonly Candidate[],
  status: TargetRecords["status"] | undefined,
): string {
  const noun = nounOf(space);
  const [renamedBy] = recordsMeant(value, candidates).flatMap((candidate) => candidate.renamedBy ?? []);
  if (renamedBy !== undefined) {
    const { label, file } = renamedBy;
    return `the ${noun} ${quoteValue(value)} gets the name ${quotedName(label)} in this run (${file.path}): write that name`;
  }
  if (candidates.length === 0 && status !== "complete" && status !== "partial") {
    return `unknown ${noun} ${quoteValue(value)}: the files do not have it, and the target cannot list its own; write {id: …} with the id on the target`;
  }
  const writtenName = textOf(value);
  const names = [...new Set(candidates.flatMap(({ label, renamedBy }) => (renamedBy === undefined ? [label] : [])))];
  const close = closestName(writtenName, names);
  const some = names.slice(0, 5).map(quotedName).join(", ");
  const existing =
    names.length === 0
      ? `neither the files nor the target have any`
      : `there are ${some}${names.length > 5 ? " …" : ""}`;
  return `unknown ${noun} ${quoteValue(value)}: ${close === undefined ? existing : `did you mean ${quotedName(close)}?`}`;
}

function resolveChild(
  { space, value, tokens }: WrittenReference,
  owner: string,
  sides: (space: IdSpace) => readonly (readonly Candidate[])[],
  report: (tokens: readonly string[], message: string) => undefined,
): string | undefined {
  const holder = sides(space.split("/")[0] ?? "")
    .flat()
    .find(({ id }) => id === owner);
  const children = holder === undefined ? [] : listChildren(space, holder.body);
  const where = `in ${quotedName(holder?.label ?? owner)}`;
  const noun = nounOf(space);
  if (typeof value === "number") {
    const found = children[value - 1]?.id;
    return (
      found ??
      report(tokens, `there is no ${noun} at position ${value} ${where}: it has ${pluralize(children.length, noun)}`)
    );
  }
  const found = children.filter(({ name }) => name === value);
  if (found.length === 1) return found[0]?.id;
  if (found.length > 1) {
    const positions = children.flatMap(({ name }, index) => (name === value ? [index + 1] : []));
    return report(
      tokens,
      `${pluralize(found.length, noun)} ${where} are called ${quoteValue(value)}: write the position of one (${positions.join(", ")})`,
    );
  }
  const close = closestName(
    textOf(value),
    children.map(({ name }) => name),
  );
  const hint = close === undefined ? "" : `: did you mean ${quotedName(close)}?`;
  return report(tokens, `unknown ${noun} ${quoteValue(value)} ${where}${hint}`);
}
