import { FOR_PROGRAMS } from "./for-programs.js";
import { importFlags } from "../../dist/cli/import/flags.js";
import { argumentWords, commands as listed, loadCommand } from "../../dist/cli/program/commands.js";
import { globalFlags } from "../../dist/cli/program/flags.js";

const commands = await Promise.all(listed.map(loadCommand));

const FRONT = `# Command line reference

<!-- Written by npm run docs from the commands themselves. -->

Every command, with its flags. \`stackferry COMMAND --help\` prints the common ones on the terminal, with examples, \`--help --all\` all of them.

- STACK is a name of the configuration, or an address: \`http://HOST:8000\` of a self-hosted stack, \`https://HOST/v1/organizations/ORG/services/SVC\` of a managed one.
- REPO is a folder, \`s3://bucket/prefix\`, or a repository of the configuration.
- ARCHIVE is a file, a folder, an \`s3://\` address, or a backup: \`REPO/STACK\` or \`REPO/STACK@TIME\`.

[configuration](configuration.md) says where keys come from, [outcomes-and-exit-codes](outcomes-and-exit-codes.md) what the exit codes call for.
`;

/** Returns the page of all commands, in the order of the help. */
export function cliReference() {
  return [
    FRONT,
    FOR_PROGRAMS,
    ...commands.map(section),
    flagSection("The flags of an import", `Of ${importing.map(({ name }) => `\`${name}\``).join(", ")}.`, importFlags),
    flagSection("Flags of every command", "", globalFlags),
  ].join("\n");
}

/** The commands with the flags of an import. */
const importing = commands.filter(({ flags }) => Object.keys(importFlags).every((name) => flags[name] !== undefined));

function section(command) {
  const { name, describe, flags, positionals, exitCodes } = command;
  const imports = importing.includes(command);
  const own = Object.entries(flags).filter(
    ([flag, { describe }]) => !imports || importFlags[flag]?.describe !== describe,
  );
  const lines = [
    ...Object.entries(positionals).map(([word, options]) => argument(word, options)),
    ...own.map(([flag, options]) => line(flag, options)),
    ...(imports ? ["- and [the flags of an import](#the-flags-of-an-import)"] : []),
  ];
  return `## ${name}

${describe}.

\`\`\`text
${["stackferry", name, argumentWords(command), ...(Object.keys(flags).length > 0 ? ["[options]"] : [])].filter(Boolean).join(" ")}
\`\`\`

${lines.join("\n")}

Exit codes: ${exitCodes.join(", ")}.
`;
}

function flagSection(title, about, flags) {
  const lines = Object.entries(flags).map(([flag, options]) => line(flag, options));
  return [`## ${title}\n`, ...(about === "" ? [] : [`${about}\n`]), `${lines.join("\n")}\n`].join("\n");
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

/** Formats flags and placeholders in capitals as code. */
function prose(text) {
  return text
    .replaceAll(/(?<![\w`-])--[a-z][a-z-]+/g, "`$&`")
    .replaceAll(/\*/g, "\\*")
    .replaceAll(/</g, "\\<");
}
