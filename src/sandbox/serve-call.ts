import type { Guard } from "./auth.ts";
import { envelopeOf } from "./envelope/envelope.ts";
import { noRoutePage } from "./envelope/no-route-page.ts";
import type { Answer } from "./envelope/reply.ts";
import { isObject } from "./record.ts";
import type { Limiter } from "./limiter.ts";
import { readBody } from "./read-body.ts";
import { Refusal } from "./refusal.ts";
import type { Call, Route, Stack } from "./routes/route.ts";
import type { StatsCounter } from "./stats.ts";

export interface Service {
  readonly stack: Stack;
  readonly guard: Guard;
  readonly limiter: Limiter | undefined;
  readonly stats: StatsCounter;
  /** Resolves when everything written so far is in the data file. */
  readonly save: () => Promise<void>;
}

/** What a request has come to. */
export interface Destination {
  /** Absent where no route matches. */
  readonly route: Route | undefined;
  /** Whether limiter and credential check stand before it: all but addresses that no router knows (recording 69). */
  readonly guarded: boolean;
  readonly params: { readonly id?: string; readonly organizationId?: string; readonly serviceId?: string };
  readonly query: Call["query"];
}

/**
 * One request through the whole chain: body, limiter, credential, route, data file, envelope. The order is the
 * servers': a body that is no JSON is refused before the limiter (recording 63), and that stands before the
 * credential (recordings 70, 110). Never throws.
 */
export async function serveCall(service: Service, request: Request, destination: Destination): Promise<Response> {
  const { variant, mint } = service.stack;
  const requestId = mint.uuid();
  const headers: Record<string, string> = {};
  try {
    const body = await readBody(request);
    if (destination.guarded) admit(service, request, headers);
    const answer = await reply(service, request, destination, body, requestId);
    return toResponse(answer, headers);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, "Something went wrong :(");
    const answer =
      refusal.form === "page"
        ? noRoutePage(request.method, new URL(request.url).pathname)
        : envelopeOf(variant).refusal(refusal, requestId);
    return toResponse(answer, headers);
  }
}

/** Leaves the limiter's headers in `headers`. Throws `Refusal` 429 or 401. */
function admit({ guard, limiter, stats }: Service, request: Request, headers: Record<string, string>): void {
  const authorization = request.headers.get("authorization") ?? undefined;
  const take = limiter?.take(guard.budgetOf(authorization));
  Object.assign(headers, take?.headers);
  if (take?.allowed === false) {
    stats.limited();
    throw new Refusal(429, "Too many requests, please try again later.", "html");
  }
  if (!guard.accepts(authorization)) throw new Refusal(401, "Unauthorized", "text");
}

async function reply(
  { stack, save }: Service,
  request: Request,
  { route, params, query }: Destination,
  body: unknown,
  requestId: string,
): Promise<Answer> {
  if (route === undefined) throw new Refusal(404, "", "page");
  if (stack.variant === "managed") checkGateway(stack, request, params, body);
  const result = route.handle({ id: params.id ?? "", query, body });
  if (route.writes) await save();
  return envelopeOf(stack.variant).success(result, requestId);
}

/** What the managed gateway looks at before the stack does (field notes, Dashboards). */
function checkGateway({ identity }: Stack, request: Request, params: Destination["params"], body: unknown): void {
  const { organizationId, serviceId } = identity;
  if (params.organizationId !== organizationId || params.serviceId !== serviceId) {
    throw new Refusal(404, "Organization or service not found");
  }
  const isWrite = request.method === "POST" || request.method === "PUT";
  if (isWrite && isObject(body) && "id" in body) throw new Refusal(400, "Unrecognized key(s) in object: 'id'");
}

function toResponse({ status, headers, body }: Answer, added: Readonly<Record<string, string>>): Response {
  return new Response(body, { status, headers: { ...headers, ...added } });
}
