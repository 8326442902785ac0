import { describe, expect, it } from "vitest";
import { withSecrets, importStage, bodiesSentTo } from "../support/import-stage.ts";
import type { JsonObject } from "../support/import-stage.ts";
import { memoryStack } from "../support/memory-stack.ts";
import { dashboard, hexId, records } from "../support/stack-records.ts";

const MARK = "«redacted:assigned-secret»";
const board = (letter: "a" | "b", member: unknown): JsonObject =>
  dashboard(hexId(letter, 16), "Runbook", "", {
    tiles: [{ id: hexId("d", 1), name: "Notes", config: { displayType: "markdown", markdown: member as string } }],
  });

/** Returns the planned action for a record that has a placeholder where the target's record has the value `there`. */
async function actionFor(archived: string, there: unknown): Promise<string | undefined> {
  const stack = memoryStack({ dashboards: [board("b", there)], alerts: [], sources: [], webhooks: [] });
  const run = await importStage(stack).run(records({ dashboards: [board("a", archived)] }));
  return run.plan.items[0]?.action;
}

describe("a text with a secret taken out", () => {
  it.each([
    ["one secret", `password ${MARK} here`, "password hunter2 here"],
    ["an empty one", `password ${MARK} here`, "password  here"],
    ["several", `a ${MARK} b ${MARK} c`, "a 1 b 2 c"],
    ["several without text between", `${MARK}${MARK}`, "12"],
    ["parts that repeat", `x ${MARK}, x ${MARK}, x`, "x 1, x 2, x"],
    ["nothing but the secret", MARK, "hunter2"],
    ["nothing but a number", "«redacted:credential-number»", 123456],
  ])("is what the target has there with %s", async (_, archived, there) => {
    expect(await actionFor(archived, there)).toBe("unchanged");
  });

  it.each([
    ["another beginning", `password ${MARK} here`, "passwort hunter2 here"],
    ["another end", `password ${MARK} here`, "password hunter2 there"],
    ["no part between", `a ${MARK} b ${MARK} c`, "a 1 c"],
    ["parts in another order", `a ${MARK} b ${MARK} c ${MARK} d`, "a 1 c 2 b 3 d"],
    ["a part that is also the end, once", `a ${MARK} b${MARK} b`, "a 1 b"],
    ["a beginning that is also the end, once", `key${MARK}key`, "key"],
    ["nothing there", MARK, ""],
    ["an object there", MARK, { some: "thing" }],
    ["a number where text stands around it", `1${MARK}`, 123],
  ])("is another than what the target has with %s", async (_, archived, there) => {
    expect(await actionFor(archived, there)).toBe("skip");
  });
});

describe("a number that was taken out", () => {
  it.each([
    ["a number again", "42", 42],
    ["a text where it is none", "forty-two", "forty-two"],
    ["a text where it is blank", " ", " "],
    ["a text where it is too large for a number", "1e999", "1e999"],
  ])("is filled in as %s", async (_, value, expected) => {
    const holed = dashboard(hexId("a", 16), "Runbook", "", { pin: "«redacted:credential-number»", tiles: [] });
    const { records: archive, secrets } = withSecrets(records({ dashboards: [holed] }), {
      [`dashboards/${hexId("a", 16)}`]: { "/pin": [value] },
    });
    const stack = memoryStack({ dashboards: [], alerts: [], sources: [], webhooks: [] });
    await importStage(stack).run(archive, { secrets });
    expect(bodiesSentTo(stack, "create dashboards")).toMatchObject([{ pin: expected }]);
  });
});
