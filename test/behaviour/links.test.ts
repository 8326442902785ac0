import { describe, expect, it } from "vitest";
import { importStage, outcomeOf, sentTo, storedRecords, writesOn } from "../support/import-stage.ts";
import type { JsonObject } from "../support/import-stage.ts";
import { memoryStack, refuse, answer, killed, change, put, namesOn } from "../support/memory-stack.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records } from "../support/stack-records.ts";
import { hook, logs, usualTarget } from "../support/usual-stacks.ts";

const target = (): MemoryStack => usualTarget();

/** A dashboard with a table tile for each dashboard that a click on it leads to. */
function linking(number: number, name: string, to: readonly number[], more: JsonObject = {}): JsonObject {
  const tiles = to.map((each) => ({
    id: hexId("d", number * 16 + each),
    name: `To ${each}`,
    config: {
      displayType: "table",
      sourceId: hexId("a", 1),
      onClick: { type: "dashboard", target: { mode: "id", id: hexId("a", each) } },
    },
  }));
  return dashboard(hexId("a", number), name, "", { tiles, ...more });
}

const archiveOf = (...dashboards: JsonObject[]) => records({ dashboards, sources: [logs] });
const elsewhere = { variant: "self-hosted", baseUrl: "http://other.test" } as const;
const component = archiveOf(linking(16, "One", [17]), linking(17, "Two", [16]));

interface Linked {
  readonly id: string;
  readonly tiles: readonly { readonly config: { readonly onClick?: { readonly target: { readonly id: string } } } }[];
}
const named = (stack: MemoryStack, name: string): Linked =>
  storedRecords(stack, "dashboards").find((body) => body["name"] === name) as unknown as Linked;
/** Points every link of a dashboard of the target to this id. */
function relinkTo(stack: MemoryStack, id: string, to: string): void {
  const body = stack.records.get("dashboards")?.get(id) ?? {};
  const text = JSON.stringify(body).replaceAll(hexId("a", 17), to);
  stack.records.get("dashboards")?.set(id, JSON.parse(text) as JsonObject);
}
const linksOf = (body: Linked): unknown[] => body.tiles.map(({ config }) => config.onClick?.target.id);

describe("a link of a dashboard to itself", () => {
  it("is closed by one update, which keeps the new id of its tile", async () => {
    const stack = target();
    await importStage(stack).run(archiveOf(linking(16, "Self", [16])));
    const { id, tiles } = named(stack, "Self");
    const updates = sentTo(stack, "update dashboards");
    expect(updates).toMatchObject([{ tiles: [{ ...tiles[0], config: { onClick: { target: { id } } } }] }]);
    expect(updates[0]).not.toHaveProperty("id");
  });
});

