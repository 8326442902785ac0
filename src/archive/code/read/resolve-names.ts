import { groupBy } from "../../../core/collections.ts";
import type { JsonObject, JsonValue } from "../../../core/json.ts";
import { isJsonObject } from "../../../core/json.ts";
import type { KindName, StackRecord } from "../../../core/records/record.ts";
import { recordKey } from "../../../core/records/record.ts";
import type { IdSpace } from "../../../core/resource-kind.ts";
import { pluralize } from "../../../core/text/plural.ts";
import { closestName } from "../../../core/text/similarity.ts";
import { findKind } from "../../../kinds/registry.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import { childrenIn } from "../children.ts";
import type { CodeEntry } from "./entries.ts";
import type { FileProblem } from "./file-problems.ts";
import { positionOf, quotedName } from "./file-problems.ts";
import type { Ids, WrittenReference } from "./from-code.ts";
import type { LabelledRecords } from "../write/labels.ts";
import { plainName } from "../plain-names.ts";

/** The target's records of one kind. `not-offered`: it has no such list, so its records are unknown. */
export interface TargetRecords {
  readonly status: "complete" | "partial" | "not-offered";
  readonly records: readonly StackRecord[];
}

/** The sources for looking up names: the files, and for names missing there, the target. */
export interface NameBasis {
  readonly entries: readonly CodeEntry[];
  readonly target: ReadonlyMap<KindName, TargetRecords>;
  readonly labels: LabelledRecords["labels"];
  /** Ids of entries whose files are left out. */
  readonly leftOut: ReadonlySet<string>;
  /** Files that cannot be read, with their probable names. */
  readonly unread: readonly FileProblem[];
}

/** A record that a reference can mean. */
interface Named {
  readonly id: string;
  readonly label: string;
  readonly plain: string;
  /** It has a key, so a reference by its name alone means another record of that name. */
  readonly isKeyed: boolean;
  readonly body: JsonObject;
}

/** Resolves the references of each file; a reference with no match, or several, is a problem of that file. */
export function nameResolver(basis: NameBasis, problems: FileProblem[]): (entry: CodeEntry) => Ids {
  const here = groupBy(basis.entries.map(fromEntry), ({ kind }) => kind);
  const there = new Map(
    [...basis.target].map(([kind, { records }]) => [kind, records.map((each) => fromTarget(each, basis))]),
  );
  const sides = (space: IdSpace): readonly (readonly Named[])[] => [here.get(space) ?? [], there.get(space) ?? []];
  return ({ file }) => {
    const report = (tokens: readonly string[], message: string): undefined => {
      problems.push({ file: file.path, ...positionOf(file.document, file.lines, tokens), message });
    };
    const isLeftOut = ({ id }: Named): boolean => basis.leftOut.has(id);
    const waits = (space: IdSpace, value: JsonValue, tokens: readonly string[]): undefined => {
      const message = `the ${nounOf(space)} ${shown(value)} is left out, as its file has a mistake`;
      const place = positionOf(file.document, file.lines, tokens);
      problems.push({ file: file.path, ...place, message, isDependency: true });
    };
    const find = (space: IdSpace, value: JsonValue, tokens: readonly string[]): string | undefined => {
      // A record that is only looked up exists on the target, whatever its file contains.
      const isWritten = (findKind(space)?.importPolicy.when ?? "always") === "always";
      if (isWritten && isUnread(space, value, basis)) return waits(space, value, tokens);
      for (const side of sides(space)) {
        const found = meant(value, side).filter((each) => isWritten || !isLeftOut(each));
        const [only, ...others] = found;
        if (only !== undefined && others.length === 0 && isLeftOut(only)) return waits(space, value, tokens);
        if (only !== undefined && others.length === 0) return only.id;
        if (only !== undefined) return report(tokens, ambiguous(space, value, found));
      }
      return report(tokens, unknown(space, value, sides(space).flat(), basis.target.get(space)?.status));
    };
    return {
      resolve: (reference) => {
        const { space, value, tokens, owner } = reference;
        const id = idOf(value);
        if (id !== undefined) return id;
        if (owner === undefined && space.includes("/")) return undefined;
        return owner === undefined ? find(space, value, tokens) : child(reference, owner, sides, report);
      },
      mentioned: (label, tokens) => {
        const [space = ""] = label.split("/");
        return find(space, label.slice(space.length + 1), tokens);
      },
    };
  };
}

