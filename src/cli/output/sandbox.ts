import { printable } from "../../core/text/printable.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";
import type { OutputOptions } from "./terminal/theme.ts";

/** A running sandbox, with lines to paste into another terminal. */
export function sandboxText(sandbox: Sandbox, { theme }: OutputOptions): string {
  const { variant, stack, apiKey, keyId, keySecret, webhooks, pipeIds } = sandbox;
  const variables =
    variant === "self-hosted"
      ? { STACKFERRY_API_KEY: apiKey }
      : { STACKFERRY_KEY_ID: keyId, STACKFERRY_KEY_SECRET: keySecret };
  const exports = Object.entries(variables).map(([name, value]) => `  export ${name}=${printable(value ?? "")}\n`);
  const pipes = (pipeIds ?? []).map((id) => ` --pipe ${printable(id)}`).join("");
  return [
    theme.strong(`A ${variant} stack is running on this machine`) + "\n",
    `  STACK  ${printable(stack)}\n`,
    "\nIn another terminal:\n",
    ...exports,
    `  stackferry doctor ${printable(stack)}\n`,
    `  stackferry export --from ${printable(stack)}${pipes}\n`,
    ...(webhooks.length === 0 ? [] : ["\nWebhooks:\n"]),
    ...webhooks.map(({ id, name }) => `  ${printable(id)}  ${printable(name)}\n`),
    theme.faint("\nCtrl-C ends it.") + "\n",
  ].join("");
}
