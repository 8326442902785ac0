import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { callSandbox } from "../../support/read-sandbox.ts";
import { recordOn, recordsOn } from "../../support/on-stack.ts";
import { writeArchive } from "../../support/archive-samples.ts";
import { planImport, StackError, type RunOptions } from "../../../src/index.ts";
import type { Interceptor } from "../../../src/sandbox/options.ts";
import { startSandbox, type Sandbox } from "../../support/start-sandbox.ts";
import { runCli, type CliRun } from "../../support/run-cli.ts";
import { sandboxEnv } from "../../support/program.ts";
import { outcomesOf } from "../../support/program-with-archive.ts";
import { alert, dashboard, hexId, records, source, tileWith, webhook, targetIds } from "../../support/stack-records.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { withSecrets, importStage, bodiesSentTo, type JsonObject } from "../../support/import-stage.ts";
import { memoryStack } from "../../support/memory-stack.ts";

// The archive is of an earlier release or forged: its names hold a secret that an export of today would redact.

const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
const redacted = "«redacted:scanner-github»";
const [logs, hook, boardId] = [hexId("a", 1), hexId("a", 2), hexId("a", 16)];
const config = { displayType: "line", sourceId: logs, fillNulls: true, select: [{ aggFn: "count" }] };
const tiles = [tileWith(hexId("c", 1), `Tile ${secret}`, config)];
const board = dashboard(boardId, `Board ${secret}`, logs, { tiles });
const archived = records({
  sources: [source(logs, "Logs", hexId("a", 8))],
  webhooks: [webhook(hook, "pager")],
  dashboards: [board],
  alerts: [alert(hexId("a", 32), `Alert ${secret}`, board, hook)],
});
const cwd = temporaryFolder();

beforeAll(() => writeArchive({ path: join(cwd, "a.zip"), format: "zip" }, archived));

describe("a secret in the names of an archive", () => {
  it("is shown by no form of inspect and report", async () => {
    for (const line of ["inspect a.zip", "inspect a.zip --json", "report a.zip"]) {
      const { exitCode, stdout, stderr } = await runCli(line.split(" "), { cwd });
      expect([exitCode, line, (stdout + stderr).includes(secret)]).toEqual([0, line, false]);
      expect(stdout).toContain(`Board ${redacted}`);
    }
  });

  it("is on no page", async () => {
    expect((await runCli(["report", "a.zip", "--out", "a.html"], { cwd })).exitCode).toBe(0);
    const page = await readFile(join(cwd, "a.html"), "utf8");
    expect(page).not.toContain(secret);
    for (const name of ["Board", "Tile", "Alert"]) expect(page).toContain(`${name} ${redacted}`);
  });
});

/** Returns the text of the only journal in a folder. */
async function journalText(folder: string): Promise<string> {
  const [name = ""] = (await readdir(join(cwd, folder))).filter((each) => each.endsWith(".journal"));
  return readFile(join(cwd, folder, name), "utf8");
}

/** Creates a stack with the records to which the archive's dashboard and alert refer. */
const target = (intercept: Interceptor = (_, proceed) => proceed()) =>
  startSandbox({
    variant: "self-hosted",
    intercept,
    seed: {
      sources: [source(targetIds.source, "Logs", hexId("b", 8))],
      webhooks: [webhook(targetIds.webhook, "pager")],
      connections: [{ id: hexId("b", 8), name: "Main", host: "http://db:8123", username: "reader" }],
    },
  });

it("a rollback, its plan and its page show no secret of a name", async () => {
  await using stack = await target();
  const run = (...words: string[]): Promise<CliRun> => runCli(words, { cwd, env: sandboxEnv(stack, stack) });
  expect((await run("import", "a.zip", "--to", stack.stack, "--journals", "m")).exitCode).toBe(0);
  const rollback = ["rollback", "--to", stack.stack, "--run", "1", "--journals", "m"];
  expect((await run(...rollback, "--dry-run", "--report", "old.html")).exitCode).toBe(0);
  expect(await readFile(join(cwd, "old.html"), "utf8")).toContain(`Board ${redacted}`);
  const undone = await run(...rollback, "--yes", "--json");
  expect([undone.exitCode, await recordsOn(stack, "dashboards")]).toEqual([0, []]);
  const texts = [await readFile(join(cwd, "old.html"), "utf8"), await journalText("m")];
  for (const text of [undone.stdout, undone.stderr, ...texts]) expect(text).not.toContain(secret);
});

