import { generateKeyPairSync } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentOf, runCli } from "../support/run-cli.ts";
import { callSandbox, smallBench, theOne, importedBench } from "../support/small-bench.ts";

interface Told {
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
}

describe("a line that means something else than it says", () => {
  it.each(["list repo/STACK", "prune repo/STACK --keep-last 1 --yes"])(
    "`%s` names a stack's folder, and is not answered with no backups",
    async (line) => {
      await using bench = await smallBench();
      await mkdir(join(bench.cwd, "repo"));
      expect((await bench.run(["backup", bench.from.stack, "--to", "repo"])).exitCode).toBe(0);
      const [stack = ""] = (await readdir(join(bench.cwd, "repo"))).filter((name) => !name.includes(".json"));
      const run = documentOf(await bench.run(line.replace("STACK", stack).split(" ")));
      expect(run).toMatchObject({ exitCode: 2, error: { code: "usage" } });
      expect((run as unknown as Told).error.hint).toContain(`--stack ${stack}`);
    },
  );

  it("rules that keep nothing are refused, whatever the configuration keeps", async () => {
    await using bench = await smallBench();
    await mkdir(join(bench.cwd, "repo"));
    await writeFile(
      join(bench.cwd, "stackferry.yaml"),
      "stacks: {}\nrepositories: { named: { url: repo, keep: { last: 1 } } }\n",
    );
    expect((await bench.run(["backup", bench.from.stack, "--to", "named"])).exitCode).toBe(0);
    const run = await bench.run(["prune", "named", "--keep-daily", "0", "--yes"]);
    expect(documentOf(run)).toMatchObject({ exitCode: 2, error: { code: "usage" } });
    expect((await bench.run(["prune", "named", "--yes"])).exitCode).toBe(0);
  });

  it("a prune without rules is not told to add --yes", async () => {
    const run = await runCli(["prune", "repo"], { exactly: true });
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining("no rule tells which backups to keep")]);
  });

  it("a misspelt command is told in the place of its flags", async () => {
    const run = await runCli(["exprot", "--from", "a", "--out", "b.zip"]);
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringMatching(/"exprot"\n.*did you mean export\?/)]);
    expect((await runCli(["--form", "a", "export"])).stderr).toContain("unknown option --form");
  });

  it("short forms are those of the long flags", async () => {
    const [short, long] = [await runCli(["prune", "-h"]), await runCli(["prune", "--help"])];
    expect(short).toMatchObject({ exitCode: 0, stdout: long.stdout });
    expect(await runCli(["-v"])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    await using bench = await smallBench();
    const args = ["migrate", "--from", bench.from.stack, "--to", bench.to.stack];
    const run = await bench.run([...args, "-y", "-q", "-v"]);
    expect(run.exitCode).toBe(0);
    expect(run.stderr).not.toContain("GET ");
    expect((await runCli(["prune", "x", "-z"])).exitCode).toBe(2);
  });
});

describe("what is said of a backup that cannot be taken", () => {
  it("is not that a damaged one can be restored all the same", async () => {
    await using bench = await smallBench();
    await mkdir(join(bench.cwd, "repo"));
    expect((await bench.run(["backup", bench.from.stack, "--to", "repo"])).exitCode).toBe(0);
    const files = await readdir(join(bench.cwd, "repo"), { recursive: true });
    const archive = files.find((name) => name.endsWith(".zip")) ?? "";
    await writeFile(join(bench.cwd, "repo", archive), "damaged");
    const [stack = ""] = archive.split("/");
    const run = documentOf(await bench.run(["restore", `repo/${stack}`, "--to", bench.to.stack, "--yes"]));
    expect(run).toMatchObject({ exitCode: 4, error: { code: "archive-damaged" } });
    expect((run as unknown as Told).error.hint).not.toContain("suspect");
  });

  it("is not that one with another signature can", async () => {
    await using bench = await smallBench();
    await mkdir(join(bench.cwd, "repo"));
    const { publicKey } = generateKeyPairSync("ed25519");
    await writeFile(join(bench.cwd, "key.pem"), publicKey.export({ type: "spki", format: "pem" }));
    expect((await bench.run(["backup", bench.from.stack, "--to", "repo"])).exitCode).toBe(0);
    const [stack = ""] = (await readdir(join(bench.cwd, "repo"))).filter((name) => !name.includes(".json"));
    const args = ["restore", `repo/${stack}`, "--to", bench.to.stack, "--signer", "key.pem", "--yes"];
    const run = documentOf(await bench.run(args));
    expect(run).toMatchObject({ exitCode: 4, error: { code: "archive-damaged" } });
    expect((run as unknown as Told).error.hint).not.toContain("suspect");
  });
});

describe("a rollback that names the stack by another address", () => {
  it("is told both", async () => {
    await using bench = await importedBench();
    const other = bench.to.stack.replace("127.0.0.1", "localhost");
    const run = documentOf(await bench.run(["rollback", "j", "--to", other, "--yes"]));
    expect(run).toMatchObject({ exitCode: 2, error: { code: "journal" } });
    const { message } = (run as unknown as Told).error;
    expect([message.includes(other), message.includes(bench.to.stack)]).toEqual([true, true]);
  });
});

describe("a misspelt member of a file", () => {
  it("is named in the place of the one that is missing for it", async () => {
    await using bench = await smallBench();
    await mkdir(join(bench.cwd, "code", "alerts"), { recursive: true });
    const lines = ["dashboard: One", "tile: a", "intervall: 1m", "threshold: 1", "thresholdType: above"];
    await writeFile(join(bench.cwd, "code", "alerts", "a.yaml"), `${lines.join("\n")}\n`);
    const run = documentOf(await bench.run(["apply", "code", "--to", bench.to.stack, "--yes"]));
    const { error } = run as { error: { message: string; faults?: string[] } };
    const told = [error.message, ...(error.faults ?? [])].join("\n");
    expect(run["exitCode"]).toBe(2);
    expect(told).toContain('a.yaml:3:1: there is no member "intervall": did you mean "interval"?');
    expect(told).not.toMatch(/\binterval: /);
  });
});

describe("a link that leads nowhere", () => {
  it("is no news to a backup with --quiet, and is told by the others", async () => {
    await using bench = await smallBench();
    await mkdir(join(bench.cwd, "repo"));
    // "One" links to it.
    const dead = (await theOne(bench.from, "dashboards", "Two"))["id"];
    await callSandbox(bench.from, "DELETE", `dashboards/${dead}`);
    const args = ["backup", bench.from.stack, "--to", "repo"];
    const loud = await runCli(args, { cwd: bench.cwd, env: bench.env });
    const quiet = await runCli([...args, "--quiet"], { cwd: bench.cwd, env: bench.env });
    expect(loud.stderr).toContain(dead);
    expect(quiet).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
    const { warnings } = documentOf(await bench.run([...args, "--quiet"]));
    expect(warnings).toContainEqual(expect.objectContaining({ code: "dead-reference" }));
  });
});
