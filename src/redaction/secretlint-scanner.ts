import type { SecretLintRuleContext, SecretLintRuleCreator, SecretLintSourceCode } from "@secretlint/types";
import { isPlaceholderValue } from "./values/non-secrets.ts";
import type { SecretSpan } from "./spans.ts";

/** This rule lets a comment in the scanned text turn off the other rules. */
const LETS_TEXT_DECIDE = /filter-comments$/;
/** Some rules report a start before the token, so their span ends inside the token. */
const REST_OF_TOKEN = /[\w+/=.~-]*/y;
/** A text in which secretlint finds a secret contains one of these words; case is ignored. */
export const SCANNER_WORDS: readonly string[] = [
  ..."@ _authtoken= secret_access secretaccess dapi dckr_pat_ figd_ gho_ ghp_ ghr_ ghs_ ghu_ github_pat_ glc_ glpat- glsa_ gsk_ hf_ hooks.slack.com hvb. hvr. hvs. lin_api_ npm_ ntn_ ops_ey sg. shpca_ shpat_ shppa_ shpss_ sk-ant-api t3blbkfj vca_ vci_ vck_ vcp_ vcr_ xapp- xox".split(
    " ",
  ),
  "private key",
];
/** Some rules recognise a format by the file's path, so the path is that of a plain text. */
const FILE = {
  filePath: "records.txt",
  ext: ".txt",
  contentType: "text",
  hasBOM: false,
  physicalFilePath: undefined,
} as const;

let loaded: Promise<readonly SecretLintRuleCreator[]> | undefined;

export async function scanForTokens(text: string): Promise<SecretSpan[]> {
  loaded ??= loadRules();
  const spans: SecretSpan[] = [];
  const rules = (await loaded).map((rule) => rule.create(contextOf(rule, text, spans), {}));
  const source = sourceOf(text);
  for (const rule of rules) await rule.file?.(source);
  return spans
    .filter(({ start, end }) => !isPlaceholderValue(text.slice(start, end)))
    .toSorted((left, right) => left.start - right.start);
}

/** Many commands scan no text, so the first scan loads the rules. */
async function loadRules(): Promise<readonly SecretLintRuleCreator[]> {
  const { rules } = await import("@secretlint/secretlint-rule-preset-recommend");
  return rules.filter((rule) => !LETS_TEXT_DECIDE.test(rule.meta.id));
}

/** Replaces secretlint's core, because the core's profiler keeps data about each scan. */
function contextOf({ meta }: SecretLintRuleCreator, text: string, spans: SecretSpan[]): SecretLintRuleContext {
  const rule = `scanner-${meta.id.replace(/^.*secretlint-rule-/, "").replaceAll(/[^a-z0-9]+/g, "-")}`;
  return {
    sharedOptions: {},
    createTranslator: () => (messageId) => ({
      message: "",
      messageId: String(messageId),
      data: undefined,
    }),
    ignore: () => {},
    report: ({ range: [start, end] }) => spans.push({ start, end: endOfToken(text, start, end), rule }),
  };
}

function sourceOf(content: string): SecretLintSourceCode {
  const noPosition = (): never => {
    throw new Error("a text in memory has no lines");
  };
  return {
    ...FILE,
    content,
    getFilePath: () => FILE.filePath,
    getPhysicalFilePath: () => undefined,
    locationToRange: noPosition,
    rangeToLocation: noPosition,
    positionToIndex: noPosition,
    indexToPosition: noPosition,
  };
}

function endOfToken(content: string, start: number, end: number): number {
  REST_OF_TOKEN.lastIndex = Math.max(start, end);
  return Math.max(start, end) + (REST_OF_TOKEN.exec(content)?.[0].length ?? 0);
}
