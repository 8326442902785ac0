import { Refusal } from "../errors.ts";
import type { Fault } from "./parse.ts";
import { isObject } from "../store/record.ts";

/** Throws `Refusal` 400 that lists the members of a body that its schema does not have. */
export function refuseUnknown(body: unknown, known: unknown): void {
  const faults = unknownMembers(body, known).map(({ path, message }) =>
    path === "" ? message : `${path}: ${message}`,
  );
  if (faults.length > 0) throw new Refusal(400, `Body validation failed: ${faults.join("; ")}`);
}

/** The members of a body that its schema does not have, grouped by the objects that contain them. */
export function unknownMembers(body: unknown, known: unknown, path = ""): readonly Fault[] {
  const below = (name: string | number): string => (path === "" ? String(name) : `${path}.${name}`);
  if (Array.isArray(body) && Array.isArray(known)) {
    return body.flatMap((each, index) => unknownMembers(each, known[index], below(index)));
  }
  if (!isObject(body) || !isObject(known)) return [];
  const members = Object.keys(body);
  const own = members
    .filter((member) => !Object.hasOwn(known, member) || known[member] === undefined)
    .map((member) => `'${member}'`);
  const fault = { path, message: `Unrecognized key(s) in object: ${own.join(", ")}` };
  const deeper = members.flatMap((member) => unknownMembers(body[member], known[member], below(member)));
  return own.length === 0 ? deeper : [fault, ...deeper];
}
