import { FOR_PROGRAMS } from "./for-programs.js";
import { globalFlags } from "../../dist/cli/program/parse/global-flags.js";
import { commandOutlines } from "../../dist/cli/program/parse/outlines.js";
import { parseCommandLine } from "../../dist/cli/program/parse/parse.js";

const FRONT = `# Command line reference

<!-- Written by npm run docs from the commands themselves. -->

Every command, with its flags. \`stackferry COMMAND --help\` prints the common ones on the terminal, \`--help --all\` all of them.

- STACK is a name of the configuration, or an address: \`http://HOST:8000\` of a self-hosted stack, \`https://HOST/v1/organizations/ORG/services/SVC\` of a managed one.
- REPO is a folder, \`s3://bucket/prefix\`, or a repository of the configuration.
- ARCHIVE is a file, a folder, an \`s3://\` address, or a backup: \`REPO/STACK\` or \`REPO/STACK@TIME\`.

[configuration](configuration.md) says where keys come from, [outcomes-and-exit-codes](outcomes-and-exit-codes.md) what the exit codes call for.
`;

/** Returns the page of all commands, in the order of the help. */
export async function cliReference() {
  const sections = [];
  for (const outline of commandOutlines) sections.push(await section(outline));
  return [FRONT, FOR_PROGRAMS, ...sections, everywhere()].join("\n");
}

async function section({ name, arguments: words, describe, flags, positionals }) {
  const { text } = await parseCommandLine([name, "--help", "--all"], 200);
  const ownFlags = Object.entries(flags);
  const argumentLines = Object.entries(positionals).map(([word, options]) => argument(word, options));
  return `## ${name}

${describe}.

\`\`\`text
stackferry ${[name, words].filter(Boolean).join(" ")}${ownFlags.length > 0 ? " [options]" : ""}
\`\`\`

${[...argumentLines, ...ownFlags.map(([flag, options]) => line(flag, options))].join("\n")}

\`\`\`text
${examplesOf(text)}
\`\`\`

Exit codes: ${exitCodesOf(text).join(", ")}.
`;
}

/** Returns the examples from a help text. */
export function examplesOf(help) {
  const [, examples = ""] = /Examples:\n([\s\S]*?)\n\nExit codes:/.exec(help) ?? [];
  return examples.replaceAll(/^ {2}/gm, "");
}

export function exitCodesOf(help) {
  const [, codes = ""] = /Exit codes:\n([\s\S]*)$/.exec(help) ?? [];
  return [...codes.matchAll(/^ +(\d+) /gm)].map(([, code]) => code);
}

function everywhere() {
  const lines = Object.entries(globalFlags).map(([flag, options]) => line(flag, options));
  return `## Flags of every command

${lines.join("\n")}
`;
}

function line(flag, { describe, choices, demandOption, default: preset }) {
  const notes = [
    ...(demandOption === true ? ["required"] : []),
    ...(choices === undefined ? [] : [choices.map((choice) => `\`${choice}\``).join(", ")]),
    ...(preset === undefined ? [] : [`default: \`${preset}\``]),
  ];
  return `- \`--${flag}\`${notes.length > 0 ? ` (${notes.join("; ")})` : ""}: ${prose(describe)}`;
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
