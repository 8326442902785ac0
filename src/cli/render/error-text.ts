import { errorMessage, StackferryError } from "../../domain/errors.ts";
import { printable } from "./printable.ts";
import type { View } from "./theme.ts";

/** An error for people: one sentence, what to do next, and with `verbose` where it came from. */
export function renderError(
  error: unknown,
  { verbose, view }: { readonly verbose: boolean; readonly view: View },
): string {
  const { bad, faint } = view.theme;
  const known = error instanceof StackferryError;
  const sentence = known ? error.message : `unexpected error: ${errorMessage(error)}`;
  const bug = "this is a bug in stackferry: please report it with the output of the same command and --verbose";
  const hint = known ? error.hint : bug;
  const lines = [
    `${bad("stackferry:")} ${printable(sentence)}`,
    ...(hint === undefined ? [] : [`  ${printable(hint)}`]),
    ...(verbose ? traces(error).map((line) => faint(printable(line))) : []),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** The stack traces of an error and of what caused it. */
function traces(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  return [
    ...(error.stack ?? "").split("\n"),
    ...(error.cause === undefined ? [] : ["caused by:", ...traces(error.cause)]),
  ];
}
