import { isJsonArray, isJsonObject } from "../../domain/json.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";

/** What a stack answers to somebody who asks it directly. */
export interface StackContent {
  readonly dashboards: readonly JsonObject[];
  readonly alerts: readonly JsonObject[];
  readonly sources: readonly JsonObject[];
  /** Where the variant has no list of webhooks, what the sandbox itself says. */
  readonly webhooks: readonly JsonObject[];
}

/**
 * Reads a sandbox with nothing but `fetch`. The demo checks with this, and not with the program's own client, so that a
 * mistake of the client cannot hide itself.
 */
export async function readStack(sandbox: Sandbox): Promise<StackContent> {
  const [dashboards, alerts, sources] = await Promise.all([
    readList(sandbox, "dashboards"),
    readList(sandbox, "alerts"),
    readList(sandbox, "sources"),
  ]);
  const listed = sandbox.variant === "self-hosted" ? await readList(sandbox, "webhooks") : undefined;
  return { dashboards, alerts, sources, webhooks: listed ?? sandbox.webhooks.map(({ id, name }) => ({ id, name })) };
}

async function readList(sandbox: Sandbox, kind: string): Promise<readonly JsonObject[]> {
  const managed = sandbox.variant === "managed";
  const address = managed ? `${sandbox.stack}/obsstack/${kind}` : `${sandbox.stack}/api/v2/${kind}`;
  const key = Buffer.from(`${sandbox.keyId ?? ""}:${sandbox.keySecret ?? ""}`).toString("base64");
  const authorization = managed ? `Basic ${key}` : `Bearer ${sandbox.apiKey ?? ""}`;
  const response = await fetch(address, { headers: { authorization } });
  if (!response.ok) throw new Error(`GET ${kind} answered ${response.status}`);
  const body: unknown = await response.json();
  const list = isJsonObject(body) ? body[managed ? "result" : "data"] : undefined;
  return isJsonArray(list) ? list.filter(isJsonObject) : [];
}
