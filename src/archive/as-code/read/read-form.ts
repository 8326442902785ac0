import { basename } from "node:path";
import { isJsonObject, type JsonValue } from "../../../core/json.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { dashboards } from "../../../kinds/dashboards.ts";
import { kindOfSchemaComment } from "../schema.ts";
import type { CodeValues } from "../values.ts";
import {
  isInApiForm,
  kindToldByFileName,
  kindToldByMembers,
  readAnswer,
  type Answer,
  type AnsweredRecord,
} from "./api-answers.ts";
import { fromExportedDashboard, isExportedDashboard } from "./exported-dashboard.ts";
import { type CodeFiles, problemAt, withRemarks } from "./code-file.ts";
import { fromOlderForm } from "./older-tiles.ts";
import { parseFile, type ParsedText } from "./parse-file.ts";

/** The records of one file. `answered` are those in the form of the API: all files together tell what their ids mean. */
export interface ReadForm extends CodeFiles {
  readonly answered: readonly AnsweredRecord[];
}

const NOTHING: ReadForm = { files: [], problems: [], answered: [] };

/**
 * Reads a file in any form in which people have records: a code file, an answer of the API, or a dashboard that the web interface has
 * exported.
 * @param kind the kind that the file's folder or first line names
 * @returns undefined if nothing tells the kind of a record in the file
 */
export function readForm(
  path: string,
  text: string,
  kind: ResourceKind | undefined,
  values: CodeValues,
): ReadForm | undefined {
  const parsed = parseFile(path, text);
  if ("message" in parsed) {
    const unread = kind && { kind: kind.name, names: seemingNames(text) };
    return unread && { ...NOTHING, problems: [{ ...parsed, unread }] };
  }
  const { value } = parsed;
  // The first line says that people edit the file as code, whatever members it has.
  if (kindOfSchemaComment(text) !== undefined && kind !== undefined) return readCode(parsed, kind, values);
  const answer = readAnswer(value);
  if (answer !== undefined) return recordsOfAnswer(parsed, answer, kind);
  if (!isJsonObject(value)) return kind && readCode(parsed, kind, values);
  if (isExportedDashboard(value)) return readExported(parsed, values);
  const told = kind ?? kindOf(path, value);
  if (told === undefined) return undefined;
  if (!isInApiForm(told, fromOlderForm(told, value).code)) return readCode(parsed, told, values);
  const { locate } = parsed;
  return { ...NOTHING, answered: [{ path, locate, kind: told, body: value, tokens: [] }] };
}

/** Returns the kind that a record's members tell or, for a record with an id, the name of its file. */
function kindOf(path: string, value: JsonValue): ResourceKind | undefined {
  const isRecord = isJsonObject(value) && typeof value["id"] === "string";
  return kindToldByMembers(value) ?? (isRecord ? kindToldByFileName(basename(path)) : undefined);
}

function readCode(parsed: ParsedText, kind: ResourceKind, values: CodeValues): ReadForm {
  const filled = parsed.fill(values);
  if ("hasNoValue" in filled) return { ...NOTHING, problems: [filled.hasNoValue] };
  if ("message" in filled) return { ...NOTHING, problems: [{ ...filled, unread: { kind: kind.name, names: [] } }] };
  const { path, text, locate } = parsed;
  const { code, ...remarks } = fromOlderForm(kind, filled.code);
  return { ...NOTHING, ...withRemarks({ path, text, locate, kind, code }, remarks) };
}

/** Reads a dashboard that the web interface has exported. Its file may lie in any folder. */
function readExported(parsed: ParsedText, values: CodeValues): ReadForm {
  const filled = parsed.fill(values);
  if ("hasNoValue" in filled) return { ...NOTHING, problems: [filled.hasNoValue] };
  if ("message" in filled) return { ...NOTHING, problems: [filled] };
  const { path, locate } = parsed;
  const { code, ...remarks } = fromExportedDashboard(filled.code);
  return { ...NOTHING, ...withRemarks({ path, locate, kind: dashboards, code }, remarks) };
}

/** Reads the records of a list or an envelope; undefined if nothing tells the kind of any of them. */
function recordsOfAnswer(parsed: ParsedText, answer: Answer, kind: ResourceKind | undefined): ReadForm | undefined {
  const { path, locate } = parsed;
  const fileKind = kind ?? kindToldByFileName(basename(path));
  const read = answer.values.map(({ value, tokens }): ReadForm | undefined => {
    const told = kind ?? kindOf(path, value);
    const recordPath = `${path}#${tokens.join("/")}`;
    if (told === undefined) return undefined;
    if (isJsonObject(value)) {
      const { variant, total } = answer;
      return { ...NOTHING, answered: [{ path, recordPath, locate, kind: told, body: value, tokens, variant, total }] };
    }
    const problem = problemAt({ path, recordPath, locate }, tokens, "it is no record");
    return { ...NOTHING, problems: [{ ...problem, unread: { kind: told.name, names: [] } }] };
  });
  const known = read.filter((form) => form !== undefined);
  if (known.length === 0 && (answer.values.length > 0 || fileKind === undefined)) return undefined;
  return {
    files: known.flatMap(({ files }) => files),
    problems: known.flatMap(({ problems }) => problems),
    answered: known.flatMap(({ answered }) => answered),
  };
}

/** Guesses the names of the record in an unparsable file, so that references to the record are not reported as mistakes. */
function seemingNames(text: string): readonly string[] {
  return [...text.matchAll(/^\s{0,2}["']?(?:name|key)["']?:\s*["']?(.*?)["']?,?\s*$/gm)].map(([, name = ""]) => name);
}
