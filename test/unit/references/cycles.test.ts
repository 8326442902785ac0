import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { RecordKey } from "../../../src/core/records/record.ts";
import { orderWrites, leadsTo } from "../../../src/import/plan/write-order.ts";
import { strongComponents } from "../../../src/references/cycles.ts";
import { propertyRuns } from "../../support/tries.ts";

const NODES = Array.from({ length: 9 }, (_, node) => node);
const links = fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 24 });
type Links = readonly (readonly [number, number])[];

const after = (pairs: Links) => (node: number) => pairs.flatMap(([from, to]) => (from === node ? [to] : []));
const before = (pairs: Links) => (node: number) => pairs.flatMap(([from, to]) => (to === node ? [from] : []));

/** Returns all nodes that a node leads to, and the node itself. */
function reached(pairs: Links, from: number): Set<number> {
  const all = new Set([from]);
  for (let size = 0; size < all.size;) {
    size = all.size;
    for (const [left, right] of pairs) if (all.has(left)) all.add(right);
  }
  return all;
}

describe("paths between nodes", () => {
  it("leadsTo finds a path exactly if a search from one end reaches the other", () => {
    fc.assert(
      fc.property(links, fc.nat(8), fc.nat(8), (pairs, from, to) => {
        expect(leadsTo(from, to, after(pairs), before(pairs))).toBe(reached(pairs, from).has(to));
      }),
      propertyRuns(300),
    );
  });

  it("strongComponents puts two nodes into one component exactly if each leads to the other", () => {
    fc.assert(
      fc.property(links, fc.nat(8), fc.nat(8), (pairs, from, to) => {
        const componentOf = strongComponents(NODES, after(pairs));
        const both = reached(pairs, from).has(to) && reached(pairs, to).has(from);
        expect(componentOf.get(from) === componentOf.get(to)).toBe(both);
      }),
      propertyRuns(300),
    );
  });
});

describe("the number of steps is linear in the number of links", () => {
  const LENGTH = 2000;
  const key = (number: number): RecordKey => `dashboards/${number}`;
  const shapes: Record<string, (number: number) => number[]> = {
    "a chain to the front": (number) => (number === 0 ? [] : [number - 1]),
    "a chain to the back": (number) => (number === LENGTH - 1 ? [] : [number + 1]),
    "one large cycle": (number) => [(number + LENGTH - 1) % LENGTH],
    "all to one and back": (number) => (number === 0 ? Array.from({ length: LENGTH - 1 }, (_, to) => to + 1) : [0]),
    "all to the last and back": (number) =>
      number === LENGTH - 1 ? Array.from({ length: LENGTH - 1 }, (_, to) => to) : [LENGTH - 1],
  };

  it.each(Object.entries(shapes))("strongComponents: %s", (_, next) => {
    let steps = 0;
    const counted = function* (number: number): Generator<number> {
      for (const to of next(number)) {
        steps += 1;
        yield to;
      }
    };
    strongComponents(Array.from({ length: LENGTH }).keys(), counted);
    expect(steps).toBeLessThanOrEqual(2 * LENGTH);
  });

  it.each(Object.entries(shapes))("orderWrites: %s", (_, next) => {
    const numbers = [...Array.from({ length: LENGTH }).keys()];
    const needs = new Map(
      numbers.map((number) => [key(number), { hard: new Set<RecordKey>(), soft: new Set(next(number).map(key)) }]),
    );
    const looked = vi.spyOn(Set.prototype, "has");
    const order = orderWrites(needs);
    const steps = looked.mock.calls.length;
    looked.mockRestore();
    expect(order.size).toBe(LENGTH);
    expect(steps).toBeLessThanOrEqual(20 * LENGTH);
  });
});
