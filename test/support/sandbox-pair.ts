import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";

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

/** A map file's text: the webhooks that alerts of the sample use, by id, and those of the same names of another sandbox. */
export function webhookMap(from: Pick<Sandbox, "webhooks">, to: Sandbox): string {
  const lines = from.webhooks.map(({ id, name }) => {
    const same = to.webhooks.find((webhook) => webhook.name === name);
    return `  ${JSON.stringify(id)}: ${JSON.stringify(same?.id ?? "")}\n`;
  });
  return `webhooks:\n${lines.join("")}`;
}
