import type { ErrorCode } from "../domain/errors.ts";

/** What a user can do about an answer, where the code alone says so. */
const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  unauthorized: "check the key: it may be mistyped, expired, or an ingestion key, which this API does not take",
  forbidden: "check the permissions of the key, and that its user belongs to a team",
  "not-offered": "this deployment does not serve the route; leave the kind out",
  "not-found": "it is not there: it may have been deleted, or belong to another stack",
  unavailable: "try again later; the stack's own log says more",
  "rate-limited": "try again later, or set a lower rate",
  protocol: "is this the API address? the self-hosted API listens on port 8000, the web UI on 8080",
};

/** The next step for an error of that code. */
export function hintFor(code: ErrorCode): { readonly hint?: string } {
  const hint = HINTS[code];
  return hint === undefined ? {} : { hint };
}
