import { StackError, StackferryError } from "../core/errors.ts";
import type { StackIdentity } from "../core/records/record.ts";
import type { Route } from "../core/resource-kind.ts";

/** The deployment's own words in managed paths (docs/api.md#routes). */
export interface Segments {
  readonly stack: string;
  readonly pipes: string;
}

/** Builds the whole address of a route. */
export type AddressOf = (route: Pick<Route, "method" | "path">, id?: string) => URL;

/** A URL parser resolves the dots as path steps, and the empty segment would turn a record's address into the list's. */
const NOT_A_SEGMENT = new Set(["", ".", ".."]);

/**
 * Prepares the addresses of a stack (docs/api.md#routes).
 * @throws StackferryError `config` if the organization or service of a managed stack is missing or is not a path segment
 */
export function createAddresses(identity: StackIdentity, segments: Segments): AddressOf {
  const prefixes = prefixesOf(identity, segments);
  return (route, id) => {
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === "id" ? recordSegment(route, id ?? "") : (prefixes[name] ?? ""),
    );
    return new URL(`${identity.baseUrl}${path}`);
  };
}

function prefixesOf(identity: StackIdentity, segments: Segments): Readonly<Record<string, string>> {
  if (identity.variant === "self-hosted") return { stack: "/api/v2" };
  const organization = configuredSegment("organizationId", identity.organizationId);
  const service = `/v1/organizations/${organization}/services/${configuredSegment("serviceId", identity.serviceId)}`;
  return {
    service,
    stack: `${service}/${configuredSegment("segments.stack", segments.stack)}`,
    pipes: configuredSegment("segments.pipes", segments.pipes),
  };
}

/** A lone surrogate cannot be encoded. */
function isSegment(text: string): boolean {
  return !NOT_A_SEGMENT.has(text) && !/\p{Cs}/u.test(text);
}

function configuredSegment(setting: string, value = ""): string {
  if (isSegment(value)) return encodeURIComponent(value);
  throw new StackferryError("config", `${setting} of a managed stack must be one segment of a path`, {
    hint: "the address of a managed stack ends in /v1/organizations/ORG/services/SVC",
  });
}

function recordSegment(route: Pick<Route, "method" | "path">, id: string): string {
  if (isSegment(id)) return encodeURIComponent(id);
  throw new StackError("rejected", `${JSON.stringify(id)} cannot be the id of a record: it is not a path segment`, {
    method: route.method,
    path: route.path,
    applied: "no",
    hint: "correct the id; nothing was sent",
  });
}
