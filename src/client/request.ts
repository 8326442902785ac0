import type { JsonObject } from "../core/json.ts";
import type { Route } from "../core/resource-kind.ts";

/** A request that is ready to be sent. */
export interface StackRequest {
  readonly method: Route["method"];
  /** Path and query, as shown in errors and events. */
  readonly path: string;
  /** The whole address. */
  readonly url: string;
  /** JSON text. */
  readonly body?: string;
  /** The request may change the stack. A query over POST does not change it. */
  readonly writes: boolean;
  /** Sending the request twice has the same result as sending it once. */
  readonly repeatable: boolean;
  /** A refusal means that this deployment does not have the route. */
  readonly optional: boolean;
}

/** A response whose body has been read. */
export interface StackResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body; for a list, the text around the streamed records. */
  readonly text: string;
  /** The number of streamed records, which are not in the text. */
  readonly streamed?: number;
}

/** The details that an operation adds to its route. */
export interface RequestDetails {
  readonly id?: string;
  readonly body?: JsonObject;
  readonly query?: { readonly limit: number; readonly offset: number };
}

/** Builds the request to a route at an address. */
export function buildRequest(route: Route, url: URL, { body, query }: RequestDetails): StackRequest {
  if (query !== undefined) url.search = `limit=${query.limit}&offset=${query.offset}`;
  return {
    method: route.method,
    path: url.pathname + url.search,
    url: url.href,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    writes: route.method !== "GET",
    repeatable: route.method !== "POST",
    optional: route.optional ?? false,
  };
}
