import { expect, test } from "vitest";
import { documentText } from "../support/documents.ts";
import { recordedExchanges } from "../support/recorded-exchanges.ts";
import { NOT_SERVED } from "./not-served.ts";
import { RULES } from "./topics.ts";
import { UNCITED } from "./uncited.ts";

/** The first recording that was made for a rule. Each recording from this number on must be cited or left out with a reason. */
const BY_RULE = 600;

const recorded = recordedExchanges();
const cited = new Set(RULES.flatMap(({ recorded = [] }) => recorded));
const uncited = new Map(UNCITED.flatMap(({ numbers, because }) => numbers.map((number) => [number, because] as const)));

test("every recording is cited by a rule or left out with a reason", () => {
  const missing = recorded
    .map(({ number }) => number)
    .filter((number) => number >= BY_RULE && !cited.has(number) && !uncited.has(number));
  expect(missing).toEqual([]);
  expect([...uncited.keys()].filter((number) => cited.has(number))).toEqual([]);
});

test("each rule cites existing recordings, and no two rules have the same name", () => {
  const numbers = new Set(recorded.map(({ number }) => number));
  expect([...cited, ...uncited.keys()].filter((number) => !numbers.has(number))).toEqual([]);
  const names = RULES.map(({ topic, rule }) => `${topic}: ${rule}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("docs/api.md and the README say how many recordings and rules there are, and how many the sandbox answers", () => {
  const recordings = recorded.length;
  const rules = RULES.filter(({ recorded: numbers = [] }) => numbers.length > 0).length;
  const answered = recorded.filter(({ number }) => NOT_SERVED[number] === undefined).length;
  const figures = [recordings, rules, answered].map((figure) => figure.toLocaleString("en"));
  const said = (path: string): string[] => documentText(path).match(/\b1,\d{3}\b|\b\d{3}\b(?= rules)/g) ?? [];
  expect(said("docs/api.md")).toEqual(expect.arrayContaining(figures));
  expect(said("README.md")).toEqual(expect.arrayContaining(figures));
});
