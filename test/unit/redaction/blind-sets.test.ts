import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { createSecretScanner } from "../../../src/redaction/secretlint-scanner.ts";
import { BLIND_SETS, blindCases, problemOf } from "../../corpus/blind-sets.ts";

const redact = createRedactor({ scanner: createSecretScanner() });

describe.each(BLIND_SETS)("the %s set that was written without sight of the rules", (set) => {
  const cases = blindCases(set);

  it("has 150 secrets and 150 look-alikes", () => {
    const secrets = cases.filter(({ kind }) => kind === "secret");
    expect([secrets.length, cases.length - secrets.length]).toEqual([150, 150]);
  });

  it.each(["secret", "look-alike"] as const)("is right for every %s", async (kind) => {
    const wrong: string[] = [];
    for (const each of cases.filter((one) => one.kind === kind)) {
      const problem = await problemOf(redact, each);
      if (problem !== undefined) wrong.push(`${each.family}: ${problem}`);
    }
    expect(wrong).toEqual([]);
  });
});
