import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { createSecretScanner } from "../../../src/redaction/secretlint-scanner.ts";
import type { BlindCase } from "../../corpus/blind-sets.ts";
import { BLIND_SETS, PUBLIC_SETS, blindCases, problemOf, publicCases } from "../../corpus/blind-sets.ts";

const redact = createRedactor({ scanner: createSecretScanner() });

// These sets measure the rules, so no rule is made for one of their cases. The bounds are a little below today's figures, so that a
// change fails if it loses several secrets or touches several harmless texts.
const SETS = BLIND_SETS.map((set) => [set, blindCases(set)] as const);

describe.each(SETS)("the %s set, which was written without sight of the rules", (_, cases) => {
  it("has 150 secrets and 150 look-alikes", () => {
    expect([ofKind(cases, "secret").length, ofKind(cases, "look-alike").length]).toEqual([150, 150]);
  });

  it("has at least 92 % of its secrets redacted, and at most 2 % of its look-alikes", async () => {
    const [secrets, harmless] = [await score(cases, "secret"), await score(cases, "look-alike")];
    expect(secrets.right, secrets.problems).toBeGreaterThanOrEqual(0.92);
    expect(harmless.right, harmless.problems).toBeGreaterThanOrEqual(0.98);
  });
});

it("redaction finds at least 96 % of the secrets of all blind sets together", async () => {
  const secrets = await score(
    SETS.flatMap(([, cases]) => cases),
    "secret",
  );
  expect(secrets.right, secrets.problems).toBeGreaterThanOrEqual(0.96);
});

describe.each(PUBLIC_SETS)("the %s set of examples from public files", (set) => {
  it("has at least 70 % of its secrets redacted, and at most 4 % of its look-alikes", async () => {
    const cases = publicCases(set);
    const [secrets, harmless] = [await score(cases, "secret"), await score(cases, "look-alike")];
    expect(secrets.right, secrets.problems).toBeGreaterThanOrEqual(0.7);
    expect(harmless.right, harmless.problems).toBeGreaterThanOrEqual(0.96);
  });
});

function ofKind(cases: readonly BlindCase[], kind: BlindCase["kind"]): BlindCase[] {
  return cases.filter((each) => each.kind === kind);
}

/** The problem of each judged case, kept because several tests use the same cases. */
const problems = new Map<BlindCase, Promise<string | undefined>>();

function problemWith(each: BlindCase): Promise<string | undefined> {
  const problem = problems.get(each) ?? problemOf(redact, each);
  problems.set(each, problem);
  return problem;
}

/** Returns the share of cases that are handled rightly, and one line for each of the others. */
async function score(cases: readonly BlindCase[], kind: BlindCase["kind"]) {
  const tried = ofKind(cases, kind);
  const outcomes = await Promise.all(
    tried.map(async (each) => ({ family: each.family, problem: await problemWith(each) })),
  );
  const wrong = outcomes.filter(({ problem }) => problem !== undefined);
  const lines = wrong.map(({ family, problem }) => `${family}: ${problem}`);
  return { right: 1 - wrong.length / tried.length, problems: lines.join("\n") };
}
