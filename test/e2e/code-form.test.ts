import { appendFile, cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { CliRun } from "../support/run-cli.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writesOf } from "../support/read-sandbox.ts";

type Run = (...args: readonly string[]) => Promise<CliRun>;

/** A stack, and its files in the folder `stack`. */
async function exported(sandbox: Sandbox): Promise<{ run: Run; cwd: string }> {
  const env = sandboxEnv(sandbox);
  const args = ["export", "--from", sandbox.stack, "--format", "code", "--out", "stack"];
  const { cwd, exitCode, stderr } = await runCli(args, { env });
  expect(exitCode, stderr).toBe(0);
  return { cwd, run: (...more) => runCli(more, { env, cwd }) };
}

async function textsIn(folder: string): Promise<Record<string, string>> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".yaml")).toSorted();
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), "utf8")])),
  );
}

/** Changes one file, and says how many lines that took. */
async function edit(path: string, from: string | RegExp, to: string): Promise<void> {
  const text = await readFile(path, "utf8");
  expect(text.search(from)).not.toBe(-1);
  await writeFile(path, text.replace(from, to));
}

describe.each(["self-hosted", "managed"] as const)("the files of a %s stack", (variant) => {
  it("are the same bytes twice, hold no id and no time, and applied to their stack write nothing", async () => {
    await using sandbox = await startSandbox({ variant, seed: "sample" });
    const { run, cwd } = await exported(sandbox);
    const first = await textsIn(join(cwd, "stack"));
    expect((await run("export", "--from", sandbox.stack, "--format", "code", "--out", "again")).exitCode).toBe(0);
    expect(await textsIn(join(cwd, "again"))).toEqual(first);
    const ids = Object.entries(sandbox.stored()).flatMap(([kind, records]) =>
      variant === "managed" && kind === "connections" ? [] : records.map(({ id }) => id),
    );
    const all = Object.values(first).join("");
    expect(ids.filter((id) => all.includes(id))).toEqual([]);
    expect(all).not.toMatch(/createdAt|updatedAt|sha256/);
    const dry = await run("apply", "stack", "--to", sandbox.stack, "--dry-run", "--exit-code");
    expect(dry.exitCode, dry.stdout).toBe(0);
    const applied = documentOf(await run("apply", "stack", "--to", sandbox.stack, "--yes", "--json"));
    // Pipes are archived only; a self-hosted stack has none.
    const left = variant === "managed" ? ["skip"] : [];
    expect(Object.keys(Object(applied["counts"])).toSorted()).toEqual(["matched", ...left, "unchanged"]);
    expect(writesOf(sandbox)).toBe(0);
  });

  it("are what the shipped schemas allow", async () => {
    await using sandbox = await startSandbox({ variant, seed: "sample" });
    const { cwd } = await exported(sandbox);
    const ajv = new Ajv({ strict: false });
    for (const [file, text] of Object.entries(await textsIn(join(cwd, "stack")))) {
      const kind = file.split("/")[0] ?? "";
      expect(text).toMatch(
        new RegExp(`^# yaml-language-server: \\$schema=\\S+/schema/code/${kind}\\.schema\\.json\\n`),
      );
      const schema = JSON.parse(
        await readFile(new URL(`../../schema/code/${kind}.schema.json`, import.meta.url), "utf8"),
      );
      const isValid = ajv.compile(schema);
      expect(isValid(parse(text)), `${file}: ${ajv.errorsText(isValid.errors)}`).toBe(true);
    }
  });
});

