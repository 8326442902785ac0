import { expect, it } from "vitest";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { diffMembers } from "../../../src/references/member-changes.ts";

it("holds lists of more items than a function takes arguments against each other", () => {
  const many = Array.from({ length: 150_000 }, () => ({}));
  const changes = diffMembers(dashboards, { many, last: 1 }, { many: [...many, 2], last: 2 });
  expect(changes).toEqual([
    { pointer: "/last", change: "changed", from: 1, to: 2 },
    { pointer: "/many/150000", change: "added", to: 2 },
  ]);
  const others = Array.from({ length: 150_000 }, (_, index) => index);
  expect(diffMembers(dashboards, { many }, { many: others })).toHaveLength(150_000);
});

it("takes equal values for equal, whatever the order of their members, and a number for no text", () => {
  const list = [{ a: 1, b: 2 }, 1];
  expect(diffMembers(dashboards, { list }, { list: ["1", { b: 2, a: 1 }] })).toEqual([
    { pointer: "/list", change: "moved" },
    { pointer: "/list/0", change: "changed", from: 1, to: "1" },
  ]);
});

it("names members as wholes where the ways to all that differs would take too much", () => {
  const nested = (value: number) => ({ ["long".repeat(1000)]: Array.from({ length: 2000 }, () => value) });
  const changes = diffMembers(dashboards, { x: nested(1), y: 1, z: 0 }, { x: nested(2), y: 1 });
  expect(changes.map(({ change, pointer }) => [change, pointer])).toEqual([
    ["changed", "/x"],
    ["removed", "/z"],
  ]);
});

it("pairs equal items in their order", () => {
  const [a, b] = [{ name: "a" }, { name: "b" }];
  expect(diffMembers(dashboards, { list: [a, a, b] }, { list: [a, b, a] })).toEqual([
    { pointer: "/list", change: "moved" },
  ]);
  expect(diffMembers(dashboards, { list: [a, a] }, { list: [b, a, a] })).toEqual([
    { pointer: "/list/0", change: "added", to: b },
  ]);
});
