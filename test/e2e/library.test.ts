import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  apply,
  diff,
  exportArchive,
  importArchive,
  migrate,
  planImport,
  rollback,
  StackferryError,
  startSandbox,
  StoppedError,
  verifyArchive,
  type RunEvent,
  type Sandbox,
  type StackOptions,
} from "../../src/index.ts";
import { callSandbox } from "../support/read-sandbox.ts";
import { root } from "../support/documents.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { sandboxStackOptions } from "../../src/cli/inputs/stack.ts";

// The locks of these runs are in the working directory.
const before = process.cwd();
beforeAll(() => process.chdir(temporaryFolder()));
afterAll(() => process.chdir(before));

it.each([exportArchive, importArchive, planImport, apply, migrate, diff, rollback, verifyArchive])(
  "%o without options names what is missing",
  async (call: (...args: never[]) => Promise<unknown>) => {
    await expect(call()).rejects.toThrow(StackferryError);
    await expect(call()).rejects.toMatchObject({ code: "config", message: expect.stringContaining("missing") });
  },
);

it("tests use a temporary home folder", () => {
  expect(homedir().startsWith(tmpdir())).toBe(true);
});

/** Starts a sample stack and a bare stack. Also returns the library's options for both, and a path for an archive. */
async function pair([ours, theirs]: readonly Sandbox["variant"][] = ["self-hosted", "managed"]) {
  const office = await startSandbox({ variant: ours ?? "self-hosted", seed: "sample" });
  const cloud = await startSandbox({ variant: theirs ?? "managed", seed: "bare" });
  const hooks = office.webhooks.map(({ id, name }) => [
    id,
    cloud.webhooks.find((hook) => hook.name === name)?.id ?? "",
  ]);
  return {
    office,
    cloud,
    from: sandboxStackOptions(office),
    to: sandboxStackOptions(cloud),
    /** The mapping of webhooks, for a target that does not list them. */
    map: { webhooks: Object.fromEntries(hooks) as Record<string, string> },
    archive: join(temporaryFolder(), "backup.zip"),
    [Symbol.asyncDispose]: async () => {
      await office.close();
      await cloud.close();
    },
  };
}

async function failureOf(promise: Promise<unknown>): Promise<StackferryError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StackferryError)) throw new Error("no StackferryError was thrown", { cause: error });
  return error;
}

const created = (sandbox: Sandbox): number => {
  const { byRoute } = sandbox.stats();
  return (byRoute["POST dashboards"] ?? 0) + (byRoute["POST saved-searches"] ?? 0) + (byRoute["POST alerts"] ?? 0);
};

