import type { SecretSpan } from "./redaction-policy.ts";

/** Tokens that are told by their form alone, wherever they stand. `literal`: what every one of them contains. */
const FORMATS: readonly { readonly rule: string; readonly literal: string; readonly form: RegExp }[] = [
  format("jwt", "eyJ", String.raw`eyJ[\w-]{8,}(?:\.[\w-]{8,}\.[\w-]*|(?:\.[\w-]*){4})`),
  format("github-token", "gh", String.raw`gh[pousr]_[A-Za-z\d]{20,255}`),
  format("github-token", "github_pat_", String.raw`github_pat_\w{22,255}`),
  format("gitlab-token", "gl", String.raw`gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent)-[\w-]{20,64}`),
  format("slack-token", "xox", String.raw`xox[abeoprs]-[\w-]{10,250}`),
  format("slack-token", "xapp-", String.raw`xapp-\d-[\w-]{10,250}`),
  format("stripe-key", "k_", String.raw`[rs]k_(?:live|test)_[A-Za-z\d]{10,250}`),
  format("stripe-key", "whsec_", String.raw`whsec_[A-Za-z\d+/=]{16,250}`),
  format("aws-access-key", "A", String.raw`(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z2-7\d]{16}`),
  format("google-key", "AIza", String.raw`AIza[\w-]{35}`),
  format("google-token", "ya29.", String.raw`ya29\.[\w-]{20,}`),
  format("google-secret", "GOCSPX-", String.raw`GOCSPX-[\w-]{20,}`),
  format("openai-key", "sk-", String.raw`sk-(?:proj-|svcacct-|admin-|ant-)?[A-Za-z\d][\w-]{30,250}`),
  format("npm-token", "npm_", String.raw`npm_[A-Za-z\d]{36}`),
  format("pypi-token", "pypi-", String.raw`pypi-[\w-]{30,}`),
  format("sendgrid-key", "SG.", String.raw`SG\.[\w-]{16,64}\.[\w-]{16,64}`),
  format("grafana-token", "gl", String.raw`gl(?:sa|c)_[\w+/=]{32,}`),
  format("new-relic-key", "NR", String.raw`NR(?:AK|II|AA|BR|JS)-[A-Za-z\d]{20,}`),
  format("telegram-token", ":AA", String.raw`\d{8,10}:AA[\w-]{33}`),
  format("digitalocean-token", "_v1_", String.raw`do[opr]_v1_[a-f\d]{64}`),
  format("databricks-token", "dapi", String.raw`dapi[a-f\d]{32}(?:-\d)?`),
  format("vault-token", "hv", String.raw`hv[sbr]\.[\w-]{24,300}`),
  format("hugging-face-token", "hf_", String.raw`hf_[A-Za-z\d]{30,}`),
  format("atlassian-token", "AT", String.raw`AT(?:ATT3|CTT3|BB)[\w=-]{20,}`),
  format("mailgun-key", "key-", String.raw`key-[a-f\d]{32}`),
  format("mailchimp-key", "-us", String.raw`[a-f\d]{32}-us\d{1,2}`),
  format("twilio-key", "SK", String.raw`SK[a-f\d]{32}`),
  format("shopify-token", "shp", String.raw`shp(?:at|ca|pa|ss)_[a-fA-F\d]{32}`),
  format("square-token", "sq0", String.raw`sq0(?:atp|csp|idp)-[\w-]{22,}`),
  format("planetscale-token", "pscale_", String.raw`pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}`),
  format("linear-key", "lin_", String.raw`lin_(?:api|oauth)_[A-Za-z\d]{32,}`),
  format("notion-token", "ntn_", String.raw`ntn_[A-Za-z\d]{32,}`),
  format("figma-token", "figd_", String.raw`figd_[\w-]{32,}`),
  format("doppler-token", "dp.", String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{32,}`),
  format("docker-token", "dckr_", String.raw`dckr_(?:pat|oat)_[\w-]{20,}`),
  format("age-secret-key", "AGE-SECRET-KEY-", String.raw`AGE-SECRET-KEY-1[A-Z\d]{50,}`),
  format("sentry-token", "sntry", String.raw`sntry[su]_[\w+/=-]{32,}`),
  format("azure-key", "AC", String.raw`[\w+/]{76}(?:AC[AD]b|ASt)[\w+/]{6,}={0,2}`),
  format("telegram-token", "/bot", String.raw`(?<=/bot)\d{8,10}:[\w-]{35}`),
];

/** One look tells that a text has none of them, as nearly all have. */
const ANY = new RegExp([...new Set(FORMATS.map(({ literal }) => literal.replaceAll(/[.+/]/g, "\\$&")))].join("|"));

/** Every token of a known form. */
export function tokenSpans(text: string): SecretSpan[] {
  if (!ANY.test(text)) return [];
  return FORMATS.flatMap(({ rule, literal, form }) =>
    text.includes(literal)
      ? [...text.matchAll(form)].map(({ index, 0: whole }) => ({ start: index, end: index + whole.length, rule }))
      : [],
  );
}

/** Tokens stand alone: what goes on before or after is some other word. */
function format(rule: string, literal: string, source: string): (typeof FORMATS)[number] {
  return { rule, literal, form: new RegExp(String.raw`(?<![A-Za-z\d])${source}(?![A-Za-z\d])`, "g") };
}
