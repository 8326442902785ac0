import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";

/** A record as the sandbox's own HTTP interface answers it. */
export interface Answered {
  readonly id: string;
  readonly name: string | null;
  readonly [member: string]: unknown;
}

/** Reads a list over HTTP with plain `fetch`: what the program says of its own work does not count. */
export async function readSandbox(sandbox: Sandbox, kind: string): Promise<Answered[]> {
  const { apiKey, keyId, keySecret } = sandbox;
  const authorization = apiKey === undefined ? `Basic ${btoa(`${keyId}:${keySecret}`)}` : `Bearer ${apiKey}`;
  const base = sandbox.variant === "managed" ? `${sandbox.stack}/obsstack` : `${sandbox.url}/api/v2`;
  const response = await fetch(`${base}/${kind}`, { headers: { authorization } });
  if (!response.ok) return [];
  const body = (await response.json()) as { data?: Answered[]; result?: Answered[] };
  return body.data ?? body.result ?? [];
}

/** Everything that the sandbox lists, as text. */
export async function textOfSandbox(sandbox: Sandbox): Promise<string> {
  const lists = await Promise.all(
    ["dashboards", "alerts", "sources", "webhooks"].map((kind) => readSandbox(sandbox, kind)),
  );
  return JSON.stringify(lists);
}
