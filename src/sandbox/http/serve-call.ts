import { channel } from "node:diagnostics_channel";
import type { Guard } from "../identity.ts";
import { isObject } from "../store.ts";
import { type Route, type RouteCall, routeName, type Stack } from "../resources/route.ts";
import type { SandboxLimit, SandboxVariant } from "../options.ts";
import { envelopeOf, noRoutePage, Refusal, type RawResponse } from "./envelope.ts";

export interface ServedStack {
  readonly stack: Stack;
  readonly guard: Guard;
  readonly limiter: Limiter | undefined;
  readonly stats: StatsCounter;
}

export interface Destination {
  /** Absent if no route matches. */
  readonly route: Route | undefined;
  /** `limited`: limiter and credential; `key`: only the credential; `none`: no check (recording 69). */
  readonly guard: "limited" | "key" | "none";
  readonly params: { readonly id?: string; readonly organizationId?: string; readonly serviceId?: string };
  readonly query: RouteCall["query"];
}

/** The response is the stack's own, before any interceptor. */
export interface SandboxExchange {
  readonly variant: SandboxVariant;
  readonly userAgent: string | null;
  readonly route: string | undefined;
  readonly requestBody: unknown;
  readonly status: number;
  readonly responseBody: string;
}

/** Tests of this process check every exchange on this channel. */
const exchanges = channel("stackferry:sandbox");

/**
 * The servers refuse invalid JSON before the limiter (recording 63), and check the limit before the credential (recordings 70, 110).
 */
export async function serveCall(service: ServedStack, request: Request, destination: Destination): Promise<Response> {
  const { variant, ids } = service.stack;
  const requestId = ids.uuid();
  const headers: Record<string, string> = {};
  let requestBody: unknown;
  let response: RawResponse;
  try {
    requestBody = await readBody(request);
    if (destination.guard !== "none") admit(service, request, destination.guard, headers);
    response = reply(service, request, destination, requestBody, requestId);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, "Something went wrong :(");
    response =
      refusal.format === "page"
        ? noRoutePage(request.method, new URL(request.url).pathname)
        : envelopeOf(variant).refusal(refusal, requestId);
  }
  const route = destination.route && routeName(destination.route);
  const userAgent = request.headers.get("user-agent");
  const { status, body } = response;
  const exchange: SandboxExchange = { variant, userAgent, route, requestBody, status, responseBody: body };
  exchanges.publish(exchange);
  return new Response(body, { status, headers: { ...response.headers, ...headers } });
}

function admit(
  { guard, limiter, stats }: ServedStack,
  request: Request,
  by: "limited" | "key",
  headers: Record<string, string>,
): void {
  const authorization = request.headers.get("authorization") ?? undefined;
  const take = by === "limited" ? limiter?.take(guard.budgetOf(authorization)) : undefined;
  Object.assign(headers, take?.headers);
  if (take?.allowed === false) {
    stats.limited();
    throw new Refusal(429, "Too many requests, please try again later.", "html");
  }
  if (!guard.accepts(authorization)) throw new Refusal(401, "Unauthorized", "text");
}

function reply(
  { stack }: ServedStack,
  request: Request,
  { route, params, query }: Destination,
  body: unknown,
  requestId: string,
): RawResponse {
  if (route === undefined) throw new Refusal(404, "", "page");
  if (stack.variant === "managed") checkGateway(stack, route, params, body);
  return envelopeOf(stack.variant).success(route.handle(stack, { id: params.id ?? "", query, body }), requestId);
}

/** The managed gateway makes these checks before the stack (docs/api.md#managed). */
function checkGateway({ identity }: Stack, route: Route, params: Destination["params"], body: unknown): void {
  const { organizationId, serviceId } = identity;
  if (params.organizationId !== organizationId || params.serviceId !== serviceId) {
    throw new Refusal(404, "Organization or service not found");
  }
  const isChecked = route.writes && /^(?:dashboards|alerts)\b/.test(route.path);
  if (isChecked && isObject(body) && "id" in body) throw new Refusal(400, "Unrecognized key(s) in object: 'id'");
}

const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Reads even a body over 32 MB to its end, because some clients read the response only after sending everything. */
async function readBody(request: Request): Promise<unknown> {
  if (request.body === null) return {};
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) throw new Refusal(413, "Something went wrong :(");
  if (size === 0 || !/^application\/json\b/i.test(request.headers.get("content-type") ?? "")) return {};
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (typeof body === "object" && body !== null) return body;
  } catch {
    // The servers have one message for all invalid JSON (recording 63).
  }
  throw new Refusal(400, "Invalid JSON payload");
}

export type Limiter = ReturnType<typeof createLimiter>;

/** Each credential has one fixed window for all resources; refused requests count as well (docs/api.md#limits). */
export function createLimiter(limit: Required<SandboxLimit>, now: () => number) {
  const windows = new Map<string, { endsAt: number; taken: number }>();
  return {
    take(credential: string): { readonly allowed: boolean; readonly headers: Readonly<Record<string, string>> } {
      const time = now();
      for (const [key, window] of windows) if (window.endsAt <= time) windows.delete(key);
      const window = windows.get(credential) ?? { endsAt: time + limit.windowMs, taken: 0 };
      windows.set(credential, window);
      window.taken += 1;
      const allowed = window.taken <= limit.requests;
      if (!limit.headers) return { allowed, headers: {} };
      return {
        allowed,
        headers: {
          "RateLimit-Limit": String(limit.requests),
          "RateLimit-Remaining": String(Math.max(0, limit.requests - window.taken)),
          "RateLimit-Reset": seconds(window.endsAt - time),
          // The servers send the length of the whole window here (recording 110).
          ...(allowed ? {} : { "Retry-After": seconds(limit.windowMs) }),
        },
      };
    },
  };
}

function seconds(milliseconds: number): string {
  return String(Math.ceil(milliseconds / 1000));
}

/** The requests to a sandbox since its start. */
export interface SandboxStats {
  readonly total: number;
  readonly rateLimited: number;
  /** Number of requests by method and route: `PUT dashboards/{id}`, `GET unknown`. */
  readonly byRoute: Readonly<Record<string, number>>;
  /** Number of responses by status; `none` if an interceptor sent no response. */
  readonly byStatus: Readonly<Record<string, number>>;
}

export type StatsCounter = ReturnType<typeof createStats>;

export function createStats() {
  const byRoute = new Map<string, number>();
  const byStatus = new Map<string, number>();
  let total = 0;
  let rateLimited = 0;
  return {
    arrived: (route: string) => ({ count: (total += 1), routeCount: increment(byRoute, route) }),
    responded: (status: number | undefined) => increment(byStatus, String(status ?? "none")),
    limited: () => (rateLimited += 1),
    read: (): SandboxStats => ({
      total,
      rateLimited,
      byRoute: Object.fromEntries(byRoute),
      byStatus: Object.fromEntries(byStatus),
    }),
  };
}

function increment(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}
