import { EventEmitter } from "node:events";
import { readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseFaults } from "../../src/sandbox/faults/plan.ts";
import { bench, importArgs, journalOf } from "../support/import-bench.ts";
import { changeDashboard, readSandbox, textOfSandbox } from "../support/read-sandbox.ts";
import { documentOf } from "../support/run-cli.ts";

describe("an import's journal", () => {
  it("stands next to the archive, is its owner's, and holds neither bodies nor keys", async () => {
    await using stage = await bench();
    expect((await stage.run(importArgs(stage.to))).exitCode).toBe(0);
    const name = await journalOf(stage.cwd);
    expect(name).toMatch(/^a\.zip\.[0-9a-f]{8}\.journal$/);
    expect((await stat(join(stage.cwd, name))).mode & 0o777).toBe(0o600);
    const text = await readFile(join(stage.cwd, name), "utf8");
    for (const secret of [stage.to.keyId, stage.to.keySecret]) expect(text).not.toContain(secret);
    expect(text).not.toContain("displayType");
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; result?: string });
    expect(lines[0]?.type).toBe("begin");
    expect(lines.at(-1)).toMatchObject({ type: "end", result: "complete" });
  });

  it("is refused for another target or archive", async () => {
    await using stage = await bench();
    await using other = await bench();
    await stage.run(importArgs(stage.to, "--journal", "j"));
    const run = documentOf(await stage.run(importArgs(other.to, "--journal", "j"), { env: other.env }));
    expect(run).toMatchObject({ exitCode: 2, error: { code: "journal" } });
    expect(run).toMatchObject({ error: { message: expect.stringContaining("another target") } });
    const journal = await readFile(join(stage.cwd, "j"), "utf8");
    await writeFile(
      join(stage.cwd, "other"),
      journal.replace(/"(contentDigest|recordsDigest)":"[0-9a-f]+"/g, '"$1":"00"'),
    );
    const mixed = documentOf(await stage.run(importArgs(stage.to, "--journal", "other")));
    expect(mixed).toMatchObject({ exitCode: 2, error: { code: "journal" } });
  });

  it("is locked while a run is at work with it (exit 7), and freed from one that died", async () => {
    await using stage = await bench();
    await writeFile(
      join(stage.cwd, "j.lock"),
      JSON.stringify({ pid: process.pid, host: (await import("node:os")).hostname() }),
    );
    expect((await stage.run(importArgs(stage.to, "--journal", "j"))).exitCode).toBe(7);
    await writeFile(
      join(stage.cwd, "j.lock"),
      JSON.stringify({ pid: 2 ** 22 - 1, host: (await import("node:os")).hostname() }),
    );
    expect((await stage.run(importArgs(stage.to, "--journal", "j"))).exitCode).toBe(0);
  });

  it("survives a torn last line", async () => {
    await using stage = await bench();
    await stage.run(importArgs(stage.to));
    const path = join(stage.cwd, await journalOf(stage.cwd));
    await writeFile(path, `${await readFile(path, "utf8")}{"type":"int`);
    const again = documentOf(await stage.run(importArgs(stage.to, "--on-conflict", "update")));
    expect(again).toMatchObject({ exitCode: 0, counts: { unchanged: 23 } });
  });
});

describe("a run that was interrupted", () => {
  it("lets writes finish, exits 130, says how to go on, and is gone on with", async () => {
    await using stage = await bench({
      faults: parseFaults({ seed: 1, rules: [{ fault: "slow", route: "POST *", rate: 1, ms: 30 }] }),
    });
    const signals = new EventEmitter();
    const onStderr = (text: string): void => {
      if (text.includes("importing")) setTimeout(() => signals.emit("signal", "SIGINT"), 100);
    };
    const first = await stage.run(importArgs(stage.to), { signals, onStderr });
    expect(first.exitCode).toBe(130);
    expect(first.stderr).toContain(".journal");
    const created = stage.to.stats().byRoute["POST dashboards"] ?? 0;
    expect(created).toBeGreaterThan(0);
    expect(created).toBeLessThan(9);
    const document = documentOf(first) as { outcomes: { status: string; code?: string }[] };
    expect(document.outcomes.some(({ code }) => code === "not-started")).toBe(true);
    expect(documentOf(await stage.run(importArgs(stage.to)))).toMatchObject({ exitCode: 0 });
    expect(await readSandbox(stage.to, "dashboards")).toHaveLength(9);
    expect(await readSandbox(stage.to, "saved-searches")).toHaveLength(2);
    expect(await readSandbox(stage.to, "alerts")).toHaveLength(14);
  });
});

describe("a target that answers 500 for ever", () => {
  it("ends the run with exit 6 in bounded time, and a later run finishes the job", async () => {
    const faults = parseFaults({ seed: 1, rules: [{ fault: "500", route: "POST *", rate: 1 }], quietAfter: 30 });
    await using stage = await bench({ faults });
    const first = documentOf(await stage.run(importArgs(stage.to, "--timeout", "250ms")));
    expect(first).toMatchObject({ exitCode: 6, error: { code: "unavailable" } });
    let last = first;
    for (let tries = 0; tries < 9 && last["exitCode"] !== 0; tries += 1)
      last = documentOf(await stage.run(importArgs(stage.to)));
    expect(last).toMatchObject({ exitCode: 0 });
    expect(await readSandbox(stage.to, "dashboards")).toHaveLength(9);
    expect(await readSandbox(stage.to, "saved-searches")).toHaveLength(2);
    expect(await readSandbox(stage.to, "alerts")).toHaveLength(14);
  });
});