describe("the write of a link that had to wait", () => {
  it("is a failure where it is refused (exit 3), and is done by the next run", async () => {
    const stack = target();
    const stage = importStage(stack);
    answer(stack, "update dashboards", () => refuse("rejected", "no"));
    const first = await stage.run(component);
    const ends = first.outcomes.slice(0, 2).map(({ status, code }) => `${status} ${code ?? ""}`);
    expect(ends.toSorted()).toEqual(["done ", "failed rejected"]);
    expect(first.exitCode).toBe(3);
    stack.intercept = () => {};
    const second = await stage.run(component);
    expect(second.plan.items.filter(({ code }) => code === "finish-links")).toHaveLength(1);
    expect(second.exitCode).toBe(0);
    expect(linksOf(named(stack, "One"))).toEqual([named(stack, "Two").id]);
    expect(linksOf(named(stack, "Two"))).toEqual([named(stack, "One").id]);
    expect((await stage.run(component)).plan.items.map(({ action }) => action).slice(0, 2)).toEqual([
      "unchanged",
      "unchanged",
    ]);
  });

  it("looks first: what somebody has edited since its create stays, and is named (exit 3)", async () => {
    const stack = target();
    stack.interceptAfter = (operation) => {
      if (operation !== "create dashboards") return;
      change(stack, "dashboards", { tags: ["theirs"] });
    };
    const run = await importStage(stack).run(component);
    expect(run.exitCode).toBe(3);
    expect(run.outcomes.filter(({ code }) => code === "changed-since")).toMatchObject([{ status: "failed" }]);
    expect(writesOn(stack)).toEqual(["create dashboards", "create dashboards"]);
    expect(storedRecords(stack, "dashboards")).toMatchObject([{ tags: ["theirs"] }, { tags: ["theirs"] }]);
  });

  it("is named where the dashboard that it leads to could not be written", async () => {
    const stack = target();
    stack.intercept = (operation, body) => {
      if (operation === "create dashboards" && body?.["name"] === "Three") throw refuse("rejected", "no");
    };
    const three = archiveOf(linking(16, "One", [17]), linking(17, "Two", [16, 18]), linking(18, "Three", [17]));
    const run = await importStage(stack).run(three);
    const codes = run.outcomes.slice(0, 3).map(({ code }) => code);
    expect(codes).toContain("rejected");
    expect(codes.filter((code) => code === "link-failed" || code === "dependency-failed")).not.toEqual([]);
    expect(run.exitCode).toBe(3);
  });

  it("leaves out of the first write the links that wait, and no other", async () => {
    const stack = target();
    const archive = archiveOf(linking(16, "One", [17, 18]), linking(17, "Two", [16]), linking(18, "Leaf", []));
    await importStage(stack).run(archive);
    const sent = sentTo(stack, "create dashboards") as unknown as (Linked & { name: string })[];
    const leaf = named(stack, "Leaf").id;
    expect(linksOf(sent.find(({ name }) => name === "One") as Linked)).toContain(leaf);
    expect(linksOf(named(stack, "One"))).toEqual([named(stack, "Two").id, leaf]);
    expect(linksOf(named(stack, "Two"))).toEqual([named(stack, "One").id]);
    expect(writesOn(stack).filter((name) => name === "update dashboards")).toHaveLength(1);
  });

  it("is not sent once the run has been stopped", async () => {
    const stack = target();
    stack.intercept = (operation, body) => {
      if (operation === "create dashboards" && body?.["name"] === "Last") throw refuse("unauthorized", "no");
    };
    const archive = archiveOf(linking(15, "Last", []), linking(16, "One", [17]), linking(17, "Two", [16]));
    const run = await importStage(stack).run(archive, { concurrency: 1 });
    expect(run.stopped?.code).toBe("unauthorized");
    expect(writesOn(stack)).not.toContain("update dashboards");
  });

  it("is no failure of its record where the run ended before what it leads to was written", async () => {
    const stack = target();
    stack.intercept = (operation, body) => {
      if (operation === "create dashboards" && body?.["name"] === "One") throw refuse("unauthorized", "no");
    };
    const run = await importStage(stack).run(component);
    expect(outcomeOf(run, "One")).toMatchObject({ status: "failed", code: "unauthorized" });
    expect(outcomeOf(run, "Two")).toMatchObject({ status: "planned", code: "not-started" });
  });
});

