import { StackferryError, errorMessage } from "../../core/errors.ts";
import { printableText } from "../../core/text/printable.ts";
import type { OutputOptions } from "./terminal.ts";

/** Renders the error that ended a run: one sentence, the next step, and with `verbose` the causes. */
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

/** Returns the causes of an error, with stack traces only for a defect of this program: elsewhere they would not help. */
function traces(error: unknown, isExpected: boolean): string[] {
  if (!(error instanceof Error)) return [];
  const { stack = "", cause } = error;
  const frames = isExpected ? [] : stack.split("\n");
  if (cause === undefined) return frames;
  const link = isExpected ? `caused by: ${errorMessage(cause)}` : "caused by:";
  return [...frames, link, ...traces(cause, isExpected)];
}
