import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { requireChoice } from "../../../src/library/options/option-values.ts";
import { normaliseStack } from "../../../src/library/options/connect.ts";
import { normaliseImport, type ImportOptions } from "../../../src/library/options/import-options.ts";
import { apply } from "../../../src/library/apply.ts";
import { diff, type DiffOptions } from "../../../src/library/diff.ts";
import { exportArchive, type ExportArchiveOptions } from "../../../src/library/export-archive.ts";
import { importArchive } from "../../../src/library/import.ts";
import { migrate } from "../../../src/library/migrate.ts";
import { verifyArchive, type VerifyArchiveOptions } from "../../../src/library/verify-archive.ts";
import { rollback } from "../../../src/library/rollback.ts";
import { memoryJournals } from "../../../src/library/steps/journal-place.ts";
import { withRun } from "../../../src/library/run.ts";
import { kindsToCreate, kindsToExport, namedKinds, normaliseSelection } from "../../../src/library/steps/selection.ts";

describe("checking an option", () => {
  it("accepts only the offered choices, and the error names the option without its value", () => {
    expect(requireChoice("b", ["a", "b"], "letter")).toBe("b");
    let thrown: unknown;
    try {
      requireChoice("pass-4711" as "a", ["a"], "letter");
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: "usage", message: expect.stringContaining("letter") });
    expect(String(thrown)).not.toContain("4711");
  });

  it("names the option that a mistyped one stands for, and reads and writes nothing", async () => {
    const to = { variant: "self-hosted", baseUrl: "http://localhost:9", apiKey: "key" } as const;
    const [archive, files, out] = ["backup.zip", "stack", "out.zip"];
    const misspelt = { to, dryrun: true };
    const meant = { code: "usage", hint: "did you mean dryRun?" };
    await expect(importArchive({ archive, ...misspelt })).rejects.toMatchObject(meant);
    await expect(apply({ files, ...misspelt })).rejects.toMatchObject(meant);
    await expect(migrate({ from: to, ...misspelt })).rejects.toMatchObject(meant);
    await expect(rollback(misspelt)).rejects.toMatchObject(meant);
    const unknown = { code: "usage", message: 'there is no option "dryrun"' };
    await expect(exportArchive({ from: to, out, dryrun: true } as ExportArchiveOptions)).rejects.toMatchObject(unknown);
    await expect(diff({ left: to, right: to, dryrun: true } as DiffOptions)).rejects.toMatchObject(unknown);
    const left = { ...misspelt, dryrun: undefined };
    await expect(importArchive({ archive, ...left })).rejects.not.toMatchObject(meant);
    await expect(verifyArchive({ archive, dryrun: true } as VerifyArchiveOptions)).rejects.toMatchObject(unknown);
  });

  it("refuses journals in memory for a rollback", async () => {
    const to = { variant: "self-hosted", baseUrl: "http://localhost:8000", apiKey: "key" } as const;
    const undone = rollback({ to, journals: memoryJournals() as unknown as string });
    await expect(undone).rejects.toMatchObject({ code: "usage" });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])("refuses %s as the wait of a stack for its lists", (wait) => {
    const stack = { variant: "self-hosted", baseUrl: "http://localhost:8000", apiKey: "key" } as const;
    expect(() => normaliseStack({ ...stack, consistencyWaitMs: wait }, "to")).toThrow(
      expect.objectContaining({ code: "config" }),
    );
    expect(normaliseStack({ ...stack, consistencyWaitMs: 0 }, "to")).toMatchObject({ consistencyWaitMs: 0 });
    expect(normaliseStack(stack, "to")).toMatchObject({ consistencyWaitMs: 10_000 });
  });
});

const normalised = (settings: Parameters<typeof normaliseImport>[0] = {}) => normaliseImport(settings, []);