describe("the library", () => {
  it("exports, verifies, plans, imports, compares and rolls back", async () => {
    await using stacks = await pair();
    const { cloud, from, to, map, archive: out } = stacks;
    const journals = join(dirname(out), "journals");
    const exported = await exportArchive({ from, out });
    expect(exported.archive.path).toBe(out);
    expect(exported.outcomes.filter(({ kind }) => kind === "dashboards")).toHaveLength(9);

    const checked = await verifyArchive(out);
    expect(checked).toMatchObject({ problems: [], source: { variant: "self-hosted" } });
    expect(checked.records).toBe(exported.outcomes.length);

    const unmapped = await planImport({ archive: out, to });
    expect(unmapped.items.length).toBeGreaterThan(20);
    expect(created(cloud)).toBe(0);

    const create = ["saved-searches"];
    const result = await importArchive({ archive: out, to, map, create, journals });
    expect(result).toMatchObject({ complete: true, dryRun: false });
    expect(created(cloud)).toBe(9 + 2 + 14);
    expect(dirname(result.journal ?? "")).toBe(journals);

    const again = await importArchive({ archive: out, to, map, journals });
    expect(again).toMatchObject({ complete: true });
    expect(created(cloud)).toBe(9 + 2 + 14);

    const kinds = ["dashboards", "saved-searches", "alerts"];
    const compared = await diff({ left: out, right: to, map, kinds });
    expect(compared).toMatchObject({ changes: [], same: 25, notCompared: [] });

    const planned = await rollback({ to, journals, dryRun: true });
    expect(planned.outcomes.filter(({ action }) => action === "delete")).toHaveLength(25);
    expect(planned.undoes).toBe(1);
    await expect(rollback({ to, journals, run: 2 })).rejects.toMatchObject({ code: "usage" });
    await expect(rollback({ to, journals: `${out}.elsewhere` })).rejects.toMatchObject({ code: "usage" });
    const undone = await rollback({ to, journals });
    expect(undone).toMatchObject({ complete: true, dryRun: false });
    const left = await diff({ left: out, right: to, map, kinds });
    expect(left.changes.map(({ change }) => change)).toEqual(Array.from({ length: 25 }, () => "removed"));
  });

  it("names a record that somebody has deleted since, when it undoes the others", async () => {
    await using stacks = await pair();
    const { from, archive } = stacks;
    // A record that is gone may be one that the lists do not show yet, so the rollback waits.
    const to = { ...stacks.to, consistencyWaitMs: 50 };
    const journals = join(dirname(archive), "journals");
    await exportArchive({ from, out: archive, kinds: ["dashboards", "sources", "webhooks"] });
    const { outcomes } = await importArchive({ archive, to, journals });
    const [first] = outcomes.filter(({ kind, action }) => kind === "dashboards" && action === "create");
    await callSandbox(stacks.cloud, "DELETE", `dashboards/${first?.targetId}`);
    const undone = await rollback({ to, journals });
    expect(undone.complete).toBe(true);
    expect(undone.outcomes.find(({ targetId }) => targetId === first?.targetId)).toMatchObject({ code: "gone" });
  });

  it("migrates, keeps the archive, and writes nothing the second time", async () => {
    await using stacks = await pair(["managed", "self-hosted"]);
    const { cloud, from, to, map, archive: keepArchive } = stacks;
    const options = { from, to, map, create: ["saved-searches"], keepArchive };
    expect(await migrate({ ...options, dryRun: true })).toMatchObject({ complete: true, dryRun: true });
    expect(created(cloud)).toBe(0);
    const moved = await migrate(options);
    expect(moved).toMatchObject({ complete: true, journal: expect.stringMatching(/\.journal$/) });
    expect(created(cloud)).toBe(25);
    expect((await verifyArchive(keepArchive)).problems).toEqual([]);
    await migrate(options);
    expect(created(cloud)).toBe(25);
  });

  it("reports a refused credential without any part of it", async () => {
    await using stacks = await pair();
    const { from: right, archive: out } = stacks;
    const secret = "sekret-of-nobody-4711";
    const wrong = { ...right, apiKey: secret } as StackOptions;
    const refused = await failureOf(exportArchive({ from: wrong, out }));
    expect(refused.code).toBe("unauthorized");
    expect(`${refused.message} ${refused.hint} ${JSON.stringify(refused)}`).not.toContain(secret);
    expect((await failureOf(verifyArchive(out))).code).toBe("usage");
    await exportArchive({ from: right, out });
    expect((await failureOf(importArchive({ archive: out, to: wrong }))).code).toBe("unauthorized");
    expect((await failureOf(diff({ left: wrong, right: out }))).code).toBe("unauthorized");
  });
});

