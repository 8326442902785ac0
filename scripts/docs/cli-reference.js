import { FOR_PROGRAMS } from "./for-programs.js";
import { importFlags } from "../../dist/cli/import/flags.js";
import { commands as listed } from "../../dist/cli/program/commands.js";
import { argumentWords } from "../../dist/cli/program/define-command.js";
import { globalFlags, retentionFlags } from "../../dist/cli/program/flags.js";

const commands = await Promise.all(listed.map(({ load }) => load()));

const FRONT = `# Command line reference

<!-- Written by npm run docs from the commands themselves. -->

\`stackferry COMMAND --help\` prints the common flags with examples, \`--help --all\` all of them and the exit codes. In the arguments, STACK is a name of the configuration or an address, REPO a folder, \`s3://bucket/prefix\` or a repository of the configuration, and ARCHIVE a file, a folder, an \`s3://\` address or a backup: \`REPO/STACK\` or \`REPO/STACK@TIME\`. Keys come from the [configuration](configuration.md).
`;

/** Flags that several commands share. They are described once: here, or on another page. */
const shared = [
  { name: "the flags of an import", at: "#the-flags-of-an-import", flags: importFlags },
  { name: "the `--keep-…` flags", at: "repository.md#retention", flags: retentionFlags },
];

/** Returns the page of all commands, in the order of the help. */
export function cliReference() {
  return [
    FRONT,
    FOR_PROGRAMS,
    ...commands.map(section),
    flagSection("The flags of an import", importFlags),
    flagSection("Flags of every command", globalFlags),
  ].join("\n");
}

function section(command) {
  const { name, describe, flags, positionals } = command;
  const isShared = (flag) => shared.some((group) => group.flags[flag]?.describe === flags[flag].describe);
  const lines = [
    ...Object.entries(positionals)
      .map(([word, options]) => argument(word, options))
      .filter((text) => !/: (?:STACK|REPO|ARCHIVE)$/.test(text)),
    ...Object.entries(flags).flatMap(([flag, options]) => (isShared(flag) ? [] : [line(flag, options)])),
    ...shared.flatMap((group) => sharedLine(group, flags)),
  ];
  const words = argumentWords(command);
  const about = words === "" ? describe : `\`stackferry ${name} ${words}\`: ${lowerFirst(describe)}`;
  return `## ${name}\n\n${about}.\n\n${lines.join("\n")}\n`;
}

/** Names the flags of a command that are those of a group; all of them by the name of the group. */
function sharedLine({ name, at, flags: group }, flags) {
  const given = Object.keys(group).filter((flag) => flags[flag]?.describe === group[flag].describe);
  if (given.length === 0) return [];
  if (given.length > Object.keys(group).length - 2) return [`- [${name}](${at})`];
  return [`- ${given.map((flag) => `\`--${flag}\``).join(", ")}: of [${name}](${at})`];
}

function flagSection(title, flags) {
  const lines = Object.entries(flags).map(([flag, options]) => line(flag, options));
  return `## ${title}\n\n${lines.join("\n")}\n`;
}

function line(flag, { alias, describe, choices, demandOption, default: preset }) {
  const notes = [
    ...(demandOption === true ? ["required"] : []),
    ...(choices === undefined ? [] : [choices.map((choice) => `\`${choice}\``).join(", ")]),
    ...(preset === undefined ? [] : [`default: \`${preset}\``]),
  ];
  const letter = alias === undefined ? "" : `, \`-${alias}\``;
  return `- \`--${flag}\`${letter}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}: ${prose(describe)}`;
}

function argument(word, { describe, choices }) {
  return `- \`${word}\`${choices === undefined ? "" : ` (${choices.map((choice) => `\`${choice}\``).join(", ")})`}: ${prose(describe ?? "")}`;
}

/** Formats flags as code, and leaves out what the page says of STACK, REPO and ARCHIVE at its beginning. */
function prose(text) {
  return text
    .replace(/: a name or an address$/, "")
    .replace(/^REPO: .*/, "REPO")
    .replace(/^Archive: a zip file.*/, "ARCHIVE")
    .replaceAll(/(?<![\w`-])--[a-z][a-z-]+/g, "`$&`")
    .replaceAll(/\*/g, "\\*")
    .replaceAll(/</g, "\\<");
}

function lowerFirst(text) {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
