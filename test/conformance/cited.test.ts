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

interface Row {
  readonly topic: string;
  readonly recordings: number;
  readonly rules: number;
  readonly answered: number;
}

/** Returns the table of docs/api.md as the data give it. A rule belongs to the topic of the first recording that it cites. */
function tableOfData(): Row[] {
  const topicOf = new Map(recorded.map(({ number, topic }) => [number, topic]));
  return [...new Set(recorded.map(({ topic }) => topic))].sort().map((topic) => {
    const own = recorded.filter((each) => each.topic === topic);
    return {
      topic,
      recordings: own.length,
      rules: RULES.filter(({ recorded: [first] = [] }) => first !== undefined && topicOf.get(first) === topic).length,
      answered: own.filter(({ number }) => NOT_SERVED[number] === undefined).length,
    };
  });
}

test("docs/api.md has the table of the recorded, tried and answered rules", () => {
  const lines = documentText("docs/api.md").matchAll(/^\| (\S+) +\| (\d+) +\| (\d+) +\| (\d+) +\|$/gm);
  const documented = [...lines].map(([, topic = "", recordings, rules, answered]) => ({
    topic,
    recordings: Number(recordings),
    rules: Number(rules),
    answered: Number(answered),
  }));
  const rows = tableOfData();
  const sum = (member: "recordings" | "rules" | "answered") => rows.reduce((total, row) => total + row[member], 0);
  const all = { topic: "all", recordings: sum("recordings"), rules: sum("rules"), answered: sum("answered") };
  expect(documented).toEqual([...rows, all]);
});
