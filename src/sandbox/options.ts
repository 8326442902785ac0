import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

export type SandboxVariant = "managed" | "self-hosted";

/** By default "uuid" on managed and "hex" on self-hosted stacks; ids of pipes are always UUIDs. */
export type SandboxIdForm = "hex" | "uuid";

/**
 * `contract`: an older deployment, without the routes in `NOT_IN_CONTRACT`. `fully-managed`: writes of sources get 403; the real
 * answer is unknown (docs/api.md#managed).
 */
export type SandboxApi = "contract" | "extended" | "fully-managed";

export type SeedName = "none" | "bare" | "sample" | "web";

/** Records as the stack stores them, or as the API returns them; the sandbox keeps their ids. */
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

/** Requests per credential in a fixed window. `headers`: whether responses state the limit, by default only on self-hosted stacks. */
export interface SandboxLimit {
  readonly requests: number;
  readonly windowMs: number;
  readonly headers?: boolean;
}

/** An incoming request, before any check. */
export interface InterceptedRequest {
  /** The name in the statistics: `POST dashboards`, `GET alerts/{id}`. */
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

/** Answers a request. Call `proceed`, which serves it, at most once. `undefined` means that the interceptor used the socket. */
export type Interceptor = (
  request: InterceptedRequest,
  proceed: () => Promise<Response>,
) => Response | undefined | Promise<Response | undefined>;

export interface SandboxOptions {
  readonly variant: SandboxVariant;
  /** By default "extended". */
  readonly api?: SandboxApi;
  /** Resources (`webhooks`) and routes (`POST sources`) that this deployment lacks. */
  readonly without?: readonly string[];
  /** Resources and routes that the stack answers with 403. */
  readonly forbidden?: readonly string[];
  readonly ids?: SandboxIdForm;
  /** True refuses unknown members of a body, as some managed stacks do; the default drops unknown members. */
  readonly strict?: boolean;
  /** By default 0: any free port. */
  readonly port?: number;
  /** By default "none". */
  readonly seed?: SeedName | SandboxSeed;
  readonly limit?: SandboxLimit;
  /** By default random. */
  readonly credentials?: { readonly apiKey?: string; readonly keyId?: string; readonly keySecret?: string };
  readonly organizationId?: string;
  readonly serviceId?: string;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Returns a number from 0 to below 1; by default from a secure source. */
  readonly random?: () => number;
  readonly intercept?: Interceptor;
}

type Defaulted = "variant" | "port" | "seed" | "now" | "ids" | "strict";

export interface Settings extends Required<Pick<SandboxOptions, Defaulted>> {
  readonly limit: Required<SandboxLimit> | undefined;
  readonly missing: RouteSet;
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

/** A plain `Error`: callers recognise the `code` without importing the sandbox. */
export function sandboxError(code: SandboxErrorCode, message: string, cause?: unknown): Error & { code: string } {
  const error = cause === undefined ? new Error(message) : new Error(message, { cause });
  return Object.assign(error, { code });
}
