import { expect, it } from "vitest";
import type { MemberChange } from "../../../src/core/diff.ts";
import { changeLines } from "../../../src/report/view/changes.ts";

const tile = (name: string) => ({ noun: "tile", name });

it("a removed tile and a changed one that has moved into its place have a line each", () => {
  const changes: MemberChange[] = [
    { pointer: "/tiles/0", change: "removed", from: {}, child: tile("A") },
    { pointer: "/tiles/0/w", change: "changed", from: 3, to: 6, child: tile("B") },
    { pointer: "/tiles/0/h", change: "changed", from: 2, to: 4, child: tile("B") },
  ];
  const lines = changeLines(changes, false).map(({ words }) => JSON.stringify(words));
  expect(lines).toEqual([expect.stringMatching(/A/), expect.stringMatching(/B.*w.*6.*h.*4/)]);
});
