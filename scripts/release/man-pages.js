import { commands as listed } from "../../dist/cli/program/commands.js";
import { argumentWords } from "../../dist/cli/program/define-command.js";
import { exitCodes } from "../../dist/cli/program/exit-codes.js";
import { globalFlags } from "../../dist/cli/program/flags.js";

const commands = await Promise.all(listed.map(({ load }) => load()));

/** Returns the man pages by file name: `stackferry.1`, and one for each command. Their texts are those of `--help`. */
export function manPages(version) {
  const pages = { "stackferry.1": overview(version) };
  for (const command of commands) pages[`stackferry-${command.name}.1`] = commandPage(command, version);
  return pages;
}

function overview(version) {
  return page(version, "stackferry", "back up, move and copy an observability stack", [
    ["SYNOPSIS", "\\fBstackferry\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]"],
    ["COMMANDS", commands.map((command) => item(bold(synopsisOf(command)), `${command.describe}.`)).join("\n")],
    ["OPTIONS OF EVERY COMMAND", flagList(Object.entries(globalFlags))],
    [
      "EXIT STATUS",
      Object.entries(exitCodes)
        .map(([code, { meaning }]) => item(bold(code), meaning))
        .join("\n"),
    ],
    ["SEE ALSO", commands.map(({ name }) => `\\fBstackferry\\-${name}\\fR(1)`).join(",\n")],
  ]);
}

function commandPage(command, version) {
  const own = Object.entries(command.flags);
  const [common, advanced] = [false, true].map((wanted) =>
    own.filter(([, options]) => (options.advanced === true) === wanted),
  );
  const positionals = Object.entries(command.positionals);
  return page(version, `stackferry-${command.name}`, command.describe, [
    ["SYNOPSIS", `${bold(synopsisOf(command))}${own.length > 0 ? " [\\fIoptions\\fR]" : ""}`],
    ["ARGUMENTS", positionals.map(([word, options]) => item(italic(word), describeFlag(options))).join("\n")],
    ["OPTIONS", flagList(common)],
    ["ADVANCED OPTIONS", flagList(advanced)],
    ["EXAMPLES", `.nf\n${command.examples.map(exampleOf).join("\n")}\n.fi`],
    ["EXIT STATUS", command.exitCodes.map((code) => item(bold(String(code)), exitCodes[code].meaning)).join("\n")],
    ["SEE ALSO", "\\fBstackferry\\fR(1) has the options of every command."],
  ]);
}

/** Returns a page in roff format; sections without text are left out. */
function page(version, name, describe, sections) {
  const title = `.TH "${name.toUpperCase()}" "1" "" "stackferry ${version}" "stackferry manual"`;
  const all = [["NAME", `${plain(name)} \\- ${plain(describe)}`], ...sections];
  return `${[title, ...all.filter(([, text]) => text !== "").map(([heading, text]) => `.SH "${heading}"\n${text}`)].join("\n")}\n`;
}

function synopsisOf(command) {
  return ["stackferry", command.name, argumentWords(command)].filter(Boolean).join(" ");
}

function flagList(flags) {
  return flags.map(([name, options]) => item(flagName(name, options), describeFlag(options))).join("\n");
}

function flagName(name, { alias, type, choices }) {
  const letter = alias === undefined ? "" : `${bold(`-${alias}`)}, `;
  return `${letter}${bold(`--${name}`)}${type === "boolean" ? "" : ` ${italic(choices?.join("|") ?? "value")}`}`;
}

function describeFlag({ describe = "", demandOption, default: preset }) {
  const notes = [
    ...(demandOption === true ? ["required"] : []),
    ...(preset === undefined ? [] : [`default: ${preset}`]),
  ];
  return notes.length === 0 ? describe : `${describe} (${notes.join("; ")})`;
}

function item(term, text) {
  return `.TP\n${term}\n${plain(text)}`;
}

function bold(text) {
  return `\\fB${plain(text)}\\fR`;
}

function italic(text) {
  return `\\fI${plain(text)}\\fR`;
}

function exampleOf([line, effect]) {
  return `${plain(`# ${effect}`)}\n${plain(`stackferry ${line}`)}`;
}

/** Escapes a text for roff, in which a line that begins with a dot or a quotation mark is a request. */
function plain(text) {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("…", "...")
    .replaceAll(
      /[^\n -~]/gu,
      (character) => `\\[u${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`,
    )
    .replaceAll(/^(?=[.'])/gm, "\\&");
}
