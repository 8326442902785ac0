import { z } from "zod";
import type { MissingSecret } from "../core/plan.ts";
import { readTextFile } from "./read-text-file.ts";
import type { ValueSources } from "./values.ts";
import { expandValue } from "./values.ts";
import { parseYaml, quoted } from "./yaml.ts";

/** A fill file as written, `${env:…}` and `${file:…}` not yet filled in: record key → JSON pointer → values. Empty: not filled in yet. */
export type FillLines = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

// A draft's lines are empty until somebody fills them in.
const NOT_FILLED_IN: readonly (string | null)[] = [null, "", "~", "null"];
const value = z.string().nullable();
const pointer = z.string().regex(/^(?:\/|$)/, "a JSON pointer begins with /");
const key = z.string().regex(/^[a-z][a-z0-9-]*\/./, "a record is named as in the archive: dashboards/ID");
const values = z.record(pointer, z.union([value, z.array(value)]));
const fillSchema = z.record(key, z.union([values, z.enum(["", "null", "~"]), z.null()]));

/** Reads a fill file. Lines of which not every value is filled in are left out. */
export function parseFillFile(text: string, label: string): FillLines {
  // Secrets may look like numbers (`12e4`), so every scalar is taken as text.
  const records = parseYaml(text, label, fillSchema, "text");
  return Object.fromEntries(
    Object.entries(records).flatMap(([record, lines]) => {
      if (lines === null || typeof lines === "string") return [];
      const filled = Object.entries(lines).flatMap(([at, given]): [string, string[]][] => {
        const values = [given].flat().flatMap((each) => (NOT_FILLED_IN.includes(each) || each === null ? [] : [each]));
        return values.length === [given].flat().length && values.length > 0 ? [[at, values]] : [];
      });
      return filled.length === 0 ? [] : [[record, Object.fromEntries(filled)]];
    }),
  );
}

/** @throws StackferryError `config` for a file that cannot be read or is not understood. */
export async function loadFillFile(path: string): Promise<FillLines> {
  const problem = `the fill file ${path} cannot be read`;
  const text = await readTextFile(path, problem, "--write-fill drafts one from a plan");
  return parseFillFile(text, path);
}

/** The values themselves. @throws StackferryError `config` that names the variable or file that is missing. */
export async function expandFillLines(lines: FillLines, path: string, env: ValueSources["env"]): Promise<FillLines> {
  const sources = { env, configPath: path };
  const records = Object.entries(lines).map(async ([record, texts]) => {
    const expanded = Object.entries(texts).map(async ([at, values]) => {
      const where = `${record} ${at}`;
      return [at, await Promise.all(values.map((each) => expandValue(each, where, sources)))] as const;
    });
    return [record, Object.fromEntries(await Promise.all(expanded))] as const;
  });
  return Object.fromEntries(await Promise.all(records));
}

const HEADER = `# stackferry fill file: the secrets that were taken out of an archive. Fill in the empty lines and give the file to --fill.
# A value is the secret itself, \${env:NAME} or \${file:PATH} (relative to this file). Empty lines are ignored.
`;

/**
 * Drafts a fill file from what a plan lacks: one line for each place, a list where a text lacks more than one. Lines that are
 * filled in already are kept as they are written, so reading the draft gives exactly `lines` again.
 */
export function formatFillDraft(missing: readonly MissingSecret[], lines: FillLines = {}): string {
  const names = new Map<string, string>(missing.map(({ key, name }) => [key, name]));
  const keys = [...new Set([...Object.keys(lines), ...names.keys()])].sort();
  const sections = keys.map((key) => {
    const filled = lines[key] ?? {};
    const kept = Object.entries(filled).map(([at, values]) => line(at, values, ""));
    const open = missing.filter((secret) => secret.key === key && !Object.hasOwn(filled, secret.pointer));
    const drafted = open.map(({ pointer, rules }) =>
      line(
        pointer,
        rules.map(() => ""),
        `  # ${rules.join(", ")}`,
      ),
    );
    const name = names.get(key);
    return `${quoted(key)}:${name ? `  # ${quoted(name)}` : ""}\n${kept.join("")}${drafted.join("")}`;
  });
  return [HEADER, ...sections].join("\n");
}

function line(pointer: string, values: readonly string[], comment: string): string {
  const [only = ""] = values;
  const written = values.length === 1 ? quoted(only) : `[${values.map(quoted).join(", ")}]`;
  return `  ${quoted(pointer)}: ${written}${comment}\n`;
}
