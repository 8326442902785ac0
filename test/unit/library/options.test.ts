import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { requireDuration, requireChoice } from "../../../src/library/options/option-values.ts";
import type { ImportOptions } from "../../../src/library/options/import-options.ts";
import { CONSISTENCY_WAIT_MS, normaliseImport } from "../../../src/library/options/import-options.ts";
import { withRun } from "../../../src/library/run.ts";
import { namedKinds, normaliseSelection, kindsToCreate } from "../../../src/library/steps/selection.ts";

const usage = expect.objectContaining({ code: "usage" }) as Error;

describe("a choice", () => {
  it("is one of those that are offered; the error names the option and never the value", () => {
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

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])("%s is no duration", (value) => {
    expect(() => requireDuration(value, "consistencyWaitMs")).toThrow(usage);
  });

  it("0 is a duration", () => {
    expect(requireDuration(0, "consistencyWaitMs")).toBe(0);
  });
});

const normalised = (settings: Parameters<typeof normaliseImport>[0] = {}) =>
  normaliseImport(settings, { journalBase: "a.zip" }, []);

describe("the settings of an import", () => {
  it("overwrite and delete nothing, create on request, check, and go on after a failure, unless told", async () => {
    const { options, ...request } = await normalised();
    expect(options).toMatchObject({
      onConflict: "skip",
      kinds: [],
      create: [],
      filter: { include: [], exclude: [] },
      fitLimits: false,
      acceptHiddenLoss: false,
      restores: false,
    });
    expect(request).toMatchObject({
      dryRun: false,
      onError: "continue",
      verify: true,
      validate: "auto",
      consistencyWaitMs: CONSISTENCY_WAIT_MS,
      mirror: undefined,
      state: undefined,
    });
  });

  it.each<[string, ImportOptions]>([
    ["a policy", { onConflict: "overwrite" as "update" }],
    ["what follows an error", { onError: "ignore" as "abort" }],
    ["a way to validate", { validate: "sometimes" as "auto" }],
    ["a duration", { consistencyWaitMs: -1 }],
    ["a kind", { kinds: ["dashbords"] }],
    ["a kind to create", { create: ["dashboards"] }],
    ["what is mirrored", { mirror: "theirs" as "ours", state: "s.json" }],
    ["how much may be deleted", { mirror: "ours", state: "s.json", maxDelete: "many" }],
  ])("that name no such thing are refused: %s", async (_, settings) => {
    await expect(normalised(settings)).rejects.toMatchObject({ code: "usage" });
  });
});

it("merge is refused with onEdited, which apply always has", async () => {
  await expect(normalised({ onConflict: "merge", onEdited: "keep" })).rejects.toMatchObject({ code: "usage" });
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

describe("a selection", () => {
  it("of kinds names each once; a mistyped one is refused with what was meant", () => {
    expect(namedKinds(["alerts", "alerts"]).map(({ name }) => name)).toEqual(["alerts"]);
    expect(() => namedKinds(["alert"])).toThrow(expect.objectContaining({ hint: "did you mean alerts?" }) as Error);
  });

  it("has `only` where it was given, and nowhere else", () => {
    expect(normaliseSelection({}).filter).toEqual({ include: [], exclude: [] });
    expect(normaliseSelection({ only: ["One"] }).filter).toEqual({ include: [], only: ["One"], exclude: [] });
  });

  it("of what is created on request knows all and none", () => {
    expect(kindsToCreate(["none"])).toEqual([]);
    expect(kindsToCreate(["all"])).toEqual(expect.arrayContaining(["connections", "sources", "webhooks"]));
  });
});

it.each(["kinds", "include", "only", "exclude", "create", "tags"])(
  "%s is refused as one text or with other values: plain JavaScript would read the letters as the list",
  async (option) => {
    for (const value of ["dashboards", [1], [null], true, {}]) {
      const refused = { code: "usage", message: `${option} must be a list of texts` };
      await expect(normalised({ [option]: value })).rejects.toMatchObject(refused);
    }
  },
);

describe("a run that its caller stops", () => {
  it("before it has begun does nothing", async () => {
    let begun = false;
    const run = withRun({ signal: AbortSignal.abort() }, async () => void (begun = true));
    await expect(run).rejects.toMatchObject({ code: "interrupted" });
    expect(begun).toBe(false);
  });

  it("ends as interrupted, whatever the caller gave as the reason, which is the cause", async () => {
    const controller = new AbortController();
    const run = withRun({ signal: controller.signal }, async ({ signal }) => {
      controller.abort("enough");
      signal?.throwIfAborted();
    });
    await expect(run).rejects.toMatchObject({ code: "interrupted", cause: "enough" });
  });

  it("is not listened to once it has ended, well or not", async () => {
    const { signal } = new AbortController();
    expect(await withRun({ signal }, async () => 7)).toBe(7);
    await expect(withRun({ signal }, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
