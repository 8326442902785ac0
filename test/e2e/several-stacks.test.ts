import { describe, expect, it } from "vitest";
import type { CliRun } from "../support/run-cli.ts";
import { programWithBackups, oneDashboardStack } from "../support/program-with-backups.ts";

/** Configures two small stacks and a repository. */
async function twoConfigured() {
  const [one, two] = [await oneDashboardStack(), await oneDashboardStack()];
  const fixture = await programWithBackups({ one, two }, "repositories:\n  kept: { url: place }\n");
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
  it("when it backs up, checks, test-restores and prunes, but not in a run over one stack", async () => {
    await using fixture = await twoConfigured();
    const { run } = fixture;
    const both = await run("backup one two --to place");
    expect([both.exitCode, unnamed(both)]).toEqual([0, []]);
    for (const line of ["one: stored", "two: stored"]) expect(linesOf(both)).toContain(line);
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
    for (const command of ["backup one --to place", "check place --stack one"]) {
      expect(await run(command)).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining("one: ") });
    }
  });

  it("when it compares two stacks, migrates one onto the other, or examines them", async () => {
    await using fixture = await twoConfigured();
    const { run } = fixture;
    const compared = await run("diff one two");
    expect([compared.exitCode, unnamed(compared)]).toEqual([0, ["comparing"]]);
    const moved = await run("migrate --from one --to two --yes");
    // The plan's total is the only line without a stack's name.
    expect([moved.exitCode, unnamed(moved)]).toEqual([0, [expect.stringMatching(/^Plan: /)]]);
    const said = ["one: reading one", "one: exported", "two: reading two"];
    expect(linesOf(moved)).toEqual(expect.arrayContaining(said));
    const examined = await run("doctor");
    expect([examined.exitCode, unnamed(examined)]).toEqual([0, ["trying kept"]]);
    for (const command of ["export --from one --out one.zip", "diff one.zip one", "doctor one"]) {
      expect(await run(command)).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining("one: ") });
    }
  });
});
