import { describe, expect, it } from "vitest";
import { archiveOf, board, dependencies, fromOtherStack, logs, usualTarget } from "../../support/import-samples.ts";
import {
  importInto,
  outcomeLines,
  planInto,
  writesOn,
  type JsonObject,
  type RunOptions,
} from "../../support/import-stage.ts";
import { interruptionError, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import {
  alert,
  archiveIds,
  dashboard,
  hexId,
  linkingTable,
  records,
  targetIds,
  tileWith,
} from "../../support/stack-records.ts";

type Fault = Readonly<{ path: string; message: string }>;

/** Makes the target answer validation requests with these faults, and collects the bodies that it was asked about. */
function validating(faultsOf: (body: JsonObject) => readonly Fault[], stack = usualTarget()) {
  const asked: JsonObject[] = [];
  stack.client.validate = async (_kind, body) => {
    asked.push(body);
    const errors = faultsOf(body);
    return { valid: errors.length === 0, errors };
  };
  return { stack, asked };
}

const dry = { ...fromOtherStack, dryRun: true } as const;
const tooWide = { path: "tiles.0.w", message: "too wide" };
const fateIn = async (stack: MemoryStack, archive: Parameters<typeof planInto>[1], options: RunOptions = dry) =>
  outcomeLines((await planInto(stack, archive, options)).items, "name", "action", "code");

it("a record that the target would refuse is blocked with the target's words, as is an alert on it", async () => {
  const { stack } = validating(({ name }) => (name === "Board 17" ? [tooWide] : []));
  const busy = alert(hexId("a", 32), "Busy", board(17), archiveIds.webhook);
  const archive = records({ dashboards: [board(16), board(17)], alerts: [busy], ...dependencies.ours });
  const { items } = await planInto(stack, archive, dry);
  const message = expect.stringMatching(/tile "\w+": w: too wide/) as string;
  expect(items.filter(({ kind }) => kind === "dashboards" || kind === "alerts")).toMatchObject([
    { name: "Board 16", action: "create" },
    { name: "Board 17", action: "blocked", code: "would-be-refused", message },
    { name: "Busy", action: "blocked", code: "dependency-blocked" },
  ]);
  expect(writesOn(stack)).toEqual([]);
});

it.each(["create", "update"])(
  "a refusal of a %s names the tile and what to do, not the server's path",
  async (action) => {
    const there = dashboard(hexId("b", 16), "Board 16", targetIds.source, { tags: ["theirs"] });
    const stack = usualTarget(action === "update" ? { dashboards: [there] } : {});
    stack.intercept = (operation) => {
      if (operation === `${action} dashboards`)
        throw refusalError("rejected", "Body validation failed: tiles.0.name: Required; tags: too many");
    };
    const archive = records({ dashboards: [board(16)], ...dependencies.ours });
    const { outcomes } = await importInto(stack, archive, { ...fromOtherStack, onConflict: "overwrite" });
    const outcome = outcomes.find(({ kind }) => kind === "dashboards");
    expect(outcome).toMatchObject({ action, status: "failed", code: "rejected" });
    expect(outcome?.message).toMatch(/: tile "\w+": name: Required; tags: too many; correct /);
    expect(outcome?.message).not.toContain("tiles.0");
  },
);

describe("a fault that the target finds", () => {
  const source = String(logs["id"]);
  const connections = [{ id: hexId("c", 1), name: "Main", host: "http://db:8123", username: "reader" }];
  const expressions = { timestampValueExpression: "Timestamp", defaultTableSelectExpression: "Body" };
  const withSource = records({ connections, sources: [{ ...logs, ...expressions }], dashboards: [board(16)] });
  const reference = (id: string) => ({ path: "", message: `Could not find sources: ${id}` });

  it.each<[string, Fault, readonly string[], string]>([
    ["names a source that the run creates", reference(source), ["sources"], "create"],
    ["names no id, while a source is to be created", { path: "", message: "no such source" }, ["sources"], "create"],
    ["names another source", reference(hexId("e", 1)), ["sources"], "blocked would-be-refused"],
    ["is one of form, while a source is to be created", tooWide, ["sources"], "blocked would-be-refused"],
    ["names no id, and no record is to be created", { path: "", message: "no" }, [], "blocked would-be-refused"],
  ])("that %s", async (_, fault, create, fate) => {
    const { stack } = validating(
      () => [fault],
      usualTarget(create.length > 0 ? { connections, sources: [], "saved-searches": [] } : {}),
    );
    const archive = create.length > 0 ? withSource : archiveOf(board(16));
    expect(await fateIn(stack, archive, { ...dry, create })).toContain(`Board 16 ${fate}`);
  });

  it("is none for links between new dashboards, which the question leaves out", async () => {
    const linked = (number: number, to: number): JsonObject => {
      const tiles = [tileWith(hexId("d", number), "T", linkingTable(hexId("a", to), archiveIds.source))];
      return board(number, { tiles });
    };
    const { stack, asked } = validating((body) => (/"a{20}/.test(JSON.stringify(body["tiles"])) ? [tooWide] : []));
    const fates = await fateIn(stack, archiveOf(linked(16, 17), linked(17, 16), linked(18, 16)));
    expect(fates).toEqual(expect.arrayContaining([16, 17, 18].map((number) => `Board ${number} create`)));
    expect(asked).toHaveLength(3);
  });
});

describe("the number of validation requests", () => {
  it("is none in a run that writes", async () => {
    const { stack, asked } = validating(() => []);
    await planInto(stack, archiveOf(board(16)), fromOtherStack);
    expect(asked).toEqual([]);
  });

  it.each(["not-offered", "rejected"] as const)("is one if the first fails with %s, with one warning", async (code) => {
    let asked = 0;
    const { stack } = validating(() => {
      asked += 1;
      throw refusalError(code, "no");
    });
    const run = await importInto(stack, archiveOf(board(16), board(17), board(18)), dry);
    const codes = run.events.flatMap((event) => (event.type === "warning" ? [event.warning.code] : []));
    expect([run.exitCode, asked, codes]).toEqual([0, 1, ["not-validated"]]);
  });

  it.each([interruptionError(), refusalError("unauthorized", "no")])(
    "ends the run if one fails with %s",
    async (error) => {
      const { stack } = validating(() => {
        throw error;
      });
      await expect(importInto(stack, archiveOf(board(16)), dry)).rejects.toMatchObject({ code: error.code });
      expect(writesOn(stack)).toEqual([]);
    },
  );

  it.each([
    ["create", 1000, 1, []],
    ["create", 1_100_000, 1, []],
    ["update", 1000, 0, ["no-journal"]],
  ] as const)("of the %s of %i characters is %i", async (action, length, requests, warnings) => {
    const notes = Array.from({ length: 25 }, (_, at) =>
      tileWith(hexId("d", at), `${at}`, { displayType: "markdown", markdown: "n".repeat(length / 25) }),
    );
    const theirs = dashboard(hexId("b", 16), "Board 16", targetIds.source);
    const { stack, asked } = validating(() => [], usualTarget({ dashboards: action === "update" ? [theirs] : [] }));
    const run = await importInto(stack, archiveOf(board(16, { tiles: notes })), { ...dry, onConflict: "overwrite" });
    expect(outcomeLines(run.outcomes)).toContain(`Board 16 ${action} done`);
    const codes = run.events.flatMap((event) => (event.type === "warning" ? [event.warning.code] : []));
    expect([asked.length, codes]).toEqual([requests, warnings]);
  });
});
