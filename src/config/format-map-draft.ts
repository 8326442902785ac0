import type { ManualMapping, Unresolved } from "../domain/plan.ts";
import { quoted } from "./quoted.ts";

const HEADER = `# stackferry map file: what is what on the target. Fill in the empty lines and give the file to --map.
# Left: an id or name of the archive. Right: the id or name of the same thing on the target. Empty lines are ignored.
`;

/**
 * Drafts a map file from what a plan could not match: one empty line each, with what is known of it as comments.
 * Lines that are filled in already are kept, so reading the draft gives exactly `mapping` again.
 */
export function formatMapDraft(unresolved: readonly Unresolved[], mapping: ManualMapping = {}): string {
  const spaces = [...new Set([...Object.keys(mapping), ...unresolved.map(({ space }) => space)])].sort();
  const sections = spaces.map((space) => {
    const filled = mapping[space] ?? {};
    const kept = Object.entries(filled).map(([from, to]) => `  ${quoted(from)}: ${quoted(to)}\n`);
    const open = unresolved.filter((entry) => entry.space === space && !Object.hasOwn(filled, entry.id));
    return `${quoted(space)}:\n${kept.join("")}${open.map(draftLine).join("")}`;
  });
  return [HEADER, ...sections].join("\n");
}

function draftLine({ id, name, reason, candidates, neededBy }: Unresolved): string {
  const what = name === "" || name === id ? "" : `${quoted(name)}: `;
  const why = reason === "missing" ? "nothing like it on the target" : "more than one like it on the target";
  const choices = candidates.map((candidate) => `  #   ${quoted(candidate.id)}  ${quoted(candidate.name)}\n`);
  const list = choices.length === 0 ? "" : `  # Candidates:\n${choices.join("")}`;
  return `  # ${what}${why}; ${neededBy} ${neededBy === 1 ? "record needs" : "records need"} it\n${list}  ${quoted(id)}:\n`;
}
