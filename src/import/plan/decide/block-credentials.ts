import { visitStrings, type JsonObject } from "../../../core/json.ts";
import { formatPointer } from "../../../core/records/member-path.ts";
import { willWrite, type Decision, type DecisionBasis } from "./decision.ts";

/** Blocks a record that contains a credential of the run: everybody who can read the record on the target could use it. */
export function blockCredentials(decision: Decision, { holdsCredential }: DecisionBasis): Decision {
  const { kind, record, targetId, targetName } = decision;
  if (!willWrite(decision) || !holdsCredential(JSON.stringify(record.body))) return decision;
  const message = `${placeOfCredential(record.body, holdsCredential)} contains a credential that this run uses, and such a record is never sent; take the credential out of there, and replace it: everybody who can read that place has it`;
  return { kind, record, targetId, targetName, action: "blocked", code: "secret-in-output", message };
}

function placeOfCredential(body: JsonObject, holdsCredential: DecisionBasis["holdsCredential"]): string {
  const places: string[] = [];
  visitStrings(body, (text, path) => {
    // The name of a member may contain a credential, too, and a message must not.
    if (places.length === 0 && holdsCredential(text) && !path.some(holdsCredential)) places.push(formatPointer(path));
  });
  return places[0] ?? "it";
}
