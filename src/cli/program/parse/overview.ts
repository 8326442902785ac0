import { globalFlags, shortFlags } from "./global-flags.ts";
import { commandOutlines, type CommandName } from "./outlines.ts";

/** A line of a list: a command or a flag, and its description. */
type Row = readonly [term: string, says: string];

/** The commands by what people want to do. */
const GROUPS = {
  Start: ["init", "demo", "sandbox", "completion"],
  Keep: ["backup", "restore", "list", "check", "prune"],
  Move: ["export", "import", "migrate", "rollback"],
  Edit: ["apply", "diff"],
  Look: ["inspect", "verify", "report", "log", "doctor", "config"],
} as const satisfies Readonly<Record<string, readonly CommandName[]>>;

/**
 * Returns the text of `stackferry --help`, with the options of every command if `isWhole` is set. The text is built without yargs, because loading yargs takes longer than the rest of the
 * start. All characters are ASCII, so each takes one column.
 */
export function overviewText(columns: number, isWhole: boolean): string {
  const describeOf = (wanted: CommandName): string =>
    commandOutlines.find(({ name }) => name === wanted)?.describe ?? "";
  const groups = Object.entries(GROUPS).flatMap(([title, names]) => [
    `\n${title}:`,
    ...list(
      names.map((name): Row => [name, describeOf(name)]),
      columns,
      COMMAND_WIDTH,
    ),
  ]);
  return [
    "stackferry <command> [options]\n\nBack up, move and copy an observability stack.",
    ...groups,
    ...(isWhole ? globalOptions(columns) : []),
    "\nstackferry COMMAND --help shows a command's options, examples and exit codes.",
    ...(isWhole ? [] : ["stackferry --help --all shows the options of every command."]),
    "",
  ].join("\n");
}

function globalOptions(columns: number): string[] {
  const flags = Object.entries(globalFlags).map(([name, flag]): Row => {
    const value = "type" in flag ? "" : ` <${"choices" in flag ? flag.choices.join("|") : "value"}>`;
    return [`--${name}${value}`, flag.describe];
  });
  return [
    "\nOptions of every command:",
    ...list([...flags, ["--help", "Show help"], ["--version", "Show version number"]], columns),
    `\nShort forms: ${Object.entries(shortFlags)
      .map(([letter, name]) => `-${letter} --${name}`)
      .join(", ")}.`,
  ];
}

const INDENT = 2;
const GAP = 2;
/** Minimum width of descriptions, even if the terminal is narrower. */
const NARROWEST = 20;

/** Width of the names of commands. */
const COMMAND_WIDTH = 12;

function list(rows: readonly Row[], columns: number, least = 0): string[] {
  const indent = " ".repeat(INDENT);
  const width = Math.max(least, ...rows.map(([term]) => term.length + GAP));
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
