import { createRequire } from "node:module";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import { describe, expect, it } from "vitest";
import { signSearch } from "../../../src/domain/redaction/sign-search.ts";
import { createSecretScanner } from "../../../src/secrets/create-secret-scanner.ts";
import { SIGNS_OF_RULES, signsOfVersion } from "../../../src/secrets/secretlint-signs.ts";
import { ALNUM, BASE64, seeded } from "../../corpus/seeded.ts";
import { mutated, splicedText } from "../../corpus/spliced-texts.ts";

const { version } = createRequire(import.meta.url)("@secretlint/secretlint-rule-preset-recommend/package.json") as {
  readonly version: string;
};
const random = seeded(7);
const letters = (length: number): string => random.text(ALNUM, length);
/** Its rule wants the last bracket in a group of its own. */
const onePassword = JSON.stringify({ email: "a@b.example.com", secretKey: letters(70) });

/** What each rule reports, put together here so that no token stands in the repository as such. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  aws: [
    `AWS_SECRET_ACCESS_KEY=${random.text(BASE64, 39)}x`,
    `"SecretAccessKey" : "${letters(40)}"`,
    `aws_secretaccess_key => '${letters(40)}'`,
  ],
  gcp: [],
  privatekey: [
    `-----BEGIN RSA PRIVATE KEY-----\nMI${letters(120)}\n-----END RSA PRIVATE KEY-----`,
    `-----BEGIN PGP PRIVATE KEY BLOCK-----MI${letters(120)}\\n-----END PRIVATE KEY-----`,
  ],
  npm: [`npm_${letters(36)}`],
  basicauth: [`https://me-1:Pw_${letters(6)}@x.example.com`, `ftp://me-1:Pw_${letters(6)}@ftp.io`],
  slack: [
    ...["xoxb", "xoxp", "xapp", "xoxa", "xoxo", "xoxr"].map((kind) => `${kind}-1-${letters(12)}-${letters(24)}`),
    "xoxb-a-b",
    `HTTPS://Hooks.Slack.com/Services/T${letters(8)}/b${letters(8)}/${letters(24)}`,
  ],
  sendgrid: [`SG.${letters(22)}.${letters(21)}-${letters(21)}`],
  shopify: ["shppa", "shpca", "shpat", "shpss"].map((kind) => `${kind}_${letters(32)}`),
  github: [...["ghp", "gho", "ghu", "ghs", "ghr"].map((kind) => `${kind}_${letters(36)}`), `github_pat_${letters(82)}`],
  openai: [`sk-proj-${letters(74)}T3BlbkFJ${letters(74)}`, `sk-${letters(20)}T3BlbkFJ${letters(20)}`],
  anthropic: [`sk-ant-api03-${letters(93)}AA`],
  linear: [`lin_api_${letters(40)}`],
  "1password": [`ops_${btoa(onePassword)}`],
  "database-connection-string": [
    `mongodb+srv://app:pw${letters(6)}@c.example.net/x`,
    `MongoDB://a@b:pw"${letters(6)}@c`,
    `jdbc:mysqlx://app:«${letters(6)}@c:3306`,
    `mysql://app:${letters(6)}@c`,
    `POSTGRESQL://app:${letters(6)}@c/x?y`,
    `postgres://app:${letters(6)}@c`,
  ],
};

describe("the signs of the scanner's rules", () => {
  it("were read from the rules that are installed: after an upgrade read the new ones, then give their version there", () => {
    const scanned = rules.map(({ meta }) => meta.id).filter((id) => !id.endsWith("filter-comments"));
    expect(Object.keys(SIGNS_OF_RULES).toSorted()).toEqual(scanned.toSorted());
    expect(signsOfVersion(version)).toBeDefined();
    expect(createSecretScanner().signs).toEqual(signsOfVersion(version));
  });

  it("are not used for rules that nobody has read", () => {
    expect(signsOfVersion("11.7.2")).toBeUndefined();
    expect(signsOfVersion(undefined)).toBeUndefined();
  });

  it.each(Object.keys(SIGNS_OF_RULES))("are in what %s reports", async (id) => {
    const samples = SAMPLES[id.replace(/^.*secretlint-rule-/, "")] ?? [""];
    const scan = createSecretScanner();
    const search = signSearch([SIGNS_OF_RULES[id] ?? []]);
    for (const sample of samples) {
      for (const text of [sample, `see ${sample}, there`, `\n"${sample}"\n`]) {
        expect((await scan(text)).length, text).toBeGreaterThan(0);
        expect(search(text), text).toBe(1);
      }
    }
    expect(search("SELECT count() FROM otel_logs WHERE ServiceName = 'checkout' AND token != ''")).toBe(0);
  });

  it("are in whatever it reports of thousands of texts that are cut up and run together", async () => {
    const scan = createSecretScanner();
    const search = signSearch([scan.signs ?? []]);
    const whole = Object.values(SAMPLES).flat();
    const texts = Array.from({ length: 8000 }, (_, seed) => {
      const chance = seeded(seed);
      if (seed % 2 === 0) return splicedText(chance);
      return mutated(mutated(chance.pick(["", "x", "é", "https:"]) + chance.pick(whole), chance), chance);
    });
    const rules = new Set<string>();
    const scanned = texts.map(async (text) => {
      const spans = await scan(text);
      for (const { rule } of spans) rules.add(rule);
      if (spans.length > 0) expect(search(text), text).not.toBe(0);
    });
    await Promise.all(scanned);
    expect(rules.size).toBe(Object.values(SAMPLES).filter((samples) => samples.length > 0).length);
  });
});
