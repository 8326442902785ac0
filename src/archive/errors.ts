import { StackferryError } from "../core/errors.ts";
import { printableText } from "../core/text/printable.ts";

export function damagedArchiveError(
  message: string,
  cause?: unknown,
  hint = "the archive was cut short or altered; use another copy, or export again",
): StackferryError {
  return new StackferryError("archive-damaged", message, { cause, hint });
}

export function unknownArchiveError(
  message: string,
  hint = "name an archive that `stackferry export` has written",
): StackferryError {
  return new StackferryError("archive-unknown", message, { hint });
}

const MAX_CHARACTERS = 120;

export function safeForMessage(text: string): string {
  return printableText(text, MAX_CHARACTERS);
}
