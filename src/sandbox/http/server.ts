import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { Hono } from "hono/quick";
import { type Interceptor, refuseUnknownRoutes, sandboxError, type Settings } from "../options.ts";
import { forbiddenRoute, type Route, type RouteCall, routeName, type RouteWrapper } from "../resources/route.ts";
import { type Destination, serveCall, type ServedStack } from "./serve-call.ts";
import { Socket, type AddressInfo } from "node:net";
import { routeTable } from "../resources/route-table.ts";
import { createAdaptorServer, type HttpBindings, type ServerType } from "@hono/node-server";

interface Env {
  Bindings: HttpBindings;
}

interface Hooks {
  readonly intercept?: Interceptor | undefined;
  readonly wrapRoute?: RouteWrapper | undefined;
}

export function createServer(service: ServedStack, settings: Settings, { intercept, wrapRoute }: Hooks): Hono<Env> {
  const app = new Hono<Env>();
  const respond = async (context: Context<Env>, name: string, destination: Destination): Promise<Response> => {
    const { incoming } = context.env;
    const numbers = service.stats.arrived(name);
    const proceed = () => serveCall(service, context.req.raw, destination);
    if (intercept === undefined) return countResponse(service, await proceed());
    const { method = "GET", url: target = "/", headers, socket } = incoming;
    const response = await intercept({ route: name, method, target, headers, socket, ...numbers }, proceed);
    return countResponse(service, response);
  };

  const routes = routeTable(service.stack);
  refuseUnknownRoutes(settings.namedRoutes, routes.map(routeName));
  for (const route of routes) {
    const name = routeName(route);
    if (settings.missing.has(name)) continue;
    const allowedRoute = settings.forbidden.has(name) ? forbiddenRoute(route) : route;
    const servedRoute = wrapRoute === undefined ? allowedRoute : wrapRoute(name, allowedRoute);
    // The limiter exempts the root (recordings 112, 300).
    const guard = route.path === "" ? "key" : "limited";
    app.on(route.method, addressesOf(route, settings), (context) =>
      respond(context, name, destinationOf(context, servedRoute, guard)),
    );
  }
  for (const pattern of guardedPatterns(settings, routes)) {
    app.all(pattern, (context) => respond(context, unknownName(context), destinationOf(context, undefined, "limited")));
  }
  app.notFound((context) => respond(context, unknownName(context), destinationOf(context, undefined, "none")));
  // Hono would print the error of an interceptor, but only the CLI may write to stderr.
  app.onError(() => countResponse(service, new Response("Internal Server Error", { status: 500 })));
  return app;
}

function countResponse({ stats }: ServedStack, response: Response | undefined): Response {
  stats.responded(response?.status);
  return response ?? RESPONSE_ALREADY_SENT;
}

function destinationOf(context: Context<Env>, route: Route | undefined, guard: Destination["guard"]): Destination {
  const params: Readonly<Record<string, string>> = context.req.param();
  return { route, guard, params, query: queryOf(context) };
}

function queryOf(context: Context<Env>): RouteCall["query"] {
  const parameters = Object.entries(context.req.queries());
  return Object.fromEntries(parameters.map(([name, values]) => [name, values.length > 1 ? values : (values[0] ?? "")]));
}

/** On managed stacks, all resources except pipes are below `obsstack` (docs/api.md#routes). */
function addressesOf({ path }: Route, { variant }: Settings): string[] {
  if (variant === "self-hosted") return path === "" ? ["/api/v2", "/api/v2/"] : [`/api/v2/${path}`];
  const service = "/v1/organizations/:organizationId/services/:serviceId";
  return [/^pipes(?:\/|$)/.test(path) ? `${service}/${path}` : `${service}/obsstack/${path}`];
}

/** On these unknown paths, limiter and credential are checked before the answer 404. */
function guardedPatterns({ variant, missing }: Settings, routes: readonly Route[]): readonly string[] {
  if (variant === "managed") return ["/v1/*"];
  const routers = new Set(routes.map(({ path }) => path.split("/")[0] ?? ""));
  return [...routers].filter((word) => word !== "" && !missing.hasRouter(word)).map((word) => `/api/v2/${word}/*`);
}

function unknownName(context: Context<Env>): string {
  return `${context.req.method} unknown`;
}

/** If an interceptor sends no response, this function rejects as `fetch` does. */
export async function answerDirectly(app: Hono<Env>, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const headers = Object.fromEntries(request.headers);
  const { method } = request;
  let socket: Socket | undefined;
  const incoming = {
    method,
    url: `${pathname}${search}`,
    headers,
    // Only an interceptor looks at the socket.
    get socket() {
      return (socket ??= new Socket());
    },
  };
  const response = await app.fetch(request, { incoming });
  if (response !== RESPONSE_ALREADY_SENT) return response;
  const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
  throw new TypeError("fetch failed", { cause });
}

const HOST = "127.0.0.1";

export async function startListening(fetch: Parameters<typeof createAdaptorServer>[0]["fetch"], { port }: Settings) {
  // Other code of the process needs the original global Request and Response.
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false });
  const address = await new Promise<AddressInfo>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? ": another program has this port" : "";
      reject(sandboxError("sandbox-io", `cannot listen on ${HOST}:${port}${why}`, cause));
    });
    server.listen(port, HOST, () => {
      const bound = server.address();
      if (typeof bound === "object" && bound !== null) resolve(bound);
      else reject(sandboxError("sandbox-io", `cannot listen on ${HOST}:${port}`));
    });
  });
  return { url: `http://${HOST}:${address.port}`, close: () => closeServer(server) };
}

function closeServer(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    if ("closeAllConnections" in server) server.closeAllConnections();
  });
}
