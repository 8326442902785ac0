import { z } from "zod";
import type { Sandbox } from "../../../src/sandbox/start-sandbox.ts";

export interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Returns the Authorization header that the sandbox accepts. */
export function authorizationOf({ apiKey, keyId, keySecret }: Sandbox): string {
  return apiKey === undefined ? `Basic ${btoa(`${keyId}:${keySecret}`)}` : `Bearer ${apiKey}`;
}

/** Sends a request to a resource of the stack, such as `dashboards` or `alerts/ID`. */
export async function call(sandbox: Sandbox, method: string, resource: string, body?: unknown): Promise<Called> {
  const isPipe = /^pipes(?:\/|$)/.test(resource);
  const address = isPipe || sandbox.variant === "managed" ? sandbox.stack : `${sandbox.url}/api/v2`;
  const word = sandbox.variant === "managed" && !isPipe ? "/obsstack" : "";
  return send(`${address}${word}/${resource}`, method, { authorization: authorizationOf(sandbox) }, body);
}

export async function send(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Called> {
  const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
  const answer = await fetch(url, { method, headers: { "content-type": "application/json", ...headers }, ...sent });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

export interface Item {
  readonly id: string;
  readonly [member: string]: unknown;
}

const object = z.custom<Readonly<Record<string, unknown>>>(
  (value) => z.record(z.string(), z.unknown()).safeParse(value).success,
);
// `z.custom` returns the value itself. `z.looseObject` would return a copy with the members in another order.
const item = z.custom<Item>((value) => z.looseObject({ id: z.string() }).safeParse(value).success);

export function json({ text }: Called): Readonly<Record<string, unknown>> {
  return object.parse(JSON.parse(text));
}

/** Returns the content of the envelope of either variant. */
function content(called: Called): unknown {
  const body = json(called);
  return body["data"] ?? body["result"];
}

/** Returns the record in a response. */
export function record(called: Called): Item {
  return item.parse(content(called));
}

/** Returns the records of a list response. */
export function list(called: Called): readonly Item[] {
  return z.array(item).parse(content(called));
}

/** Returns the rows of a chart response. */
export function rows(called: Called): readonly unknown[] {
  return z.array(z.unknown()).parse(content(called));
}

/** Returns the tiles or filters of a dashboard. */
export function children(dashboard: Item, member: "tiles" | "filters"): readonly Item[] {
  return z.array(item).parse(dashboard[member]);
}

/** Returns a member that is an object, such as a tile's `config`. */
export function member(holder: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  return object.parse(holder[name]);
}

export function markdownTile(name: string, id?: string) {
  return {
    ...(id === undefined ? {} : { id }),
    name,
    x: 0,
    y: 0,
    w: 4,
    h: 4,
    config: { displayType: "markdown", markdown: name },
  };
}
