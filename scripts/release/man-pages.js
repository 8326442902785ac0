import { globalFlags } from "../../dist/cli/program/parse/global-flags.js";
import { commandOutlines } from "../../dist/cli/program/parse/outlines.js";
import { parseCommandLine } from "../../dist/cli/program/parse/parse.js";
import { exitCodes } from "../../dist/cli/program/exit-codes.js";
import { examplesOf, exitCodesOf } from "../docs/cli-reference.js";

/** Returns the man pages by file name: `stackferry.1`, and one for each command. Their texts are those of `--help`. */
export async function manPages(version) {
  const pages = { "stackferry.1": overview(version) };
  for (const outline of commandOutlines) pages[`stackferry-${outline.name}.1`] = await commandPage(outline, version);
  return pages;
}

function overview(version) {
  return page(version, "stackferry", "back up, move and copy an observability stack", [
    ["SYNOPSIS", "\\fBstackferry\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]"],
    ["COMMANDS", commandOutlines.map((outline) => item(bold(synopsisOf(outline)), `${outline.describe}.`)).join("\n")],
    ["OPTIONS OF EVERY COMMAND", flagList(Object.entries(globalFlags))],
    [
      "EXIT STATUS",
      Object.entries(exitCodes)
        .map(([code, { meaning }]) => item(bold(code), meaning))
        .join("\n"),
    ],
    ["SEE ALSO", commandOutlines.map(({ name }) => `\\fBstackferry\\-${name}\\fR(1)`).join(",\n")],
  ]);
}

async function commandPage(outline, version) {
  const { text } = await parseCommandLine([outline.name, "--help", "--all"], 200);
  const own = Object.entries(outline.flags);
  const [common, advanced] = [false, true].map((wanted) =>
    own.filter(([, options]) => (options.advanced === true) === wanted),
  );
  const positionals = Object.entries(outline.positionals);
  return page(version, `stackferry-${outline.name}`, outline.describe, [
    ["SYNOPSIS", `${bold(synopsisOf(outline))}${own.length > 0 ? " [\\fIoptions\\fR]" : ""}`],
    ["ARGUMENTS", positionals.map(([word, options]) => item(italic(word), describeFlag(options))).join("\n")],
    ["OPTIONS", flagList(common)],
    ["ADVANCED OPTIONS", flagList(advanced)],
    ["EXAMPLES", `.nf\n${examplesOf(text).split("\n").map(plain).join("\n")}\n.fi`],
    [
      "EXIT STATUS",
      exitCodesOf(text)
        .map((code) => item(bold(code), exitCodes[code].meaning))
        .join("\n"),
    ],
    ["SEE ALSO", "\\fBstackferry\\fR(1) has the options of every command."],
  ]);
}

/** Returns a page in roff format; sections without text are left out. */
function page(version, name, describe, sections) {
  const title = `.TH "${name.toUpperCase()}" "1" "" "stackferry ${version}" "stackferry manual"`;
  const all = [["NAME", `${plain(name)} \\- ${plain(describe)}`], ...sections];
  return `${[title, ...all.filter(([, text]) => text !== "").map(([heading, text]) => `.SH "${heading}"\n${text}`)].join("\n")}\n`;
}

function synopsisOf({ name, arguments: words }) {
  return ["stackferry", name, words].filter(Boolean).join(" ");
}

function flagList(flags) {
  return flags.map(([name, options]) => item(flagName(name, options), describeFlag(options))).join("\n");
}

function flagName(name, { type, choices }) {
  return type === "boolean" ? bold(`--${name}`) : `${bold(`--${name}`)} ${italic(choices?.join("|") ?? "value")}`;
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
