import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSandbox, type Sandbox } from "../support/start-sandbox.ts";
import { createCall } from "./call-stack.ts";
import { isTriedOn, type StackName } from "./rule.ts";
import { STACKS, addressOf } from "./sandbox-stack.ts";
import { RULES } from "./topics.ts";
import { tryRule } from "./try-rule.ts";
import { openWorld, type World } from "./world.ts";

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

  // The self-hosted sandbox gets recorded exchanges from replay.test.ts, as they were recorded.
  const rules = RULES.filter((rule) => isTriedOn(rule, stack) && !(rule.replayed && stack === "self-hosted"));
  test.each(rules.map((rule) => [`${rule.topic}: ${rule.rule}`, rule] as const))("%s", async (_, rule) => {
    const wrong = (await tryRule(world, rule)).join("\n");
    expect(wrong, wrong).toBe("");
  });
});
