import { StackferryError } from "../core/errors.ts";
import type { StackRecord } from "../core/records/record.ts";
import { credentialCheck } from "../redaction/credential-check.ts";

/** The credential check of an export. It throws `secret-in-output` if the output would contain a credential of the run. */
export interface CredentialCheck {
  /**
   * Checks a record.
   * @param json the body as it is written
   */
  record(record: Omit<StackRecord, "body">, json: string): void;
  /** Checks anything else that is written. */
  rest(value: object): void;
}

/** Creates the check. Its error names the record, never the credential. */
export function checkCredentials(credentials: readonly string[]): CredentialCheck {
  const holds = credentialCheck(credentials);
  const fail = (what: string): never => {
    throw new StackferryError("secret-in-output", `${what} contains a credential that this run uses`, {
      hint: "Nothing was written. Remove it from there and create a new one: everybody who can read it there has it.",
    });
  };
  return {
    record({ kind, id, name }, json) {
      const label = `${kind}/${id}`;
      if (holds(label)) fail(`the id of a record of ${kind}`);
      if (holds(name) || holds(json)) fail(label);
    },
    rest(value) {
      if (holds(JSON.stringify(value))) fail("the header of the manifest");
    },
  };
}
