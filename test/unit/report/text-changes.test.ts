import { expect, it } from "vitest";
import { changedLines } from "../../../src/report/view/text-changes.ts";

const lines = (count: number, word: string): string[] => Array.from({ length: count }, (_, at) => `${word} ${at}`);

it("a text that differs in too many lines shows none of the lines before and after the change", () => {
  const [same, more] = [lines(50, "same"), lines(3000, "new")];
  const shown = changedLines([...same, ...same].join("\n"), [...same, ...more, ...same].join("\n"), false);
  expect(shown).toEqual(more.map((words) => ({ mark: "+", words })));
});

it("a line that was changed shows its changed words, and other lines are removed and added", () => {
  const shown = changedLines("a\nthe limit is 9\nb\ngone", "a\nthe limit is 10\nb\n", false);
  expect(shown).toMatchObject([{ mark: "~" }, { mark: "-", words: "gone" }, { mark: "+", words: "" }]);
});
