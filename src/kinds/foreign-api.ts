import type { ErrorCode } from "../core/errors.ts";
import { StackferryError } from "../core/errors.ts";
import type { KindName, StackIdentity } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";

/** Errors of a list which mean that nothing is served at its address. */
const MISSING: readonly (ErrorCode | undefined)[] = ["not-offered", "not-found"];

/**
 * Returns the error for an address that is not this API: none of the kinds that every deployment lists (dashboards, alerts,
 * sources) is served. Undefined if one of them is served, or if none was requested. Such an address, taken for an empty stack,
 * would give an empty backup, and a plan that creates everything.
 * @param failures the error code of each kind's list; undefined for one that was read
 */
export function foreignApiError(
  identity: StackIdentity,
  kinds: readonly ResourceKind[],
  failures: ReadonlyMap<KindName, ErrorCode | undefined>,
): StackferryError | undefined {
  const required = kinds.filter(({ name, routes }) => {
    const list = routes[identity.variant].list;
    return failures.has(name) && list !== undefined && list.optional !== true;
  });
  if (required.length === 0 || required.some(({ name }) => !MISSING.includes(failures.get(name)))) return undefined;
  const names = required.map(({ name }) => name).join(", ");
  const message = `this is not the API: ${identity.baseUrl} serves none of ${names}`;
  return new StackferryError("protocol", message, { hint: likelyMistake(identity) });
}

function likelyMistake({ variant, baseUrl }: StackIdentity): string {
  const { pathname, port, origin } = new URL(baseUrl);
  if (variant === "managed") {
    return "Check the address, organizationId and serviceId, and segments.stack (the deployment's word in the path, as `obsstack`); is it a self-hosted stack (variant: self-hosted, http://HOST:8000)?";
  }
  if (pathname !== "/") return `The address has a path and should have none: try ${origin}.`;
  if (port === "8080") return "8080 is the port of the web interface; the API listens on 8000.";
  return "The address of a self-hosted API is http://HOST:8000, without a path; is it a managed stack (variant: managed, with organizationId and serviceId)?";
}
