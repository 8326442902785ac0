import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";

/** A record as the sandbox's own HTTP interface answers it. */
export interface Answered {
  readonly id: string;
  readonly name: string | null;
  readonly [member: string]: unknown;
}

/** Reads a list over HTTP with plain `fetch`: what the program says of its own work does not count. */
export async function readSandbox(sandbox: Sandbox, kind: string): Promise<Answered[]> {
  const response = await fetch(`${baseOf(sandbox)}/${kind}`, { headers: headersOf(sandbox) });
  if (!response.ok) return [];
  const body = (await response.json()) as { data?: Answered[]; result?: Answered[] };
  return body.data ?? body.result ?? [];
}

/** Changes a dashboard as somebody else would: with what an answer showed, but for what a managed stack refuses of that. */
export async function changeDashboard(sandbox: Sandbox, { id, ...shown }: Answered, more: object): Promise<void> {
  const body = JSON.stringify({ ...shown, ...more }, (member: string, value: unknown) =>
    member === "valueExpression" && value === "" ? undefined : value,
  );
  const headers = { ...headersOf(sandbox), "content-type": "application/json" };
  const answer = await fetch(`${baseOf(sandbox)}/dashboards/${id}`, { method: "PUT", headers, body });
  if (!answer.ok) throw new Error(`the dashboard was not changed: ${answer.status} ${await answer.text()}`);
}

/** The address and credential with which a sandbox is asked. */
export type AskedSandbox = Pick<Sandbox, "url" | "apiKey"> & Partial<Pick<Sandbox, "stack" | "keyId" | "keySecret">>;

export function baseOf({ apiKey, stack, url }: AskedSandbox): string {
  return apiKey === undefined ? `${stack}/obsstack` : `${url}/api/v2`;
}

export function headersOf({ apiKey, keyId, keySecret }: AskedSandbox): { readonly authorization: string } {
  return { authorization: apiKey === undefined ? `Basic ${btoa(`${keyId}:${keySecret}`)}` : `Bearer ${apiKey}` };
}

/** Everything that the sandbox lists, as text. */
export async function textOfSandbox(sandbox: Sandbox): Promise<string> {
  const lists = await Promise.all(
    ["dashboards", "saved-searches", "alerts", "sources", "webhooks"].map((kind) => readSandbox(sandbox, kind)),
  );
  return JSON.stringify(lists);
}

/** How many requests a sandbox has had that are no reads; to have a record judged counts. */
export function writesOf(sandbox: Sandbox): number {
  return requestsOf(sandbox, /^(?:POST|PUT|DELETE) /);
}

/** How many requests a sandbox has had that change it; to have a record judged does not. */
export function changesOf(sandbox: Sandbox): number {
  return requestsOf(sandbox, /^(?:POST|PUT|DELETE) (?!.*validate)/);
}

function requestsOf(sandbox: Sandbox, wanted: RegExp): number {
  return Object.entries(sandbox.stats().byRoute).reduce(
    (sum, [route, count]) => sum + (wanted.test(route) ? count : 0),
    0,
  );
}
