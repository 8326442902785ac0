import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import { describe, expect, it } from "vitest";
import { SCANNER_WORDS, scanForTokens as scan } from "../../../src/redaction/secretlint-scanner.ts";
import { createTextSearch } from "../../../src/redaction/text-rules.ts";
import { createWordTest } from "../../../src/redaction/spans.ts";
import { mutated, splicedText } from "../../corpus/spliced-texts.ts";
import { ALNUM, BASE64 } from "../../corpus/tokens.ts";
import { seededRandom } from "../../support/seeded-random.ts";

const random = seededRandom(7);
const letters = (length: number): string => random.text(ALNUM, length);
/** The rule for 1Password matches the last bracket in a group of its own. */
const onePassword = JSON.stringify({ email: "a@b.example.com", secretKey: letters(70) });

/** Texts that each rule reports. They are built here, so that no file of the repository contains a whole token. */
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
  databricks: [`dapi${random.text("0123456789abcdef", 32)}-2`],
  docker: [`dckr_pat_${letters(27)}`],
  figma: [`figd_${letters(43)}`],
  gitlab: [`glpat-${letters(20)}`],
  grafana: [`glsa_${letters(32)}_${random.text("0123456789abcdef", 8)}`, `glc_${letters(60)}`],
  groq: [`gsk_${letters(52)}`],
  "hashicorp-vault": [...["hvs", "hvr"].map((kind) => `${kind}.${letters(95)}`), `hvb.${letters(150)}`],
  huggingface: [`hf_${random.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 34)}`],
  notion: [`ntn_${random.text("0123456789", 11)}${letters(35)}`],
  vercel: ["vcp", "vci", "vca", "vcr", "vck"].map((kind) => `${kind}_${letters(24)}`),
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

const hasWord = createWordTest(SCANNER_WORDS);
const { mayHoldSecret } = createTextSearch({}, () => undefined);

describe("the word search before the scanner", () => {
  it("is tested with samples for every installed rule", () => {
    const scanned = rules.map(({ meta }) => meta.id.replace(/^.*secretlint-rule-/, ""));
    expect(Object.keys(SAMPLES).toSorted()).toEqual(scanned.filter((id) => id !== "filter-comments").toSorted());
  });

  it.each(Object.entries(SAMPLES))("finds a word in each sample of the rule %s", async (id, samples) => {
    for (const sample of samples) {
      for (const text of [sample, `see ${sample}, there`, `\n"${sample}"\n`]) {
        const found = (await scan(text)).map(({ rule }) => rule);
        expect([text, found]).toEqual([text, expect.arrayContaining([`scanner-${id}`])]);
        expect([text, hasWord(text)]).toEqual([text, true]);
      }
    }
  });

  it("selects texts with a credential word, and excludes ordinary queries", () => {
    expect(mayHoldSecret("SELECT count() FROM otel_logs WHERE ServiceName = 'checkout' AND token != ''")).toBe(true);
    expect(mayHoldSecret("SELECT count() FROM otel_logs WHERE ServiceName = 'checkout' AND Duration > 100")).toBe(
      false,
    );
  });

  it("excludes no text in which the scanner finds a secret, among thousands of spliced texts", async () => {
    const whole = Object.values(SAMPLES).flat();
    const reported = new Set<string>();
    const lost: string[] = [];
    for (let seed = 0; seed < 2000; seed += 1) {
      const chance = seededRandom(seed);
      const sample = whole[(seed >> 1) % whole.length] ?? "";
      const changed = (): string => mutated(mutated(chance.pick(["", "x", "é", "https:"]) + sample, chance), chance);
      const text = seed % 2 === 0 ? splicedText(chance) : changed();
      const spans = await scan(text);
      for (const { rule } of spans) reported.add(rule);
      if (spans.length > 0 && !hasWord(text)) lost.push(text);
    }
    expect(lost).toEqual([]);
    expect(reported.size).toBe(Object.values(SAMPLES).filter((samples) => samples.length > 0).length);
  });
});
