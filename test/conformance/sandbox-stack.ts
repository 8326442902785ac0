import type { Sandbox, SandboxOptions } from "../../src/sandbox/start-sandbox.ts";
import { logSource } from "./bodies.ts";
import type { StackAddress } from "./call-stack.ts";
import type { StackName } from "./rule.ts";

const connection = "6b00000000000000000000c0";
/** The first records of a managed stack. Connections are not listed, so a source must name the connection. */
const KNOWN = { sources: [{ id: "6b00000000000000000000d0", ...logSource({ connection }) }] };

/** The lists that a key with fewer rights cannot read. */
const LISTS = ["dashboards", "alerts", "webhooks", "saved-searches"].map((word) => `GET ${word}`);

/** The sandboxes on which rules are tried. */
export const STACKS: Readonly<Record<StackName, SandboxOptions>> = {
  "self-hosted": { variant: "self-hosted" },
  managed: { variant: "managed", ids: "hex", seed: KNOWN },
  "self-hosted-limited": { variant: "self-hosted", forbidden: [...LISTS, "GET connections"] },
  "managed-limited": { variant: "managed", ids: "hex", seed: KNOWN, forbidden: [...LISTS, "pipes"] },
};

export function addressOf({ variant, url, stack, apiKey, keyId, keySecret }: Sandbox): StackAddress {
  if (variant === "self-hosted") return { variant, base: `${url}/api/v2`, authorization: `Bearer ${apiKey}` };
  const basic = Buffer.from(`${keyId}:${keySecret}`).toString("base64");
  return { variant, base: `${stack}/obsstack`, authorization: `Basic ${basic}` };
}
