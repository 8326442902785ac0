import type { Argv } from "yargs";
import { partition } from "../../../core/collections.ts";
import { pluralize } from "../../../core/text/format.ts";
import type { CommandOutline, Flag } from "../../flags/outline.ts";
import { exitCodes } from "../exit-codes.ts";
import type { NamedOutline } from "./outlines.ts";
import { wrapWords } from "./overview.ts";

/** The help that a line asks for: none, the common flags, or all of them (`--help --all`). */
export type RequestedHelp = "none" | "common" | "all";

export function requestedHelp(argv: readonly string[]): RequestedHelp {
  if (!argv.some((word) => word.includes("help"))) return "none";
  return argv.includes("--all") ? "all" : "common";
}

/** Keeps yargs from building the help text in every run, which takes six times as long as parsing. */
export function hideFromHelp(yargs: Argv, outline: CommandOutline): Argv {
  for (const name of [...Object.keys(outline.flags), ...Object.keys(outline.positionals), "help"]) yargs.hide(name);
  return yargs;
}

export function addCommandHelp(
  yargs: Argv,
  { name, ...outline }: NamedOutline,
  isWhole: boolean,
  columns: number,
): Argv {
  const [advanced, common] = partition(Object.keys(outline.flags), (flag) => outline.flags[flag]?.advanced === true);
  if (isWhole) yargs.group(advanced, "Advanced options:");
  else for (const flag of advanced) yargs.hide(flag);
  const examples = isWhole ? outline.examples : commonExamples(outline, advanced);
  const more =
    isWhole || advanced.length === 0
      ? []
      : [`${pluralize(advanced.length, "more option")}: stackferry ${name} --help --all`];
  return withoutTypes(yargs)
    .group([...common, "help"], "Options:")
    .epilogue(
      [
        ...more,
        "options of every command (--config, --json, --quiet …): stackferry --help --all",
        `\nExamples:\n${examples.map((example) => exampleText(example, columns)).join("\n")}`,
        ...(isWhole
          ? [
              "\nExit codes:",
              ...outline.exitCodes.map((code) => `  ${String(code).padEnd(3)}  ${exitCodes[code].meaning}`),
            ]
          : ["", ...wrapWords(shortExitCodes(outline), columns)]),
      ].join("\n"),
    );
}

/** The types of yargs lack this method, which leaves out `[string]` and the like: they take a line for each second flag. */
interface UsageSettings {
  usageConfiguration(settings: { readonly "hide-types": boolean }): Argv;
}

function withoutTypes(yargs: Argv): Argv {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (yargs as Argv & UsageSettings).usageConfiguration({ "hide-types": true });
}

/** Returns a flag whose description tells what yargs would append: that it is required, its choices, its default. */
export function describedFlag(flag: Flag): Flag {
  const { describe, demandOption, choices, default: preset } = flag;
  const notes = [
    ...(demandOption === true ? ["required"] : []),
    ...(choices === undefined || choices.every((choice) => describe.includes(choice)) ? [] : [choices.join("|")]),
    ...(preset === undefined ? [] : [`default: ${preset}`]),
  ];
  return notes.length === 0 ? flag : { ...flag, describe: `${describe} (${notes.join("; ")})` };
}

/** Number of examples in the common help. */
const FEW_EXAMPLES = 3;

/** Takes the first examples that use no flag which the common help hides. */
function commonExamples({ examples }: CommandOutline, advanced: readonly string[]): CommandOutline["examples"] {
  const usesHidden = ([line]: readonly [string, string]): boolean =>
    advanced.some((flag) => new RegExp(`--${flag}(?![\\w-])`).test(line));
  return examples.filter((example) => !usesHidden(example)).slice(0, FEW_EXAMPLES);
}

function shortExitCodes({ exitCodes: codes }: CommandOutline): string {
  return `Exit codes: ${codes.map((code) => `${code} ${exitCodes[code].short}`).join(", ")}`;
}

const MAX_EXAMPLE_WIDTH = 80;

/** Renders the effect of an example, and below it the command line, broken before flags or, if need be, between words. */
function exampleText([line, effect]: readonly [string, string], columns: number): string {
  const width = Math.min(columns, MAX_EXAMPLE_WIDTH);
  const room = width - "      ".length - " \\".length;
  const parts = `stackferry ${line}`.split(/ (?=--)/).flatMap((part) => (part.length > room ? wordsOf(part) : [part]));
  const lines: string[] = [];
  for (const part of parts) {
    const longer = lines.length === 0 ? `  ${part}` : `${lines.at(-1)} ${part}`;
    if (lines.length > 0 && longer.length + " \\".length > width) lines.push(`      ${part}`);
    else lines.splice(-1, 1, longer);
  }
  const comment = wrapWords(effect, width - "  # ".length).map((text) => `  # ${text}\n`);
  return `${comment.join("")}${lines.join(" \\\n")}`;
}

/** Splits a part of a command line at its blanks, but never between quotation marks. */
function wordsOf(part: string): string[] {
  return part.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [part];
}
