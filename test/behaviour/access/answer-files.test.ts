import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { objectsIn, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { filesBelow } from "../../support/archive-samples.ts";
import { programForTwoStacks, sandboxEnv } from "../../support/program.ts";
import { answer, codesOf, idOf, otherIds, programWithAnswers } from "./answers.ts";

describe("apply of the API's own answers", () => {
  it("creates two lists that curl saved, with every alert on its tile, and then changes nothing", async () => {
    await using program = await programWithAnswers(["list-dashboards.json", "list-alerts.json"]);
    for (const flag of ["--dry-run", ""]) {
      expect(await program.apply(flag)).toMatchObject({ ok: true, counts: { create: 3 } });
    }
    const { dashboards, alerts } = program.stack.stored();
    const checkout = dashboards.find(({ name }) => name === "Checkout");
    const tiles = objectsIn(checkout?.["tiles"] as JsonValue);
    expect(new Set(program.boardNames())).toEqual(new Set(["Checkout", "Payments"]));
    expect(alerts).toHaveLength(1);
    expect(alerts[0]).toMatchObject({ tileId: tiles.find(({ name }) => name === "Requests")?.["id"], threshold: 100 });
    expect(await program.differs()).toBe(0);
    expect((await program.run("export --from $STACK --format code --out code")).exitCode).toBe(0);
    const text = await readFile(join(program.cwd, "code/alerts/alert.yaml"), "utf8");
    expect(text).toMatch(/^dashboard: Checkout\ntile: Requests$/m);
    expect(await program.differs("code", "third")).toBe(0);
  });

  it("tells the kind of a record by its members or its file's name, and no kind of other people's files", async () => {
    await using program = await programWithAnswers(["list-dashboards.json"]);
    const { apply, write } = program;
    await write("list-alerts.json", { data: [] });
    await write("deploy.json", { name: "checkout", service: "payments", replicas: 3 });
    await write("saved-search.json", { id: idOf("e"), name: "Errors", sourceId: idOf("b"), tags: [], filters: [] });
    const { outcomes, error } = await apply("--dry-run --create saved-searches");
    expect(error).toBeUndefined();
    const ends = (outcomes as JsonObject[]).map(({ kind, action }) => `${String(kind)} ${String(action)}`);
    expect(ends.toSorted()).toEqual(["dashboards create", "dashboards create", "saved-searches create"]);
    const { data } = (await answer("list-dashboards.json")) as { data: JsonObject[] };
    const [{ tiles: _tiles, ...broken } = {}, whole = {}] = data;
    await write("list-dashboards.json", { data: [broken, whole] });
    const run = await program.run("apply in --to $STACK --mirror --yes");
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringMatching(/list-dashboards\.json:\d+:\d+: .*tiles/)]);
  });

  it.each([
    ["dashboard.json", "in/dashboard.json"],
    ["dashboard.json", "in/dashboards/any-name.json"],
    ["dashboard-in-data.json", "in/saved.json"],
  ])("creates the same dashboard from %s as %s", async (file, path) => {
    await using program = await programWithAnswers([]);
    await program.put(file, path);
    expect(await program.apply()).toMatchObject({ counts: { create: 1 } });
    expect(await program.json(`apply ${path} --to $STACK`)).toMatchObject({ counts: { unchanged: 1 } });
    expect(program.boardNames()).toEqual(["Checkout"]);
  });

  it("calls an alert without a name after its file, if the files lack its dashboard, and not by an invented id", async () => {
    await using program = await programWithAnswers(["list-alerts.json"]);
    const run = await program.run("apply in --to $STACK --dry-run");
    expect([run.exitCode, run.stdout]).toEqual([3, expect.stringMatching(/in in\/list-alerts\.json#data\/0/)]);
    const { outcomes, items = outcomes } = await program.apply("--dry-run");
    const displayName = expect.stringContaining("list-alerts.json");
    expect(items).toMatchObject([{ displayName, code: "missing-reference" }]);
  });

  it("takes a bare array, an envelope of a managed stack, and request bodies without an id", async () => {
    await using program = await programWithAnswers([]);
    const { id: _id, ...body } = await answer("dashboard.json");
    await program.write("a.json", [{ ...body, name: "A" }]);
    await program.write("b.json", { status: 200, requestId: "r", result: [{ ...body, name: "B" }] });
    await program.write("c.json", { ...body, name: "C" });
    expect(await program.apply()).toMatchObject({ ok: true, counts: { create: 3 } });
    expect(new Set(program.boardNames())).toEqual(new Set(["A", "B", "C"]));
  });

  it("takes a list that is larger than any record may be", async () => {
    await using program = await programWithAnswers(["list-alerts.json"]);
    const one = await answer("dashboard.json");
    const [, notes = {}] = objectsIn(one["tiles"]);
    const config = { displayType: "markdown", markdown: "x".repeat(40_000) };
    const tiles = Array.from({ length: 100 }, (_, at) => ({ ...notes, id: `t${at}`, y: 4 * at, config }));
    const data = ["A", "B", "C", "D", "E"].map((name, at) => {
      return { ...one, id: `${idOf("e").slice(0, 23)}${at}`, name, tiles };
    });
    await program.write("dashboards.json", { data: [one, ...data] });
    expect(await program.apply("--dry-run")).toMatchObject({ ok: true, counts: { create: 7 } });
  });

  it("takes one record that lies in several files once, and refuses a copy with other content", async () => {
    await using program = await programWithAnswers([
      "list-dashboards.json",
      "dashboard.json",
      "dashboard-in-data.json",
    ]);
    expect(await program.apply("--dry-run")).toMatchObject({ ok: true, counts: { create: 2 } });
    await program.write("zz.json", { ...(await answer("dashboard.json")), tags: ["other"] });
    const refused = await program.apply("--dry-run");
    expect(refused).toMatchObject({ exitCode: 3, counts: { create: 2, blocked: 1 } });
    expect(codesOf(refused)).toMatchObject({ Checkout: "bad-file" });
  });

  it("names in the plan what the target lacks, and a drafted map file settles it", async () => {
    await using program = await programWithAnswers(["list-dashboards.json", "list-alerts.json"], otherIds);
    const blocked = await program.apply("--dry-run --draft-map map.yaml");
    expect(blocked).toMatchObject({ exitCode: 3, counts: { create: 1, blocked: 2 } });
    expect(codesOf(blocked)).toMatchObject({ Checkout: "missing-reference" });
    expect(JSON.stringify(blocked["outcomes"])).toContain("import it, too, or name its counterpart in a map file");
    const map = `sources: { "${idOf("b")}": Logs }\nwebhooks: { "${idOf("c")}": pager }\n`;
    await writeFile(join(program.cwd, "map.yaml"), map);
    expect(await program.apply("--map map.yaml")).toMatchObject({ ok: true, counts: { create: 3 } });
  });

  it("makes of all lists of a stack what an import of its archive makes", async () => {
    await using program = await programForTwoStacks(
      { variant: "self-hosted", seed: "sample" },
      { variant: "self-hosted", seed: "none" },
    );
    const { cwd, from, run } = program;
    await mkdir(join(cwd, "in"));
    for (const kind of ["connections", "sources", "webhooks", "saved-searches", "dashboards", "alerts"]) {
      const headers = { authorization: `Bearer ${from.apiKey}` };
      const response = await fetch(`${from.stack}/api/v2/${kind}`, { headers });
      await writeFile(join(cwd, `in/${kind}.json`), await response.text());
    }
    // No answer holds the secrets of connections and webhooks; the sample's webhooks have no headers.
    const { missingSecrets } = await program.json("apply in --to $TO --create all --dry-run");
    const secrets: Record<string, JsonObject> = {};
    for (const { key, pointer, context } of missingSecrets as readonly Record<"key" | "pointer" | "context", string>[])
      secrets[key] = { ...secrets[key], [pointer]: { context, value: null } };
    await writeFile(join(cwd, "secrets.yaml"), JSON.stringify(secrets), { mode: 0o600 });
    const applied = await run("apply in --to $TO --create all --secrets secrets.yaml --yes");
    expect(applied.exitCode, applied.stderr + applied.stdout).toBe(0);
    // The files are in reading order, which means nothing to a stack, so the files of both stacks are compared.
    await run("export --from $FROM --format code --out from");
    await run("export --from $TO --format code --out to", { env: sandboxEnv(program.to) });
    expect(await filesBelow(join(cwd, "to"))).toEqual(await filesBelow(join(cwd, "from")));
  });
});

describe("an answer that says less than the stack has", () => {
  it.each([
    [1500, [expect.stringContaining("1500 alerts")]],
    [1, []],
  ])("is named if the stack counts more records than the files hold: %i", async (total, told) => {
    await using program = await programWithAnswers(["list-dashboards.json"]);
    const meta = { total, limit: 1000, offset: 0 };
    await program.write("alerts.json", { ...(await answer("list-alerts.json")), meta });
    const { warnings } = await program.apply("--dry-run");
    const leftOut = (warnings as { code: string; message: string }[]).filter(({ code }) => code === "left-out");
    expect(leftOut.map(({ message }) => message)).toEqual(told);
  });

  it("is refused if a list leaves out what a record needs", async () => {
    await using program = await programWithAnswers([]);
    const [first = {}, ...others] = objectsIn((await answer("list-dashboards.json"))["data"]);
    const tiles = objectsIn(first["tiles"]).map((tile) => ({ ...tile, containerId: "c" }));
    await program.write("list-dashboards.json", { data: [{ ...first, tiles }, ...others] });
    const plan = await program.apply("--dry-run");
    expect(codesOf(plan)).toEqual({ Checkout: "bad-file" });
    expect(plan).toMatchObject({ counts: { create: 1, blocked: 1 } });
  });
});
