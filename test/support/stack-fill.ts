import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "../../src/core/json.ts";
import { isJsonObject } from "../../src/core/json.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";

type Lines = Readonly<Record<string, string>>;

/** Writes a fill file with all that no archive of a sandbox holds, as its operator would know it. Returns its name. */
export async function writeFillOf(source: Sandbox, folder: string, name = "fill.yaml"): Promise<string> {
  const { connections, webhooks } = source.stored();
  const lines = Object.fromEntries([
    ...connections.map((each): [string, Lines] => [
      `connections/${each.id}`,
      textsOf(each as JsonObject, ["password"]),
    ]),
    ...webhooks.map((each): [string, Lines] => [`webhooks/${each.id}`, webhookLines(each as JsonObject)]),
  ]);
  // JSON is YAML.
  await writeFile(join(folder, name), JSON.stringify(lines), { mode: 0o600 });
  return name;
}

/** A member that is not stored was never set; `none` is what this test gives in its place. */
function webhookLines(webhook: JsonObject): Lines {
  const { service, url } = webhook;
  const shown: Lines = typeof url === "string" ? { "/url": url.slice(new URL(url).origin.length + 1) } : {};
  if (service === "slack") return shown;
  const body = service === "incidentio" ? textsOf(webhook, ["body"]) : {};
  return { ...shown, ...entriesOf(webhook, "headers"), ...entriesOf(webhook, "queryParams"), ...body };
}

function textsOf(record: JsonObject, members: readonly string[]): Lines {
  return Object.fromEntries(members.map((member) => [`/${member}`, String(record[member] ?? "none")]));
}

function entriesOf(record: JsonObject, member: string): Lines {
  const map = record[member] ?? null;
  const entries = isJsonObject(map) ? Object.entries(map) : [["none", "none"] as const];
  return Object.fromEntries(entries.map(([key, value]) => [`/${member}/${key}`, String(value)]));
}
