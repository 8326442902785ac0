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

it("pairs equal items in their order", () => {
  const [a, b] = [{ name: "a" }, { name: "b" }];
  expect(diffMembers(dashboards, { list: [a, a, b] }, { list: [a, b, a] })).toEqual([
    { pointer: "/list", change: "moved" },
  ]);
  expect(diffMembers(dashboards, { list: [a, a] }, { list: [b, a, a] })).toEqual([
    { pointer: "/list/0", change: "added", to: b },
  ]);
});
