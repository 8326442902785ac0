import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/start-sandbox.ts";
import { createCall, type StackAddress } from "./call-stack.ts";
import { logSource } from "./bodies.ts";
import { isTriedOn, type StackName } from "./rule.ts";
import { RULES } from "./topics.ts";
import { tryRule } from "./try-rule.ts";
import { openWorld, type World } from "./world.ts";

const connection = "6b00000000000000000000c0";
/** The first records of a managed stack. Connections are not listed, so a source must name the connection. */
const KNOWN = { sources: [{ id: "6b00000000000000000000d0", ...logSource({ connection }) }] };

/** The lists that a key with fewer rights cannot read. */
const LISTS = ["dashboards", "alerts", "webhooks", "saved-searches", "connections"].map((word) => `GET ${word}`);

const STACKS: Readonly<Record<StackName, SandboxOptions>> = {
  "self-hosted": { variant: "self-hosted" },
  managed: { variant: "managed", ids: "hex", seed: KNOWN },
  "managed-next": { variant: "managed", ids: "hex", seed: KNOWN, release: "next" },
  "self-hosted-limited": { variant: "self-hosted", forbidden: LISTS },
  "managed-limited": { variant: "managed", ids: "hex", seed: KNOWN, forbidden: [...LISTS, "pipes"] },
};

describe.each(Object.keys(STACKS) as StackName[])("a %s sandbox", (stack) => {
  const options = STACKS[stack];
  let sandbox: Sandbox;
  let world: World;
  beforeAll(async () => {
    sandbox = await startSandbox(options);
    world = await openWorld(
      createCall(addressOf(sandbox), async () => undefined),
      options.variant,
    );
  });
  afterAll(async () => {
    await world.clear(0);
    await sandbox.close();
  });

  const rules = RULES.filter((rule) => isTriedOn(rule, stack));
  test.each(rules.map((rule) => [`${rule.topic}: ${rule.rule}`, rule] as const))("%s", async (_, rule) => {
    const wrong = (await tryRule(world, rule)).join("\n");
    expect(wrong, wrong).toBe("");
  });
});

function addressOf({ variant, url, stack, apiKey, keyId, keySecret }: Sandbox): StackAddress {
  if (variant === "self-hosted") return { variant, base: `${url}/api/v2`, authorization: `Bearer ${apiKey}` };
  const basic = Buffer.from(`${keyId}:${keySecret}`).toString("base64");
  return { variant, base: `${stack}/obsstack`, authorization: `Basic ${basic}` };
}
