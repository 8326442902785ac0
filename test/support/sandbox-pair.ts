import type { Sandbox, SandboxSeed, SandboxVariant } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";

/** The variables with which the program reaches one or two sandboxes. */
export function sandboxEnv(from: Sandbox, to: Sandbox = from): Record<string, string> {
  return {
    ...credentialOf(from, "STACKFERRY_FROM_"),
    ...credentialOf(to, "STACKFERRY_TO_"),
    ...credentialOf(from, "STACKFERRY_"),
  };
}

function credentialOf(sandbox: Sandbox, prefix: string): Record<string, string> {
  const { apiKey, keyId, keySecret } = sandbox;
  return Object.fromEntries(
    Object.entries({ API_KEY: apiKey, KEY_ID: keyId, KEY_SECRET: keySecret }).flatMap(([name, value]) =>
      value === undefined ? [] : [[prefix + name, value]],
    ),
  );
}

/** A bare stack on which somebody has made the sample's saved searches by hand: an older one lets nobody create them. */
export async function bareWithSearches(variant: SandboxVariant): Promise<SandboxSeed> {
  await using sample = await startSandbox({ variant, seed: "sample" });
  const { connections, sources, webhooks, "saved-searches": searches } = sample.stored();
  return { connections, sources, webhooks, "saved-searches": searches };
}

/** A map file's text: the webhooks and saved searches of the sample, by id, and those of the same names of another sandbox. */
export function sampleMap(from: Sandbox, to: Sandbox): string {
  return `${webhookMap(from, to)}${searchMap(from, to)}`;
}

/** The same of the saved searches alone. */
export function searchMap(from: Sandbox, to: Sandbox): string {
  const there = to.stored()["saved-searches"];
  const lines = from.stored()["saved-searches"].map(({ id, name }) => {
    const same = there.find((search) => search["name"] === name);
    return `  ${JSON.stringify(id)}: ${JSON.stringify(same?.id ?? "")}\n`;
  });
  return `saved-searches:\n${lines.join("")}`;
}

/** A map file's text: the webhooks that alerts of the sample use, by id, and those of the same names of another sandbox. */
export function webhookMap(from: Pick<Sandbox, "webhooks">, to: Sandbox): string {
  const lines = from.webhooks.map(({ id, name }) => {
    const same = to.webhooks.find((webhook) => webhook.name === name);
    return `  ${JSON.stringify(id)}: ${JSON.stringify(same?.id ?? "")}\n`;
  });
  return `webhooks:\n${lines.join("")}`;
}
