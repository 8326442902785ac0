import { describe, expect, it } from "vitest";
import { createTheme } from "../../../../src/cli/output/terminal.ts";
import type { Session } from "../../../../src/cli/program/session.ts";
import { mapInteractively } from "../../../../src/cli/import/map-and-secrets.ts";
import { answeredPrompts } from "../../../support/answered-prompts.ts";
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
    bodies: new Map(),
    idsToCome: new Map(),
    warnings: [],
    missingSecrets: [],
  };
}

async function run(
  answers: readonly string[],
  more: Partial<UnresolvedId> = {},
): Promise<{ mapping: ManualMapping; said: string; left: number }> {
  let said = "";
  const session = {
    say: (text: string) => (said += text),
    messageDisplay: { theme: createTheme(false), columns: 100 },
    signal: new AbortController().signal,
    prompts: answeredPrompts(answers, (text) => (said += text)),
  } as unknown as Session;
  const planned = async (known: ManualMapping): Promise<Plan> => {
    const drawn = await planWith(known);
    return { ...drawn, unresolved: drawn.unresolved.map((entry) => ({ ...entry, ...more })) };
  };
  const { plan, mapping } = await mapInteractively({ plan: await planned({}), mapping: {} }, planned, session);
  return { mapping, said, left: plan.unresolved.length };
}

describe("mapInteractively", () => {
  it("accepts a candidate, and asks for references that an answer reveals", async () => {
    const { mapping, left } = await run(["t2", "pager", "t4"]);
    expect(mapping).toEqual({ webhooks: { w1: "t2", w2: "t1", w3: "t4" } });
    expect(left).toBe(0);
  });

  it("leaves a record if the user says so", async () => {
    const { mapping, left } = await run(["leave it", "leave it"]);
    expect(mapping).toEqual({});
    expect(left).toBe(2);
  });

  it("takes an id that is no candidate only if the target has no list of the kind", async () => {
    const other = "6b00e155e5757e17d9e50073";
    const unlisted = await run(["type its id", "other", other, "stop"], { unlisted: true });
    expect(unlisted.mapping).toEqual({ webhooks: { w1: other } });
    expect(unlisted.said).toContain("this is no id of a webhook");
    await expect(run(["type its id"])).rejects.toThrow('no "type its id"');
  });

  it("asks nothing where the target's list has no record of the kind, but for an id where it has no list", async () => {
    expect(await run([], { candidates: [] })).toEqual({ mapping: {}, said: "", left: 2 });
    const { said } = await run(["stop"], { candidates: [], unlisted: true });
    expect(said).toContain("the target has no list of them: type its id");
  });

  it("stops on request, and returns the answers given so far", async () => {
    expect((await run(["t2", "stop", "t1"])).mapping).toEqual({ webhooks: { w1: "t2" } });
  });

  it("shows the likely candidates first, then to leave it or to stop, and no escape sequences", async () => {
    const { said } = await run(["t2", "leave it", "leave it"]);
    expect(said).toMatch(/oncall-slack-prod {2}t2\n(?:.*\n){3} {2}leave it/);
    expect(said).not.toContain("\u001b");
  });
});
