import { access, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { programWithArchive } from "../support/program-with-archive.ts";
import { documentOf } from "../support/run-cli.ts";

describe("a folder of files that an export did not finish", () => {
  it("is refused by apply and diff until an export has written the missing files", async () => {
    await using program = await programWithArchive();
    await writeFile(join(program.cwd, "stackferry.yaml"), "stacks: {}\n");
    await mkdir(join(program.cwd, "files"));
    // A file where the export needs a folder stops the export as a full disk would.
    const obstacle = join(program.cwd, "files/alerts");
    await writeFile(obstacle, "");
    const exported = async (...more: string[]) =>
      documentOf(
        await program.run(["export", "--from", program.from.stack, "--format", "code", "--out", "files", ...more]),
      );
    expect(await exported()).toMatchObject({ exitCode: 1, error: { code: "archive-io" } });
    await access(join(program.cwd, "files/dashboards/one.yaml"));
    await rm(obstacle);
    const refused = { exitCode: 2, error: { code: "config", message: expect.stringContaining("half-written") } };
    expect(documentOf(await program.apply("--mirror", "--yes"))).toMatchObject(refused);
    expect(documentOf(await program.run(["diff", "files/dashboards", program.to.stack]))).toMatchObject(refused);
    // An export of one record does not complete the half-written folder.
    expect(await exported("--include", "One", "--kinds", "dashboards")).toMatchObject({ exitCode: 0 });
    expect(documentOf(await program.apply("--dry-run"))).toMatchObject(refused);
    expect(await exported()).toMatchObject({ exitCode: 0 });
    expect(documentOf(await program.apply("--dry-run"))).toMatchObject({ exitCode: 0, counts: { create: 5 } });
  });
});
