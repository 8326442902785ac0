import { errorMessage, StackferryError } from "../domain/errors.ts";
import type { CliIo } from "./io.ts";
import { printableJson } from "./render/printable.ts";
import { reportDocument } from "./report.ts";
import type { RunEnd, RunFacts } from "./report.ts";

/** Writes the one JSON document that stdout is with `--json`. */
export function printDocument(end: RunEnd, facts: RunFacts, io: CliIo): void {
  io.stdout.write(`${printableJson(reportDocument(end, facts))}\n`);
}

/** An error as the document and others that are told of a run have it. */
export function describeError(error: unknown): NonNullable<RunEnd["error"]> {
  if (!(error instanceof StackferryError)) return { code: "unexpected", message: errorMessage(error) };
  const { code, message, hint } = error;
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}
