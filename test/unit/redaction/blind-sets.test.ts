import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { createSecretScanner } from "../../../src/redaction/secretlint-scanner.ts";
import type { BlindCase } from "../../corpus/blind-sets.ts";
import { BLIND_SETS, PUBLIC_SETS, blindCases, problemOf, publicCases } from "../../corpus/blind-sets.ts";

const redact = createRedactor({ scanner: createSecretScanner() });

/** Secrets that are known to be left, by their beginnings; docs/redaction.md names what they have in common. */
const KNOWN_MISSES = [
  "Ocre9vitrail",
  "Gantry,tilt",
  "aad13af2893e",
  "Sieben-Raben",
  "calvin-Eind",
  "Sarmale.cu",
  "f8ad2f342c30",
  "L5koUIsb",
  "x7Pamplona",
  "82Enxb0f",
  "ceviche-de",
  "uh4N6gx5I9kWQO",
  "wieken&Wolken_88",
];
/** What is known to be touched, by a part of it. */
const KNOWN_ALARMS: readonly string[] = ["Secret ID of the current credential"];

/** What is not right of the forms from public files, by a part of the text. */
const KNOWN_PUBLIC = [
  "Corto Maltese",
  "# Enter: 42acb",
  "583920471",
  "yesrzgf6ek",
  "ruderblatt",
  "'733'",
  "kr4nfuehrer",
  "Senhas geradas",
  "natascha",
  "20310616zyhy",
  "msql",
  "molenverein",
  "mole_wort_1",
  "mole103",
  "73911",
  "Molenwort01",
  "chefmolewort",
  "onyylgxg",
  "molo\n",
  "MolusNetworks",
  "Molesys#",
  "MoleWei473",
  "npg_...",
  "Demo{Role}",
];

function isKnown({ family, secret = [], value }: BlindCase): boolean {
  if (family === "public") return KNOWN_PUBLIC.some((part) => `${String(value)}\n`.includes(part));
  if (secret.length > 0) return KNOWN_MISSES.some((miss) => secret[0]?.startsWith(miss));
  return KNOWN_ALARMS.some((alarm) => JSON.stringify(value).includes(alarm));
}

describe.each(BLIND_SETS)("the %s set that was written without sight of the rules", (set) => {
  const cases = blindCases(set);

  it("has 150 secrets and 150 look-alikes", () => {
    const secrets = cases.filter(({ kind }) => kind === "secret");
    expect([secrets.length, cases.length - secrets.length]).toEqual([150, 150]);
  });

  it.each(["secret", "look-alike"] as const)("is right for every %s but those that are known", async (kind) => {
    expect(await wrongOf(cases, kind)).toEqual([]);
  });
});

describe.each(PUBLIC_SETS)("the %s set of forms from public files", (set) => {
  it.each(["secret", "look-alike"] as const)("is right for every %s but those that are known", async (kind) => {
    const cases = publicCases(set);
    expect(cases.filter((each) => each.kind === kind).length).toBeGreaterThan(40);
    expect(await wrongOf(cases, kind)).toEqual([]);
  });
});

async function wrongOf(cases: readonly BlindCase[], kind: BlindCase["kind"]): Promise<string[]> {
  const wrong: string[] = [];
  for (const each of cases.filter((one) => one.kind === kind)) {
    const problem = await problemOf(redact, each);
    if ((problem !== undefined) !== isKnown(each)) wrong.push(`${each.family}: ${problem ?? "is right now"}`);
  }
  return wrong;
}