describe("texts in which two dashboards name each other", () => {
  const noting = (number: number, name: string, to: number): JsonObject => {
    const markdown = `see [it](https://o11y.example.com/dashboards/${hexId("a", to).toUpperCase()}?from=now)`;
    const tiles = [{ id: hexId("d", number), name: "Notes", config: { displayType: "markdown", markdown } }];
    return dashboard(hexId("a", number), name, "", { tiles });
  };

  it("have the target's ids in the end", async () => {
    const stack = target();
    const archive = archiveOf(noting(16, "One", 17), noting(17, "Two", 16));
    const stage = importStage(stack);
    expect((await stage.run(archive)).exitCode).toBe(0);
    const text = JSON.stringify(storedRecords(stack, "dashboards"));
    expect(text.toLowerCase()).not.toContain(hexId("a", 16));
    expect(text.toLowerCase()).not.toContain(hexId("a", 17));
    for (const name of ["One", "Two"]) expect(text).toContain(`dashboards/${named(stack, name).id}?from=now`);
    expect((await importStage(stack).run(archive)).plan.items.slice(0, 2).map(({ action }) => action)).toEqual([
      "unchanged",
      "unchanged",
    ]);
  });

  it("are finished where one of two ids in a text was there to be set at once", async () => {
    const stack = target();
    const both = (number: number, name: string, to: number): JsonObject => {
      const markdown = `see /dashboards/${hexId("a", to)} and /dashboards/${hexId("a", 18)}`;
      const tiles = [{ id: hexId("d", number), name: "Notes", config: { displayType: "markdown", markdown } }];
      return dashboard(hexId("a", number), name, "", { tiles });
    };
    const archive = archiveOf(both(16, "One", 17), both(17, "Two", 16), linking(18, "Leaf", []));
    answer(stack, "update dashboards", () => refuse("rejected", "no"));
    const stage = importStage(stack);
    expect((await stage.run(archive, { source: elsewhere })).exitCode).toBe(3);
    stack.intercept = () => {};
    expect((await stage.run(archive, { source: elsewhere })).exitCode).toBe(0);
    const text = JSON.stringify(storedRecords(stack, "dashboards"));
    for (const number of [16, 17, 18]) expect(text).not.toContain(hexId("a", number));
  });

  it("get the id of a record that an earlier run left out and a later one created alone", async () => {
    const stack = target();
    const archive = archiveOf(noting(16, "One", 17), linking(17, "Two", []));
    const stage = importStage(stack);
    await stage.run(archive, { source: elsewhere, filter: { include: [], exclude: ["Two"] } });
    await stage.run(archive, { source: elsewhere, filter: { include: [], only: ["Two"], exclude: [] } });
    await stage.run(archive, { source: elsewhere });
    expect(JSON.stringify(named(stack, "One"))).toContain(named(stack, "Two").id);
  });

  it.each([
    ["that leads nowhere", linking(17, "Two", [])],
    ["that leads back", noting(17, "Two", 16)],
  ])("keep an id of their own stack if a copy of its record, %s, is made beside it", async (_, two) => {
    const notes = noting(16, "One", 17);
    const stack = memoryStack({
      dashboards: [notes, { ...two, tags: ["edited"] }],
      alerts: [],
      sources: [logs],
      webhooks: [],
    });
    const stage = importStage(stack);
    const archive = archiveOf(notes, two);
    await stage.run(archive, { onConflict: "duplicate" });
    expect(writesOn(stack)).toEqual(["create dashboards"]);
    await stage.run(archive, { onConflict: "duplicate" });
    expect(writesOn(stack)).toEqual(["create dashboards"]);
  });

  it("are finished without a journal where the run was cut short before the second write, and only then", async () => {
    const stack = target();
    const archive = archiveOf(noting(16, "One", 17), noting(17, "Two", 16));
    answer(stack, "update dashboards", () => refuse("unauthorized", "no"));
    expect((await importStage(stack).run(archive)).stopped).toBeDefined();
    stack.intercept = () => {};
    const run = await importStage(stack).run(archive);
    expect(run.plan.items.slice(0, 2).flatMap(({ code }) => code ?? [])).toEqual(["finish-links"]);
    expect(JSON.stringify(storedRecords(stack, "dashboards")).toLowerCase()).not.toContain(hexId("a", 16));
    change(stack, "dashboards", { tags: ["theirs"] }, "One");
    expect(outcomeOf(await importStage(stack).run(archive), "One")).toMatchObject({ action: "skip", code: "exists" });
  });
});

