import { globalFlags, shortFlags } from "./global-flags.ts";

/** A command in the list of commands. Its flags are in its own file, which is loaded only when the line names it. */
export interface CommandOutline {
  readonly name: string;
  /** The arguments after the name: `<archive>`. */
  readonly arguments?: string;
  readonly describe: string;
}

/** Every command, in the order of the help. */
export const commandOutlines = [
  { name: "init", describe: "Ask for a stack and where its key is, try them, and write stackferry.yaml" },
  { name: "export", describe: "Export a live stack into an archive" },
  { name: "inspect", arguments: "<archive>", describe: "Show what an archive holds" },
  { name: "verify", arguments: "<archive>", describe: "Check every record of an archive against its checksum" },
  { name: "report", arguments: "<file>", describe: "Draw an archive, or the journal of an import, as an HTML page" },
  { name: "import", arguments: "<archive>", describe: "Import an archive onto a live stack" },
  { name: "apply", arguments: "<path>", describe: "Change a stack to match files that people edit" },
  { name: "migrate", describe: "Export one stack and import it onto another" },
  { name: "rollback", arguments: "<journal>", describe: "Undo one import" },
  {
    name: "diff",
    arguments: "<left> <right>",
    describe: "Compare archives and stacks; differences in ids are ignored",
  },
  { name: "backup", arguments: "[stack..]", describe: "Back up stacks into a repository, and remove old backups" },
  { name: "list", arguments: "<repository>", describe: "Show the backups in a repository" },
  { name: "log", arguments: "<backups>", describe: "Show what changed on a stack between its backups" },
  { name: "restore", arguments: "<backup>", describe: "Import a backup from a repository onto a live stack" },
  { name: "prune", arguments: "<repository>", describe: "Remove backups that no retention rule keeps" },
  {
    name: "check",
    arguments: "<repository>",
    describe: "Check that the backups in a repository are undamaged and recent",
  },
  {
    name: "doctor",
    arguments: "[name..]",
    describe: "Test whether stacks and repositories can be reached and accept the key",
  },
  { name: "config", arguments: "<action>", describe: "Check the configuration file, or print its JSON Schema" },
  { name: "sandbox", describe: "Run a stack on this machine, to try things out" },
  { name: "demo", describe: "Show a migration and the rebuild of a lost stack, on this machine alone" },
  { name: "completion", arguments: "<shell>", describe: "Print the completion script of a shell" },
] as const satisfies readonly CommandOutline[];

export type CommandName = (typeof commandOutlines)[number]["name"];

/** The first word of a line that the completion scripts send. */
export const COMPLETE = "--complete";

/** Finds the command that a line names, without parsing the line, so that it also works for lines that cannot be parsed. */
export function commandNameOf(argv: readonly string[]): CommandName | undefined {
  const first = argv.find((word, index) => !word.startsWith("-") && !takesValue(argv[index - 1]));
  return commandOutlines.find(({ name }) => name === first)?.name;
}

/** Tells whether the word is a global flag that takes a value; only global flags can stand before the command. */
function takesValue(word: string | undefined): boolean {
  return Object.entries(globalFlags).some(([name, flag]) => "requiresArg" in flag && word === `--${name}`);
}

/** A line of a list: a command or a flag, and its description. */
type Row = readonly [term: string, says: string];

/**
 * Returns the text of `stackferry --help`. The text is built without yargs, because loading yargs takes longer than the rest of the
 * start. All characters are ASCII, so each takes one column.
 */
export function overviewText(columns: number): string {
  const commands = commandOutlines.map((outline): Row => {
    const words = "arguments" in outline ? [outline.name, outline.arguments] : [outline.name];
    return [`stackferry ${words.join(" ")}`, outline.describe];
  });
  const flags = Object.entries(globalFlags).map(([name, flag]): Row => {
    const value = "requiresArg" in flag ? ` <${"choices" in flag ? flag.choices.join("|") : "value"}>` : "";
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
