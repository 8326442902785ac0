import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { corpusTable, scoreLookAlikes, scorePlanted, type Score } from "../../corpus/run-corpus.ts";

const redact = createRedactor();
const tried = (scores: readonly Score[]): number => scores.reduce((sum, each) => sum + each.tried, 0);
const wrong = (scores: readonly Score[]): string[] =>
  scores.flatMap((each) => each.wrong.map((text) => `${each.kind}: ${text}`));

describe("redaction of the corpus", () => {
  it("removes at least 99 % of 400 planted secrets of 40 kinds", async () => {
    const scores = await scorePlanted(redact);
    process.stdout.write(`\n${corpusTable("PLANTED SECRETS", "caught", scores)}\n`);
    expect(scores).toHaveLength(40);
    expect(tried(scores)).toBeGreaterThanOrEqual(300);
    expect(wrong(scores).length / tried(scores), wrong(scores).join("\n")).toBeLessThanOrEqual(0.01);
  });

  it("leaves at least 99 % of 400 look-alikes of 40 kinds unchanged", async () => {
    const scores = await scoreLookAlikes(redact);
    process.stdout.write(`\n${corpusTable("LOOK-ALIKES", "kept", scores)}\n`);
    expect(scores).toHaveLength(40);
    expect(tried(scores)).toBeGreaterThanOrEqual(300);
    expect(wrong(scores).length / tried(scores), wrong(scores).join("\n")).toBeLessThanOrEqual(0.01);
  });
});