it("an alert on a dashboard of a cycle is made after the dashboard's last write, which could take it away", async () => {
  const stack = usualTarget();
  const one = linking(16, "One", [17]);
  const two = linking(17, "Two", [16]);
  const alerts = [
    alert(hexId("a", 32), "On one", one, hexId("a", 2)),
    alert(hexId("a", 33), "On two", two, hexId("a", 2)),
  ];
  const webhooks = [hook];
  const archive = records({ dashboards: [one, two], alerts, sources: [logs], webhooks });
  stack.interceptAfter = (operation, body) => {
    if (operation !== "update dashboards") return;
    for (const [id, { name }] of stack.records.get("alerts") ?? [])
      if (name === (body?.["name"] === "One" ? "On one" : "On two")) stack.records.get("alerts")?.delete(id);
  };
  const run = await importStage(stack).run(archive, { verify: false });
  expect(run.exitCode).toBe(0);
  expect(namesOn(stack, "alerts")).toEqual(expect.arrayContaining(["On one", "On two"]));
  expect(writesOn(stack).at(-1)).toBe("create alerts");
});

describe("a dashboard that somebody has deleted on the target, and that others link to", () => {
  const chain = archiveOf(linking(16, "One", [17]), linking(17, "Two", []), linking(18, "Three", [17]));

  it.each([
    ["in a chain", chain],
    ["in a cycle", component],
  ])("is made anew, and they are pointed to it: %s", async (_, archive) => {
    const stack = target();
    const stage = importStage(stack);
    await stage.run(archive);
    stack.records.get("dashboards")?.delete(named(stack, "Two").id);
    const run = await stage.run(archive);
    expect(run.exitCode).toBe(0);
    expect(outcomeOf(run, "Two")).toMatchObject({ action: "create", status: "done" });
    expect(outcomeOf(run, "One")).toMatchObject({ action: "update", code: "relink" });
    expect(linksOf(named(stack, "One"))).toEqual([named(stack, "Two").id]);
    stack.requests.length = 0;
    await stage.run(archive);
    expect(writesOn(stack)).toEqual([]);
  });

  it("is no reason to write others that the server keeps in another form than they were sent in", async () => {
    const stack = target();
    const stage = importStage(stack);
    stack.keep = (_, body) => ({ ...body, tags: ["kept"] });
    await stage.run(chain);
    const again = await stage.run(chain);
    expect(again.plan.items.slice(0, 3).map(({ action, code }) => [action, code])).toEqual(
      Array.from({ length: 3 }, () => ["unchanged", "journaled"]),
    );
  });

  it.each([
    ["a journal", false],
    ["a state", true],
    ["their places alone", undefined],
  ])("is made anew alone: the dead links are named, and the next run sets them (%s)", async (_, remember) => {
    const stack = target();
    const stage = importStage(stack, undefined, remember === true);
    await stage.run(chain, { source: elsewhere });
    const formerId = named(stack, "Two").id;
    stack.records.get("dashboards")?.set(hexId("e", 1), { ...linking(16, "Theirs", [17]), id: hexId("e", 1) });
    relinkTo(stack, hexId("e", 1), formerId);
    stack.records.get("dashboards")?.delete(formerId);
    if (remember !== false) stage.history.length = 0;
    const filter = { include: [], only: ["Two"], exclude: [] };
    const { plan } = await stage.run(chain, { source: elsewhere, filter });
    const dead = plan.warnings.filter(({ code }) => code === "dead-link").map(({ message }) => message);
    const told = dead.map((message) =>
      /^the dashboard "(\w+)".*: .*(--only "\w+"|by hand)/.exec(message)?.slice(1).join(),
    );
    expect(told.map(String).toSorted()).toEqual(['One,--only "One"', "Theirs,by hand", 'Three,--only "Three"']);
    if (remember === undefined) stage.history.length = 0;
    const next = await stage.run(chain, { source: elsewhere });
    expect(next.exitCode).toBe(0);
    for (const name of ["One", "Three"]) expect(linksOf(named(stack, name))).toEqual([named(stack, "Two").id]);
    stack.requests.length = 0;
    await stage.run(chain, { source: elsewhere });
    expect(writesOn(stack)).toEqual([]);
  });

  it("leaves them alone where it is not made anew, as nobody asked for it", async () => {
    const stack = target();
    const stage = importStage(stack);
    await stage.run(chain);
    stack.records.get("dashboards")?.delete(named(stack, "Two").id);
    stack.requests.length = 0;
    const run = await stage.run(chain, { filter: { include: [], exclude: ["Two"] } });
    expect(outcomeOf(run, "Two")).toBeUndefined();
    expect(outcomeOf(run, "One")).toMatchObject({ action: "unchanged", code: "journaled" });
    expect(writesOn(stack)).toEqual([]);
    expect(run.plan.warnings).toEqual([
      {
        code: "dead-link",
        message:
          'the dashboard "Two" is not on the target, but the dashboard "One", the dashboard "Three" link to it there; an import that also selects it creates it and sets the link',
      },
    ]);
  });

  it("is named where only the text of an equal record has it", async () => {
    const markdown = `see /dashboards/${hexId("a", 17)}`;
    const tiles = [{ id: hexId("d", 1), name: "Notes", config: { displayType: "markdown", markdown } }];
    const notes = dashboard(hexId("a", 16), "One", "", { tiles });
    const stack = memoryStack({ dashboards: [notes], alerts: [], sources: [logs], webhooks: [] });
    const filter = { include: [], only: ["One"], exclude: [] };
    const { plan } = await importStage(stack).run(archiveOf(notes, linking(17, "Two", [])), { filter });
    expect(plan.items[0]).toMatchObject({ name: "One", action: "unchanged" });
    expect(plan.warnings).toMatchObject([{ code: "dead-link" }]);
  });

  it("is made anew, and they are pointed to it by the same run, also where no run is remembered", async () => {
    const stack = target();
    await importStage(stack).run(chain, { source: elsewhere });
    stack.records.get("dashboards")?.delete(named(stack, "Two").id);
    const run = await importStage(stack).run(chain, { source: elsewhere });
    expect(["One", "Two", "Three"].map((name) => outcomeOf(run, name)?.code)).toEqual(["relink", undefined, "relink"]);
    for (const name of ["One", "Three"]) expect(linksOf(named(stack, name))).toEqual([named(stack, "Two").id]);
  });

  it("is no reason to overwrite what a merge has left of one of them: its dead link is named", async () => {
    const stack = target();
    const stage = importStage(stack);
    const archive = archiveOf(linking(16, "One", [17, 18]), linking(17, "Two", []), linking(18, "Three", []));
    await stage.run(archive, { source: elsewhere });
    const { id } = named(stack, "One");
    const stored: JsonObject = stack.records.get("dashboards")?.get(id) ?? {};
    const [first = null] = stored["tiles"] as JsonObject[];
    stack.records.get("dashboards")?.set(id, { ...stored, tags: ["theirs"], tiles: [first] });
    const merged = await stage.run(archive, { source: elsewhere, onConflict: "merge" });
    expect(outcomeOf(merged, "One")).toMatchObject({ code: "merged-parts" });
    stack.records.get("dashboards")?.delete(named(stack, "Two").id);
    const { plan } = await stage.run(archive, { source: elsewhere });
    expect(named(stack, "One")).toMatchObject({ tags: ["theirs"] });
    expect(plan.warnings.filter(({ code }) => code === "dead-link")).toHaveLength(1);
    const filter = { include: [], only: ["One"], exclude: [] };
    await stage.run(archive, { source: elsewhere, filter, onConflict: "update" });
    expect(linksOf(named(stack, "One"))).toContain(named(stack, "Two").id);
  });

  it.each([
    ["and its tags were edited", true, (tiles: JsonObject[]) => tiles],
    ["and its tags were edited, without a state", false, (tiles: JsonObject[]) => tiles],
    ["and a tile before it was removed", true, (tiles: JsonObject[]) => tiles.slice(1)],
    ["and a tile before it was removed, without a state", false, (tiles: JsonObject[]) => tiles.slice(1)],
    ["and its tiles have another order, without a state", false, (tiles: JsonObject[]) => tiles.toReversed()],
  ] as const)("leaves a dashboard %s, and the merge that is named sets its link alone", async (_, remember, edit) => {
    const stack = target();
    const stage = importStage(stack, undefined, remember);
    const archive = archiveOf(linking(16, "One", [18, 17]), linking(17, "Two", []), linking(18, "Three", []));
    await stage.run(archive, { source: elsewhere });
    const stored = storedRecords(stack, "dashboards").find(({ name }) => name === "One") ?? {};
    const tiles = edit(stored["tiles"] as JsonObject[]);
    change(stack, "dashboards", { tags: ["theirs"], tiles }, "One");
    stack.records.get("dashboards")?.delete(named(stack, "Two").id);
    const { plan } = await stage.run(archive, { source: elsewhere });
    const [dead, ...others] = plan.warnings.filter(({ code }) => code === "dead-link");
    expect(others).toEqual([]);
    expect(dead?.message).toContain('--only "One" --on-conflict merge');
    const filter = { include: [], only: ["One"], exclude: [] };
    await stage.run(archive, { source: elsewhere, filter, onConflict: "merge" });
    expect(linksOf(named(stack, "One"))).toContain(named(stack, "Two").id);
    expect(named(stack, "One")).toMatchObject({ tags: ["theirs"] });
  });

  it("is made anew, and they are pointed to it, even if an earlier run had not made it", async () => {
    const stack = target();
    const stage = importStage(stack);
    // The first run leaves "Two" out, which the target has; by the second somebody has deleted it.
    const two = linking(40, "Two", []);
    put(stack, "dashboards", two);
    await stage.run(chain, { filter: { include: [], exclude: ["Two"] } });
    stack.records.get("dashboards")?.delete(String(two["id"]));
    const run = await stage.run(chain);
    expect(outcomeOf(run, "Two")).toMatchObject({ action: "create", status: "done" });
    expect(outcomeOf(run, "One")).toMatchObject({ action: "update", code: "relink", status: "done" });
    expect(linksOf(named(stack, "One"))).toEqual([named(stack, "Two").id]);
  });

  it("does not change what somebody has changed since: that is left alone and named", async () => {
    const stack = target();
    const stage = importStage(stack);
    await stage.run(chain);
    stack.records.get("dashboards")?.delete(named(stack, "Two").id);
    change(stack, "dashboards", { tags: ["theirs"] }, "One");
    const run = await stage.run(chain);
    expect(outcomeOf(run, "One")).toMatchObject({ action: "skip", code: "exists" });
    expect(outcomeOf(run, "Three")).toMatchObject({ action: "update", code: "relink" });
  });
});

