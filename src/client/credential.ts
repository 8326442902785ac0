import { StackferryError } from "../domain/errors.ts";
import type { Variant } from "../domain/record.ts";

/** What a stack asks for: a Personal API Access Key (self-hosted), or a cloud API key (managed); contract 5. */
export type StackCredential = { readonly apiKey: string } | { readonly keyId: string; readonly keySecret: string };

/** The credential as it is sent, and the texts that must never be seen in anything printed. */
export interface Authorization {
  readonly header: string;
  readonly secrets: readonly string[];
}

/** Anything else would be refused by the HTTP library, with the whole header in its message. */
const HEADER_SAFE = /^[\u0021-\u007e]+$/;

/**
 * Makes the Authorization header. The scheme's case matters (field note: `bearer` is refused).
 * @throws StackferryError `config`, without the value, for a credential of the other variant or one that cannot be sent.
 */
export function authorizationOf(credential: StackCredential, variant: Variant): Authorization {
  if ("apiKey" in credential) {
    if (variant !== "self-hosted") throw unusable("a managed stack takes a key ID and a key secret, not an API key");
    if (!HEADER_SAFE.test(credential.apiKey)) {
      throw unusable("the API key is empty or holds white space, line breaks or characters outside ASCII");
    }
    return { header: `Bearer ${credential.apiKey}`, secrets: [credential.apiKey] };
  }
  const { keyId, keySecret } = credential;
  if (variant !== "managed") throw unusable("a self-hosted stack takes an API key, not a key ID and a key secret");
  if (keyId === "" || keySecret === "") throw unusable("the key ID or the key secret is empty");
  // Basic authentication ends the user name at the first colon.
  if (keyId.includes(":")) throw unusable("the key ID holds a colon");
  const encoded = Buffer.from(`${keyId}:${keySecret}`, "utf8").toString("base64");
  return { header: `Basic ${encoded}`, secrets: [encoded, keySecret, keyId] };
}

function unusable(problem: string): StackferryError {
  return new StackferryError("config", problem, { hint: "check the key" });
}
