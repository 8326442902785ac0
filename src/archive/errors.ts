import { StackferryError } from "../core/errors.ts";
import { printable as shown } from "../core/text/printable.ts";

/** Bytes that do not match, or that somebody made to do harm. */
export function damagedArchive(message: string, cause?: unknown): StackferryError {
  return new StackferryError("archive-damaged", message, {
    cause,
    hint: "the archive was cut short or altered; use another copy, or export again",
  });
}

/** Bytes that are no archive of ours, or one of a later version. */
export function unknownArchive(
  message: string,
  hint = "name an archive that `stackferry export` has written",
): StackferryError {
  return new StackferryError("archive-unknown", message, { hint });
}

/** A closed archive was read: a fault of the program. */
export function closedArchive(path: string): StackferryError {
  return new StackferryError("archive-io", `the archive ${path} was closed while it was still needed`);
}

const MAX_CHARACTERS = 120;

/** Text from an untrusted archive, fit for a message. */
export function printable(text: string): string {
  return shown(text, MAX_CHARACTERS);
}
