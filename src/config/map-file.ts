import { z } from "zod";
import type { ManualMapping, Match, Unresolved } from "../core/plan.ts";
import { MOST_CANDIDATES } from "../core/plan.ts";
import { counted } from "../core/text/plural.ts";
import { readTextFile } from "./read-text-file.ts";
import { parseYaml, quoted } from "./yaml.ts";

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
  const problem = `the map file ${path} cannot be read`;
  const text = await readTextFile(path, problem, "--write-map drafts one from a plan");
  return parseMapFile(text, path);
}

const HEADER = `# stackferry map file: what is what on the target. Fill in the empty lines and give the file to --map.
# Left: an id or name of the archive. Right: the id or name of the same thing on the target. Empty lines are ignored.
# Where the target has no list (connections everywhere, webhooks of many managed stacks), only an id is taken on the right.
`;

/**
 * Drafts a map file from what a plan could not match: one empty line each, with what is known of it as comments.
 * Lines that are filled in already are kept, so reading the draft gives exactly `mapping` again. The names of what they stand
 * for are written behind them.
 */
export function formatMapDraft(
  unresolved: readonly Unresolved[],
  mapping: ManualMapping = {},
  names: readonly MappedNames[] = [],
): string {
  const listed: Listed = new Map();
  const nameOf = new Map(names.map(({ space, from, ...rest }) => [`${space} ${from}`, rest]));
  const spaces = [...new Set([...Object.keys(mapping), ...unresolved.map(({ space }) => space)])].sort();
  const sections = spaces.map((space) => {
    const filled = mapping[space] ?? {};
    const kept = Object.entries(filled).map(([from, to]) => {
      return `  ${quoted(from)}: ${quoted(to)}${namesText(from, to, nameOf.get(`${space} ${from}`))}\n`;
    });
    const open = unresolved.filter((entry) => entry.space === space && !Object.hasOwn(filled, entry.id));
    return `${quoted(space)}:\n${kept.join("")}${open.map((entry) => draftLine(entry, listed)).join("")}`;
  });
  return [HEADER, ...sections].join("\n");
}

/** What the two sides of a line are called. */
export type MappedNames = Pick<Match, "space" | "from" | "name" | "targetName">;

/** Ids tell nobody what a line is about. */
function namesText(from: string, to: string, names: Omit<MappedNames, "space" | "from"> | undefined): string {
  const { name = "", targetName = "" } = names ?? {};
  const source = name === from ? "" : name;
  const target = targetName === to ? "" : targetName;
  if (source === "" && target === "") return "";
  return ` # ${[source, target]
    .map((text) => (text === "" ? "" : quoted(text)))
    .join(" → ")
    .trim()}`;
}

/** Long lists of candidates, and the id that each is written at: the others say so, or the file would grow with the square. */
type Listed = Map<Unresolved["candidates"], string>;

function draftLine(entry: Unresolved, listed: Listed): string {
  const { id, name, reason, neededBy } = entry;
  const what = name === "" || name === id ? "" : `${quoted(name)}: `;
  const why = {
    missing: "nothing like it on the target",
    ambiguous: "more than one like it on the target",
    dead: "not in the archive either",
  }[reason];
  return `  # ${what}${why}; ${counted(neededBy, "record")} ${neededBy === 1 ? "needs" : "need"} it\n${choices(entry, listed)}  ${quoted(id)}:\n`;
}

function choices({ id, candidates }: Unresolved, listed: Listed): string {
  if (candidates.length === 0) return "";
  const at = listed.get(candidates);
  if (at !== undefined) return `  # Candidates: those of ${quoted(at)}\n`;
  if (candidates.length > MOST_CANDIDATES) listed.set(candidates, id);
  const lines = candidates.map((candidate) => `  #   ${quoted(candidate.id)}  ${quoted(candidate.name)}\n`);
  return `  # Candidates:\n${lines.join("")}`;
}
