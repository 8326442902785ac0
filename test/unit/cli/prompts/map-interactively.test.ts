import { describe, expect, it } from "vitest";
import { createTheme } from "../../../../src/cli/output/terminal.ts";
import type { Session } from "../../../../src/cli/program/session.ts";
import { mapInteractively } from "../../../../src/cli/prompts/map-interactively.ts";
import type { ManualMapping, Plan, UnresolvedId } from "../../../../src/core/plan/plan.ts";

const candidates = [
  { id: "t1", name: "pager" },
  { id: "t2", name: "oncall-slack-prod" },
  { id: "t3", name: "twin" },
  { id: "t4", name: "twin" },
];
const wanted = ["oncall-slack", "incidents", "twin\u001b[2J"].map((name, index): UnresolvedId => ({
  space: "webhooks",
  id: `w${index + 1}`,
  name,
  reason: "missing",
  candidates,
  neededBy: 2,
}));

/**
 * Returns a plan without the references that the mapping resolves. The third reference appears only after the first one is
 * resolved.
 */
async function planWith(mapping: ManualMapping): Promise<Plan> {
  const done = mapping["webhooks"] ?? {};
  const seen = "w1" in done ? wanted : wanted.slice(0, 2);
  const unresolved = seen.filter(({ id }) => !(id in done));
  return {
    items: [],
    matches: [],
    unresolved,
    ids: [],
    knownIds: new Map(),
    warnings: [],
    present: new Map(),
    missingSecrets: [],
  };
}

async function run(
  answers: readonly string[],
  more: Partial<UnresolvedId> = {},
): Promise<{ mapping: ManualMapping; said: string; left: number }> {
  const given = [...answers];
  let said = "";
  const session = {
    say: (text: string) => (said += text),
    messageDisplay: { theme: createTheme(false), columns: 100 },
    signal: new AbortController().signal,
    io: { stdin: { isTTY: true, readLine: async () => given.shift() ?? "" } },
  } as unknown as Session;
  const planned = async (known: ManualMapping): Promise<Plan> => {
    const drawn = await planWith(known);
    return { ...drawn, unresolved: drawn.unresolved.map((entry) => ({ ...entry, ...more })) };
  };
  const bodiesOf = () => ({ record: undefined, candidate: () => undefined });
  const { plan, mapping } = await mapInteractively({ planWith: planned, mapping: {}, bodiesOf }, session);
  return { mapping, said, left: plan.unresolved.length };
}

describe("mapInteractively", () => {
  it("accepts a number, a name or an id, and asks for references that an answer reveals", async () => {
    const { mapping, left } = await run(["1", "pager", "t4"]);
    expect(mapping).toEqual({ webhooks: { w1: "t2", w2: "t1", w3: "t4" } });
    expect(left).toBe(0);
  });

  it("asks again if an answer matches no candidate or several, and skips a reference on an empty answer", async () => {
    const { mapping, said, left } = await run(["99", "twin", "", "nobody", ""]);
    expect(mapping).toEqual({});
    expect(left).toBe(2);
    expect(said.match(/is no webhook of the target/g)).toHaveLength(3);
  });

  it("accepts an id that is no candidate only if the target has no list of the kind", async () => {
    const other = "6b00e155e5757e17d9e50073";
    expect((await run([other, "q"], { unlisted: true })).mapping).toEqual({ webhooks: { w1: other } });
    expect((await run(["other", "", "q"], { unlisted: true })).mapping).toEqual({});
    expect((await run([other, "", "q"])).mapping).toEqual({});
  });

  it("stops at q, and returns the answers given so far", async () => {
    expect((await run(["1", "q", "t1"])).mapping).toEqual({ webhooks: { w1: "t2" } });
  });

  it("ranks the candidates with a reason, and prints no escape sequences", async () => {
    const { said } = await run(["1", "", ""]);
    expect(said).toMatch(/1 {2}oncall-slack-prod +t2 +a name \d+ % alike/);
    expect(said).not.toContain("\u001b");
  });
});