describe("an edited file", () => {
  const alertFile = "stack/alerts/checkout-is-slow.yaml";

  it("is planned as an update with what changes, exits 10, is written once, and can be rolled back", async () => {
    await using sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const { run, cwd } = await exported(sandbox);
    await cp(join(cwd, "stack"), join(cwd, "before"), { recursive: true });
    await edit(join(cwd, alertFile), "threshold: 800", "threshold: 900");
    const dry = await run("apply", "stack", "--to", sandbox.stack, "--dry-run", "--exit-code");
    expect(dry.exitCode).toBe(10);
    expect(dry.stdout).toContain('~ alert "Checkout is slow"');
    expect(dry.stdout).toMatch(/threshold.*800 → 900/);
    const comment = await run("apply", "stack", "--to", sandbox.stack, "--dry-run", "--markdown");
    expect(comment.stdout).toMatch(/\|.*Checkout is slow/);
    const applied = documentOf(await run("apply", "stack", "--to", sandbox.stack, "--yes", "--json"));
    expect(applied).toMatchObject({ ok: true, counts: { update: 1 } });
    expect((await run("apply", "stack", "--to", sandbox.stack, "--dry-run", "--exit-code")).exitCode).toBe(0);
    const journal = (await readdir(cwd)).find((file) => /^stack\.[0-9a-f]{8}\.journal$/.test(file)) ?? "";
    expect((await run("rollback", journal, "--to", sandbox.stack, "--yes")).exitCode).toBe(0);
    expect((await run("apply", "before", "--to", sandbox.stack, "--dry-run", "--exit-code")).exitCode).toBe(0);
  });

  it("keeps its comments in the next export, and differs by one line for a renamed tile", async () => {
    await using sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const { run, cwd } = await exported(sandbox);
    const path = join(cwd, "stack/dashboards/kubernetes-nodes.yaml");
    const before = await readFile(path, "utf8");
    const tile = /^ {2}- name: (.+)$/m.exec(before)?.[1] ?? "";
    await edit(path, /^name: /m, "# Ask the platform team first.\nname: ");
    await edit(path, `  - name: ${tile}`, `  # the first\n  - name: ${tile} # renamed soon`);
    const commented = await readFile(path, "utf8");
    await edit(path, `  - name: ${tile} #`, "  - name: Renamed #");
    const alerts = await textsIn(join(cwd, "stack/alerts"));
    for (const [file, text] of Object.entries(alerts)) {
      await writeFile(join(cwd, "stack/alerts", file), text.replace(`tile: ${tile}\n`, "tile: Renamed\n"));
    }
    expect((await run("apply", "stack", "--to", sandbox.stack, "--yes")).exitCode).toBe(0);
    await writeFile(path, commented);
    expect((await run("export", "--from", sandbox.stack, "--format", "code", "--out", "stack")).exitCode).toBe(0);
    const after = (await readFile(path, "utf8")).split("\n");
    const lines = commented.split("\n");
    expect(after.filter((line, at) => line !== lines[at])).toEqual(["  - name: Renamed # renamed soon"]);
    expect(after).toHaveLength(lines.length);
  });

  it("of a record that is gone stays, is named, and goes with --mirror alone", async () => {
    await using sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const { run, cwd } = await exported(sandbox);
    const text = await readFile(join(cwd, alertFile), "utf8");
    await writeFile(join(cwd, "stack/alerts/gone.yaml"), text.replace(/^name: .*$/m, "name: Gone"));
    await writeFile(join(cwd, "stack/README.md"), "ours\n");
    const again = ["export", "--from", sandbox.stack, "--format", "code", "--out", "stack"];
    const left = await run(...again);
    expect(left.stderr).toContain("left 1 file of records that the stack does not have: alerts/gone.yaml");
    expect(await readdir(join(cwd, "stack/alerts"))).toContain("gone.yaml");
    expect((await run(...again, "--mirror", "--include", "x")).exitCode).toBe(2);
    expect((await run(...again, "--mirror")).exitCode).toBe(0);
    expect(await readdir(join(cwd, "stack/alerts"))).not.toContain("gone.yaml");
    expect(await readFile(join(cwd, "stack/README.md"), "utf8")).toBe("ours\n");
  });
});

