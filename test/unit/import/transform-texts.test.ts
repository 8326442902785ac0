import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ID_PATTERN } from "../../../src/core/records/record.ts";
import type { Transforms } from "../../../src/core/plan/plan.ts";
import { diffStacks } from "../../../src/diff/diff-stacks.ts";
import { warnOfLinksByName, applyRenames, replaceText, transformRecords } from "../../../src/import/transforms.ts";
import { importInto } from "../../support/import-stage.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import {
  alert,
  dashboard,
  hexId,
  records,
  source,
  webhook,
  archiveIds,
  targetIds,
} from "../../support/stack-records.ts";
import { propertyRuns } from "../../support/tries.ts";
import { theirLogs } from "../../support/import-samples.ts";

const everything = { include: [], exclude: [] };
const elsewhere = { variant: "self-hosted", baseUrl: "http://elsewhere" } as const;

describe("a rename rule", () => {
  it.each([
    ["Checkout", "Checkout", "Kasse", "Kasse"],
    ["Checkout 2", "Checkout", "Kasse", "Checkout 2"],
    ["Checkout", "*", "[staging] *", "[staging] Checkout"],
    ["[staging] Checkout", "*", "[staging] *", "[staging] Checkout"],
    ["Checkout-prod", "*-prod", "*", "Checkout"],
    ["prod / eu / Checkout", "prod / * / *", "* of staging, *", "eu of staging, Checkout"],
    ["a.a.a", "*.*", "*|*", "a|a.a"],
    ["Prod A", "Prod*", "Production*", "Production A"],
    ["Production A", "Prod*", "Production*", "Production A"],
    ["a+b", "a+*", "$& *", "$& b"],
    ["aXa", "a*a", "*", "X"],
    ["a", "a*a", "*", "a"],
    ["", "x*", "y*", ""],
  ])("renames %j by the rule from %j to %j: %j", (name, from, to, expected) => {
    expect(applyRenames(name, [{ from, to }])).toBe(expected);
  });

  it("applies once: the first matching rule gives the name, and no other rule changes it again", () => {
    const rules = [
      { from: "A*", to: "B*" },
      { from: "B*", to: "C*" },
    ];
    expect(applyRenames("A1", rules)).toBe("B1");
    expect(applyRenames("B1", rules)).toBe("C1");
  });

  it("is matched in linear time", () => {
    const started = performance.now();
    applyRenames("a".repeat(200_000), [{ from: `${"*a".repeat(50)}*b`, to: "x" }]);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe("text replacement", () => {
  const id = "0123456789abcdef01234567";

  it.each([
    [`https://prod/${id}`, "prod", "staging", `https://staging/${id}`],
    ["redo «redacted:redo-it»", "re", "un", "undo «redacted:redo-it»"],
    [`${id} 0123`, "0123", "9", `${id} 9`],
    ["prod prod", "prod", "prod-copy", "prod-copy prod-copy"],
    ["prod-copy prod", "prod", "prod-copy", "prod-copy prod-copy"],
    ["a.b axb", "a.b", "$&", "$& axb"],
  ])("rewrites %j by the rule from %j to %j", (text, from, to, expected) => {
    expect(replaceText(text, [{ from, to }])?.text).toBe(expected);
  });

  it("leaves a text unchanged if an id would merge with a word, or a word would become an id", () => {
    expect(replaceText(`${id}/x`, [{ from: "/", to: "-" }])).toBeUndefined();
    expect(replaceText(`x${id}`, [{ from: "x", to: "" }])).toBeUndefined();
  });

  const piece = fc.oneof(
    fc.constantFrom(
      "prod",
      "«redacted:aws-key»",
      "«redacted:",
      "»",
      id,
      "7e57ab1e-0000-4000-8000-000000000001",
      "/",
      "-",
    ),
    fc.string({ maxLength: 5 }),
  );
  const rule = fc.record({ from: fc.string({ minLength: 1, maxLength: 3 }), to: fc.string({ maxLength: 4 }) });

  it("preserves every id and every placeholder, and their order", () => {
    const kept = (text: string): string[] =>
      text.match(new RegExp(`${ID_PATTERN.source}|«redacted:[a-z-]+»`, "giu")) ?? [];
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.array(rule, { maxLength: 3 }), (pieces, rules) => {
        const text = pieces.join("");
        const replaced = replaceText(text, rules)?.text ?? text;
        expect(kept(replaced)).toEqual(kept(text));
      }),
      propertyRuns(300),
    );
  });
});

describe("transformed records", () => {
  const word = fc.constantFrom("prod", "Checkout", "*", " ", "[staging] ", "é", "x");
  const texts = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(""));
  const transforms = fc.record(
    {
      rename: fc.array(fc.record({ from: texts.map((text) => `${text}*`), to: texts }), { maxLength: 2 }),
      tags: fc.record({ set: fc.array(texts, { maxLength: 2 }), drop: fc.array(texts, { maxLength: 2 }) }),
      replace: fc.array(fc.record({ from: texts, to: texts }), { maxLength: 2 }),
      leaveOut: fc.record({ alerts: fc.array(texts, { maxLength: 1 }) }),
    },
    { requiredKeys: [] },
  );
  const named = fc.array(fc.record({ name: texts, tags: fc.array(texts, { maxLength: 2 }), note: texts }), {
    minLength: 1,
    maxLength: 4,
  });

  it("are unchanged in a second import and in a comparison", async () => {
    await fc.assert(
      fc.asyncProperty(named, transforms, async (wanted, rules: Transforms) => {
        const dashboards = wanted.map(({ name, tags, note }, index) =>
          dashboard(hexId("a", 100 + index), `${name} ${index}`, archiveIds.source, {
            tags,
            tiles: [{ id: "t", name: "Notes", config: { displayType: "markdown", markdown: note } }],
          }),
        );
        const alerts = dashboards.map((each, index) =>
          alert(hexId("a", 200 + index), `Alert ${index}`, each, archiveIds.webhook),
        );
        const sent = records({
          dashboards,
          alerts,
          sources: [source(archiveIds.source, "Logs", hexId("c", 1))],
          webhooks: [webhook(archiveIds.webhook, "hook")],
        });
        const stack = memoryStack({
          dashboards: [],
          alerts: [],
          sources: [theirLogs],
          webhooks: [webhook(targetIds.webhook, "hook")],
        });
        const options = { onConflict: "overwrite", source: elsewhere, transforms: rules } as const;
        const first = await importInto(stack, sent, options);
        const second = await importInto(stack, sent, options);
        const wrote = ({ plan }: typeof first): string[] =>
          plan.items.flatMap(({ action }) => (action === "create" || action === "update" ? [action] : []));
        expect(wrote(second)).toEqual([]);
        const blocked = new Set(first.outcomes.flatMap(({ action, name }) => (action === "blocked" ? [name] : [])));
        const statuses = new Map(["dashboards", "alerts"].map((kind) => [kind, "complete"] as const));
        const there = [...stack.records].flatMap(([kind, byId]) =>
          records({ [kind]: [...byId].map(([id, body]) => ({ ...body, id })) }),
        );
        const { changes } = await diffStacks(
          { identity: elsewhere, records: sent, statuses },
          { identity: stack.client.identity, records: there, statuses },
          { kinds: ["dashboards", "alerts"], filter: everything, mapping: {}, transforms: rules },
        );
        expect(changes.filter(({ name }) => !blocked.has(name))).toEqual([]);
      }),
      propertyRuns(15),
    );
  });
});

describe("a link to a dashboard by name", () => {
  const linked = (type: string, template: string | number) => {
    const logs = hexId("c", 1);
    const onClick = { type, target: { mode: "template", template } };
    const tile = { id: hexId("d", 9), name: "Table", config: { displayType: "table", sourceId: logs, onClick } };
    const from = { ...dashboard(hexId("a", 2), "Overview", logs), tiles: [tile] };
    return records({ dashboards: [dashboard(hexId("a", 1), "Checkout", logs), from] });
  };
  const warned = (before: ReturnType<typeof linked>, transforms: Transforms, prefix?: string): string[] => {
    const after = transformRecords(before, transforms, everything).records;
    return warnOfLinksByName(before, after, prefix).map(
      ({ code, pointer, message }) => `${code} ${pointer} ${message}`,
    );
  };
  const rename = [{ from: "Check*", to: "Kasse*" }];

  const templatesOf = (given: ReturnType<typeof linked>, transforms: Transforms): unknown[] =>
    transformRecords(given, transforms, everything).records.flatMap(({ body }) =>
      ((body["tiles"] ?? []) as { config: { onClick?: { target: { template: string } } } }[]).flatMap(
        ({ config }) => config.onClick?.target.template ?? [],
      ),
    );

  it("is left unchanged with a warning if the dashboard is renamed, also if others have the name", () => {
    const one = linked("dashboard", "Checkout");
    const twin = dashboard(hexId("a", 3), "Checkout", hexId("c", 1));
    const twins = [...one, ...records({ dashboards: [twin] })];
    const taken = [...one, ...records({ dashboards: [{ ...twin, name: "Kasseout" }] })];
    for (const given of [one, twins, taken]) {
      expect(templatesOf(given, { rename })).toEqual(["Checkout"]);
      const [only = "", ...others] = warned(given, { rename });
      expect(others).toEqual([]);
      expect(only).toContain("dead-link /tiles/0/config/onClick/target/template");
      expect(only).toContain('"Kasseout" on the target');
    }
    expect(warned(one, { rename }, "[lab] ")[0]).toContain('"[lab] Kasseout" on the');
    expect(warned(one, {}, "[lab] ")[0]).toContain('"[lab] Checkout" on the target');
  });

  it("gets no warning if its target keeps the name, or if it links to something else", () => {
    expect(warned(linked("dashboard", "Checkout"), {})).toEqual([]);
    expect(warned(linked("dashboard", "Elsewhere"), { rename })).toEqual([]);
    expect(warned(linked("search", "Checkout"), { rename })).toEqual([]);
    expect(warned(linked("search", "Checkout"), {}, "[lab] ")).toEqual([]);
    for (const template of ["", 7]) expect(warned(linked("dashboard", template), {}, "[lab] ")).toEqual([]);
  });
});