describe("update", () => {
  it("keeps the target's alerts, with their ids, and is recognised the second time", async () => {
    await using stage = await bench();
    await stage.run(importArgs(stage.to));
    const alerts = await readSandbox(stage.to, "alerts");
    for (const shown of await readSandbox(stage.to, "dashboards")) {
      await changeDashboard(stage.to, shown, { tags: ["theirs"] });
    }
    const updated = documentOf(await stage.run(importArgs(stage.to, "--on-conflict", "update", "--journal", "second")));
    expect(updated).toMatchObject({ exitCode: 0, counts: { update: 9, unchanged: 14 } });
    expect((await readSandbox(stage.to, "alerts")).map(({ id }) => id)).toEqual(alerts.map(({ id }) => id));
    const again = documentOf(await stage.run(importArgs(stage.to, "--on-conflict", "update", "--journal", "third")));
    expect(again).toMatchObject({ counts: { unchanged: 23 } });
  });
});

describe("rollback", () => {
  it("puts a stack that had content back to what it was", async () => {
    await using stage = await bench();
    await stage.run(importArgs(stage.to, "--name-prefix", "mine "));
    await rm(join(stage.cwd, await journalOf(stage.cwd)));
    const before = await textOfSandbox(stage.to);
    expect((await stage.run(importArgs(stage.to))).exitCode).toBe(0);
    const journal = await journalOf(stage.cwd);
    const plan = await stage.run(["rollback", journal, "--to", stage.to.stack, "--dry-run"]);
    // The saved searches were made by the first import, under their own names, and stay.
    expect(plan.stdout).toContain("23 to delete, 0 to put back");
    expect(await readSandbox(stage.to, "dashboards")).toHaveLength(18);
    const undone = await stage.run(["rollback", journal, "--to", stage.to.stack, "--json"]);
    expect(documentOf(undone)).toMatchObject({ exitCode: 0, counts: { delete: 23 } });
    expect(await textOfSandbox(stage.to)).toBe(before);
    const again = await stage.run(["rollback", journal, "--to", stage.to.stack, "--json"]);
    expect(documentOf(again)).toMatchObject({ exitCode: 0, counts: {} });
    expect(documentOf(await stage.run(importArgs(stage.to)))).toMatchObject({ exitCode: 0, counts: { create: 23 } });
  });

  it("undoes the last of two runs, then the first", async () => {
    await using stage = await bench();
    await stage.run(importArgs(stage.to));
    const [first] = await readSandbox(stage.to, "dashboards");
    const tags = ["by hand"];
    if (first) await changeDashboard(stage.to, first, { tags });
    expect(documentOf(await stage.run(importArgs(stage.to, "--on-conflict", "update")))).toMatchObject({
      counts: { update: 1 },
    });
    const journal = await journalOf(stage.cwd);
    const undo = async (...more: string[]): Promise<unknown> =>
      documentOf(await stage.run(["rollback", journal, "--to", stage.to.stack, "--json", ...more]));
    expect(await undo()).toMatchObject({ exitCode: 0, undoes: [2], counts: { update: 1 } });
    expect((await readSandbox(stage.to, "dashboards")).find((each) => each.id === first?.id)?.["tags"]).toEqual(tags);
    expect(await undo("--run", "1", "--force")).toMatchObject({ exitCode: 0, undoes: [1], counts: { delete: 25 } });
    expect(await readSandbox(stage.to, "dashboards")).toEqual([]);
  });

  it("puts back what an update replaced, and leaves alone what somebody changed or uses", async () => {
    await using stage = await bench();
    await stage.run(importArgs(stage.to));
    const [first] = await readSandbox(stage.to, "dashboards");
    const put = async (tags: string[]): Promise<void> => {
      const shown = (await readSandbox(stage.to, "dashboards")).find(({ name }) => name === first?.name);
      if (shown) await changeDashboard(stage.to, shown, { tags });
    };
    await put(["theirs"]);
    await stage.run(importArgs(stage.to, "--on-conflict", "update", "--journal", "update.journal"));
    await stage.run(["rollback", "update.journal", "--to", stage.to.stack]);
    expect((await readSandbox(stage.to, "dashboards")).find(({ name }) => name === first?.name)?.["tags"]).toEqual([
      "theirs",
    ]);
    const journal = (await readdir(stage.cwd)).find((name) => name.startsWith("a.zip.")) ?? "";
    const left = documentOf(await stage.run(["rollback", journal, "--to", stage.to.stack, "--json"])) as {
      outcomes: { code?: string }[];
    };
    expect(left.outcomes.filter(({ code }) => code === "changed-since")).toHaveLength(1);
    expect((await readSandbox(stage.to, "dashboards")).map(({ name }) => name)).toContain(first?.name);
  });
});
