import fc from "fast-check";
import { expect, it } from "vitest";
import type { RecordKey } from "../../../../src/core/records/record.ts";
import { orderWrites } from "../../../../src/import/plan/write-order.ts";
import { kinds } from "../../../../src/kinds/registry.ts";
import { propertyRuns } from "../../../support/tries.ts";

interface Linked {
  readonly hard: Set<RecordKey>;
  readonly soft: Set<RecordKey>;
}

const key = (number: number): RecordKey => `dashboards/${number}`;

it("the write order defers only the link that closes a cycle", () => {
  const needs = new Map([
    [key(1), { hard: new Set<RecordKey>(), soft: new Set([key(2)]) }],
    [key(2), { hard: new Set<RecordKey>(), soft: new Set([key(1)]) }],
    [key(3), { hard: new Set<RecordKey>(), soft: new Set([key(3)]) }],
  ]);
  const order = orderWrites(needs);
  expect(order.get(key(1))).toEqual({ dependsOn: [key(2)], linksTo: [] });
  expect(order.get(key(2))).toEqual({ dependsOn: [], linksTo: [key(1)] });
  expect(order.get(key(3))).toEqual({ dependsOn: [], linksTo: [key(3)] });
});

it("the write order keeps hard dependencies and defers the soft one, also across kinds", () => {
  const needs = new Map<RecordKey, { hard: Set<RecordKey>; soft: Set<RecordKey> }>([
    ["dashboards/1", { hard: new Set(), soft: new Set(["alerts/1"]) }],
    ["alerts/1", { hard: new Set(["dashboards/1"]), soft: new Set() }],
  ]);
  const order = orderWrites(needs);
  expect(order.get("alerts/1")).toEqual({ dependsOn: ["dashboards/1"], linksTo: [] });
  expect(order.get("dashboards/1")).toEqual({ dependsOn: [], linksTo: ["alerts/1"] });
});

it.each([4, 20])(
  "the write order writes the shared record of several cycles twice, at any position (of %i)",
  (count) => {
    const [hub, ...others] = Array.from({ length: count }, (_, index) => key(index + 1));
    const soft = (...targets: RecordKey[]) => ({ hard: new Set<RecordKey>(), soft: new Set(targets) });
    const entries = [
      [hub, soft(...others)] as const,
      ...others.map((each) => [each, soft(...(hub ? [hub] : []))] as const),
    ] as [RecordKey, ReturnType<typeof soft>][];
    for (let turn = 0; turn < entries.length; turn += 1) {
      const order = orderWrites(new Map([...entries.slice(turn), ...entries.slice(0, turn)]));
      expect([...order].filter(([, { linksTo }]) => linksTo.length > 0).map(([each]) => each)).toEqual([hub]);
    }
  },
);

it.each([10, 30])("the write order never lets any of %i records wait for itself, and loses no link", (count) => {
  const links = fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 4 * count });
  fc.assert(
    fc.property(links, (pairs) => {
      const needs = new Map(
        Array.from({ length: count }, (_, index) => [
          key(index),
          { hard: new Set<RecordKey>(), soft: new Set<RecordKey>() },
        ]),
      );
      for (const [from, to] of pairs) needs.get(key(from))?.soft.add(key(to));
      const order = orderWrites(needs);
      const done = new Set<RecordKey>();
      for (let round = 0; round < count; round += 1) {
        for (const [each, { dependsOn }] of order) if (dependsOn.every((other) => done.has(other))) done.add(each);
      }
      expect(done.size).toBe(count);
      for (const [each, { soft }] of needs) {
        const planned = [...(order.get(each)?.dependsOn ?? []), ...(order.get(each)?.linksTo ?? [])];
        expect(new Set(planned)).toEqual(soft);
      }
    }),
    propertyRuns(),
  );
});

it("the write order of 1500 densely linked records is found in time, and loses no link", () => {
  const needs = new Map(
    Array.from({ length: 1500 }, (_, at): [RecordKey, Linked] => {
      const targets = [1, 7, 31].map((step) => (at * step + step) % 1500).filter((target) => target !== at);
      return [key(at), { hard: new Set(), soft: new Set(targets.map(key)) }];
    }),
  );
  for (const [each, { dependsOn, linksTo }] of orderWrites(needs)) {
    expect(dependsOn.length + linksTo.length).toBe(needs.get(each)?.soft.size);
  }
});

it("each kind comes after the kinds that it references", () => {
  const early = kinds.flatMap(({ name, references }, at) =>
    references
      .map(({ to }) => to.split("/")[0])
      .filter((to) => !kinds.slice(0, at + 1).some((kind) => kind.name === to) && `${name} ${to}`),
  );
  expect(early).toEqual([]);
});

it("no kind with references into another kind's children is referenced, so no write waits for itself", () => {
  const waiting = kinds.filter(({ references }) => references.some(({ within }) => within !== undefined));
  expect(waiting.map(({ name }) => name)).toContain("alerts");
  expect(
    waiting.filter(({ name }) => kinds.some(({ references }) => references.some(({ to }) => to === name))),
  ).toEqual([]);
});
