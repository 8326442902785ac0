import type { Verdict } from "../../core/ports.ts";
import { unknownIn } from "../apply/unknown-members.ts";
import { idsIn } from "../../references/known-ids.ts";

/**
 * Why a create would be refused, or undefined where it would not be, or where that cannot be known yet. Faults of the form come
 * with a path, all of them at once. Only where there are none the server looks at what the record points to, and tells the first
 * group of faults, without a path (extended API, `validate`). What the run itself is still to create is no fault.
 * @param toCome ids in the body that the target does not have yet, in lower case
 */
export function refusalIn({ valid, errors }: Verdict, toCome: ReadonlySet<string>): string | undefined {
  if (valid) return undefined;
  const faults = errors.filter(({ path }) => path !== "");
  if (faults.length > 0) return faults.map(({ path, message }) => `${path}: ${message}`).join("; ");
  const messages = errors.map(({ message }) => message).filter((message) => isFault(message, toCome));
  return messages.length === 0 ? undefined : messages.join("; ");
}

/** The members that a create would be refused for as the target does not know them, as places in the body. */
export function unknownMembersIn({ valid, errors }: Verdict): readonly (readonly string[])[] {
  if (valid) return [];
  return errors.flatMap(({ path, message }) => unknownIn(path === "" ? message : `${path}: ${message}`));
}

/**
 * A message that names ids is about these alone. One that names none may be about anything that the record points to, so it
 * counts only where nothing is to come.
 */
function isFault(message: string, toCome: ReadonlySet<string>): boolean {
  if (toCome.size === 0) return true;
  return idsIn(message).some((id) => !toCome.has(id));
}
