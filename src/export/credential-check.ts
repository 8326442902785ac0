import { StackferryError } from "../core/errors.ts";
import type { StackRecord } from "../core/record.ts";
import { credentialCheck } from "../redaction/credential-check.ts";

/** The credential check of an export. It throws `secret-in-output` for what holds a credential of the run. */
export interface CredentialCheck {
  /** @param json the body as it is written */
  record(record: Omit<StackRecord, "body">, json: string): void;
  /** Everything else that is written. */
  rest(value: object): void;
}

/** Makes the check. Its error names the record, and never the credential. */
export function checkCredentials(credentials: readonly string[]): CredentialCheck {
  const holds = credentialCheck(credentials);
  const refuse = (what: string): never => {
    throw new StackferryError("secret-in-output", `${what} holds the very credential that this run uses`, {
      hint: "Nothing was written. Take it out there and have a new one made: whoever can read that place has it.",
    });
  };
  return {
    record({ kind, id, name }, json) {
      const label = `${kind}/${id}`;
      if (holds(label)) refuse(`the id of a record of ${kind}`);
      if (holds(name) || holds(json)) refuse(label);
    },
    rest(value) {
      if (holds(JSON.stringify(value))) refuse("what the archive says of its making");
    },
  };
}