describe("an import of an archive with a secret in its names", () => {
  const refusing = (status: number) =>
    target((request, proceed) =>
      request.method === "GET" ? proceed() : Response.json({ message: `"Board ${secret}" is not for you` }, { status }),
    );
  const planOnto = ({ url, apiKey = "" }: Sandbox, onEvent?: RunOptions["onEvent"]) =>
    planImport({ archive: join(cwd, "a.zip"), to: { variant: "self-hosted", baseUrl: url, apiKey } }, { onEvent });

  it("says which request failed, and not the name that the stack's answer repeats", async () => {
    await using stack = await refusing(401);
    const error: unknown = await planOnto(stack).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StackError);
    expect(error).toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining(`Board ${redacted}`),
      failure: { status: 401, applied: "no", excerpt: expect.stringContaining(`Board ${redacted}`) },
    });
  });

  it("warns without that name where the stack gives no verdict on a record", async () => {
    await using stack = await refusing(403);
    const warnings: string[] = [];
    await planOnto(stack, (event) => event.type === "warning" && warnings.push(event.warning.message));
    expect(warnings.join("\n")).toContain(`Board ${redacted}`);
    expect(warnings.join("\n")).not.toContain(secret);
  });

  it("shows it in no plan, outcome, warning, journal or page, and still recognises its records by name", async () => {
    await using stack = await target();
    const run = (command: readonly string[], ...more: string[]): Promise<CliRun> =>
      runCli([...command, ...more], { cwd, env: sandboxEnv(stack, stack) });
    const withJournal = (journal: string): string[] => ["import", "a.zip", "--to", stack.stack, "--journals", journal];
    const texts: string[] = [];
    for (const more of [["--dry-run"], ["--dry-run", "--json", "--report", "plan.html"], ["--dry-run", "--markdown"]]) {
      const { exitCode, stdout, stderr } = await run(withJournal("j"), ...more);
      expect(exitCode).toBe(0);
      texts.push(stdout, stderr);
    }
    const done = await run(withJournal("j"), "--report", "done.html", "--json");
    expect([done.exitCode, outcomesOf(done).filter(({ action }) => action === "create")]).toMatchObject([
      0,
      [{ name: `Board ${redacted}` }, { name: `Alert ${redacted}` }],
    ]);
    const files = ["plan.html", "done.html"].map((name) => readFile(join(cwd, name), "utf8"));
    texts.push(done.stdout, done.stderr, await journalText("j"), ...(await Promise.all(files)));
    for (const text of texts) expect(text).not.toContain(secret);
    expect((await recordsOn(stack, "dashboards")).map(({ name }) => name)).toEqual([`Board ${secret}`]);
    const undo = ["rollback", "--to", stack.stack, "--run", "1", "--journals", "j", "--dry-run"];
    for (const { exitCode, stdout, stderr } of [await run(undo), await run(undo, "--json")]) {
      expect([exitCode, (stdout + stderr).includes(secret)]).toEqual([0, false]);
      expect(stdout).toContain(`Board ${redacted}`);
    }
    // Without the journal of the first run, the name alone tells which record it is.
    const again = await run(withJournal("k"), "--json", "--include", `Board ${secret}`);
    expect(outcomesOf(again).filter(({ kind }) => kind === "dashboards")).toMatchObject([
      { name: `Board ${redacted}`, action: "unchanged" },
    ]);
    expect(again.stdout + again.stderr).not.toContain(secret);
    const { id } = await recordOn(stack, "dashboards", `Board ${secret}`);
    await callSandbox(stack, "PUT", `dashboards/${id}`, { name: `Board ${secret}`, tiles: [], tags: ["edited"] });
    const refused = await run(withJournal("l"), "--on-conflict", "fail");
    expect([refused.exitCode, refused.stdout]).toEqual([3, ""]);
    expect(refused.stderr).toContain(`"Board ${redacted}"`);
    expect(refused.stderr).not.toContain(secret);
  });
});

const MARK = "«redacted:assigned-secret»";
const runbook = (letter: "a" | "b", member: unknown): JsonObject =>
  dashboard(hexId(letter, 16), "Runbook", "", {
    tiles: [{ id: hexId("d", 1), name: "Notes", config: { displayType: "markdown", markdown: member as string } }],
  });

/** Returns the planned action for a record that has a placeholder where the target's record has the value `there`. */
async function actionFor(archived: string, there: unknown): Promise<string | undefined> {
  const stack = memoryStack({ dashboards: [runbook("b", there)], alerts: [], sources: [], webhooks: [] });
  const run = await importStage(stack).run(records({ dashboards: [runbook("a", archived)] }));
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

it("an answer for the name of a tile is not shown among the parts that a run keeps", async () => {
  const holed = { ...board, name: "Board", tiles: [tileWith(hexId("c", 1), `Tile ${redacted}`, config)] };
  const archive = archived.filter(({ kind }) => kind !== "dashboards" && kind !== "alerts");
  const stack = memoryStack({
    dashboards: [{ ...board, name: "Board", tiles: [] }],
    alerts: [],
    sources: [source(logs, "Logs", hexId("a", 8))],
    webhooks: [webhook(hook, "pager")],
  });
  const { records: asked, secrets } = withSecrets([...archive, ...records({ dashboards: [holed] })], {
    [`dashboards/${boardId}`]: { "/tiles/0/name": [secret] },
  });
  const { plan } = await importStage(stack).run(asked, { secrets });
  const [kept] = plan.items.filter(({ kind }) => kind === "dashboards");
  expect(kept?.kept?.map(({ label }) => label)).toEqual([expect.stringContaining(redacted)]);
  expect(JSON.stringify(plan.items)).not.toContain(secret);
});
