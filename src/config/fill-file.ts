import { readFile } from "node:fs/promises";
import { z } from "zod";
import { StackferryError } from "../domain/errors.ts";
import { expandValue } from "./expand-value.ts";
import type { ValueSources } from "./expand-value.ts";
import { parseYaml } from "./parse-yaml.ts";

/** A fill file as written, `${env:…}` and `${file:…}` not yet filled in: record key → JSON pointer → values. Empty: not filled in yet. */
export type FillLines = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

// A draft's lines are empty until somebody fills them in.
const NOT_FILLED_IN: readonly (string | null)[] = [null, "", "~", "null"];
const value = z.string().nullable();
const pointer = z.string().regex(/^(?:\/|$)/, "a JSON pointer begins with /");
const key = z.string().regex(/^[a-z][a-z0-9-]*\/./, "a record is named as in the archive: dashboards/ID");
const places = z.record(pointer, z.union([value, z.array(value)]));
const fillSchema = z.record(key, z.union([places, z.enum(["", "null", "~"]), z.null()]));

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
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new StackferryError("config", `the fill file ${path} cannot be read`, {
      cause,
      hint: "--write-fill drafts one from a plan",
    });
  }
  return parseFillFile(text, path);
}

/** The values themselves. @throws StackferryError `config` that names the variable or file that is missing. */
export async function expandFillLines(lines: FillLines, path: string, env: ValueSources["env"]): Promise<FillLines> {
  const sources = { env, configPath: path };
  const records = Object.entries(lines).map(async ([record, places]) => {
    const expanded = Object.entries(places).map(async ([at, values]) => {
      const where = `${record} ${at}`;
      return [at, await Promise.all(values.map((each) => expandValue(each, where, sources)))] as const;
    });
    return [record, Object.fromEntries(await Promise.all(expanded))] as const;
  });
  return Object.fromEntries(await Promise.all(records));
}
