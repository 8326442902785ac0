import { resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { documentText } from "../../../../src/cli/output/text.ts";
import { archiveDocument } from "../../../../src/report/view/archive.ts";
import { createTheme, type OutputOptions } from "../../../../src/cli/output/terminal.ts";
import type { Outcome } from "../../../../src/core/outcome.ts";
import type { Plan, PlanItem } from "../../../../src/core/plan/plan.ts";
import { readStackModel, type StackModel } from "../../../../src/report/model/stack.ts";
import { manifestOf, readArchive } from "../../../support/archive-samples.ts";
import { describedRun, textOfRun } from "../../../support/described-run.ts";
import { HOSTILE_NAME, hostileRecords } from "../../../support/hostile-records.ts";

const LONG = "A name that is longer than any terminal is wide, with 漢字 in it and more after that ".repeat(2).trim();
const folder = resolve(import.meta.dirname, "../../../fixtures/golden");
let model: StackModel;
let plan: Plan;
let outcomes: Outcome[];

beforeAll(async () => {
  const starter = await readArchive(resolve(import.meta.dirname, "../../../../samples/starter"));
  const [first] = starter.filter(({ kind }) => kind === "dashboards");
  if (first === undefined) throw new Error("the starter archive has no dashboard");
  model = readStackModel([...starter, { ...first, id: "6b012ee95c01682410a2e7ff", name: LONG }]);
  plan = {
    items: model.records.map(({ kind, id, name }, index) => ({
      kind,
      sourceId: id,
      name,
      action:
        kind === "alerts" ? "blocked" : ((["create", "update", "unchanged", "skip"] as const)[index % 4] ?? "skip"),
      ...details(kind, index),
      ...(kind === "alerts" && { code: "missing-reference", message: 'needs the webhook "oncall-slack"' }),
      dependsOn: [],
      linksTo: [],
    })),
    matches: [],
    unresolved: [
      {
        space: "webhooks",
        id: "6b012ee95c01682410a2e71c",
        name: "oncall-slack",
        reason: "missing",
        candidates: [],
        neededBy: 4,
      },
    ],
    ids: [],
    bodies: new Map(),
    idsToCome: new Map(),
    warnings: [],
    missingSecrets: [],
  };
  outcomes = plan.items.map(({ kind, name, sourceId, action, code, message }, index) => ({
    kind,
    name,
    sourceId,
    action,
    status: index === 1 ? "failed" : "done",
    ...(index === 1
      ? { code: "rejected", message: "400 Tile not found" }
      : { ...(code && { code }), ...(message && { message }) }),
  }));
});

/**
 * Returns more members of a plan's item: changes of every sort and another name on the target, or the reason why the record is left
 * alone.
 */
function details(kind: string, index: number): Partial<PlanItem> {
  if (index % 4 === 1) {
    const child = { noun: "tile", name: "CPU" };
    return {
      targetId: "6b012ee95c01682410a2e700",
      targetName: "Somebody else's",
      changes: [
        { pointer: "/tags", change: "changed", from: ["a"], to: ["a", "b"] },
        { pointer: "/tiles/0/w", change: "changed", from: 6, to: 12, child },
        { pointer: "/tiles/0/config/where", change: "changed", from: LONG, to: `${LONG}!`, child },
        { pointer: "/tiles/1", change: "added", to: {}, child: { noun: "tile", name: "Memory" } },
        { pointer: "/tiles/2", change: "removed", from: {}, child: { noun: "tile", name: "" } },
      ],
    };
  }
  if (index % 4 !== 3) return {};
  return kind === "dashboards" ? { code: "exists", message: "other content on the target" } : { code: "matched" };
}

/** Prints an archive of these records as `report` does. */
function archiveText(records: StackModel, display: OutputOptions): string {
  const summary = { path: "a.zip", formatVersion: 1, contentDigest: "d", bytes: 1 };
  return documentText(
    archiveDocument({ summary, manifest: manifestOf([...records.records]), model: records }),
    display,
  );
}

const texts: Readonly<Record<string, (display: OutputOptions) => string>> = {
  plan: (display) => textOfRun(describedRun(plan), display),
  verbose: (display) => textOfRun(describedRun(plan), { ...display, verbose: true }),
  outcome: (display) => textOfRun(describedRun(plan, { outcomes }), display),
  archive: (display) => archiveText(model, display),
};

const golden = (name: string, display: OutputOptions, file: string): Promise<void> =>
  expect(texts[name]?.(display)).toMatchFileSnapshot(resolve(folder, `${name}-${file}.txt`));

describe.each(Object.keys(texts))("the text of a %s", (name) => {
  it("equals its golden file at 60 columns, and in a pipe without a width", async () => {
    await golden(name, { theme: createTheme(false), columns: 60 }, "60-plain");
    await golden(name, { theme: createTheme(false), columns: undefined }, "pipe-plain");
  });

  it.each([60, undefined])("with and without colours at %s columns differs only in the colours", (columns) => {
    const [plain, coloured] = [false, true].map((colours) => texts[name]?.({ theme: createTheme(colours), columns }));
    // Only the coloured text has blanks at the end of a heading.
    expect(stripVTControlCharacters(coloured ?? "").replaceAll(/ +$/gm, "")).toBe(plain);
  });
});

it("the coloured text of a plan equals its golden file", async () => {
  await golden("plan", { theme: createTheme(true), columns: 80 }, "80-colour");
});

it("control characters in the names of a hostile archive do not reach the terminal", () => {
  const hostile = readStackModel(hostileRecords);
  const display = { theme: createTheme(false), columns: 80 };
  const text = archiveText(hostile, display);
  expect(text).toContain("<script>");
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(HOSTILE_NAME).toContain("\u001b");
});
