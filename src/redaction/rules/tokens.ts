import { LONG_RUN, NOT_BEFORE_WORD, valueSpans, type TextRule } from "../spans.ts";
import { isPlaceholderValue } from "../values/non-secrets.ts";

// The forms in this file are missing in secretlint, or too narrow there.

const NOT_WITHIN = String.raw`(?<![A-Za-z\d])`;
const LONG = String.raw`(?=[A-Za-z\d]{0,40}[A-Z])(?=[A-Za-z\d]{0,40}[a-z])(?=(?:[A-Za-z]{0,20}\d){2})`;

/** Each token of a form contains one of its words. */
const FORMS: readonly (readonly [rule: string, words: string, form: string])[] = [
  ["jwt", "eyj", String.raw`eyJ[\w-]{8,4000}(?:\.[\w-]{8,}\.[\w-]*|(?:\.[\w-]*){4})`],
  [
    "gitlab-token",
    "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent-",
    String.raw`(?:glpat|gldt|glrt|glcbt|glptt|glft|glsoat|glimt|glagent)-[\w-]{20,64}`,
  ],
  ["aws-access-key", "akia asia abia acca aroa aida", String.raw`(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z2-7\d]{16}`],
  // A secret counts only after its key id.
  [
    "aws-secret",
    "akia asia",
    String.raw`(?<![/+])(?=[A-Za-z\d/+]{40}(?![\w/+=]))${LONG}(?<=A[KS]IA[A-Z2-7\d]{16}[^\0«]{1,40})[A-Za-z\d/+]{40}`,
  ],
  ["google-key", "aiza", String.raw`AIza[\w-]{35}`],
  ["openai-key", "sk-", String.raw`sk-(?:proj-|svcacct-|admin-|ant-)?[A-Za-z\d][\w-]{30,250}`],
  ["pypi-token", "pypi-", String.raw`pypi-[\w-]{30,}`],
  ["sendgrid-key", "sg.", String.raw`SG\.[\w-]{16,64}\.[\w-]{16,64}`],
  ["grafana-token", "glsa_ glc_", String.raw`(?:glsa|glc)_[\w+/=]{32,}`],
  ["new-relic-key", "nrak- nrii- nraa- nrbr- nrjs-", String.raw`NR(?:AK|II|AA|BR|JS)-[A-Za-z\d]{20,}`],
  ["new-relic-key", "nral", String.raw`(?:[a-z]{2,3}\d{2}x{2})?[a-f\d]{30,36}(?:FFFF)?NRAL`],
  ["digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", String.raw`do[opr]_v1_[a-f\d]{64}`],
  ["vault-token", "hvs. hvb. hvr.", String.raw`hv[sbr]\.[\w-]{24,300}`],
  ["atlassian-token", "atatt3 atctt3 atstt3 atbb", String.raw`(?:AT[ACS]TT3|ATBB)[\w=-]{20,}`],
  ["age-secret-key", "age-secret-key-1", String.raw`AGE-SECRET-KEY-1[A-Z\d]{50,}`],
  ["sentry-token", "sntrys_ sntryu_", String.raw`sntry[su]_[\w+/=-]{32,}`],
  ["entra-secret", "q~", String.raw`(?<![_.~-])[\w.~]{3}[78]Q~[\w.~-]{31,37}`],
  ["vendor-token", "dp.", String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{32,}`],
  ["vendor-token", "re_", String.raw`re_[A-Za-z\d]{6,10}_[A-Za-z\d]{20,}`],
  ["vendor-token", "xkeysib-", String.raw`xkeysib-[a-f\d]{64}-[A-Za-z\d]{16}`],
  ["vendor-token", "sb_secret_", String.raw`sb_secret_[\w-]{20,}`],
  ["vendor-token", "fm1 fm2", String.raw`fm[12][a-z]?_[\w+/=,-]{40,}`],
  ["vendor-token", "tskey-", String.raw`tskey-[a-z]{2,12}-\w{6,20}-\w{20,}`],
  ["vendor-token", "sqa_ sqp_ squ_", String.raw`sq[apu]_[a-f\d]{40}`],
  ["vendor-token", "dt0", String.raw`dt0[a-z]\d{2}\.[A-Z\d]{24}\.[A-Z\d]{64}`],
  ["vendor-token", "sk.eyj", String.raw`sk\.eyJ[\w-]{20,}\.[\w-]{10,}`],
  ["vendor-token", "pk_", String.raw`pk_[a-f\d]{34}`],
  ["vendor-token", "mid-server-", String.raw`Mid-server-(?=[A-Za-z_-]{0,30}\d)(?=[a-z\d_-]{0,30}[A-Z])[\w-]{20,}`],
  ["vendor-token", "app_usr-", String.raw`APP_USR-\d{8,20}-\d{6}-[a-f\d]{32}-\d{5,12}`],
  ["vendor-token", "aqe", String.raw`AQE(?!CAH)[\w+/=-]{90,}`],
  ["vendor-token", "live_ test_", String.raw`(?:live|test)_[A-Za-z\d]{28,40}`],
  ["vendor-token", ".atlasv1.", String.raw`[A-Za-z\d]{14}\.atlasv1\.[\w-]{50,}`],
];

/** These forms have no rare word. Each contains a long run of token characters. */
const OPEN_FORMS: readonly (readonly [rule: string, form: string])[] = [
  ["telegram-token", String.raw`(?:${NOT_WITHIN}|(?<=\bbot))\d{8,10}:AA[\w-]{32,34}`],
  ["telegram-token", String.raw`(?<=/bot)\d{8,10}:[\w-]{35}`],
  ["discord-token", String.raw`${NOT_WITHIN}[MNO][A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,40}`],
  ["azure-devops-token", String.raw`${NOT_WITHIN}(?=[a-z]{0,40}\d)(?=[a-f\d]{0,40}[g-z])[a-z\d]{52}`],
  ["vendor-token", String.raw`${NOT_WITHIN}pat[A-Za-z\d]{14}\.[a-f\d]{40,}`],
  ["vendor-token", String.raw`${NOT_WITHIN}hc[a-z](?:ik|lk|mk|xik)?_[A-Za-z\d]{26,}`],
  ["licence-key", String.raw`${NOT_WITHIN}(?=[A-Z\d-]{0,28}\d)(?=[\d-]{0,28}[A-Z])[A-Z\d]{5}(?:-[A-Z\d]{5}){4}`],
  // The next two forms belong to no vendor.
  [
    "prefixed-token",
    String.raw`(?<![A-Za-z\d]|[A-Za-z]_)(?!(?:sha|md)\d|chatcmpl|integrity|pk_|phc_|pub|anon)[a-z][a-z\d]{1,11}(?:[_-][a-z\d]{1,10}){0,2}[_-]${LONG}[A-Za-z\d]{32,200}`,
  ],
  [
    "prefixed-token",
    String.raw`(?<![A-Za-z\d]|[A-Za-z]_)(?:[a-z\d]{2,10}[_-])?(?:sk|rk|secret|api|priv|token|key|pat)[_-](?:[a-z]{2,8}[_-])?${LONG}[A-Za-z\d]{22,200}`,
  ],
];

/** Each match of an open form matches this quick test. */
const RUN = /[A-Za-z\d]{22}|[A-Z\d]{5}(?:-[A-Z\d]{5}){4}|\d:[\w-]{32}/;
const openTokens = OPEN_FORMS.map(([rule, form]) => finder(rule, form));

export const tokenRules: readonly TextRule[] = [
  ...FORMS.map(([rule, words, form]) => ({ words: words.split(" "), find: finder(rule, `${NOT_WITHIN}${form}`) })),
  {
    words: [LONG_RUN],
    find: (text) => (RUN.test(text) ? openTokens.flatMap((find) => find(text)) : []),
  },
];

function finder(rule: string, form: string): TextRule["find"] {
  const expression = new RegExp(form + NOT_BEFORE_WORD, "g");
  const isToken = (token: string, match: RegExpExecArray): boolean =>
    !isPlaceholderValue(token) && (rule !== "aws-access-key" || !isKeyId(token, match));
  return (text) => valueSpans(text, expression, isToken, { rule });
}

/** A labelled key id is no secret. AWS's documentation ends example tokens with `EXAMPLE`. */
function isKeyId(token: string, { index, input }: RegExpExecArray): boolean {
  const textBefore = input.slice(Math.max(0, index - 24), index);
  return token.endsWith("EXAMPLE") || /key[ _-]?ids?\W{0,4}(?:is\W{1,3}|was\W{1,3})?$/i.test(textBefore);
}
