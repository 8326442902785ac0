import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changeOn, recordOn } from "../../support/on-stack.ts";
import { journalsIn, outcomesOf } from "../../support/program-with-archive.ts";
import { programForTwoStacks } from "../../support/program.ts";
import { dashboard, tileWith } from "../../support/stack-records.ts";

const login = "admin, password: hunter7-Qr0ub4dor-3, then ask sre 1";
const plain = "Call sre 1 at once, correct horse";
const board = (digit: string, name: string, ...texts: readonly string[]) =>
  dashboard(digit.repeat(24), name, "", {
    tiles: texts.map((markdown, index) =>
      tileWith(`${digit.repeat(22)}f${index}`, "Notes of sre 1", { displayType: "markdown", markdown }),
    ),
  });

/** Two stacks: the source has a dashboard with a password, and one whose text holds the words that are filled in. */
const stacks = () =>
  programForTwoStacks(
    { variant: "self-hosted", seed: { dashboards: [board("1", "Login", plain, login), board("2", "Plain", plain)] } },
    { variant: "self-hosted", seed: "bare" },
  );

describe.each(["1", "sre", "correct horse", "hunter2-Tr0ub4dor-9"])("a secret %j that was filled in", (secret) => {
  it("is not in the journal, and a rollback keeps it, and restores other texts with the same words", async () => {
    await using program = await stacks();
    const { from, to, cwd } = program;
    const file = join(cwd, "secrets.yaml");
    const migrate = async (name: string, more: string) => {
      await program.run(`export --from $FROM --out ${name}.zip --quiet`);
      return program.json(`import ${name}.zip --to $TO --on-conflict overwrite ${more}`);
    };
    await migrate("a", "--dry-run --draft-secrets secrets.yaml");
    await writeFile(file, (await readFile(file, "utf8")).replace(`: ""`, `: ${JSON.stringify(secret)}`));
    const first = await migrate("a", "--secrets secrets.yaml --yes");
    expect(first).toMatchObject({ exitCode: 0, counts: { create: 2 } });
    // Somebody reverses the order of the tiles on the target, and the source changes.
    const { tiles } = await recordOn(to, "dashboards", "Login");
    await changeOn(to, "dashboards", { tiles: (tiles as never[]).toReversed() }, "Login");
    const { updatedAt: _then, ...before } = await recordOn(to, "dashboards", "Plain");
    for (const name of ["Login", "Plain"]) await changeOn(from, "dashboards", { tags: ["changed"] }, name);
    const second = await migrate("b", "--secrets secrets.yaml --yes");
    expect(second).toMatchObject({ exitCode: 0, counts: { update: 2 } });
    const journal = await readFile(journalsIn(cwd)[0] ?? "", "utf8");
    expect(journal).toContain("password: «redacted:assigned-secret», then");
    expect(journal).not.toContain(`password: ${secret}`);

    const undone = outcomesOf(await program.run("rollback --to $TO --run 2 --yes --json"));
    const updated = ["Plain", "Login"].map((name) => ({ name, action: "update", status: "done" }));
    expect(undone).toEqual(expect.arrayContaining(updated.map((outcome) => expect.objectContaining(outcome))));
    const { updatedAt: _now, ...after } = await recordOn(to, "dashboards", "Plain");
    expect(after).toEqual(before);
    expect(JSON.stringify(await recordOn(to, "dashboards", "Login"))).toContain(`password: ${secret}, then`);
  });
});
