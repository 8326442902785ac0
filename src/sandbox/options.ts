import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

export type SandboxVariant = "managed" | "self-hosted";

/**
 * The form of ids: by default "uuid" on managed stacks, and "hex" on self-hosted stacks, which know no other form. The
 * ids of pipes are UUIDs even with "hex".
 */
export type SandboxIdForm = "hex" | "uuid";

/**
 * The extent of the API. `extended`: all routes. `contract`: an older deployment without `NOT_IN_CONTRACT`.
 * `fully-managed`: a service whose sources belong to the platform. The sandbox lists these sources, and answers writes
 * of them with 403; the real answer is not described (docs/api.md#managed).
 */
export type SandboxApi = "contract" | "extended" | "fully-managed";

export type SeedName = "none" | "bare" | "sample" | "web";

/**
 * Records as the stack stores them, including members that the API never returns. Records from API responses are valid,
 * too. Records keep their ids.
 */
export type SandboxSeed = Readonly<Partial<Record<Collection, readonly unknown[]>>>;

export const COLLECTIONS = [
  "dashboards",
  "alerts",
  "sources",
  "webhooks",
  "pipes",
  "connections",
  "saved-searches",
] as const;
export type Collection = (typeof COLLECTIONS)[number];

/**
 * A rate limit: a number of requests per credential in a fixed window. `headers` tells whether responses state the
 * limit: by default only on self-hosted stacks.
 */
export interface SandboxLimit {
  readonly requests: number;
  readonly windowMs: number;
  readonly headers?: boolean;
}

/** An incoming request, before any check. */
export interface InterceptedRequest {
  /** The name of the route in the statistics, such as `POST dashboards` or `GET alerts/{id}`. */
  readonly route: string;
  readonly method: string;
  /** The path and query as sent. */
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  /** The number of requests so far, including this one. */
  readonly count: number;
  /** The number of requests for this route so far, including this one. */
  readonly routeCount: number;
  /** The connection, for a response that breaks off or is never sent. */
  readonly socket: Socket;
}

/**
 * A function between the connection and the API. `proceed` serves the request, and may be called once. If `proceed` is not
 * called, the stack stays unchanged. The response that the interceptor returns is sent; `undefined` means that the interceptor
 * has handled the socket itself.
 */
export type Interceptor = (
  request: InterceptedRequest,
  proceed: () => Promise<Response>,
) => Response | undefined | Promise<Response | undefined>;

export interface SandboxOptions {
  readonly variant: SandboxVariant;
  /** By default "extended". */
  readonly api?: SandboxApi;
  /** Resources (`webhooks`) and routes (`POST sources`, as the statistics name them) that this deployment lacks. */
  readonly without?: readonly string[];
  /** Resources and routes, as in `without`, for which the key has no right. The stack answers 403. */
  readonly forbidden?: readonly string[];
  readonly ids?: SandboxIdForm;
  /** True refuses unknown members of a body, as some managed stacks do; false (the default) drops them. */
  readonly strict?: boolean;
  /** The port to listen on. The default 0 means any free port. */
  readonly port?: number;
  /** The records at the start; by default no records ("none"). */
  readonly seed?: SeedName | SandboxSeed;
  readonly limit?: SandboxLimit;
  /** The credentials that the stack accepts; by default random. */
  readonly credentials?: { readonly apiKey?: string; readonly keyId?: string; readonly keySecret?: string };
  readonly organizationId?: string;
  readonly serviceId?: string;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Returns a number from 0 to below 1. By default, numbers come from a secure source. */
  readonly random?: () => number;
  /** Called for every request. */
  readonly intercept?: Interceptor;
}

type Defaulted = "variant" | "port" | "seed" | "now" | "ids" | "strict";

export interface Settings extends Required<Pick<SandboxOptions, Defaulted>> {
  readonly limit: Required<SandboxLimit> | undefined;
  /** Routes (by their names in the statistics) and resources that this deployment lacks. */
  readonly missing: RouteSet;
  /** Routes and resources for which the key has no right. */
  readonly forbidden: RouteSet;
  readonly namedRoutes: readonly string[];
}

export function normaliseSandboxOptions(options: SandboxOptions): Settings {
  const { variant, api = "extended", without = [], forbidden = [], limit } = options;
  const { seed = "none", port = 0, now = Date.now, strict = false } = options;
  const { ids = variant === "managed" ? "uuid" : "hex" } = options;
  return {
    variant,
    seed,
    port,
    now,
    ids,
    strict,
    limit: limit && { headers: variant === "self-hosted", ...limit },
    missing: createRouteSet([...(api === "contract" ? NOT_IN_CONTRACT[variant] : []), ...without]),
    forbidden: createRouteSet([...(api === "fully-managed" ? WRITES("sources") : []), ...forbidden]),
    namedRoutes: [...without, ...forbidden],
  };
}

const WRITES = (word: string): readonly string[] => [`POST ${word}`, `PUT ${word}/{id}`, `DELETE ${word}/{id}`];

const NOT_IN_CONTRACT: Readonly<Record<SandboxVariant, readonly string[]>> = {
  "self-hosted": [
    "root",
    "connections",
    "saved-searches",
    "search",
    "team",
    "POST dashboards/validate",
    "GET sources/{id}",
    ...WRITES("sources"),
    ...WRITES("webhooks"),
  ],
  managed: [
    "POST dashboards/validate",
    "saved-searches",
    "webhooks",
    "GET pipes",
    "GET sources/{id}",
    ...WRITES("sources"),
  ],
};

/**
 * Throws `sandbox-usage` for a name in the options `without` and `forbidden` that is neither a resource (`webhooks`)
 * nor a route (`GET webhooks`).
 */
export function refuseUnknownRoutes(named: readonly string[], routes: readonly string[]): void {
  const unknown = named.find((name) => !routes.some((route) => route === name || routerOf(route) === name));
  if (unknown === undefined) return;
  throw sandboxError("sandbox-usage", `sandbox option refused: ${unknown} is no route of this stack`);
}

type RouteSet = ReturnType<typeof createRouteSet>;

function createRouteSet(names: readonly string[]) {
  return {
    has: (route: string) => names.includes(route) || names.includes(routerOf(route)),
    hasRouter: (word: string) => names.includes(word),
  };
}

function routerOf(route: string): string {
  return /^[A-Z]+ ([^/]*)/.exec(route)?.[1] ?? "";
}

/** `sandbox-usage`: an invalid option; `sandbox-io`: the port cannot be used. */
export type SandboxErrorCode = "sandbox-usage" | "sandbox-io";

/** Returns a plain `Error` with a `code`, so that callers can recognise the sandbox's errors without importing the sandbox. */
export function sandboxError(code: SandboxErrorCode, message: string, cause?: unknown): Error & { code: string } {
  const error = cause === undefined ? new Error(message) : new Error(message, { cause });
  return Object.assign(error, { code });
}