function isUnread(space: IdSpace, value: JsonValue, { entries, unread }: NameBasis): boolean {
  const isNamed = unread.some((file) => file.unread?.kind === space && file.unread.names.includes(textOf(value)));
  return isNamed && !entries.some(({ kind, label }) => kind.name === space && label === value);
}

function fromEntry({ kind, id, label, plain, file, code }: CodeEntry): Named & { readonly kind: KindName } {
  return { kind: kind.name, id, label, plain, isKeyed: file.code["key"] !== undefined, body: code };
}

function fromTarget(record: StackRecord, { labels }: NameBasis): Named {
  const label = labels.get(recordKey(record.kind, record.id));
  const plain = plainName(record);
  return { id: record.id, label: label?.label ?? plain, plain, isKeyed: label?.key !== undefined, body: record.body };
}

function idOf(value: JsonValue): string | undefined {
  const id = isJsonObject(value) && Object.keys(value).length === 1 ? value["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

/** Returns the records that a reference means: by label; else by name, if only one record has it or only one of them has no key. */
function meant(value: JsonValue, named: readonly Named[]): readonly Named[] {
  if (isJsonObject(value)) {
    return named.filter(({ body }) => Object.entries(value).every(([member, wanted]) => body[member] === wanted));
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

function shown(value: JsonValue): string {
  return quotedName(textOf(value));
}

function ambiguous(space: IdSpace, value: JsonValue, found: readonly Named[]): string {
  const keys = found.slice(0, 5).map(({ label }) => quotedName(label));
  return `${pluralize(found.length, nounOf(space))} are called ${shown(value)}: write the key of one of them (${keys.join(", ")})`;
}

function unknown(
  space: IdSpace,
  value: JsonValue,
  known: readonly Named[],
  status: TargetRecords["status"] | undefined,
): string {
  const noun = nounOf(space);
  if (known.length === 0 && (status ?? "not-offered") === "not-offered") {
    return `unknown ${noun} ${shown(value)}: the files have none, and the target has no list of them to look it up in; write {id: …} with its id there`;
  }
  const wanted = textOf(value);
  const names = [...new Set(known.map(({ label }) => label))];
  const close = closestName(wanted, names);
  const some = names.slice(0, 5).map(quotedName).join(", ");
  const all =
    names.length === 0
      ? `neither the files nor the target have any`
      : `there are ${some}${names.length > 5 ? " …" : ""}`;
  return `unknown ${noun} ${shown(value)}: ${close === undefined ? all : `did you mean ${quotedName(close)}?`}`;
}

function child(
  { space, value, tokens }: WrittenReference,
  owner: string,
  sides: (space: IdSpace) => readonly (readonly Named[])[],
  report: (tokens: readonly string[], message: string) => undefined,
): string | undefined {
  const holder = sides(space.split("/")[0] ?? "")
    .flat()
    .find(({ id }) => id === owner);
  const children = holder === undefined ? [] : childrenIn(space, holder.body);
  const where = `in ${quotedName(holder?.label ?? owner)}`;
  const noun = nounOf(space);
  if (typeof value === "number") {
    const found = children[value - 1]?.id;
    return found ?? report(tokens, `there is no ${noun} ${value} ${where}, which has ${children.length}`);
  }
  const found = children.filter(({ name }) => name === value);
  if (found.length === 1) return found[0]?.id;
  if (found.length > 1) {
    const positions = children.flatMap(({ name }, index) => (name === value ? [index + 1] : []));
    return report(
      tokens,
      `${pluralize(found.length, noun)} ${where} are called ${shown(value)}: write the position of one (${positions.join(", ")})`,
    );
  }
  const close = closestName(
    textOf(value),
    children.map(({ name }) => name),
  );
  const hint = close === undefined ? "" : `: did you mean ${quotedName(close)}?`;
  return report(tokens, `unknown ${noun} ${shown(value)} ${where}${hint}`);
}
