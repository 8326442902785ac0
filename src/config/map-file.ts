import { z } from "zod";
import {
  EVERY_OTHER,
  MAX_CANDIDATES_NAMED,
  type ManualMapping,
  type Match,
  type UnresolvedId,
} from "../core/plan/plan.ts";
import { editorSchema } from "../core/schemas.ts";
import { pluralize } from "../core/text/format.ts";
import { isAlwaysWritten, mappableSpaces } from "../kinds/registry.ts";
import { readTextFile } from "./expand-values.ts";
import { parseYaml, quoteYamlText } from "./yaml.ts";

const text = z.string().nullable();
/** YAML reads an empty section as an empty text or null, so both count as a section without lines. */
const section = z.preprocess((lines) => lines || {}, z.record(z.string().min(1), text));
const mapSchema = z.record(z.string().min(1), section);

export function parseMapFile(content: string, label: string): ManualMapping {
  const spaces = parseYaml(content, label, mapSchema, "text");
  const filled = Object.entries(spaces).map(([space, lines]) => {
    const entries = Object.entries(lines).flatMap(([id, target]) => (target ? [[id, target] as const] : []));
    return [space, Object.fromEntries(entries)] as const;
  });
  return Object.fromEntries(filled.filter(([, lines]) => Object.keys(lines).length > 0));
}

export function mapJsonSchema(): Readonly<Record<string, unknown>> {
  const entries = mappableSpaces().map((space) => {
    const there = isAlwaysWritten(space) ? "id on the target" : "id or name on the target";
    const every = space === "webhooks" ? `, or "${EVERY_OTHER}" for every webhook that nothing else matches` : "";
    const about = `Id or name of the archive${every}: ${there}`;
    return [space, z.record(z.string(), text).nullable().optional().describe(about)] as const;
  });
  const schema = z.strictObject(Object.fromEntries(entries));
  return editorSchema(schema, "stackferry map file", "Which record of the archive is which on the target");
}

export async function loadMapFile(path: string): Promise<ManualMapping> {
  const problem = `the map file ${path} cannot be read`;
  const text = await readTextFile(path, problem, "--draft-map drafts one from a plan");
  return parseMapFile(text, path);
}

const HEADER = `# stackferry map file: which record of the archive is which on the target. Fill in the empty lines and give the file to --map.
# Left: an id or name of the archive. Right: the id or name of the same thing on the target. Empty lines are ignored.
# Left "*", under webhooks: every webhook that nothing else matches.
# Where the target has no list, only an id can stand on the right (managed and older stacks: connections, whose ids stand in the
# sources that use them; many managed ones: webhooks).
`;

/** Parsing the draft gives `mapping` again: the other lines are empty or comments. */
export function formatMapDraft(
  unresolved: readonly UnresolvedId[],
  mapping: ManualMapping = {},
  names: readonly MapFileLine[] = [],
): string {
  const listed: Listed = new Map();
  const nameOf = new Map(names.map(({ space, from, ...rest }) => [`${space} ${from}`, rest]));
  const spaces = [...new Set([...Object.keys(mapping), ...unresolved.map(({ space }) => space)])].sort();
  const sections = spaces.map((space) => {
    const filled = mapping[space] ?? {};
    const filledLines = Object.entries(filled).map(([from, to]) => {
      return `  ${quoteYamlText(from)}: ${quoteYamlText(to)}${namesText(from, to, nameOf.get(`${space} ${from}`))}\n`;
    });
    const unfilled = unresolved.filter((entry) => entry.space === space && !Object.hasOwn(filled, entry.id));
    return `${quoteYamlText(space)}:\n${filledLines.join("")}${unfilled.map((entry) => draftLine(entry, listed)).join("")}`;
  });
  return [HEADER, ...sections].join("\n");
}

export type MapFileLine = Pick<Match, "space" | "from" | "name" | "targetName">;

function namesText(from: string, to: string, names: Omit<MapFileLine, "space" | "from"> | undefined): string {
  const { name = "", targetName = "" } = names ?? {};
  const source = name === from ? "" : name;
  const target = targetName === to ? "" : targetName;
  if (source === "" && target === "") return "";
  return ` # ${[source, target]
    .map((text) => (text === "" ? "" : quoteYamlText(text)))
    .join(" → ")
    .trim()}`;
}

/** Repeated long lists would make the draft grow quadratically, so only one id shows each list. */
type Listed = Map<UnresolvedId["candidates"], string>;

function draftLine(entry: UnresolvedId, listed: Listed): string {
  const { id, name, reason, neededBy } = entry;
  const label = name === "" || name === id ? "" : `${quoteYamlText(name)}: `;
  const why = {
    missing: "no similar record on the target",
    ambiguous: "several similar records on the target",
    dead: "also missing from the archive",
  }[reason];
  return `  # ${label}${why}; ${pluralize(neededBy, "record")} ${neededBy === 1 ? "needs" : "need"} it\n${candidatesText(entry, listed)}  ${quoteYamlText(id)}:\n`;
}

function candidatesText({ id, candidates }: UnresolvedId, listed: Listed): string {
  if (candidates.length === 0) return "";
  const listingId = listed.get(candidates);
  if (listingId !== undefined) return `  # Candidates: those of ${quoteYamlText(listingId)}\n`;
  if (candidates.length > MAX_CANDIDATES_NAMED) listed.set(candidates, id);
  const lines = candidates.map(
    ({ id: candidate, name }) => `  #   ${quoteYamlText(candidate)}  ${quoteYamlText(name)}\n`,
  );
  return `  # Candidates:\n${lines.join("")}`;
}
