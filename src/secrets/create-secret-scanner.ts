import { createRequire } from "node:module";
import type { lintSource } from "@secretlint/core";
import type { SecretScanner, SecretSpan } from "../domain/redaction/redaction-policy.ts";
import { signsOfVersion } from "./secretlint-signs.ts";

type LintSource = typeof lintSource;
type Config = Parameters<LintSource>[0]["options"]["config"];

const PRESET = "@secretlint/secretlint-rule-preset-recommend";
/** A comment in a text could switch this one on, and with it the others off: what is scanned must not say how. */
const LETS_TEXT_DECIDE = /filter-comments$/;
/** Some rules report where a match begins and the length of the token alone, so the end may fall inside of it. */
const REST_OF_TOKEN = /[\w+/=.~-]*/y;
/** Secretlint leaves out a byte order mark at the beginning, and then everything is one off. */
const BEGINNING = "\n";

/** The scanner: secretlint's core with its recommended rules, in memory. */
export function createSecretScanner(): SecretScanner {
  let loaded: Promise<{ lint: LintSource; config: Config }> | undefined;
  const scan = async (text: string): Promise<SecretSpan[]> => {
    loaded ??= load();
    const { lint, config } = await loaded;
    const content = BEGINNING + text;
    const source = { content, filePath: "records.txt", ext: ".txt", contentType: "text" as const };
    const { messages } = await lint({ source, options: { config, noPhysicFilePath: true } });
    return messages.map(({ ruleId, range: [start, end] }) => ({
      start: start - BEGINNING.length,
      end: endOfToken(content, start, end) - BEGINNING.length,
      rule: ruleName(ruleId),
    }));
  };
  const { version }: { readonly version?: unknown } = createRequire(import.meta.url)(`${PRESET}/package.json`);
  return Object.assign(scan, { signs: signsOfVersion(version) });
}

/** Loaded when the first text is scanned: most commands need none of it. */
async function load(): Promise<{ lint: LintSource; config: Config }> {
  const [core, { rules }, { secretLintProfiler }] = await Promise.all([
    import("@secretlint/core"),
    import("@secretlint/secretlint-rule-preset-recommend"),
    import("@secretlint/profiler"),
  ]);
  // It keeps what it is told of every scan and searches all of it at each: 4,000 scans took minutes, and take a tenth of a second.
  secretLintProfiler.mark = () => {};
  const used = rules.filter((rule) => !LETS_TEXT_DECIDE.test(rule.meta.id));
  return { lint: core.lintSource, config: { rules: used.map((rule) => ({ id: rule.meta.id, rule })) } };
}

function endOfToken(content: string, start: number, end: number): number {
  REST_OF_TOKEN.lastIndex = Math.max(start, end);
  return Math.max(start, end) + (REST_OF_TOKEN.exec(content)?.[0].length ?? 0);
}

function ruleName(ruleId: string): SecretSpan["rule"] {
  const name = ruleId.replace(/^.*secretlint-rule-/, "").replaceAll(/[^a-z0-9]+/g, "-");
  return `scanner-${name}`;
}
