import { groupBy } from "../../../core/collections.ts";
import { isJsonArray, isJsonObject, type JsonObject } from "../../../core/json.ts";
import { recordKey, type RecordKey, type StackRecord } from "../../../core/records/record.ts";
import { pluralOf } from "../../../kinds/nouns.ts";
import { lacksOmittedMember } from "../../../kinds/list-answers.ts";
import { codeOfRecord } from "../code-of-record.ts";
import { readingOrder } from "../convert-record.ts";
import { labelRecords, type LabelledRecords } from "../write/file-keys.ts";
import type { AnsweredRecord } from "./read-form.ts";
import {
  type CodeFile,
  type CodeFiles,
  type FileProblem,
  type ParsedFile,
  pathOfRecord,
  problemAt,
  type Remarks,
  unreadOf,
  withRemarks,
} from "./code-file.ts";
import { fromOlderForm } from "./older-tiles.ts";

interface Identified extends AnsweredRecord {
  readonly record: StackRecord;
  readonly remarks: Remarks;
}

/** Ids of records in the files become names. Other ids stay, and the import looks them up on the target. */
export function codeOfAnswers(answered: readonly AnsweredRecord[]): CodeFiles {
  const identified = answered.map(identify);
  const byKey = new Map<RecordKey, Identified>();
  const problems: FileProblem[] = [];
  for (const one of identified) {
    const key = recordKey(one.kind.name, one.record.id);
    const first = byKey.get(key);
    if (first === undefined) byKey.set(key, one);
    else if (JSON.stringify(first.body) !== JSON.stringify(one.body)) problems.push(repeatedProblem(one, first));
  }
  const labelled = labelRecords([...byKey.values()].map(({ record }) => record));
  const converted = [...byKey.values()].map((one) => convert(one, labelled));
  return {
    files: withMissingRecords(
      converted.flatMap(({ files }) => files),
      [...byKey.values()],
    ),
    problems: [...problems, ...converted.flatMap((each) => each.problems)],
  };
}

function withMissingRecords(files: readonly CodeFile[], records: readonly Identified[]): readonly CodeFile[] {
  const notes = new Map<CodeFile, FileProblem>();
  for (const [name, ofKind] of groupBy(records, ({ kind }) => kind.name)) {
    const total = Math.max(...ofKind.map((record) => record.total ?? 0));
    const first = files.find(({ kind }) => kind.name === name);
    if (first === undefined || total <= ofKind.length) continue;
    const message = `the stack counts ${total} ${pluralOf(name)}, and the files hold ${ofKind.length}: save the others, too, with offset=${ofKind.length}`;
    notes.set(first, { file: first.path, message });
  }
  return files.map((file) => {
    const note = notes.get(file);
    return note === undefined ? file : { ...file, notes: [note, ...(file.notes ?? [])] };
  });
}

/** Adds ids that a request body lacks. */
function identify(answered: AnsweredRecord): Identified {
  const { kind, body } = answered;
  const { code, ...remarks } = fromOlderForm(kind, body);
  const place = pathOfRecord(answered);
  const id = typeof code["id"] === "string" ? code["id"] : place;
  const whole = kind.children.reduce((record, { member }): JsonObject => {
    const items = record[member];
    if (!isJsonArray(items)) return record;
    const named = items.map((item, index) => (isJsonObject(item) ? { id: `${place}/${index}`, ...item } : item));
    return { ...record, [member]: named };
  }, code);
  return { ...answered, remarks, record: { kind: kind.name, id, name: kind.nameOf(code), body: { ...whole, id } } };
}

function repeatedProblem(one: Identified, first: Identified): FileProblem {
  const { kind, tokens, record } = one;
  const message = `the same ${kind.singular} stands in ${pathOfRecord(first)} with other content: remove one of them`;
  return { ...problemAt(one, tokens, message), unread: unreadOf(kind, [record.name]) };
}

function convert(one: Identified, { labels, names }: LabelledRecords): CodeFiles {
  const { path, recordPath, locate, kind, body, tokens, record, remarks, variant } = one;
  const label = labels.get(recordKey(kind.name, record.id)) ?? { slug: "", label: record.name };
  const answeredId = typeof body["id"] === "string" ? body["id"] : undefined;
  // A request body (without an id) contains no substitutes. An answer of unknown variant counts as self-hosted.
  const shownBy = answeredId === undefined ? undefined : (variant ?? "self-hosted");
  const inFile = { path, ...(recordPath !== undefined && { recordPath }) };
  const answer: ParsedFile = { ...inFile, locate: (at, start) => locate([...tokens, ...at], start) };
  const order = readingOrder(kind, record.body);
  const file: CodeFile = {
    ...inFile,
    locate: ([member = "", index = "", ...inside], start) => {
      if (index === "" || member !== kind.code.sorted?.member) return answer.locate([member, index, ...inside], start);
      return answer.locate([member, String(order[Number(index)] ?? index), ...inside], start);
    },
    kind,
    code: codeOfRecord(kind, record.body, label, names, shownBy),
    ...(answeredId !== undefined && { answeredId }),
  };
  if (!lacksOmittedMember(kind, body)) return withRemarks(file, remarks, answer);
  const omitted = (kind.listOmits ?? []).map((member) => member.path).join(", ");
  const message = `the list leaves out ${omitted} of this ${kind.singular}: put the answer of GET ${kind.name}/ID in its place`;
  return withRemarks(file, { leftOut: [], mistakes: [{ tokens: [], message }] }, answer);
}
