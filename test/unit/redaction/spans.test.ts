import { describe, expect, it } from "vitest";
import { matchesOf, valueSpans } from "../../../src/redaction/spans.ts";

describe("the matches of an expression", () => {
  it.each([/a(?<b>b)?/g, /x*/gu, /(?=b)|🙂/g, /🙂|/gu])(
    "equal those of matchAll in repeated calls: %s",
    (expression) => {
      const text = "ab🙂🙂xxab🙂";
      const expected = [...text.matchAll(expression)];
      for (let time = 0; time < 2; time += 1) expect(matchesOf(text, expression)).toEqual(expected);
    },
  );
});

describe("the position of a value in a match", () => {
  it("is that of its group, also if the same text occurs later in the match", () => {
    const text = "say: key=s3cret, and s3cret again";
    const spans = valueSpans(text, /key=(\w+), and \w+/g, () => true);
    expect(spans).toEqual([{ start: 9, end: 15, rule: "assigned-secret" }]);
  });

  it("is that of the last group that matched", () => {
    const text = "a=first b:second";
    const spans = valueSpans(text, /a=(\w+)|b:(\w+)/g, () => true);
    expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(["first", "second"]);
  });

  it("excludes the characters that are trimmed", () => {
    const text = "pw (value).";
    const spans = valueSpans(
      text,
      /pw (\S+)/g,
      () => true,
      (raw) => raw.replaceAll(/[().]/g, ""),
    );
    expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(["value"]);
  });
});
