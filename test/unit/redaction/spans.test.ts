import { expect, it } from "vitest";
import { matchesOf, valueSpans } from "../../../src/redaction/spans.ts";

it.each([/a(?<b>b)?/g, /x*/gu, /(?=b)|🙂/g, /🙂|/gu])("the matches of %s equal those of matchAll", (expression) => {
  const text = "ab🙂🙂xxab🙂";
  for (let time = 0; time < 2; time += 1) expect(matchesOf(text, expression)).toEqual([...text.matchAll(expression)]);
});

it.each<[string, string, RegExp, number, string]>([
  ["its group, if the same text occurs later", "say: key=s3cret, and s3cret again", /key=(\w+), and \w+/g, 9, "s3cret"],
  ["the last group that matched", "b:second", /a=(\w+)|b:(\w+)/g, 2, "second"],
  ["the trimmed text", "pw (value).", /pw (\S+)/g, 4, "value"],
])("the position of a value in a match is that of %s", (_, text, expression, start, value) => {
  const trim = (raw: string): string => raw.replaceAll(/[().]/g, "");
  const spans = valueSpans(text, expression, () => true, { trim });
  expect(spans).toEqual([{ start, end: start + value.length, rule: "assigned-secret" }]);
});
