import { EventEmitter } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseFaults } from "../../src/sandbox/faults/plan.ts";
import { setUpImport, IMPORT, journalOf } from "../support/import-setup.ts";
import { readSandbox } from "../support/read-sandbox.ts";
import { documentOf } from "../support/run-cli.ts";

describe("an import's journal", () => {
  it("is written next to the archive, readable by its owner only, and holds neither bodies nor keys", async () => {
    await using stage = await setUpImport();
    expect((await stage.run(IMPORT)).exitCode).toBe(0);
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
});

describe("a run that was interrupted", () => {
  it("finishes its writes, exits 130, names the command to resume, and is resumed by it", async () => {
    await using stage = await setUpImport({
      faults: parseFaults({ seed: 1, rules: [{ fault: "slow", route: "POST *", rate: 1, ms: 30 }] }),
    });
    const signals = new EventEmitter();
    const onStderr = (text: string): void => {
      if (text.includes("importing")) setTimeout(() => signals.emit("signal", "SIGINT"), 100);
    };
    const first = await stage.run(`${IMPORT} --json`, { signals, onStderr });
    expect(first.exitCode).toBe(130);
    expect(first.stderr).toContain(".journal");
    const created = stage.to.stats().byRoute["POST dashboards"] ?? 0;
    expect(created).toBeGreaterThan(0);
    expect(created).toBeLessThan(9);
    const document = documentOf(first) as { outcomes: { status: string; code?: string }[] };
    expect(document.outcomes.some(({ code }) => code === "not-started")).toBe(true);
    expect(await stage.json(IMPORT)).toMatchObject({ exitCode: 0 });
    expect(await readSandbox(stage.to, "dashboards")).toHaveLength(9);
    expect(await readSandbox(stage.to, "saved-searches")).toHaveLength(2);
    expect(await readSandbox(stage.to, "alerts")).toHaveLength(14);
  });
});