describe("the options of a run", () => {
  it("send progress, warnings and outcomes to onEvent", async () => {
    await using stacks = await pair();
    const { from, to, map, archive } = stacks;
    const events: RunEvent[] = [];
    const onEvent = (event: RunEvent): void => void events.push(event);
    await exportArchive({ from, out: archive }, { onEvent });
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(["phase", "listed", "request"]));
    events.length = 0;
    const secrets = { "dashboards/none": { "/name": { context: "none", value: "secrets-4711" } } };
    const { outcomes, warnings } = await importArchive({ archive, to, map, secrets }, { onEvent });
    expect(warnings).toMatchObject([{ code: "unused" }]);
    expect(events.filter(({ type }) => type === "outcome")).toHaveLength(outcomes.length);
    expect(events.flatMap((event) => (event.type === "warning" ? [event.warning] : []))).toEqual(warnings);
  });

  it("include a signal that stops a run before or after its start; the next run does the rest", async () => {
    await using stacks = await pair();
    const { office, cloud, from, to, map, archive } = stacks;
    const unbegun = exportArchive({ from, out: archive }, { signal: AbortSignal.abort() });
    expect([(await failureOf(unbegun)).code, office.stats().total]).toEqual(["interrupted", 0]);
    await exportArchive({ from, out: archive });
    const controller = new AbortController();
    const onEvent = (event: RunEvent): void => {
      if (event.type === "outcome" && event.outcome.action === "create") controller.abort();
    };
    const options = { archive, to: { ...to, consistencyWaitMs: 50 }, map, create: ["saved-searches"] };
    const stopped = await failureOf(importArchive(options, { onEvent, signal: controller.signal }));
    expect(stopped).toBeInstanceOf(StoppedError);
    const { code, outcomes, journal } = stopped as StoppedError;
    expect(code).toBe("interrupted");
    expect(outcomes.some((outcome) => outcome.code === "not-started")).toBe(true);
    expect(outcomes.some(({ action, status }) => action === "create" && status === "done")).toBe(true);
    expect(journal).toMatch(/\.journal$/);
    expect(await importArchive(options)).toMatchObject({ complete: true });
    expect(created(cloud)).toBe(25);
  });

  it("include a signal after which no write is sent that waits for the stack's limit", async () => {
    await using stacks = await pair();
    const { cloud, from, to, map, archive } = stacks;
    await exportArchive({ from, out: archive });
    const controller = new AbortController();
    const onEvent = (event: RunEvent): void => {
      if (event.type === "outcome" && event.outcome.action === "create") controller.abort();
    };
    const options = {
      archive,
      to: { ...to, rate: { requests: 1, perMs: 100 }, consistencyWaitMs: 50 },
      map,
      create: ["saved-searches"],
    };
    const { outcomes } = (await failureOf(
      importArchive(options, { onEvent, signal: controller.signal }),
    )) as StoppedError;
    const begun = outcomes.filter(({ action, code }) => action === "create" && code !== "not-started");
    expect(begun.map(({ status }) => status)).toEqual(Array.from({ length: created(cloud) }, () => "done"));
    expect(created(cloud)).toBeLessThan(3);
    const finished = await importArchive({ ...options, to: { ...to, consistencyWaitMs: 50 } });
    expect(finished).toMatchObject({ complete: true });
    expect(created(cloud)).toBe(25);
  });
});

