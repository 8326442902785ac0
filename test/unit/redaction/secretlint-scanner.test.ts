import { describe, expect, it } from "vitest";
import { scanForTokens } from "../../../src/redaction/secretlint-scanner.ts";

// Built here, so that no file of the repository contains a whole token.
const github = ["ghp", "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"].join("_");
const awsSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYzz12345678";

describe("the scanner", () => {
  it("finds a token, and returns its position and its rule", async () => {
    const text = `see ${github} there`;
    expect(await scanForTokens(text)).toEqual([{ start: 4, end: 44, rule: "scanner-github" }]);
  });

  it("ignores secretlint-disable comments in the text", async () => {
    const text = `secretlint-disable\n${github}\n<!-- secretlint-disable -->`;
    expect(await scanForTokens(text)).toHaveLength(1);
  });

  it("covers the whole token if a rule reports only its beginning", async () => {
    const text = `aws_secret_access_key = ${awsSecret} `;
    const [span] = await scanForTokens(text);
    expect(span).toBeDefined();
    expect(text.slice(span?.start, span?.end)).toContain(awsSecret);
  });

  it("returns right positions in a text with a byte order mark", async () => {
    const text = `\ufeff${github} there`;
    expect(await scanForTokens(text)).toEqual([{ start: 1, end: 41, rule: "scanner-github" }]);
  });

  it("leaves no performance entries behind, which would slow down later scans", async () => {
    performance.clearMarks();
    performance.clearMeasures();
    performance.clearResourceTimings();
    for (let number = 0; number < 10; number += 1) await scanForTokens(`${github} ${String(number)}`);
    expect(performance.getEntries()).toEqual([]);
  });

  it("returns for each of 1000 concurrent texts its own findings", async () => {
    const texts = Array.from({ length: 1000 }, (_, index) => (index % 500 === 1 ? `${index} ${github}` : `${index}`));
    const found = await Promise.all(texts.map((text) => scanForTokens(text)));
    const expected = texts.map((text) => (text.endsWith(github) ? [[text.length - 40, text.length]] : []));
    expect(found.map((spans) => spans.map(({ start, end }) => [start, end]))).toEqual(expected);
  });
});
