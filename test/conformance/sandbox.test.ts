import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { StackAddress } from "./call-stack.ts";
import { createCall } from "./call-stack.ts";
import { PENDING } from "./pending.ts";
import { RULES } from "./topics.ts";
import { tryRule } from "./try-rule.ts";
import type { World } from "./world.ts";
import { openWorld } from "./world.ts";

const VARIANTS = ["self-hosted", "managed"] as const;

describe.each(VARIANTS)("a %s sandbox", (variant) => {
  let sandbox: Sandbox;
  let world: World;
  beforeAll(async () => {
    // The sources of a managed stack are where its connection is known from.
    sandbox = await startSandbox({ variant, ids: "hex", seed: variant === "managed" ? "bare" : "none" });
    world = await openWorld(
      createCall(addressOf(sandbox), async () => undefined),
      variant,
    );
  });
  afterAll(async () => {
    await world.clear(0);
    await sandbox.close();
  });

  const rules = RULES.filter(({ only }) => variant === "self-hosted" || only === undefined);
  const labelled = rules.map((rule) => [`${rule.topic}: ${rule.rule}`, rule] as const);
  test.each(labelled)("%s", async (label, rule) => {
    const wrong = (await tryRule(world, rule)).join("\n");
    if (PENDING[variant].has(label)) expect(wrong).not.toBe("");
    else expect(wrong, wrong).toBe("");
  });
});

function addressOf({ variant, url, stack, apiKey, keyId, keySecret }: Sandbox): StackAddress {
  if (variant === "self-hosted") return { variant, base: `${url}/api/v2`, authorization: `Bearer ${apiKey}` };
  const basic = Buffer.from(`${keyId}:${keySecret}`).toString("base64");
  return { variant, base: `${stack}/obsstack`, authorization: `Basic ${basic}` };
}