describe("options that cannot be used", () => {
  const nowhere: StackOptions = { variant: "self-hosted", baseUrl: "http://127.0.0.1:1", apiKey: "key-4711-key" };

  it("are refused with their code before any request", async () => {
    const folder = temporaryFolder();
    const out = join(folder, "a.zip");
    const from = nowhere;
    const runs: readonly [code: string, run: () => Promise<unknown>][] = [
      ["config", () => exportArchive({ from: { ...from, apiKey: "" }, out })],
      ["config", () => exportArchive({ from: { ...from, apiKey: undefined as unknown as string }, out })],
      ["config", () => exportArchive({ from: { ...from, variant: "other" as "self-hosted" }, out })],
      ["config", () => exportArchive({ from: undefined as unknown as StackOptions, out })],
      ["config", () => exportArchive({ from: { ...from, baseUrl: "http://user:pass-4711@127.0.0.1:1" }, out })],
      ["config", () => exportArchive({ from: { ...from, concurrency: 0 }, out })],
      ["usage", () => exportArchive({ from, out: "s3://bucket/a.zip" })],
      ["usage", () => exportArchive({ from, out, kinds: ["dashbords"] })],
      ["usage", () => exportArchive({ from, out, format: "folder", encryption: { passphrase: "pass-4711" } })],
      ["usage", () => importArchive({ archive: join(folder, "none.zip"), to: from })],
      ["config", () => importArchive({ archive: out, to: from, map: join(folder, "none.yaml") })],
      ["usage", () => rollback({ to: from, journals: join(folder, "none") })],
      ["usage", () => importArchive({ archive: out, to: from, onConflict: "update" as "overwrite" })],
      ["config", () => importArchive({ archive: out, to: { ...from, consistencyWaitMs: Number.NaN } })],
      ["usage", () => exportArchive({ from, out, format: "tar" as "zip" })],
      ["config", () => exportArchive({ from, out, redaction: { patterns: [{ rule: "own", pattern: "(" }] } })],
    ];
    for (const [code, run] of runs) expect((await failureOf(run())).code, String(run)).toBe(code);
    const held = await failureOf(exportArchive({ from: { ...from, baseUrl: "http://u:pass-4711@h" }, out }));
    expect(`${held.message} ${held.hint}`).not.toContain("pass-4711");
  });

  it("have different errors for a file that is no archive, a truncated archive and a missing one", async () => {
    await using stacks = await pair();
    const { from, archive } = stacks;
    await writeFile(archive, "no archive at all, only a text");
    expect((await failureOf(verifyArchive(archive))).code).toBe("archive-unknown");
    expect((await failureOf(importArchive({ archive, to: nowhere }))).code).toBe("archive-unknown");
    expect((await failureOf(diff({ left: archive, right: archive }))).code).toBe("archive-unknown");
    expect((await failureOf(exportArchive({ from, out: archive }))).code).toBe("usage");
    await rm(archive);
    await exportArchive({ from, out: archive });
    const bytes = await readFile(archive);
    bytes.fill(0, 200, 400);
    await writeFile(archive, bytes);
    const damaged = await failureOf(verifyArchive(archive));
    expect(damaged.code).toBe("archive-damaged");
    expect(damaged.message).toContain(archive);
  });

  it("include a missing passphrase for an encrypted archive", async () => {
    await using stacks = await pair();
    const { from, archive: out } = stacks;
    const passphrase = "pass-4711-phrase";
    const { archive } = await exportArchive({ from, out, encryption: { passphrase, workFactor: 8 } });
    expect(archive.path).toBe(`${out}.age`);
    expect((await failureOf(verifyArchive(archive.path))).code).toBe("config");
    expect((await verifyArchive({ archive: archive.path, passphrase })).problems).toEqual([]);
  });
});

it("the library returns no secret of the secrets file, even if the server repeats it", async () => {
  const secret = "hunter2-4711-sesame";
  const tile = {
    id: "b".repeat(24),
    name: "Notes",
    x: 0,
    y: 0,
    w: 4,
    h: 2,
    config: { displayType: "markdown", markdown: `password: ${secret}` },
  };
  const dashboards = [{ id: "a".repeat(24), name: "Runbook", tiles: [tile], tags: [] }];
  await using office = await startSandbox({ variant: "self-hosted", seed: { dashboards } });
  const refuse = async (): Promise<Response> => Response.json({ message: `cannot store "${secret}"` }, { status: 400 });
  await using broken = await startSandbox({
    variant: "self-hosted",
    seed: "bare",
    intercept: (request, proceed) => (request.method === "POST" ? refuse() : proceed()),
  });
  const [archive, to] = [join(temporaryFolder(), "backup.zip"), sandboxStackOptions(broken)];
  await exportArchive({ from: sandboxStackOptions(office), out: archive });
  const { missingSecrets } = await planImport({ archive, to });
  expect(missingSecrets).toHaveLength(1);
  const secrets = Object.fromEntries(
    missingSecrets.map(({ key, pointer, context }) => [key, { [pointer]: { context, value: secret } }]),
  );
  const result = await importArchive({ archive, to, secrets });
  expect(result.outcomes).toMatchObject([{ status: "failed", code: "rejected" }]);
  expect(JSON.stringify(result.outcomes)).toContain("cannot store");
  expect(JSON.stringify(result.outcomes)).not.toContain(secret);
  expect(inspect(result.plan, { depth: Infinity, maxArrayLength: null })).not.toContain(secret);
  expect(await readFile(result.journal ?? "", "utf8")).not.toContain(secret);
});