describe("the options of an import", () => {
  it("refuse a name prefix that begins with a space, under which the original would be its own copy", async () => {
    await expect(normalised({ namePrefix: "  " })).rejects.toMatchObject({ code: "usage" });
    expect((await normalised({ namePrefix: "[copy] " })).options.namePrefix).toBe("[copy] ");
  });

  it("have defaults that overwrite and delete nothing, verify, and continue after a failure", async () => {
    const { options, ...request } = await normalised();
    expect(options).toMatchObject({
      onConflict: "keep",
      kinds: [],
      create: [],
      filter: { include: [], exclude: [] },
      fitLimits: false,
      acceptHiddenLoss: false,
    });
    expect(request).toMatchObject({
      dryRun: false,
      mirror: undefined,
    });
  });

  it.each<[string, ImportOptions]>([
    ["onConflict", { onConflict: "update" as "overwrite" }],
    ["kinds", { kinds: ["dashbords"] }],
    ["create", { create: ["dashboards"] }],
    ["mirror", { mirror: "theirs" as "ours" }],
    ["maxDelete", { mirror: "ours", maxDelete: "many" }],
    ["maxDelete, with mirror all", { mirror: "all", maxDelete: "30%" }],
    ["no maxDelete, with mirror all", { mirror: "all" }],
  ])("are refused with an invalid value: %s", async (_, settings) => {
    await expect(normalised(settings)).rejects.toMatchObject({ code: "usage" });
  });
});

describe("the tile option", () => {
  it.each<[string, ImportOptions, string]>([
    ["no dashboard", {}, "needs the dashboard"],
    ["withDependencies", { include: ["Overview"], withDependencies: true }, "--with-dependencies"],
    ["mirror", { include: ["Overview"], mirror: "ours" }, "--mirror"],
    ["namePrefix", { include: ["Overview"], namePrefix: "Copy of " }, "--name-prefix"],
    ["create", { include: ["Overview"], create: ["sources"] }, "--create"],
    ["onConflict", { include: ["Overview"], onConflict: "overwrite" }, "--on-conflict"],
  ])("is refused with %s", async (_, options, named) => {
    const run = normalised({ ...options, tile: "Errors" });
    await expect(run).rejects.toMatchObject({ code: "usage" });
    await expect(run).rejects.toThrow(named);
  });

  it("is accepted with one included dashboard", async () => {
    const { options } = await normalised({ include: ["Overview"], tile: "Errors" });
    expect(options).toMatchObject({ tile: "Errors", onConflict: "keep" });
  });
});

describe("a selection of records", () => {
  it("has each kind once, and a mistyped kind is refused with the most similar one", () => {
    expect(namedKinds(["alerts", "alerts"]).map(({ name }) => name)).toEqual(["alerts"]);
    expect(() => namedKinds(["alert"])).toThrow(expect.objectContaining({ hint: "did you mean alerts?" }) as Error);
  });

  it("selects everything by default", () => {
    expect(normaliseSelection({})).toEqual({ kinds: [], filter: { include: [], exclude: [] } });
  });

  it("of an export always has the kinds by which another stack recognises its records, if the stack lists them", () => {
    const names = (listed?: string[]) =>
      kindsToExport(listed === undefined ? {} : { kinds: listed }, namedKinds(["dashboards"])).map(({ name }) => name);
    expect(names()).toEqual(["connections", "sources", "webhooks", "saved-searches", "dashboards"]);
    expect(names(["alerts", "dashboards", "sources"])).toEqual(["sources", "dashboards"]);
  });

  it("of kinds to create may be all or none", () => {
    expect(kindsToCreate(["none"])).toEqual([]);
    expect(kindsToCreate(["all"])).toEqual(expect.arrayContaining(["connections", "sources", "webhooks"]));
  });
});

it.each(["kinds", "include", "exclude", "create"])(
  "%s must be a list of texts, because plain JavaScript would read one text as a list of letters",
  async (option) => {
    for (const value of ["dashboards", [1], [null], true, {}]) {
      const refused = { code: "usage", message: `${option} must be a list of texts` };
      await expect(normalised({ [option]: value })).rejects.toMatchObject(refused);
    }
  },
);

describe("a run with an abort signal", () => {
  it("does nothing if the signal is aborted before it begins", async () => {
    let begun = false;
    const run = withRun({ signal: AbortSignal.abort() }, async () => void (begun = true));
    await expect(run).rejects.toMatchObject({ code: "interrupted" });
    expect(begun).toBe(false);
  });

  it("fails as interrupted, with the caller's reason as the cause", async () => {
    const controller = new AbortController();
    const run = withRun({ signal: controller.signal }, async ({ signal }) => {
      controller.abort("enough");
      signal?.throwIfAborted();
    });
    await expect(run).rejects.toMatchObject({ code: "interrupted", cause: "enough" });
  });

  it("removes its listener from the signal when it ends, with or without an error", async () => {
    const { signal } = new AbortController();
    expect(await withRun({ signal }, async () => 7)).toBe(7);
    await expect(withRun({ signal }, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
