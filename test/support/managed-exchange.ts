import type { IncomingMessage } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import type { Shape } from "./managed-shapes.ts";
import { disagreements, shapeNamed } from "./managed-shapes.ts";

/** One request to a managed stack, and its answer. */
interface Exchange {
  readonly method: string;
  /** The path below the service: `obsstack/alerts/{id}`. */
  readonly route: string;
  readonly sent: unknown;
  readonly status: number;
  readonly answered: unknown;
}

/** By route: what is sent, and what is answered in `result`. */
const ROUTES: Readonly<Record<string, { readonly sent?: string; readonly answered?: Shape }>> = {
  ...routesOf("alerts", "CreateAlertRequest", "UpdateAlertRequest", "AlertResponse"),
  ...routesOf("dashboards", "CreateDashboardRequest", "UpdateDashboardRequest", "DashboardResponse"),
  ...routesOf("sources", "Source", "Source", "Source"),
  ...routesOf("webhooks", "WebhookInput", "WebhookInput", "Webhook"),
  ...routesOf("saved-searches", "SavedSearchInput", "SavedSearchInput", "SavedSearch"),
  // Its answer says no more than whether a create would be taken.
  "POST dashboards/validate": { sent: "CreateDashboardRequest" },
  "GET pipes": { answered: listOf("ClickPipe") },
  "GET pipes/{id}": { answered: { $ref: "ClickPipe" } },
};

/** What the description is known to have wrong (extended API, Managed): `level` is a number on the wire, and a text in the enumeration. */
const KNOWN_FLAWS: readonly RegExp[] = [/\/select\/\d+\/level: is none of 0\.5, 0\.9, 0\.95, 0\.99$/];

function routesOf(word: string, create: string, update: string, record: string) {
  const answered = { $ref: record };
  return {
    [`GET ${word}`]: { answered: listOf(record) },
    [`POST ${word}`]: { sent: create, answered },
    [`GET ${word}/{id}`]: { answered },
    [`PUT ${word}/{id}`]: { sent: update, answered },
  };
}

function listOf(record: string): Shape {
  return { type: "array", items: { $ref: record } };
}

/** Where what was sent and answered is not as described, known flaws of the description apart. */
export function disagreementsOf(exchanges: readonly Exchange[]): string[] {
  const found = exchanges.flatMap(({ method, route, sent, status, answered }) => {
    const name = `${method} ${route}`;
    const described = ROUTES[name];
    if (method === "DELETE") return [];
    if (described === undefined) return [`${name}: no such route`];
    const result = (answered as { result?: unknown } | undefined)?.result;
    return [
      ...(described.sent === undefined ? [] : disagreements(shapeNamed(described.sent), sent, `sent ${name} `)),
      ...(status !== 200 || described.answered === undefined
        ? []
        : disagreements(described.answered, result, `answered ${name} `)),
    ];
  });
  return [...new Set(found.filter((each) => !KNOWN_FLAWS.some((flaw) => flaw.test(each))))];
}

/** A gateway in front of a managed sandbox that keeps what passes. */
export interface Gateway extends AsyncDisposable {
  readonly stack: string;
  readonly exchanges: Exchange[];
}

/** Starts a gateway. @param strict refuses bodies that are not as described, unknown members among them, with 400 */
export async function startGateway(sandbox: Sandbox, strict = false): Promise<Gateway> {
  const exchanges: Exchange[] = [];
  const prefix = new URL(sandbox.stack).pathname;
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const exchange = { method: request.method ?? "", route: routeOf(request, prefix), sent: parsed(body) };
      const refused =
        strict && exchange.method !== "GET" ? disagreementsOf([{ ...exchange, status: 0, answered: 0 }]) : [];
      const answer =
        refused.length > 0
          ? Response.json({ status: 400, error: refused.join("; ") }, { status: 400 })
          : await forward(sandbox, request, body);
      const answered = await answer.text();
      exchanges.push({ ...exchange, status: answer.status, answered: parsed(answered) });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" }).end(answered);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    stack: `http://127.0.0.1:${port}${prefix}`,
    exchanges,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function routeOf(request: IncomingMessage, prefix: string): string {
  const [, ...rest] = new URL(request.url ?? "", "http://x").pathname.slice(prefix.length).split("/");
  const [word = "", id] = rest[0] === "obsstack" ? rest.slice(1) : rest;
  return id === undefined || id === "validate" ? [word, id].filter(Boolean).join("/") : `${word}/{id}`;
}

function forward(sandbox: Sandbox, request: IncomingMessage, body: string): Promise<Response> {
  const headers = { authorization: request.headers.authorization ?? "", "content-type": "application/json" };
  const { method = "GET", url = "" } = request;
  return fetch(`${new URL(sandbox.stack).origin}${url}`, { method, headers, ...(body !== "" && { body }) });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
