import type { Argv } from "yargs";
import { partition } from "../../core/collections.ts";
import { pluralize } from "../../core/text/format.ts";
import { commandGroups, type NamedCommand } from "./commands.ts";
import type { Command } from "./define-command.ts";
import { exitCodes } from "./exit-codes.ts";
import { globalFlags, type Flag } from "./flags.ts";

type Row = readonly [term: string, says: string];

/** yargs also takes the word `help` for the flag. */
export function isHelpAsked(argv: readonly string[]): boolean {
  return argv.some((word) => ["--help", "-h", "help"].includes(word));
}

/** Written here, because yargs cannot show groups of commands. Every character is ASCII, and takes one column. */
export function overviewText(columns: number, isWhole: boolean): string {
  const groups = Object.entries(commandGroups).flatMap(([title, rows]) => [
    `\n${title}:`,
    ...list(rows, columns, COMMAND_WIDTH),
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
  const flags = Object.entries<Flag>(globalFlags).map(([name, { alias, type, choices, describe }]): Row => {
    const value = type === "boolean" ? "" : ` <${choices?.join("|") ?? "value"}>`;
    return [`--${name}${value}`, alias === undefined ? describe : `${describe} (-${alias})`];
  });
  return [
    "\nOptions of every command:",
    ...list([...flags, ["--help", "Show help (-h)"], ["--version", "Show version number"]], columns),
  ];
}

export function addCommandHelp(yargs: Argv, command: NamedCommand, isWhole: boolean, columns: number): Argv {
  const { name, flags, positionals } = command;
  const [advanced, common] = partition(Object.keys(flags), (flag) => flags[flag]?.advanced === true);
  // Global flags are hidden, because the overview lists them.
  const hidden = [...Object.keys(globalFlags), "version", ...(isWhole ? [] : advanced)];
  for (const flag of hidden) yargs.hide(flag);
  for (const [flag, declared] of Object.entries(flags)) yargs.describe(flag, describedFlag(declared));
  for (const [word, declared] of Object.entries(positionals)) {
    // An argument has no note `required`, because the synopsis shows it.
    yargs.describe(word, describedFlag({ ...declared, demandOption: false }));
  }
  const more =
    isWhole || advanced.length === 0
      ? []
      : [`${pluralize(advanced.length, "more option")}: stackferry ${name} --help --all`];
  const examples = isWhole ? command.examples : commonExamples(command, advanced);
  return withoutTypes(yargs)
    .group([...common, "help"], "Options:")
    .group(advanced, "Advanced options:")
    .epilogue(
      [
        ...more,
        "options of every command (--config, --json, --quiet …): stackferry --help --all",
        `\nExamples:\n${examples.map((example) => exampleText(example, columns)).join("\n")}`,
        ...exitCodeLines(command, isWhole, columns),
      ].join("\n"),
    );
}

/** Types such as `[string]` would take a line for every second flag. The TypeScript types of yargs lack this method. */
function withoutTypes(yargs: Argv): Argv {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (yargs as Argv & { usageConfiguration(settings: object): Argv }).usageConfiguration({ "hide-types": true });
}

/** Adds the notes that yargs leaves out together with the types. */
function describedFlag({ describe, demandOption, choices, default: preset }: Flag): string {
  const notes = [
    ...(demandOption === true ? ["required"] : []),
    ...(choices === undefined || choices.every((choice) => describe.includes(choice)) ? [] : [choices.join("|")]),
    ...(preset === undefined ? [] : [`default: ${preset}`]),
  ];
  return notes.length === 0 ? describe : `${describe} (${notes.join("; ")})`;
}

const FEW_EXAMPLES = 3;

/** The short help hides advanced flags, and examples with such flags. */
function commonExamples({ examples }: Command, advanced: readonly string[]): Command["examples"] {
  const usesHidden = ([line]: readonly [string, string]): boolean =>
    advanced.some((flag) => new RegExp(`--${flag}(?![\\w-])`).test(line));
  return examples.filter((example) => !usesHidden(example)).slice(0, FEW_EXAMPLES);
}

function exitCodeLines({ exitCodes: codes }: Command, isWhole: boolean, columns: number): string[] {
  if (isWhole) {
    const rows = codes.map((code): Row => [String(code), exitCodes[code].meaning]);
    return ["\nExit codes:", ...list(rows, columns)];
  }
  const short = `Exit codes: ${codes.map((code) => `${code} ${exitCodes[code].short}`).join(", ")}`;
  return ["", ...wrapWords(wordsOf(short), columns)];
}

const MAX_EXAMPLE_WIDTH = 80;

/**
 * The command line is broken so that a shell accepts all its lines.
 * @public The docs show it.
 */
export function exampleText([line, effect]: readonly [string, string], columns: number): string {
  const width = Math.min(columns, MAX_EXAMPLE_WIDTH);
  const comment = wrapWords(wordsOf(effect), width - "  # ".length).map((text) => `  # ${text}\n`);
  const room = width - "      ".length - " \\".length;
  const parts = `stackferry ${line}`.split(/ (?=--)/).flatMap((part) => (part.length > room ? wordsOf(part) : [part]));
  return `${comment.join("")}  ${wrapWords(parts, room).join(" \\\n      ")}`;
}

const INDENT = 2;
const GAP = 2;
const NARROWEST = 20;

const COMMAND_WIDTH = 12;

function list(rows: readonly Row[], columns: number, least = 0): string[] {
  const indent = " ".repeat(INDENT);
  const width = Math.max(least, ...rows.map(([term]) => term.length + GAP));
  return rows.flatMap(([term, says]) =>
    wrapWords(wordsOf(says), Math.max(columns - INDENT - width, NARROWEST)).map(
      (line, index) => `${indent}${(index === 0 ? term : "").padEnd(width)}${line}`,
    ),
  );
}

function wrapWords(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || longer.length > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** Does not split a text inside quotation marks. */
function wordsOf(text: string): string[] {
  return text.match(/(?:"[^"]*"|\S)+/g) ?? [];
}
