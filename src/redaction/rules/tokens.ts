import { matchSpans } from "../spans.ts";
import type { TextRule } from "./text-rule.ts";

/** Tokens stand alone: what goes on before or after is some other word. */
const NOT_WITHIN = String.raw`(?<![A-Za-z\d])`;
const NOT_ON = String.raw`(?![A-Za-z\d])`;

/** Tokens that are told by their form alone, wherever they stand. */
const FORMS: readonly (readonly [rule: string, form: string])[] = [
  ["jwt", String.raw`eyJ[\w-]{8,}(?:\.[\w-]{8,}\.[\w-]*|(?:\.[\w-]*){4})`],
  ["github-token", String.raw`gh[pousr]_[A-Za-z\d]{20,255}`],
  ["github-token", String.raw`github_pat_\w{22,255}`],
  ["gitlab-token", String.raw`gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent)-[\w-]{20,64}`],
  ["slack-token", String.raw`xox[abeoprs]-[\w-]{10,250}`],
  ["slack-token", String.raw`xapp-\d-[\w-]{10,250}`],
  ["stripe-key", String.raw`[rs]k_(?:live|test)_[A-Za-z\d]{10,250}`],
  ["stripe-key", String.raw`whsec_[A-Za-z\d+/=]{16,250}`],
  ["aws-access-key", String.raw`(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z2-7\d]{16}`],
  ["google-key", String.raw`AIza[\w-]{35}`],
  ["google-token", String.raw`ya29\.[\w-]{20,}`],
  ["google-secret", String.raw`GOCSPX-[\w-]{20,}`],
  ["openai-key", String.raw`sk-(?:proj-|svcacct-|admin-|ant-)?[A-Za-z\d][\w-]{30,250}`],
  ["npm-token", String.raw`npm_[A-Za-z\d]{36}`],
  ["pypi-token", String.raw`pypi-[\w-]{30,}`],
  ["sendgrid-key", String.raw`SG\.[\w-]{16,64}\.[\w-]{16,64}`],
  ["grafana-token", String.raw`gl(?:sa|c)_[\w+/=]{32,}`],
  ["new-relic-key", String.raw`NR(?:AK|II|AA|BR|JS)-[A-Za-z\d]{20,}`],
  ["digitalocean-token", String.raw`do[opr]_v1_[a-f\d]{64}`],
  ["databricks-token", String.raw`dapi[a-f\d]{32}(?:-\d)?`],
  ["vault-token", String.raw`hv[sbr]\.[\w-]{24,300}`],
  ["hugging-face-token", String.raw`hf_[A-Za-z\d]{30,}`],
  ["atlassian-token", String.raw`AT(?:ATT3|CTT3|BB)[\w=-]{20,}`],
  ["mailgun-key", String.raw`key-[a-f\d]{32}`],
  ["twilio-key", String.raw`SK[a-f\d]{32}`],
  ["shopify-token", String.raw`shp(?:at|ca|pa|ss)_[a-fA-F\d]{32}`],
  ["square-token", String.raw`sq0(?:atp|csp|idp)-[\w-]{22,}`],
  ["planetscale-token", String.raw`pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}`],
  ["linear-key", String.raw`lin_(?:api|oauth)_[A-Za-z\d]{32,}`],
  ["notion-token", String.raw`ntn_[A-Za-z\d]{32,}`],
  ["figma-token", String.raw`figd_[\w-]{32,}`],
  ["doppler-token", String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{32,}`],
  ["docker-token", String.raw`dckr_(?:pat|oat)_[\w-]{20,}`],
  ["age-secret-key", String.raw`AGE-SECRET-KEY-1[A-Z\d]{50,}`],
  ["sentry-token", String.raw`sntry[su]_[\w+/=-]{32,}`],
];
/** Tokens that begin with anything, and what is looked for instead, so that not each word has to be tried. */
const OPEN_FORMS: readonly (readonly [rule: string, form: string, hint: string])[] = [
  ["telegram-token", String.raw`${NOT_WITHIN}\d{8,10}:AA[\w-]{33}`, String.raw`:AA[\w-]{33}`],
  ["telegram-token", String.raw`(?<=/bot)\d{8,10}:[\w-]{35}`, String.raw`/bot\d{8}`],
  ["mailchimp-key", String.raw`${NOT_WITHIN}[a-f\d]{32}-us\d{1,2}`, String.raw`-us\d`],
  [
    "azure-key",
    String.raw`${NOT_WITHIN}[\w+/]{76}(?:AC[AD]b|ASt)[\w+/]{6,}={0,2}`,
    String.raw`(?:AC[AD]b|ASt)[\w+/]{6}`,
  ],
];

const EXPRESSIONS = [
  ...FORMS.map(([rule, form]) => ({ rule, expression: new RegExp(NOT_WITHIN + form + NOT_ON, "g") })),
  ...OPEN_FORMS.map(([rule, form]) => ({ rule, expression: new RegExp(form + NOT_ON, "g") })),
];

/** Every token of a known form. */
export const tokenRule: TextRule = {
  hint: new RegExp(
    [`${NOT_WITHIN}(?:${FORMS.map(([, form]) => form).join("|")})`, ...OPEN_FORMS.map(([, , hint]) => hint)].join("|"),
  ),
  find: (text) => EXPRESSIONS.flatMap(({ rule, expression }) => matchSpans(text, expression, rule)),
};
