import type { MissingSecret } from "../domain/plan.ts";
import type { FillLines } from "./fill-file.ts";
import { quoted } from "./quoted.ts";

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
    const open = missing.filter((place) => place.key === key && !Object.hasOwn(filled, place.pointer));
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
