import { Refusal } from "../errors.ts";
import { isObject } from "../record.ts";

/** Members of the server that the managed service's owner does not describe. */
const UNDESCRIBED = new Set(["channels", "isVariableEnabled", "seriesLimit"]);

/** The same value without the members that are not described. */
export function described(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(described);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([member]) => !UNDESCRIBED.has(member));
  return Object.fromEntries(members.map(([member, content]) => [member, described(content)]));
}

/** Throws `Refusal` 400 naming the members of a body that its schema did not know, or that are not described. */
export function refuseUnknown(body: unknown, known: unknown): void {
  const faults = unknownMembers(body, described(known), "");
  if (faults.length > 0) throw new Refusal(400, `Body validation failed: ${faults.join("; ")}`);
}

function unknownMembers(body: unknown, known: unknown, path: string): readonly string[] {
  const below = (name: string | number): string => (path === "" ? String(name) : `${path}.${name}`);
  if (Array.isArray(body) && Array.isArray(known)) {
    return body.flatMap((each, index) => unknownMembers(each, known[index], below(index)));
  }
  if (!isObject(body) || !isObject(known)) return [];
  const members = Object.keys(body);
  const own = members.filter((member) => !Object.hasOwn(known, member)).map((member) => `'${member}'`);
  const fault = `${path === "" ? "" : `${path}: `}Unrecognized key(s) in object: ${own.join(", ")}`;
  const deeper = members.flatMap((member) => unknownMembers(body[member], known[member], below(member)));
  return own.length === 0 ? deeper : [fault, ...deeper];
}