describe("a mistake in a file", () => {
  const cases = [
    [
      "stack/dashboards/audit-trail.yaml",
      /source: Logs$/m,
      "source: Lgos",
      'unknown source "Lgos": did you mean "Logs"?',
    ],
    [
      "stack/alerts/checkout-is-slow.yaml",
      /^dashboard: .*$/m,
      "dashboard: Checkout latncy",
      'unknown dashboard "Checkout latncy": did you mean "Checkout latency"?',
    ],
    ["stack/alerts/checkout-is-slow.yaml", /^tile: .*$/m, "tile: 99", "there is no tile 99"],
    ["stack/alerts/checkout-is-slow.yaml", "name: pager", "name: pagr", 'did you mean "generic/pager"?'],
    ["stack/dashboards/audit-trail.yaml", "tiles:", "tilez:", 'there is no member "tilez": did you mean "tiles"?'],
    ["stack/alerts/checkout-is-slow.yaml", /^threshold: .*$/m, "threshold: many", "threshold: "],
    ["stack/alerts/checkout-is-slow.yaml", /^name: .*$/m, "name: [", "it is not valid YAML"],
    ["stack/alerts/checkout-is-slow.yaml", /^name: .*$/m, "name: No traffic", "add a key member to one of them"],
  ] as const;

  let sandbox: Sandbox;
  let files = "";
  beforeAll(async () => {
    sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
    files = join((await exported(sandbox)).cwd, "stack");
  });
  afterAll(() => sandbox.close());

  /** The files of the stack, which is never written to here. */
  async function copied(): Promise<{ run: Run; cwd: string }> {
    const cwd = temporaryFolder();
    await cp(files, join(cwd, "stack"), { recursive: true });
    return { cwd, run: (...args) => runCli(args, { env: sandboxEnv(sandbox), cwd }) };
  }

  it.each(cases)("in %s is told with its place and what would be right (%s → %s)", async (file, from, to, message) => {
    const { run, cwd } = await copied();
    await edit(join(cwd, file), from, to);
    const written = await readFile(join(cwd, file), "utf8");
    const { exitCode, stdout, stderr } = await run("apply", "stack", "--to", sandbox.stack, "--yes");
    // Two files that are called the same refuse all; another mistake leaves out its own record.
    const isAmbiguous = message.startsWith("add");
    expect(exitCode).toBe(isAmbiguous ? 2 : 3);
    const told = isAmbiguous ? stderr : stdout;
    const found = /(stack\/\S+\.yaml):(\d+):(\d+): (.*)/.exec(told);
    expect(told).toContain(message);
    if (!isAmbiguous) expect(found?.[1]).toBe(file);
    const line = written.split("\n")[Number(found?.[2]) - 1] ?? "";
    if (message.includes("did you mean") && !message.startsWith("did"))
      expect(line).toContain(to.split(": ").at(-1) ?? "");
    expect(writesOf(sandbox)).toBe(0);
  });

  it("does not keep the others from being told", async () => {
    const { run, cwd } = await copied();
    await edit(join(cwd, "stack/dashboards/audit-trail.yaml"), /source: Logs$/m, "source: Lgos");
    await edit(join(cwd, "stack/alerts/checkout-is-slow.yaml"), /^tile: .*$/m, "tile: 99");
    const { stdout } = await run("apply", "stack", "--to", sandbox.stack, "--yes");
    expect(stdout).toMatch(/stack\/alerts\/checkout-is-slow\.yaml:\d+:\d+: /);
    expect(stdout).toMatch(/stack\/dashboards\/audit-trail\.yaml:\d+:\d+: /);
  });

  it("is a folder that is no kind, a path that is not there, or a folder without files", async () => {
    const { run, cwd } = await copied();
    await mkdir(join(cwd, "stack/dashbords"));
    await cp(join(cwd, "stack/dashboards/audit-trail.yaml"), join(cwd, "stack/dashbords/audit-trail.yaml"));
    await edit(join(cwd, "stack/dashbords/audit-trail.yaml"), /^#.*\n/, "");
    expect((await run("apply", "stack", "--to", sandbox.stack, "--dry-run")).stderr).toContain(
      "did you mean dashboards?",
    );
    await mkdir(join(cwd, "none"));
    for (const path of ["nowhere", "none"]) {
      const { exitCode, stderr } = await run("apply", path, "--to", sandbox.stack, "--dry-run");
      expect(exitCode).toBe(2);
      expect(stderr).toContain(path);
    }
  });
});

describe("apply", () => {
  it("takes one file, JSON, and an archive, and looks up what they lack on the target", async () => {
    await using sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const { run, cwd } = await exported(sandbox);
    const file = "stack/dashboards/audit-trail.yaml";
    await edit(join(cwd, file), /^name: .*$/m, "name: Another trail");
    const one = documentOf(await run("apply", file, "--to", sandbox.stack, "--yes", "--json"));
    expect(one).toMatchObject({ ok: true, counts: { create: 1 } });
    await mkdir(join(cwd, "json/alerts"), { recursive: true });
    const alert = parse(await readFile(join(cwd, "stack/alerts/checkout-is-slow.yaml"), "utf8"));
    await writeFile(join(cwd, "json/alerts/slow.json"), JSON.stringify({ ...alert, threshold: 901 }));
    const json = documentOf(await run("apply", "json", "--to", sandbox.stack, "--yes", "--json"));
    expect(json).toMatchObject({ ok: true, counts: { update: 1 } });
    for (const format of ["zip", "folder"]) {
      await rm(join(cwd, "archive"), { recursive: true, force: true });
      const out = format === "zip" ? "archive.zip" : "archive";
      expect((await run("export", "--from", sandbox.stack, "--format", format, "--out", out)).exitCode).toBe(0);
      const dry = await run("apply", out, "--to", sandbox.stack, "--dry-run", "--exit-code");
      expect(dry.exitCode, dry.stderr).toBe(0);
    }
  });

  it("leaves a folder alone that holds something else than such files", async () => {
    await using sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const { run, cwd } = await exported(sandbox);
    await appendFile(join(cwd, "stack/alerts/checkout-is-slow.yaml"), "  : [\n");
    const text = await readFile(join(cwd, "stack/alerts/checkout-is-slow.yaml"), "utf8");
    const again = await run("export", "--from", sandbox.stack, "--format", "code", "--out", "stack");
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain("alerts/checkout-is-slow.yaml:");
    expect(await readFile(join(cwd, "stack/alerts/checkout-is-slow.yaml"), "utf8")).toBe(text);
  });
});
