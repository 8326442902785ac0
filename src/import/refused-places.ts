import { StackError } from "../core/errors.ts";
import { objectsIn, type JsonObject } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { nounOf } from "../kinds/nouns.ts";

/** The next step after a refusal, for people. */
export const CORRECT_REFUSED = "correct this in the file, or on the stack that the archive is from, then run again";

/** Names the child in a path of the server, such as `tiles.0.w`, by its name: people do not know its number. */
export function placeForPeople({ children }: ResourceKind, body: JsonObject, path: string): string {
  const [member = "", index = "", ...inside] = path.split(".");
  const ofMember = children.find((candidate) => candidate.member === member);
  const child = objectsIn(body[member])[Number(index)];
  if (ofMember === undefined || child === undefined) return path;
  const name = ofMember.nameOf(child);
  const noun = nounOf(ofMember.space);
  const named = name === "" ? `${noun} ${Number(index) + 1}` : `${noun} "${name}"`;
  return inside.length === 0 ? named : `${named}: ${inside.join(".")}`;
}

/** Matches a path to a child, before the fault that the server found there: `tiles.0.name: Required`. */
const PATH_TO_CHILD = /\b[A-Za-z]\w*\.\d+(?:\.[\w$-]+)*(?=: )/g;

/** Returns the refusal of a body with the names of children in place of the server's paths, and with what to do. */
export function refusalForPeople(kind: ResourceKind, body: JsonObject, refusal: StackError): StackError {
  const { code, message, hint = CORRECT_REFUSED, failure } = refusal;
  const named = message.replaceAll(PATH_TO_CHILD, (path) => placeForPeople(kind, body, path));
  return new StackError(code, named, { ...failure, hint });
}