describe("apply of the library", () => {
  /** Copies the sample's files, which a test may change, and starts a stack for them; also returns a folder for the journals. */
  async function stage(seed: "bare" | "sample" = "bare") {
    const office = await startSandbox({ variant: "self-hosted", seed });
    const folder = temporaryFolder();
    const files = join(folder, "payments");
    await cp(join(root, "samples/dashboards-as-code"), files, { recursive: true });
    const names = (kind: "dashboards" | "alerts"): string[] => office.stored()[kind].map(({ name }) => String(name));
    const paths = { files, alert: join(files, "alerts/payments-fail.yaml"), journals: join(folder, "journals") };
    return { office, to: sandboxStackOptions(office), names, ...paths, [Symbol.asyncDispose]: () => office.close() };
  }
  const counts = (outcomes: readonly { action: string }[]): Record<string, number> =>
    outcomes.reduce<Record<string, number>>((sum, { action }) => ({ ...sum, [action]: (sum[action] ?? 0) + 1 }), {});

  it("makes a stack equal to the files, and overwrites an edit unless onConflict is keep", async () => {
    await using made = await stage();
    const { office, files, to, journals, alert } = made;
    const planned = await apply({ files, to, journals, dryRun: true });
    expect([planned.dryRun, counts(planned.outcomes), created(office)]).toEqual([true, { create: 4 }, 0]);
    const first = await apply({ files, to, journals });
    expect([first.complete, counts(first.outcomes)]).toEqual([true, { create: 4 }]);
    await writeFile(alert, (await readFile(alert, "utf8")).replace("threshold: 20", "threshold: 30"));
    const keeping = { files, to, journals, onConflict: "keep" } as const;
    expect(counts((await apply(keeping)).outcomes)).toEqual({ update: 1, unchanged: 3 });
    const [edited] = office.stored().alerts;
    await callSandbox(office, "PUT", `alerts/${String(edited?.["id"])}`, { ...edited, threshold: 5 });
    expect(counts((await apply(keeping)).outcomes)).toEqual({ skip: 1, unchanged: 3 });
    expect(counts((await apply({ files, to, journals })).outcomes)).toEqual({ unchanged: 3, update: 1 });
    expect(new Set(office.stored().alerts.map(({ threshold }) => threshold))).toEqual(new Set([30, 900]));
  });

  it("accepts transforms, remembers the records, and deletes records whose file was removed", async () => {
    await using made = await stage();
    const { files, to, journals, alert, names } = made;
    const transforms = { rename: [{ from: "*", to: "[lab] *" }], leaveOut: { alerts: ["* slow"] } };
    await apply({ files, to, transforms, journals });
    expect(names("dashboards").toSorted()).toEqual(["[lab] Payments", "[lab] Payments providers"]);
    await writeFile(alert, (await readFile(alert, "utf8")).replace("name: Payments fail", "name: Payments failing"));
    expect(counts((await apply({ files, to, transforms, journals })).outcomes)).toMatchObject({
      unchanged: 2,
      update: 1,
    });
    expect(names("alerts")).toEqual(["[lab] Payments failing"]);
    await rm(alert);
    const mirrored = { files, to, transforms, journals, mirror: "ours" } as const;
    expect((await failureOf(apply({ ...mirrored, maxDelete: 0 }))).message).toMatch(
      /^1 record of the target would be deleted/,
    );
    expect(names("alerts")).toEqual(["[lab] Payments failing"]);
    expect(counts((await apply(mirrored)).outcomes)).toMatchObject({ delete: 1 });
    expect(names("alerts")).toEqual([]);
  });

  it("names every mistake, and warns of members that the API does not accept", async () => {
    await using made = await stage("sample");
    const { files, to } = made;
    const exported = join(root, "test/fixtures/exported-dashboards/checkout-errors.json");
    const { warnings } = await apply({ files: exported, to, dryRun: true });
    expect(warnings.filter(({ code }) => code === "left-out")).toHaveLength(3);
    const board = join(files, "dashboards/payments.yaml");
    await writeFile(board, (await readFile(board, "utf8")).replaceAll("source: Traces", "source: Trace"));
    const { code, faults } = await failureOf(apply({ files, to }));
    expect([code, faults?.length]).toEqual(["config", 3]);
    expect((await failureOf(apply({ files: `${files}/nothing`, to }))).code).toBe("usage");
  });
});
