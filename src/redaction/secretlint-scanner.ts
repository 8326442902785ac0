import type { SecretLintRuleContext, SecretLintRuleCreator, SecretLintSourceCode } from "@secretlint/types";
import type { SecretScanner } from "./policy.ts";
import { standsForOne } from "./values/harmless.ts";
import type { SecretSpan } from "./spans.ts";

/** A comment in a text could switch this rule on, and with it the others off. */
const LETS_TEXT_DECIDE = /filter-comments$/;
/** Some rules report where a match begins and the length of the token alone, so the end may fall inside of it. */
const REST_OF_TOKEN = /[\w+/=.~-]*/y;
/** Whatever could be a credential by its form: long words that are no hash or id, user info of addresses, keys, and tokens that may be shorter. */
const HINT =
  /(?<!\w)(?![\da-f]+(?!\w))\w{32}|:\/\/\S{1,512}@|PRIVATE KEY|x(?:ox[a-z]|app)-|SG\.\w|T3BlbkFJ|vc[piark]_|dapi|dckr_pat_|figd_|gl(?:c_|pat-|sa_)|gsk_|hf_|hv[bsr]\.|ntn_/;
/** What the rules ask of a source besides its text. By its path they tell the formats of some programs apart. */
const FILE = {
  filePath: "records.txt",
  ext: ".txt",
  contentType: "text",
  hasBOM: false,
  physicalFilePath: undefined,
} as const;

/** The scanner: secretlint's recommended rules, run on texts in memory. */
export function createSecretScanner(): SecretScanner {
  let loaded: Promise<readonly SecretLintRuleCreator[]> | undefined;
  const scan = async (text: string): Promise<SecretSpan[]> => {
    loaded ??= loadRules();
    const spans: SecretSpan[] = [];
    const rules = (await loaded).map((rule) => rule.create(contextOf(rule, text, spans), {}));
    const source = sourceOf(text);
    for (const rule of rules) await rule.file?.(source);
    return spans
      .filter(({ start, end }) => !standsForOne(text.slice(start, end)))
      .toSorted((left, right) => left.start - right.start);
  };
  return Object.assign(scan, { hint: HINT });
}

/** Loaded when the first text is scanned: most commands need none of it. */
async function loadRules(): Promise<readonly SecretLintRuleCreator[]> {
  const { rules } = await import("@secretlint/secretlint-rule-preset-recommend");
  return rules.filter((rule) => !LETS_TEXT_DECIDE.test(rule.meta.id));
}

/**
 * What a rule reports to. It stands in for secretlint's core, whose profiler keeps every scan and searches all of them at each
 * new one, so that thousands of texts would take minutes.
 */
function contextOf({ meta }: SecretLintRuleCreator, text: string, spans: SecretSpan[]): SecretLintRuleContext {
  const rule = `scanner-${meta.id.replace(/^.*secretlint-rule-/, "").replaceAll(/[^a-z0-9]+/g, "-")}`;
  return {
    sharedOptions: {},
    createTranslator: () => (messageId) => ({ message: "", messageId: String(messageId), data: undefined }),
    ignore: () => {},
    report: ({ range: [start, end] }) => spans.push({ start, end: endOfToken(text, start, end), rule }),
  };
}

function sourceOf(content: string): SecretLintSourceCode {
  const noPosition = (): never => {
    throw new Error("positions are not known here");
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
