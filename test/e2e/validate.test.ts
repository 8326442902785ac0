import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import type { SandboxOptions, SandboxSeed } from "../../src/sandbox/start-sandbox.ts";
import type { JsonObject } from "../support/import-stage.ts";
import { readSandbox } from "../support/read-sandbox.ts";
import type { RunCliOptions } from "../support/run-cli.ts";
import { documentOf } from "../support/run-cli.ts";
import { alert, dashboard, hexId, asListedBy, source, tileWith, webhook } from "../support/stack-records.ts";
import { allowUndescribed } from "../support/allow-undescribed.ts";
import { twoStacks } from "../support/sandbox-pair.ts";

const [LOGS, MAIN, HOOK] = [hexId("a", 1), hexId("a", 8), hexId("a", 2)];
const tile = (number: number, config: JsonObject): JsonObject => tileWith(hexId("c", number), "T", config);
const good = dashboard(hexId("a", 16), "Good", LOGS);
const line = { displayType: "line", sourceId: LOGS, select: [{ aggFn: "count" }] };
/** More series than a create accepts, though older servers have accepted them. */
const crowded = { ...line, select: Array.from({ length: 21 }, () => ({ aggFn: "count" })) };
const box = { id: "box", title: "Box", collapsed: false };
const odd = dashboard(hexId("a", 17), "Odd", LOGS, { tiles: [tile(1, line)], containers: [box, box] });
const onClick = (to: string): JsonObject => ({
  type: "dashboard",
  target: { mode: "id", id: to },
  whereLanguage: "sql",
});
const linked = (number: number, name: string, to: number, beside: readonly JsonObject[] = []): JsonObject => {
  const select = [{ aggFn: "count" }];
  const config = { displayType: "table", sourceId: LOGS, select, onClick: onClick(hexId("a", to)) };
  return dashboard(hexId("a", number), name, LOGS, { tiles: [tile(number, config), ...beside] });
};

const target = { sources: [source(LOGS, "Logs", MAIN)], webhooks: [webhook(HOOK, "pager", "slack")] };
const connections = [{ id: MAIN, name: "Main", host: "http://db:8123", username: "reader" }];

type Pair = Awaited<ReturnType<typeof pair>>;

async function pair(seed: SandboxSeed, to: Partial<SandboxOptions> = {}, create = "none") {
  const variant = to.variant ?? "self-hosted";
  const targetSeed = { ...target, connections };
  const stacks = await twoStacks(
    { variant, ids: "hex", seed: { ...targetSeed, ...seed } },
    { variant, ids: "hex", seed: targetSeed, ...to },
  );
  const line = `migrate --from $FROM --to $TO --create ${create} --json`;
  return {
    ...stacks,
    asked: () => stacks.to.stats().byRoute["POST dashboards/validate"] ?? 0,
    created: () => stacks.to.stats().byRoute["POST dashboards"] ?? 0,
    run: (flags: readonly string[], options?: RunCliOptions) => stacks.run([line, ...flags].join(" "), options),
  };
}

const fates = async (stacks: Pair, ...flags: string[]) => {
  const run = documentOf(await stacks.run(flags));
  const outcomes = run["outcomes"] as readonly { name: string; action: string; code?: string; message?: string }[];
  return new Map(outcomes.map((outcome) => [outcome.name, outcome]));
};

describe.each(["self-hosted", "managed"] as const)("validation by a %s target before the import", (variant) => {
  const seed = asListedBy(variant, {
    dashboards: [good, odd],
    alerts: [alert(hexId("a", 32), "On odd", odd, HOOK, { tileId: hexId("c", 1) })],
  });

  it("reports in a dry run each record that the target would refuse, in its words, and writes nothing", async () => {
    await using stacks = await pair(seed, { variant });
    const fate = await fates(stacks, "--dry-run");
    expect(fate.get("Odd")).toMatchObject({ action: "blocked", code: "would-be-refused" });
    expect(fate.get("Odd")?.message).toContain("containers");
    expect(fate.get("On odd")).toMatchObject({ action: "blocked", code: "dependency-blocked" });
    expect(fate.get("Good")).toMatchObject({ action: "create" });
    expect([stacks.asked(), stacks.created()]).toEqual([2, 0]);
  });

  it("takes place before the first write with --validate always, and not at all with never", async () => {
    await using stacks = await pair(seed, { variant });
    const fate = await fates(stacks, "--yes", "--validate", "always");
    expect(fate.get("Odd")).toMatchObject({ action: "blocked", code: "would-be-refused" });
    expect(fate.get("Good")).toMatchObject({ action: "create", status: "done" });
    expect([stacks.asked(), stacks.created()]).toEqual([2, 1]);
    expect((await fates(stacks, "--yes", "--validate", "never")).get("Odd")).toMatchObject({ code: "rejected" });
    expect((await fates(stacks, "--dry-run", "--validate", "never")).get("Odd")).toMatchObject({ action: "create" });
    expect(stacks.asked()).toBe(2);
  });
});

