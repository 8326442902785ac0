import { describe, expect, it } from "vitest";
import type { ImportOptions } from "../../../src/library/options/import-options.ts";
import { normaliseImport } from "../../../src/library/options/import-options.ts";

const normalised = (options: ImportOptions) => normaliseImport(options, { journalBase: "backup.zip" }, []);

it("merge is refused with onEdited, which apply always has", async () => {
  const options = { onConflict: "merge", onEdited: "keep" } as const;
  await expect(normaliseImport(options, { journalBase: "stack" }, [])).rejects.toMatchObject({ code: "usage" });
});

describe("tile", () => {
  it.each<[string, ImportOptions, string]>([
    ["no dashboard", {}, "needs the dashboard"],
    ["only", { include: ["Overview"], only: ["Overview"] }, "--only"],
    ["withDependencies", { include: ["Overview"], withDependencies: true }, "--with-dependencies"],
    ["mirror", { include: ["Overview"], mirror: "ours" }, "--mirror"],
    ["namePrefix", { include: ["Overview"], namePrefix: "Copy of " }, "--name-prefix"],
    ["tags", { include: ["Overview"], tags: ["copy"] }, "--tag"],
    ["create", { include: ["Overview"], create: ["sources"] }, "--create"],
    ["onConflict", { include: ["Overview"], onConflict: "update" }, "--on-conflict"],
  ])("is refused with %s", async (_, options, named) => {
    const run = normalised({ ...options, tile: "Errors" });
    await expect(run).rejects.toMatchObject({ code: "usage" });
    await expect(run).rejects.toThrow(named);
  });

  it("goes with a dashboard alone", async () => {
    const { options } = await normalised({ include: ["Overview"], tile: "Errors" });
    expect(options).toMatchObject({ tile: "Errors", onConflict: "skip" });
  });
});
