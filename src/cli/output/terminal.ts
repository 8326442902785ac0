import { styleText } from "node:util";
import { StackferryError, errorMessage } from "../../core/errors.ts";
import type { CliIo, TextOutput } from "../program/io.ts";
import { upperFirst } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";

export interface Theme {
  readonly good: Paint;
  readonly bad: Paint;
  readonly notice: Paint;
  readonly faint: Paint;
  readonly strong: Paint;
  /** Like `strong`, but with a capital as the first letter. */
  readonly heading: Paint;
}

export type Paint = (text: string) => string;

/** Undefined `columns` means no maximum width. */
export interface OutputOptions {
  readonly theme: Theme;
  readonly columns: number | undefined;
  /** True if nothing may be cut or summarised (`--verbose`). */
  readonly verbose?: boolean;
}

export function createTheme(colours: boolean): Theme {
  const paint =
    (style: Parameters<typeof styleText>[0]): Paint =>
    (text) =>
      colours ? styleText(style, text, { validateStream: false }) : text;
  const strong = paint("bold");
  return {
    good: paint("green"),
    bad: paint("red"),
    notice: paint("yellow"),
    faint: paint("dim"),
    strong,
    heading: (text) => strong(upperFirst(text)),
  };
}

export function usesColour(output: TextOutput, env: CliIo["env"], noColor: boolean): boolean {
  if (noColor) return false;
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: terminal } = env;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if (refused !== undefined && refused !== "") return false;
  return terminal !== "dumb" && output.isTTY;
}

export function problemLine(problem: string, hint: string | undefined, { bad }: Theme): string {
  return `${bad("✗")} ${printableText(problem)}\n${hint === undefined ? "" : `  ${printableText(hint)}\n`}`;
}

export function errorText(error: unknown, { theme: { bad, faint }, verbose = false }: OutputOptions): string {
  const isExpected = error instanceof StackferryError;
  const sentence = isExpected ? error.message : `unexpected error: ${errorMessage(error)}`;
  const bug = "this is a bug in stackferry: please report it with the output of the same command and --verbose";
  const hint = isExpected ? error.hint : bug;
  const lines = [
    `${bad("stackferry:")} ${printableText(sentence)}`,
    ...(isExpected ? error.faults.map((fault) => `  ${printableText(fault)}`) : []),
    ...(hint === undefined ? [] : [`  ${printableText(hint)}`]),
    ...(verbose ? traces(error, isExpected).map((line) => faint(printableText(line))) : []),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** Only an unexpected error has stack traces, because such an error is a bug of this program. */
function traces(error: unknown, isExpected: boolean): string[] {
  if (!(error instanceof Error)) return [];
  const { stack = "", cause } = error;
  const frames = isExpected ? [] : stack.split("\n");
  if (cause === undefined) return frames;
  const link = isExpected ? `caused by: ${errorMessage(cause)}` : "caused by:";
  return [...frames, link, ...traces(cause, isExpected)];
}
