import { basename } from "node:path";
import { getOrMake } from "../../../core/collections.ts";
import { nounOf } from "../../../kinds/nouns.ts";
import { isJsonArray, isJsonObject, objectsIn, type JsonObject, type JsonValue } from "../../../core/json.ts";
import type { KindName, StackRecord } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { issueText } from "../../../core/schemas.ts";
import { closestName, nameSimilarity } from "../../../core/text/similarity.ts";
import { referenceMember } from "../convert-record.ts";
import { type CodeFile, type FileProblem, problemAt, quotedName } from "./code-file.ts";
import { sha256 } from "../../entry.ts";
import { plainName } from "../write/file-keys.ts";
import { markedIds, withoutMarks } from "../code-of-record.ts";
import { codeSchema, knownMembers } from "../schema.ts";

export interface CodeEntry {
  readonly file: CodeFile;
  readonly kind: ResourceKind;
  /** The name by which other files reference the record. */
  readonly label: string;
  readonly plain: string;
  readonly id: string;
  readonly code: JsonObject;
  /** Ids of children with the mark `substitute`. */
  readonly substitutes: readonly string[];
}

/** @param targetRecords a member that one of these records has does not count as misspelt */
export function readEntries(files: readonly CodeFile[], targetRecords: readonly StackRecord[]) {
  const ambiguous: FileProblem[] = [];
  const labels = new Map<string, CodeFile>();
  const seen = membersOf(targetRecords);
  const entries = files.map((file): CodeEntry => {
    const entry = entryOf(file);
    const name = `${entry.kind.name}/${entry.label}`;
    const other = labels.get(name);
    if (other !== undefined) ambiguous.push(duplicateNameProblem(entry, other));
    labels.set(name, file);
    return entry;
  });
  return { entries, problems: files.flatMap((file) => spellingProblems(file, seen)), ambiguous };
}

function entryOf(file: CodeFile): CodeEntry {
  const { kind, path } = file;
  const { key, ...code } = file.code;
  const plain = plainName({ kind: kind.name, body: code });
  const slug = basename(path).replace(/\.[^.]*$/, "");
  const label = typeof key === "string" ? key : plain.trim() === "" ? slug : plain;
  const identified = withChildIds(kind, label, code);
  return {
    file,
    kind,
    label,
    plain,
    id: syntheticId(kind.name, label),
    code: withoutMarks(kind, identified),
    substitutes: markedIds(kind, identified),
  };
}

function syntheticId(...parts: readonly string[]): string {
  return sha256(JSON.stringify(parts)).slice(0, 24);
}

function withChildIds({ name, children }: ResourceKind, label: string, code: JsonObject): JsonObject {
  return children.reduce((body, { member }) => {
    const items = body[member];
    if (!isJsonArray(items)) return body;
    const identified = items.map((item, index): JsonValue =>
      isJsonObject(item) ? { ...item, id: syntheticId(name, label, member, String(index)) } : item,
    );
    return { ...body, [member]: identified };
  }, code);
}

function duplicateNameProblem({ file, kind, label }: CodeEntry, other: CodeFile): FileProblem {
  const member = file.code["key"] === undefined ? "name" : "key";
  const problem = `the ${kind.singular} in ${other.path} is also called ${quotedName(label)}`;
  return problemAt(file, [member], `${problem}; add a key member to one of them`);
}

export function schemaProblems(file: CodeFile): FileProblem[] {
  const result = codeSchema(file.kind.name).safeParse(file.code);
  return (result.error?.issues ?? []).map((issue) => {
    const tokens = issue.path.map(String);
    const text = `${tokens.join(".")}: ${issueText(issue)}${childText(file, tokens)}`;
    return misspeltFor(file, tokens) ?? { ...problemAt(file, tokens, text), tokens };
  });
}

/** Names the child, because people do not know the number of a tile. */
function childText({ kind, code }: CodeFile, [member = "", index = ""]: readonly string[]): string {
  const children = kind.children.find((candidate) => candidate.member === member);
  const child = objectsIn(code[member])[Number(index)];
  const name = child === undefined ? "" : (children?.nameOf(child) ?? "");
  return children === undefined || name === "" ? "" : ` (the ${nounOf(children.space)} ${quotedName(name)})`;
}

function misspeltFor(file: CodeFile, tokens: readonly string[]): FileProblem | undefined {
  const [member = "", above] = [tokens.at(-1), tokens.slice(0, -1)];
  const holder = above.reduce<unknown>((value, token) => Object(value)[token], file.code);
  if (typeof holder !== "object" || holder === null || Object.hasOwn(holder, member)) return undefined;
  const memberNames = knownMembers(file.kind.name).get(above[0] ?? "") ?? [];
  const typed = Object.keys(holder).find(
    (name) => !memberNames.includes(name) && nameSimilarity(name, member) >= MISSPELT,
  );
  return typed === undefined ? undefined : misspeltProblem(file, [...above, typed], member);
}

function misspeltProblem(file: CodeFile, tokens: readonly string[], meant: string): FileProblem {
  const message = `there is no member ${quotedName(tokens.at(-1) ?? "")}: did you mean ${quotedName(meant)}?`;
  return problemAt(file, tokens, message, "key");
}

/** A newer server can have members that the schema lacks. */
function membersOf(records: readonly StackRecord[]): ReadonlyMap<KindName, ReadonlySet<string>> {
  const seen = new Map<KindName, Set<string>>();
  const add = (kind: KindName, value: JsonValue | undefined): void => {
    if (!isJsonObject(value)) return;
    for (const member of Object.keys(value)) getOrMake(seen, kind, () => new Set()).add(member);
  };
  for (const { kind, body } of records) {
    add(kind, body);
    for (const value of Object.values(body)) if (isJsonArray(value)) for (const item of value) add(kind, item);
  }
  return seen;
}

const MISSPELT = 0.75;

function spellingProblems(file: CodeFile, seen: ReadonlyMap<KindName, ReadonlySet<string>>): FileProblem[] {
  const { kind, code } = file;
  const raw = kind.references.map((path) => referenceMember(path).member);
  const passing = new Set([...raw, ...(seen.get(kind.name) ?? [])]);
  return [...knownMembers(kind.name)].flatMap(([member, memberNames]) => {
    const items = member === "" ? [code] : code[member];
    return (isJsonArray(items) ? items : []).flatMap((item, index) =>
      Object.keys(isJsonObject(item) ? item : {}).flatMap((name): FileProblem[] => {
        if (memberNames.includes(name) || passing.has(name)) return [];
        const meant = closestName(name, memberNames);
        if (meant === undefined || nameSimilarity(name, meant) < MISSPELT) return [];
        const tokens = member === "" ? [name] : [member, String(index), name];
        return [misspeltProblem(file, tokens, meant)];
      }),
    );
  });
}