describe("a link that is missing on the target", () => {
  /** Somebody takes the link of "One" out. */
  function takeLinkOut(stack: MemoryStack): void {
    const [tile] = named(stack, "One").tiles as unknown as JsonObject[];
    const tiles = [{ ...tile, config: { displayType: "table", sourceId: hexId("b", 1) } }];
    change(stack, "dashboards", { tiles }, "One");
  }

  it("is not put back where somebody has changed the dashboard since the import was cut short", async () => {
    const stack = target();
    const stage = importStage(stack);
    await killed(stack, "before", /^update dashboards$/, () => stage.run(component));
    change(stack, "dashboards", { tags: ["theirs"] });
    const run = await stage.run(component);
    expect(run.plan.items.filter(({ code }) => code === "finish-links")).toEqual([]);
    expect(storedRecords(stack, "dashboards").map(({ tags }) => tags)).toEqual([["theirs"], ["theirs"]]);
  });

  it("is not put back where the import was complete: somebody has taken it out", async () => {
    const stack = target();
    const stage = importStage(stack);
    await stage.run(component);
    takeLinkOut(stack);
    stack.requests.length = 0;
    const run = await stage.run(component);
    expect(outcomeOf(run, "One")).toMatchObject({ action: "skip", code: "exists" });
    expect(writesOn(stack)).toEqual([]);
  });

  it("is not put back without a journal where it closes no circle", async () => {
    const archive = archiveOf(linking(16, "One", [17]), linking(17, "Two", []));
    const stack = target();
    await importStage(stack).run(archive);
    takeLinkOut(stack);
    const run = await importStage(stack).run(archive);
    expect(outcomeOf(run, "One")).toMatchObject({ action: "skip", code: "exists" });
  });
});
