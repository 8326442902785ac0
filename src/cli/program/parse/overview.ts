import { globalFlags, shortFlags } from "./global-flags.ts";
import { commandOutlines } from "./outlines.ts";

/** A line of a list: a command or a flag, and its description. */
type Row = readonly [term: string, says: string];

/**
 * Returns the text of `stackferry --help`. The text is built without yargs, because loading yargs takes longer than the rest of the
 * start. All characters are ASCII, so each takes one column.
 */
export function overviewText(columns: number): string {
  const commands = commandOutlines.map(({ name, arguments: words, describe }): Row => [
    `stackferry ${name} ${words}`.trimEnd(),
    describe,
  ]);
  const flags = Object.entries(globalFlags).map(([name, flag]): Row => {
    const value = "type" in flag ? "" : ` <${"choices" in flag ? flag.choices.join("|") : "value"}>`;
    return [`--${name}${value}`, flag.describe];
  });
  return [
    "stackferry <command> [options]\n\nBack up, move and copy an observability stack.\n\nCommands:",
    ...list(commands, columns),
    "\nOptions of every command:",
    ...list([...flags, ["--help", "Show help"], ["--version", "Show version number"]], columns),
    `\nShort forms: ${Object.entries(shortFlags)
      .map(([letter, name]) => `-${letter} --${name}`)
      .join(", ")}.`,
    "\nstackferry COMMAND --help shows a command's options, examples and exit codes.\n",
  ].join("\n");
}

const INDENT = 2;
const GAP = 2;
/** Minimum width of descriptions, even if the terminal is narrower. */
const NARROWEST = 20;

function list(rows: readonly Row[], columns: number): string[] {
  const indent = " ".repeat(INDENT);
  const width = Math.max(...rows.map(([term]) => term.length)) + GAP;
  return rows.flatMap(([term, says]) =>
    wrapWords(says, Math.max(columns - INDENT - width, NARROWEST)).map(
      (line, index) => `${indent}${(index === 0 ? term : "").padEnd(width)}${line}`,
    ),
  );
}

/** Breaks a text into lines of at most `width` columns, between words. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || longer.length > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
