import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { CliRun } from "../support/run-cli.ts";
import { backupFixture } from "../support/backup-fixture.ts";

/** Configures a sample stack, a second one with this seed, and a repository. */
async function twoConfigured(seed: "sample" | "bare" = "sample") {
  const one = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const two = await startSandbox({ variant: "self-hosted", seed });
  const fixture = await backupFixture({ one, two }, "repositories:\n  kept: { url: place }\n");
  return {
    ...fixture,
    [Symbol.asyncDispose]: async () => {
      await one.close();
      await two.close();
    },
  };
}

const linesOf = ({ stderr }: CliRun): string[] => stderr.trimEnd().split("\n");
const unnamed = (run: CliRun): string[] => linesOf(run).filter((line) => !/^(?:one|two): /.test(line));

describe("a run over several stacks names the stack in every line of its progress", () => {
  it("in a backup, but not in a run over one stack", async () => {
    await using fixture = await twoConfigured();
    const { run } = fixture;
    const both = await run("backup one two --to place");
    expect(both.exitCode).toBe(0);
    expect(unnamed(both)).toEqual([]);
    for (const line of ["one: stored", "two: stored"]) expect(linesOf(both)).toContain(line);
    const json = await run("backup one two --to place --log-format json");
    const events = linesOf(json).map((line) => JSON.parse(line) as { event: string; stack?: string });
    for (const { event, stack } of events.filter(({ event }) => event === "listed" || event === "phase")) {
      expect([event, stack]).toEqual([event, expect.stringMatching(/^(?:one|two)$/)]);
    }
    const alone = await run("backup one --to place");
    expect(alone.stderr).not.toContain("one: ");
  });

  it("when it checks, test-restores and prunes their backups", async () => {
    await using fixture = await twoConfigured();
    const { run } = fixture;
    expect((await run("backup one two --to place")).exitCode).toBe(0);
    for (const command of [
      "check place",
      "check place --newest --restore-test",
      "prune place --keep-last 1 --yes",
      "prune place --keep-last 1 --dry-run",
    ]) {
      const ended = await run(command);
      expect([command, ended.exitCode, unnamed(ended)]).toEqual([command, 0, []]);
      expect(linesOf(ended).length).toBeGreaterThan(1);
    }
    const alone = await run("check place --stack one");
    expect(alone.stderr).not.toContain("one: ");
  });

  it("when it compares two stacks, or migrates one onto the other", async () => {
    await using fixture = await twoConfigured("bare");
    const { run } = fixture;
    const compared = await run("diff one two");
    expect(compared.exitCode).toBe(0);
    expect(unnamed(compared)).toEqual(["comparing"]);
    const moved = await run("migrate --from one --to two --create saved-searches --yes");
    expect(moved.exitCode).toBe(0);
    // The plan's total is the only line without a stack's name.
    expect(unnamed(moved)).toEqual([expect.stringMatching(/^Plan: /)]);
    expect(linesOf(moved)).toEqual(
      expect.arrayContaining(["one: reading one", "one: exported", "two: reading two", "two: 0 dashboards"]),
    );
    const archived = await run("export --from one --out one.zip");
    const against = await run("diff one.zip one");
    expect(archived.stderr + against.stderr).not.toContain("one: ");
  });

  it("when doctor examines them", async () => {
    await using fixture = await twoConfigured();
    const { run } = fixture;
    const both = await run("doctor");
    expect(both.exitCode).toBe(0);
    expect(unnamed(both)).toEqual(["trying kept"]);
    const alone = await run("doctor one");
    expect(alone.stderr).not.toContain("one: ");
  });
});
