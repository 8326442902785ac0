import type { Argv } from "yargs";
import { partition } from "../../../core/collections.ts";
import { pluralize } from "../../../core/text/format.ts";
import type { CommandOutline } from "../../flags/outline.ts";
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
  const more =
    isWhole || advanced.length === 0
      ? []
      : [`${pluralize(advanced.length, "more option")}: stackferry ${name} --help --all`];
  return yargs
    .group([...common, "help"], "Options:")
    .epilogue(
      [
        ...more,
        "options of every command (--config, --json, --quiet …): stackferry --help",
        `\nExamples:\n${outline.examples.map((example) => exampleText(example, columns)).join("\n")}`,
        "\nExit codes:",
        ...outline.exitCodes.map((code) => `  ${String(code).padEnd(3)}  ${exitCodes[code]}`),
      ].join("\n"),
    );
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
