import { readFile } from "node:fs/promises";
import { z } from "zod";
import { StackferryError } from "../domain/errors.ts";
import type { ManualMapping } from "../domain/plan.ts";
import { parseYaml } from "./parse-yaml.ts";

// A draft's lines are empty until somebody fills them in.
const pairs = z.record(z.string().min(1), z.string().nullable());
const mapSchema = z.record(z.string().min(1), z.union([pairs, z.enum(["", "null", "~"]), z.null()]));
const NOT_FILLED_IN: readonly (string | null)[] = [null, "", "~", "null"];

/** Reads a map file (design, section 3). Lines that are not filled in yet are left out. */
export function parseMapFile(text: string, label: string): ManualMapping {
  // Ids may look like numbers (`12e4…`), so every scalar is taken as text.
  const spaces = parseYaml(text, label, mapSchema, "text");
  const filled = Object.entries(spaces).flatMap(([space, lines]): [string, Record<string, string>][] => {
    if (lines === null || typeof lines === "string") return [];
    const entries = Object.entries(lines).filter((line): line is [string, string] => !NOT_FILLED_IN.includes(line[1]));
    return entries.length === 0 ? [] : [[space, Object.fromEntries(entries)]];
  });
  return Object.fromEntries(filled);
}

/** @throws StackferryError `config` for a file that cannot be read or is not understood. */
export async function loadMapFile(path: string): Promise<ManualMapping> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new StackferryError("config", `the map file ${path} cannot be read`, {
      cause,
      hint: "--write-map drafts one from a plan",
    });
  }
  return parseMapFile(text, path);
}
