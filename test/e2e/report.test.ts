import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../support/start-sandbox.ts";
import { writeArchive } from "../support/archive-samples.ts";
import { hostileRecords } from "../support/hostile-records.ts";
import { terminalControlIn } from "../support/hostile-text.ts";
import { recordsOn } from "../support/on-stack.ts";
import { bareWithSearches, programForOneStack, sandboxEnv, type Program } from "../support/program.ts";

let program: Awaited<ReturnType<typeof programForOneStack>>;
let cwd = "";
const read = (name: string): string => readFileSync(join(cwd, name), "utf8");
const run: Program["run"] = (command, options) => program.run(command, options);
const json: Program["json"] = (command, options) => program.json(command, options);

beforeAll(async () => {
  program = await programForOneStack({ variant: "self-hosted", seed: "sample" });
  ({ cwd } = program);
  expect((await run("export --from $STACK --out a.zip --quiet")).exitCode).toBe(0);
});

afterAll(() => program[Symbol.asyncDispose]());

describe("report", () => {
  it("draws an archive with every dashboard, alert, source and webhook, readable by its owner only", async () => {
    const document = await json("report a.zip --out a.html");
    const page = read("a.html");
    expect(document).toMatchObject({
      exitCode: 0,
      report: { path: join(cwd, "a.html"), bytes: Buffer.byteLength(page) },
    });
    expect(statSync(join(cwd, "a.html")).mode & 0o777).toBe(0o600);
    for (const kind of ["dashboards", "saved-searches", "alerts", "sources", "webhooks"]) {
      const there = await recordsOn(program.stack, kind);
      expect(page.match(new RegExp(`data-kind="${kind}"`, "g"))).toHaveLength(there.length);
    }
    expect(page).toContain("count where SeverityText = &#39;error&#39; is above 100 over 5m");
    expect(page).not.toMatch(/not-a-real|NOT-A-REAL/);
  });

  it("prints an archive as text: dashboards with their tiles, alerts in words, and what uses what", async () => {
    const { stdout, exitCode } = await run("report a.zip");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Errors +number .*Many errors/m);
    expect(stdout).toContain("fires when count where SeverityText = 'error' is above 100 over 5m");
    expect(stdout).toMatch(/^Used by .*alert Many errors/m);
    expect(stdout).not.toMatch(/not-a-real|NOT-A-REAL/);
  });

  it("shows the plan, the result and the rollback of an import with --report", async () => {
    await using target = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const options = { env: sandboxEnv(program.stack, target) };
    const line = `import a.zip --to ${target.stack} --create saved-searches`;
    const unnamed = { kind: "alerts", name: "", displayName: "on Sessions (Browser sessions)" };
    expect(await json(`${line} --dry-run --report plan.html`, options)).toMatchObject({
      exitCode: 0,
      outcomes: expect.arrayContaining([expect.objectContaining(unnamed)]),
    });
    expect(read("plan.html")).toContain("<title>a.zip (");
    expect(read("plan.html").match(/data-state="create"/g)).toHaveLength(25);
    expect((await run(`${line} --report done.html`, options)).exitCode).toBe(0);
    expect(read("done.html")).toMatch(/Done: 25 created;? /);
    expect(read("done.html").match(/data-state="created"/g)).toHaveLength(25);
    expect((await run(`diff a.zip ${target.stack} --report diff.html`, options)).exitCode).toBe(0);
    expect(read("diff.html")).toContain("Comparison: no difference;");
    const undo = await run(`rollback --to ${target.stack} --dry-run --report undo.html`, options);
    expect(read("undo.html").match(/data-state="delete"/g)).toHaveLength(25);
    expect(undo.stdout).toMatch(/^- delete 14 alerts: .*on Sessions \(Browser sessions\)/m);
  });

  it.each([
    ["report gone.zip --out x.html", 2],
    ["report a.zip --out a.zip", 2],
    ["report a.zip --out no/such/folder/x.html", 1],
  ])("%s exits with %i", async (line, exitCode) => expect((await run(line)).exitCode).toBe(exitCode));
});

describe("inspect", () => {
  it("opens a folder whatever its name ends with, and says that there is none", async () => {
    expect((await run("export --from $STACK --out folder.json --format folder --quiet")).exitCode).toBe(0);
    expect(await json("inspect folder.json")).toMatchObject({ exitCode: 0, manifest: { kinds: expect.anything() } });
    expect(await run("inspect gone.json")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("no archive"),
    });
  });

  it("shows a hostile archive as text", async () => {
    await writeArchive({ path: join(cwd, "hostile.zip"), format: "zip" }, hostileRecords);
    for (const line of ["inspect hostile.zip", "report hostile.zip"]) {
      const { exitCode, stdout } = await run(line);
      expect(exitCode).toBe(0);
      expect(terminalControlIn(stdout)).toBeUndefined();
    }
  });
});

describe("an import on a terminal", () => {
  it("asks about unmatched records, stores the answers in a map file, and imports with them", async () => {
    const seed = await bareWithSearches("managed");
    await using other = await startSandbox({ variant: "managed", seed, api: "contract" });
    const [errors, slow] = ["Checkout errors", "Slow requests"].map(
      (name) => other.stored()["saved-searches"].find((search) => search["name"] === name)?.id,
    );
    const [pager, slack, incident] = ["pager", "oncall-slack", "incidents"].map(
      (name) => other.webhooks.find((webhook) => webhook.name === name)?.id ?? "",
    );
    expect([pager, slack, incident]).not.toContain("");
    const answers = [slack, pager, "", errors, slow, "mine.yaml", "yes"].map(String);
    const options = { env: sandboxEnv(program.stack, other), terminal: { columns: 100, answers } };
    const line = `import a.zip --to ${other.stack} --no-color`;
    const { stderr, exitCode } = await run(line, options);
    expect(stderr).toContain("5 records could not be matched");
    for (const id of [slack, pager, errors, slow]) expect(read("mine.yaml")).toContain(String(id));
    expect(stderr).toContain(` on ${other.url}/v1/organizations/`);
    // Nobody recognises a webhook by its id, so a comment names it.
    for (const { name } of program.stack.webhooks) expect(read("mine.yaml")).toContain(`# "${name}"`);
    // The alert that notifies the third webhook stays blocked, and the rest is written.
    expect(exitCode).toBe(3);
    expect(await recordsOn(other, "alerts")).toHaveLength(13);
  });

  it("asks about nothing with --dry-run or --yes, and keeps no answers that are not given or not wanted", async () => {
    const seed = await bareWithSearches("managed");
    await using other = await startSandbox({ variant: "managed", seed, api: "contract" });
    const env = sandboxEnv(program.stack, other);
    const importing = (more: string, answers: readonly string[]) =>
      run(`import a.zip --to ${other.stack} --no-color ${more}`, { env, terminal: { columns: 100, answers } });
    for (const more of ["--dry-run", "--yes"])
      expect((await importing(more, [])).stderr).not.toContain("could not be matched");
    const skipped = await importing("", ["stop", "n"]);
    expect(skipped.stderr).not.toContain("map.yaml");
    const [webhook] = other.webhooks;
    const unkept = await importing("", [String(webhook?.id), "stop", "", "n"]);
    expect(unkept.stderr).toContain("map.yaml");
    expect(unkept.stderr).not.toContain("wrote");
    expect(unkept.exitCode).toBe(1);
  });
});
