import type { JsonObject } from "../core/json.ts";
import type { ApiRoute } from "../core/resource-kind.ts";
import { StackError, StackferryError } from "../core/errors.ts";
import type { PathSegments } from "../core/ports.ts";
import type { StackIdentity, Variant } from "../core/records/record.ts";

export interface StackRequest {
  readonly method: ApiRoute["method"];
  readonly path: string;
  readonly url: string;
  readonly body?: string;
  /** False for a query, even over POST. */
  readonly writes: boolean;
  /** Sending twice has the same result as sending once. */
  readonly repeatable: boolean;
  /** 404 means that this deployment lacks the route. */
  readonly optional: boolean;
  /** For people: `the permission for pipes`. */
  readonly right: string;
}

export interface StackResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body; for a list, the text around the streamed records. */
  readonly text: string;
  readonly streamedCount?: number;
}

export interface RequestDetails {
  readonly id?: string;
  readonly body?: JsonObject;
  readonly query?: { readonly limit: number; readonly offset: number };
}

export function buildRequest(route: ApiRoute, url: URL, { body, query }: RequestDetails, right: string): StackRequest {
  if (query !== undefined) url.search = `limit=${query.limit}&offset=${query.offset}`;
  return {
    method: route.method,
    path: url.pathname + url.search,
    url: url.href,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    writes: route.method !== "GET",
    repeatable: route.method !== "POST",
    optional: route.optional ?? false,
    right,
  };
}

/** `use` is for people: `read webhooks` (docs/api.md#rights). */
export function rightFor(variant: Variant, route: ApiRoute, use: string): string {
  if (variant === "self-hosted") return `a user who is in a team and has a role that may ${use}`;
  return route.path.startsWith("{stack}")
    ? "the permission for the stack's records, which is not the one for pipes"
    : "the permission for pipes, which is not the one for the stack's records";
}

export type BuildAddress = (route: Pick<ApiRoute, "method" | "path">, id?: string) => URL;

/** `.` and `..` would change the path, and an empty id would address the list. */
const NOT_A_SEGMENT = new Set(["", ".", ".."]);

/**
 * The result throws StackError `rejected` for an id that cannot be a path segment (docs/api.md#routes).
 * @throws StackferryError `config`
 */
export function createAddresses(identity: StackIdentity, segments: PathSegments): BuildAddress {
  const prefixes = prefixesOf(identity, segments);
  return (route, id) => {
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === "id" ? recordSegment(route, id ?? "") : (prefixes[name] ?? ""),
    );
    return new URL(`${identity.baseUrl}${path}`);
  };
}

function prefixesOf(identity: StackIdentity, segments: PathSegments): Readonly<Record<string, string>> {
  if (identity.variant === "self-hosted") return { stack: "/api/v2" };
  const organization = configuredSegment("organizationId", identity.organizationId);
  const service = `/v1/organizations/${organization}/services/${configuredSegment("serviceId", identity.serviceId)}`;
  return {
    service,
    stack: `${service}/${configuredSegment("segments.stack", segments.stack)}`,
    pipes: configuredSegment("segments.pipes", segments.pipes),
  };
}

/** False for a lone surrogate, for which `encodeURIComponent` would throw. */
function isSegment(text: string): boolean {
  return !NOT_A_SEGMENT.has(text) && !/\p{Cs}/u.test(text);
}

function configuredSegment(setting: string, value = ""): string {
  if (isSegment(value)) return encodeURIComponent(value);
  throw new StackferryError("config", `${setting} of a managed stack must be one segment of a path`, {
    hint: "the address of a managed stack ends in /v1/organizations/ORG/services/SVC",
  });
}

function recordSegment(route: Pick<ApiRoute, "method" | "path">, id: string): string {
  if (isSegment(id)) return encodeURIComponent(id);
  throw new StackError("rejected", `${JSON.stringify(id)} cannot be the id of a record: it is not a path segment`, {
    method: route.method,
    path: route.path,
    applied: "no",
    hint: "correct the id; nothing was sent",
  });
}
