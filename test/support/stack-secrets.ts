import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SecretValue } from "../../src/core/secrets.ts";
import type { MissingSecret } from "../../src/core/plan/plan.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "./run-cli.ts";
import { sandboxEnv } from "./program.ts";

/**
 * Writes a secrets file with every value that an archive of a sandbox lacks, as the sandbox's operator would: `null` for a secret that
 * never existed. The target has to be empty.
 */
export async function writeSecretsOf(
  source: Sandbox,
  target: Sandbox,
  cwd: string,
  [archive, name] = ["a.zip", "secrets.yaml"],
): Promise<void> {
  const args = ["import", archive, "--to", target.stack, "--create", "all", "--dry-run", "--json"];
  const plan = documentOf(await runCli(args, { cwd, env: sandboxEnv(source, target) }));
  const lines: Record<string, Record<string, { context: string; value: SecretValue }>> = {};
  // The plan is JSON that the program printed.
  for (const { key, pointer, context } of plan["missingSecrets"] as MissingSecret[]) {
    lines[key] = { ...lines[key], [pointer]: { context, value: answerOf(source, key, pointer) } };
  }
  // JSON is YAML.
  await writeFile(join(cwd, name), JSON.stringify(lines), { mode: 0o600 });
}

function answerOf(source: Sandbox, key: string, pointer: string): SecretValue {
  const [kind = "", id] = key.split("/");
  const record = Object.entries(source.stored())
    .find(([name]) => name === kind)?.[1]
    .find((each) => each.id === id);
  const value = record?.[pointer.slice(1)] ?? null;
  // The archive keeps the origin of an address, so only the rest is secret.
  if (pointer === "/url") return String(value).slice(new URL(String(value)).origin.length + 1);
  return value as SecretValue;
}
