import type { SecretSpan } from "./redaction-policy.ts";
import { signs } from "./sign.ts";
import type { Sign } from "./sign.ts";
import type { TextRule } from "./text-rule.ts";

/** Tokens that are told by their form alone, wherever they stand. */
interface Format {
  readonly rule: string;
  readonly form: RegExp;
  readonly signs: readonly Sign[];
}

/** Tokens stand alone: what goes on before or after is some other word. */
const NOT_WITHIN = String.raw`(?<![A-Za-z\d])`;
const NOT_ON = String.raw`(?![A-Za-z\d])`;

const FORMATS: readonly Format[] = [
  format("jwt", "eyJ", String.raw`eyJ[\w-]{8,}(?:\.[\w-]{8,}\.[\w-]*|(?:\.[\w-]*){4})`),
  format("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", String.raw`gh[pousr]_[A-Za-z\d]{20,255}`),
  format("github-token", "github_pat_", String.raw`github_pat_\w{22,255}`),
  format(
    "gitlab-token",
    "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent-",
    String.raw`gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent)-[\w-]{20,64}`,
  ),
  format("slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-", String.raw`xox[abeoprs]-[\w-]{10,250}`),
  format("slack-token", "xapp-", String.raw`xapp-\d-[\w-]{10,250}`),
  format("stripe-key", "rk_live_ rk_test_ sk_live_ sk_test_", String.raw`[rs]k_(?:live|test)_[A-Za-z\d]{10,250}`),
  format("stripe-key", "whsec_", String.raw`whsec_[A-Za-z\d+/=]{16,250}`),
  format(
    "aws-access-key",
    "AKIA ASIA ABIA ACCA AROA AIDA",
    String.raw`(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z2-7\d]{16}`,
  ),
  format("google-key", "AIza", String.raw`AIza[\w-]{35}`),
  format("google-token", "ya29.", String.raw`ya29\.[\w-]{20,}`),
  format("google-secret", "GOCSPX-", String.raw`GOCSPX-[\w-]{20,}`),
  format("openai-key", "sk-", String.raw`sk-(?:proj-|svcacct-|admin-|ant-)?[A-Za-z\d][\w-]{30,250}`),
  format("npm-token", "npm_", String.raw`npm_[A-Za-z\d]{36}`),
  format("pypi-token", "pypi-", String.raw`pypi-[\w-]{30,}`),
  format("sendgrid-key", "SG.", String.raw`SG\.[\w-]{16,64}\.[\w-]{16,64}`),
  format("grafana-token", "glsa_ glc_", String.raw`gl(?:sa|c)_[\w+/=]{32,}`),
  format("new-relic-key", "NRAK- NRII- NRAA- NRBR- NRJS-", String.raw`NR(?:AK|II|AA|BR|JS)-[A-Za-z\d]{20,}`),
  formatWith("telegram-token", String.raw`${NOT_WITHIN}\d{8,10}:AA[\w-]{33}`, [
    { literal: ":AA", after: /(?<=\d{8}:AA)[\w-]{33}/y },
  ]),
  format("digitalocean-token", "doo_v1_ dop_v1_ dor_v1_", String.raw`do[opr]_v1_[a-f\d]{64}`),
  format("databricks-token", "dapi", String.raw`dapi[a-f\d]{32}(?:-\d)?`),
  format("vault-token", "hvs. hvb. hvr.", String.raw`hv[sbr]\.[\w-]{24,300}`),
  format("hugging-face-token", "hf_", String.raw`hf_[A-Za-z\d]{30,}`),
  format("atlassian-token", "ATATT3 ATCTT3 ATBB", String.raw`AT(?:ATT3|CTT3|BB)[\w=-]{20,}`),
  format("mailgun-key", "key-", String.raw`key-[a-f\d]{32}`),
  formatWith("mailchimp-key", String.raw`${NOT_WITHIN}[a-f\d]{32}-us\d{1,2}`, [
    { literal: "-us", after: /(?<=[a-f\d]{32}-us)\d/y },
  ]),
  format("twilio-key", "SK", String.raw`SK[a-f\d]{32}`),
  format("shopify-token", "shpat_ shpca_ shppa_ shpss_", String.raw`shp(?:at|ca|pa|ss)_[a-fA-F\d]{32}`),
  format("square-token", "sq0atp- sq0csp- sq0idp-", String.raw`sq0(?:atp|csp|idp)-[\w-]{22,}`),
  format("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", String.raw`pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}`),
  format("linear-key", "lin_api_ lin_oauth_", String.raw`lin_(?:api|oauth)_[A-Za-z\d]{32,}`),
  format("notion-token", "ntn_", String.raw`ntn_[A-Za-z\d]{32,}`),
  format("figma-token", "figd_", String.raw`figd_[\w-]{32,}`),
  format(
    "doppler-token",
    "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
    String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{32,}`,
  ),
  format("docker-token", "dckr_pat_ dckr_oat_", String.raw`dckr_(?:pat|oat)_[\w-]{20,}`),
  format("age-secret-key", "AGE-SECRET-KEY-1", String.raw`AGE-SECRET-KEY-1[A-Z\d]{50,}`),
  format("sentry-token", "sntrys_ sntryu_", String.raw`sntry[su]_[\w+/=-]{32,}`),
  formatWith(
    "azure-key",
    String.raw`${NOT_WITHIN}[\w+/]{76}(?:AC[AD]b|ASt)[\w+/]{6,}={0,2}`,
    ["ACAb", "ACDb", "ASt"].map((literal) => ({ literal, after: /(?<=[\w+/]{76}(?:AC[AD]b|ASt))[\w+/]{6}/y })),
  ),
  formatWith("telegram-token", String.raw`(?<=/bot)\d{8,10}:[\w-]{35}`, [
    { literal: "/bot", after: /\d{8,10}:[\w-]{35}/y },
  ]),
];

/** Every token of a known form. */
export const tokenRule: TextRule = { signs: FORMATS.flatMap((format) => format.signs), find: tokenSpans };

function tokenSpans(text: string): SecretSpan[] {
  return FORMATS.flatMap(({ rule, form }) =>
    [...text.matchAll(form)].map(({ index, 0: whole }) => ({ start: index, end: index + whole.length, rule })),
  );
}

/** A form that begins with one of these words. */
function format(rule: string, beginnings: string, source: string): Format {
  const from = new RegExp(`${NOT_WITHIN}${source}${NOT_ON}`, "y");
  return formatWith(rule, NOT_WITHIN + source, signs(beginnings.split(" "), { from }));
}

/** One that begins with anything, so that its signs are given. */
function formatWith(rule: string, source: string, ofForm: readonly Sign[]): Format {
  return { rule, form: new RegExp(source + NOT_ON, "g"), signs: ofForm };
}