describe("a reference to a record that the run creates later", () => {
  it("is valid for links between new dashboards, and to new sources", async () => {
    const dashboards = [linked(16, "One", 17), linked(17, "Two", 16), linked(18, "Three", 16)];
    await using stacks = await pair({ dashboards }, { seed: { connections } }, "all");
    const fate = await fates(stacks, "--dry-run");
    for (const name of ["One", "Two", "Three"]) expect(fate.get(name)).toMatchObject({ action: "create" });
    expect(stacks.asked()).toBe(3);
  });

  it("hides no other mistake", async () => {
    allowUndescribed(/\/config\/select: is out of bounds$/);
    const overfull = linked(17, "Two", 16, [tile(2, crowded)]);
    const unplaced = { ...linked(18, "Three", 16), containers: [box, box] };
    await using stacks = await pair({ dashboards: [linked(16, "One", 17), overfull, unplaced] });
    const fate = await fates(stacks, "--dry-run");
    expect(fate.get("Two")).toMatchObject({
      code: "would-be-refused",
      message: expect.stringContaining("select"),
    });
    expect(fate.get("Three")).toMatchObject({ code: "would-be-refused" });
    expect(fate.get("One")).toMatchObject({ code: "dependency-blocked" });
  });
});

describe("the number of validation requests", () => {
  it("is one if the target does not offer validation, with one warning", async () => {
    await using stacks = await pair({ dashboards: [good, odd, linked(18, "Three", 16)] }, { api: "contract" });
    const run = await stacks.run(["--dry-run"]);
    expect(documentOf(run)).toMatchObject({ exitCode: 0, warnings: [{ code: "not-validated" }] });
    const posts = Object.entries(stacks.to.stats().byRoute).filter(([route]) => route.startsWith("POST"));
    expect(posts.map(([, count]) => count)).toEqual([1]);
    expect(run.stderr.match(/does not offer to validate/g)).toHaveLength(1);
  });

  it("is zero if validation would make the run a tenth longer, and not zero otherwise", async () => {
    const alerts = Array.from({ length: 30 }, (_, at) => alert(hexId("a", 32 + at), `Alert ${at}`, good, HOOK));
    await using dear = await pair({ dashboards: [good], alerts: alerts.slice(0, 2) });
    await dear.run(["--yes"]);
    expect([dear.asked(), dear.created()]).toEqual([0, 1]);
    await using cheap = await pair({ dashboards: [good], alerts });
    await cheap.run(["--yes"]);
    expect([cheap.asked(), cheap.created()]).toEqual([1, 1]);
  });
});

describe("an update", () => {
  const withNotes = (count: number, length: number): JsonObject => {
    const notes = (at: number): JsonObject => ({ displayType: "markdown", markdown: "note ".repeat(length / 5) + at });
    const tiles = Array.from({ length: count }, (_, at) => ({ ...tile(at, notes(at)), y: 3 * at }));
    return dashboard(hexId("a", 16), "Notes", LOGS, { tiles });
  };

  it.each([
    ["is asked about", withNotes(2, 1000), 1, []],
    ["of more than a million characters is not, and the run says so", withNotes(24, 45_000), 0, ["not-validated"]],
  ])("%s", async (_, theirs, asked, codes) => {
    const dashboards = [dashboard(hexId("a", 16), "Notes", LOGS)];
    await using stacks = await pair({ dashboards: [theirs] }, { seed: { ...target, connections, dashboards } });
    const run = documentOf(await stacks.run(["--dry-run", "--on-conflict", "update"]));
    expect(run["outcomes"]).toContainEqual(expect.objectContaining({ name: "Notes", action: "update" }));
    expect([stacks.asked(), (run["warnings"] as readonly { code: string }[]).map(({ code }) => code)]).toEqual([
      asked,
      codes,
    ]);
  });
});

describe("a validation request that fails", () => {
  const dashboards = [good, odd, linked(18, "Three", 16)];

  it("raises a warning, and no further validation request is sent", async () => {
    let asked = 0;
    const intercept: SandboxOptions["intercept"] = ({ route }, proceed) => {
      if (route !== "POST dashboards/validate") return proceed();
      asked += 1;
      return Response.json({ message: "no" }, { status: 400 });
    };
    await using stacks = await pair({ dashboards }, { intercept });
    expect(documentOf(await stacks.run(["--yes", "--validate", "always"]))).toMatchObject({
      warnings: [{ code: "not-validated" }],
      counts: { create: 2, failed: 1 },
    });
    expect(asked).toBe(1);
  });

  it("is cancelled at once if the user stops the run, and nothing is written", async () => {
    const signals = new EventEmitter();
    const intercept: SandboxOptions["intercept"] = ({ route }, proceed) => {
      if (route === "POST dashboards/validate") signals.emit("signal", "SIGINT");
      return proceed();
    };
    await using stacks = await pair({ dashboards }, { intercept });
    const run = await stacks.run(["--yes", "--validate", "always"], { signals });
    expect(run.exitCode).toBe(130);
    expect(stacks.created()).toBe(0);
    expect(await readSandbox(stacks.to, "dashboards")).toEqual([]);
  });
});
