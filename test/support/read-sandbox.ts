import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";

/** A record as the sandbox returns it over HTTP. */
interface ListedRecord {
  readonly id: string;
  readonly name: string | null;
  readonly [member: string]: unknown;
}

/** Updates a dashboard as another client would: with the body that the stack returned, without the members that a managed stack refuses. */
export async function changeDashboard(sandbox: Sandbox, { id, ...shown }: ListedRecord, more: object): Promise<void> {
  const body = JSON.stringify({ ...shown, ...more }, (member: string, value: unknown) =>
    member === "valueExpression" && value === "" ? undefined : value,
  );
  const headers = { ...headersOf(sandbox), "content-type": "application/json" };
  const answer = await fetch(`${baseOf(sandbox)}/dashboards/${id}`, { method: "PUT", headers, body });
  if (!answer.ok) throw new Error(`the dashboard was not changed: ${answer.status} ${await answer.text()}`);
}

/** The address and the credential of a sandbox. */
export type SandboxAccess = Pick<Sandbox, "url" | "apiKey"> & Partial<Pick<Sandbox, "stack" | "keyId" | "keySecret">>;

function baseOf({ apiKey, stack, url }: SandboxAccess): string {
  return apiKey === undefined ? `${stack}/obsstack` : `${url}/api/v2`;
}

function headersOf({ apiKey, keyId, keySecret }: SandboxAccess): { readonly authorization: string } {
  return { authorization: apiKey === undefined ? `Basic ${btoa(`${keyId}:${keySecret}`)}` : `Bearer ${apiKey}` };
}

/** Returns everything that the sandbox lists, as text. A kind that it does not offer is empty. */
export async function textOfSandbox(sandbox: Sandbox): Promise<string> {
  const kinds = ["dashboards", "saved-searches", "alerts", "sources", "webhooks"];
  const lists = await Promise.all(kinds.map((kind) => callSandbox(sandbox, "GET", kind).catch(() => [])));
  return JSON.stringify(lists);
}

/** Returns the number of requests other than reads that a sandbox has received, validations included. */
export function writeCount(sandbox: Sandbox): number {
  return requestsOf(sandbox, /^(?:POST|PUT|DELETE) /);
}

/** Returns the number of requests that change the sandbox, without validations. */
export function changeCount(sandbox: Sandbox): number {
  return requestsOf(sandbox, /^(?:POST|PUT|DELETE) (?!.*validate)/);
}

function requestsOf(sandbox: Sandbox, wanted: RegExp): number {
  return Object.entries(sandbox.stats().byRoute).reduce(
    (sum, [route, count]) => sum + (wanted.test(route) ? count : 0),
    0,
  );
}

/** Sends a request to a sandbox as another client would. Returns the `data` of the response. */
export async function callSandbox(
  sandbox: SandboxAccess,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const headers = { ...headersOf(sandbox), "content-type": "application/json" };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const answer = await fetch(`${baseOf(sandbox)}/${path}`, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  const said = (text === "" ? {} : JSON.parse(text)) as { data?: unknown; result?: unknown };
  return said.data ?? said.result;
}
