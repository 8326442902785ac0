import fc from "fast-check";
import { expect, it } from "vitest";
import type { RecordKey } from "../../../../src/core/records/record.ts";
import { orderWrites, chooseDeferrals } from "../../../../src/import/plan/write-order.ts";
import { isReferenced, kinds } from "../../../../src/kinds/registry.ts";
import { propertyRuns } from "../../../support/tries.ts";

type Pair = readonly [from: number, to: number];

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

const linked = (count: number, hard: readonly Pair[], soft: readonly Pair[]): Map<RecordKey, Linked> => {
  const needs = new Map(
    Array.from({ length: count }, (_, index): [RecordKey, Linked] => [
      key(index),
      { hard: new Set(), soft: new Set() },
    ]),
  );
  for (const [from, to] of hard) needs.get(key(from))?.hard.add(key(to));
  for (const [from, to] of soft) needs.get(key(from))?.soft.add(key(to));
  return needs;
};

/** Tells whether every record can be written in one write, except the waiting records. */
const suffices = (needs: ReadonlyMap<RecordKey, Linked>, waiting: readonly RecordKey[]): boolean => {
  const done = new Set<RecordKey>();
  for (let before = -1; before < done.size;) {
    before = done.size;
    for (const [each, { hard, soft }] of needs) {
      const first = waiting.includes(each) ? [...hard] : [...hard, ...soft];
      if (first.every((other) => done.has(other))) done.add(each);
    }
  }
  return done.size === needs.size;
};

it("the write order defers enough records that all can be written, in sparse graphs at most 10 % more than the fewest possible", () => {
  const count = 7;
  const pair = fc.tuple(fc.nat(count - 1), fc.nat(count - 1)).filter(([from, to]) => from !== to);
  // Hard needs lead from later to earlier records, so that hard needs alone never close a cycle.
  const downwards = pair.map(([one, other]): Pair => [Math.max(one, other), Math.min(one, other)]);
  let [fewest, chosen] = [0, 0];
  fc.assert(
    fc.property(fc.array(downwards, { maxLength: 4 }), fc.array(pair, { maxLength: 10 }), (hard, soft) => {
      const needs = linked(count, hard, soft);
      const keys = [...needs.keys()];
      const sizes = Array.from({ length: 2 ** count }, (_, bits) => keys.filter((_key, at) => (bits >> at) % 2 === 1))
        .filter((waiting) => suffices(needs, waiting))
        .map(({ length }) => length);
      const deferred = [...chooseDeferrals(needs)];
      expect(suffices(needs, deferred)).toBe(true);
      fewest += Math.min(...sizes);
      chosen += deferred.length;
    }),
    propertyRuns(),
  );
  expect(chosen).toBeLessThanOrEqual(fewest * 1.1);
});

it("the write order of 1500 densely linked records is found in time and lets every record be written", () => {
  const pairs = Array.from({ length: 1500 }, (_, at): Pair[] =>
    [1, 7, 31].map((step) => [at, (at * step + step) % 1500]),
  );
  const needs = linked(
    1500,
    [],
    pairs.flat().filter(([from, to]) => from !== to),
  );
  expect(suffices(needs, [...chooseDeferrals(needs)])).toBe(true);
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
  expect(waiting.filter((kind) => isReferenced(kind, kinds))).toEqual([]);
});
