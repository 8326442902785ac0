import { matchSpans, NOT_BEFORE_WORD } from "../spans.ts";
import { isPlaceholderValue } from "../values/non-secrets.ts";
import type { SecretSpan, TextRule } from "../spans.ts";
import { LONG_RUN } from "../word-search.ts";

/** Refuses a letter or digit directly before a token, because the match would be a part of another word. */
const NOT_WITHIN = String.raw`(?<![A-Za-z\d])`;

/** Tokens that are recognised by their form alone. */
const FORMS: readonly (readonly [rule: string, form: string])[] = [
  ["jwt", String.raw`eyJ[\w-]{8,4000}(?:\.[\w-]{8,}\.[\w-]*|(?:\.[\w-]*){4})`],
  ["github-token", String.raw`(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z\d]{20,255}`],
  ["github-token", String.raw`github_pat_\w{22,255}`],
  ["gitlab-token", String.raw`(?:glpat|gldt|glrt|glcbt|glptt|glft|glsoat|glimt|glagent)-[\w-]{20,64}`],
  ["slack-token", String.raw`xox[abeoprs]-(?!your-|my-|token-|here|xxx)[\w-]{10,250}`],
  ["slack-token", String.raw`xapp-\d-[\w-]{10,250}`],
  ["stripe-key", String.raw`(?:sk_live|rk_live|sk_test|rk_test)_[A-Za-z\d]{10,250}`],
  ["stripe-key", String.raw`whsec_[A-Za-z\d+/=]{16,250}`],
  ["aws-access-key", String.raw`(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z2-7\d]{16}`],
  ["google-key", String.raw`AIza[\w-]{35}`],
  ["google-token", String.raw`ya29\.[\w-]{20,}`],
  ["google-secret", String.raw`GOCSPX-[\w-]{20,}`],
  ["openai-key", String.raw`sk-(?:proj-|svcacct-|admin-|ant-)?[A-Za-z\d][\w-]{30,250}`],
  ["npm-token", String.raw`npm_[A-Za-z\d]{36}`],
  ["pypi-token", String.raw`pypi-[\w-]{30,}`],
  ["sendgrid-key", String.raw`SG\.[\w-]{16,64}\.[\w-]{16,64}`],
  ["grafana-token", String.raw`(?:glsa|glc)_[\w+/=]{32,}`],
  ["new-relic-key", String.raw`(?:NRAK|NRII|NRAA|NRBR|NRJS)-[A-Za-z\d]{20,}`],
  ["digitalocean-token", String.raw`(?:dop|doo|dor)_v1_[a-f\d]{64}`],
  ["databricks-token", String.raw`dapi[a-f\d]{32}(?:-\d)?`],
  ["vault-token", String.raw`(?:hvs|hvb|hvr)\.[\w-]{24,300}`],
  ["hugging-face-token", String.raw`hf_[A-Za-z\d]{30,}`],
  ["atlassian-token", String.raw`(?:ATATT3|ATCTT3|ATSTT3|ATBB)[\w=-]{20,}`],
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
  ["aws-bedrock-key", String.raw`ABSK[A-Za-z\d+/]{60,}={0,2}`],
  ["aws-session-token", String.raw`(?:IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz)[A-Za-z\d+/%]{40,}={0,2}`],
  ["google-token", String.raw`1//0[\w-]{30,}`],
  ["firebase-key", String.raw`AAAA[\w-]{7}:APA91b[\w-]{100,}`],
  [
    "yandex-token",
    String.raw`(?:y0_[\w-]{50,}|y1_[\w-]{50,}|y2_[\w-]{50,}|y3_[\w-]{50,}|AQVN[\w-]{35,40}|t1\.9eu[\w-]{20,}\.[\w-]{40,})`,
  ],
  [
    "gitlab-token",
    String.raw`(?:glpat-[\w-]{20,300}\.[\da-z]{2}\.[\da-z]{9}|gloas-[\w-]{20,}|glffct-[\w-]{20,}|glwt-[\w-]{20,}|GR1348941[\w-]{20,})`,
  ],
  ["slack-token", String.raw`xoxe\.xox[bp]-\d-[\w-]{10,}`],
  [
    "ai-key",
    String.raw`(?:gsk_[A-Za-z\d]{40,}|xai-[A-Za-z\d]{40,}|pplx-[A-Za-z\d]{32,}|r8_[A-Za-z\d]{30,}|fw_[A-Za-z\d]{20,}|nvapi-[\w-]{40,}|csk-[a-z\d]{40,}|tgp_v1_[\w-]{40,}|lsv2_(?:pt|sk)_[a-f\d]{32}_[a-f\d]{10}|sk-lf-[a-f\d-]{36}|sk_[a-f\d]{40,64}|pcsk_[A-Za-z\d_]{40,}|pa-[\w-]{40,}|tvly-[\w-]{20,}|fc-[a-f\d]{32}|jina_[\w-]{50,}|hf_oauth_[\w.-]{30,}|co_[A-Za-z\d]{40}|esecret_[a-z\d]{25,}|wandb_v1_[\w]{30,}|crsr_[a-f\d]{40,})`,
  ],
  ["openai-key", String.raw`sess-[A-Za-z\d]{40}`],
  [
    "mail-key",
    String.raw`(?:re_[A-Za-z\d]{6,10}_[A-Za-z\d]{20,}|xkeysib-[a-f\d]{64}-[A-Za-z\d]{16}|xsmtpsib-[a-f\d]{64}-[A-Za-z\d]{16}|mlsn\.[a-f\d]{64}|md-[\w-]{22})`,
  ],
  ["clickhouse-key", String.raw`4b1d[A-Za-z\d]{38}`],
  [
    "database-token",
    String.raw`(?:sbp_(?:v0_)?[a-f\d]{40}|npg_[A-Za-z\d]{12,40}|sb_secret_[\w-]{20,}|napi_[a-z\d]{40,}|mdb_sa_sk_[\w-]{30,}|CCDB1_\w{20,}|aivenv1[\w+/=-]{40,}|dose[a-f\d]{32}|dkea[a-f\d]{32}|dbt[cus]_[\w-]{30,}|(?:pnu|pnb)_[A-Za-z\d]{36})`,
  ],
  [
    "cloud-token",
    String.raw`(?:fo1_[\w-]{40,}|(?:fm1|fm2)[a-z]?_[\w+/=,-]{40,}|rnd_[A-Za-z\d]{20,}|(?:vca|vcp|vci|vcr|vck)_[A-Za-z\d]{20,}|vercel_blob_rw_\w{20,}|(?:nfp|nfc|nfo|nfu)_[A-Za-z\d]{30,}|HRKU-[\w-]{30,}|v1\.0-[a-f\d]{24}-[a-f\d]{100,}|(?:cfut|cfkt|cfat)_[\w-]{30,}|tskey-[a-z]{2,12}-\w{6,20}-\w{20,}|nbp_[A-Za-z\d]{30,}|pul-[a-f\d]{40}|(?:ory_at|ory_st)_\w{20,}|exo[A-Za-z\d]{40,}|scw-[\w-]{30,}|pat\.[\w-]{22}\.[a-f\d]{24}\.[A-Za-z\d]{20}|API-[A-Z\d]{25,32}|ptr_[\w+/=]{40,}|sha256~[\w-]{40,}|kubeconfig-[a-z\d-]{8,40}:[a-z\d]{50,}|rp_[\w-]{40,}|rpa_[A-Z\d]{40,})`,
  ],
  [
    "package-token",
    String.raw`(?:rubygems_[a-f\d]{48}|cio[A-Za-z\d]{32}|oy2[a-z\d]{43}|CLOJARS_[a-z\d]{60}|AKCp[A-Za-z\d]{60,}|cmVmd[A-Za-z\d]{59}|sgp_(?:[a-f\d]{16}_)?[a-f\d]{40}|jsr_[A-Za-z\d]{30,})`,
  ],
  [
    "ci-token",
    String.raw`(?:(?:sqa|sqp|squ)_[a-f\d]{40}|(?:bkua|bkat|bkct|bkpt)_[A-Za-z\d]{30,}|CCIPAT_[\w-]{20,}|svct_[\w-]{30,}|ghs_[\w.-]{36,}|prefect_[\w-]{30,}|signkey-[a-z]{2,8}-[a-f\d]{40,}|tr_(?:dev|prod|stg|preview)_[A-Za-z\d]{20,}|(?:ddp|dda|ddc)_[A-Za-z\d]{30,}|ddpat_[\w-]{30,})`,
  ],
  [
    "observability-key",
    String.raw`(?:(?:xaat|xait|xapt)-[a-f\d-]{36}|(?:phx|phs)_[A-Za-z\d]{36,}|dt0[a-z]\d{2}\.[A-Z\d]{24}\.[A-Z\d]{64}|NRLS-[\w-]{20,}|(?:essu|essa)_[\w+/=]{40,}|sgp_[A-Za-z\d]{60,}|pdus\+_[\w-]{20,}|bs_[A-Za-z\d]{24,}|(?:lqs|lqw)_[A-Za-z\d]{20,}|cxt[ph]_[A-Za-z\d]{20,}|oncall_[A-Za-z\d]{30,})`,
  ],
  [
    "business-token",
    String.raw`(?:pat-(?:na|eu)\d-[a-f\d-]{36}|secret_[A-Za-z\d]{43}|sl\.[\w-]{60,}|CFPAT-[\w-]{40,}|PMAK-[a-f\d]{24}-[a-f\d]{34}|tfp_[\w-]{30,}|pk_\d{5,10}_[A-Z\d]{32}|EAAA[\w-]{55,}|EAA[A-Z][A-Za-z\d]{60,}|rdme_[a-z\d]{60,}|shippo_live_[a-f\d]{40}|(?:EZAK|EZTK)[A-Za-z\d]{50,}|plk_[A-Za-z\d]{30,}|pdl_(?:live|sdbx)_apikey_[a-z\d]{20,}_[A-Za-z\d]{15,}(?:_\w{3})?|polar_(?:oat|pat)_[A-Za-z\d]{30,}|retool_\w{20,}|sk\.eyJ[\w-]{20,}\.[\w-]{10,}|os_v2_(?:app|org)_[a-z\d]{40,}|sec-c-[A-Za-z\d-]{30,}|duffel_(?:live|test)_[\w-]{40,}|access-(?:production|development|sandbox)-[a-f\d-]{36}|access_token\$production\$\w{10,}\$[a-f\d]{32}|xoauth_\w{30,}|cal_live_[a-f\d]{32}|figo[arhu]_[\w-]{30,}|shp(?:ua|rt|it|tka)_[\w]{32,})`,
  ],
  // Forms that vendors have introduced in recent years.
  [
    "vendor-token",
    String.raw`(?:st\.[a-f\d-]{24,36}\.[A-Za-z\d]{10,}(?:\.[A-Za-z\d]{4,})?|snyk_(?:uat|sat)\.[a-f\d]{8}\.[\w-]{20,}\.[\w-]{10,}|(?:CCIPAT|CCIPRJ)_[A-Za-z\d]{16,}_[a-f\d]{40}|e2b_[a-f\d]{40}|dtn_[a-f\d]{40,}|(?:phx|phs)_[A-Za-z\d]{30,}|tk_[a-z\d]{29}|pk_[a-f\d]{34}|lin_wh_\w{30,}|AQ\.Ab8[\w-]{30,}|(?:tr_dev|tr_prod|tr_pat)_[A-Za-z\d]{20,}|signkey-(?:prod|test|branch)-[a-f\d]{30,}|SCT\d{1,8}T[A-Za-z\d]{20,}|BBDC-[A-Za-z\d+/=]{30,}|AKID[A-Za-z\d]{32}|LTAI5t[A-Za-z\d]{18}|eyJrIjoi[\w+/=]{40,}|FLWSECK(?:_TEST)?-[a-z\d]{12,}|Mid-server-(?=[A-Za-z_-]{0,30}\d)(?=[a-z\d_-]{0,30}[A-Z])[\w-]{20,}|APP_USR-\d{8,20}-\d{6}-[a-f\d]{32}-\d{5,12}|xnd_(?:production|development)_\w{30,}|fio-u-[\w-]{60,}|bedrock-api-key-[\w+/=]{40,}|sdk-[a-f\d]{8}-[a-f\d]{4}-4[a-f\d]{3}-[89ab][a-f\d]{3}-[a-f\d]{12}|api-[a-f\d]{8}-[a-f\d]{4}-4[a-f\d]{3}-[89ab][a-f\d]{3}-[a-f\d]{12}|mob-[a-f\d]{8}-[a-f\d]{4}-4[a-f\d]{3}-[89ab][a-f\d]{3}-[a-f\d]{12}|vk1\.a\.[\w-]{60,}|bb_live_[\w-]{24,}|ak-(?=[A-Za-z]{0,20}\d)(?=[a-z\d]{0,21}[A-Z])[A-Za-z\d]{22}|as-(?=[A-Za-z]{0,20}\d)(?=[a-z\d]{0,21}[A-Z])[A-Za-z\d]{22}|loops_[a-f\d]{32}|gitea_[a-f\d]{40}|unkey_[A-Za-z\d]{20,}|cflt[\w+/]{56,}|GOOG1E[A-Z\d]{50,}|secret-(?:live|test)-[\w=-]{30,}|AQE(?!CAH)[\w+/=-]{90,}|NRII-[\w-]{30,}|NRIQ-[\w-]{30,}|oauth:[a-z\d]{30}|dnkey-[A-Z\d-]{20,}|key_live_\w{20,}|rootly_[a-f\d]{64}|K00\d[A-Za-z\d+/]{27})`,
  ],
  // Private keys in the form that certificate tools write, but without their armour.
  [
    "private-key",
    String.raw`(?:MII[CEJ][\w+/]{2}IBAA[\w+/]{40,}|MII[CEJ][\w+/]{2}IBADANBgkqhkiG9w0BAQEFAASC[\w+/]{40,}|MHcCAQEEI[\w+/]{30,}|MIGHAgEAMBMGByqGSM49[\w+/]{40,}|MC4CAQAwBQYDK2VwBCIEI[\w+/]{30,})={0,2}`,
  ],
  ["payment-key", String.raw`(?:live_[A-Za-z\d]{28,40}|test_[A-Za-z\d]{28,40}|ck_[a-f\d]{40}|cs_[a-f\d]{40})`],
  ["onepassword-key", String.raw`A3-[A-Z\d]{6}-(?:[A-Z\d]{11}|[A-Z\d]{6}-[A-Z\d]{5})(?:-[A-Z\d]{5}){3}`],
  ["onepassword-token", String.raw`ops_eyJ[\w-]{60,}={0,3}`],
];
/** Requires letters of both cases and two digits within about the first forty characters of a token. */
const LONG = String.raw`(?=[A-Za-z\d]{0,40}[A-Z])(?=[A-Za-z\d]{0,40}[a-z])(?=(?:[A-Za-z]{0,20}\d){2})`;
/** Tokens that can begin with any character. Each form has a list of words; every such token contains one of them. */
const MARKED_FORMS: readonly (readonly [rule: string, form: string, words: string])[] = [
  ["telegram-token", String.raw`(?:${NOT_WITHIN}|(?<=\bbot))\d{8,10}:AA[\w-]{32,34}`, ":AA"],
  ["telegram-token", String.raw`(?<=/bot)\d{8,10}:[\w-]{35}`, "/bot"],
  ["mailchimp-key", String.raw`${NOT_WITHIN}[a-f\d]{32}-us\d{1,2}`, "-us"],
  ["azure-key", String.raw`${NOT_WITHIN}[\w+/]{76}(?:ACAb|ACDb|ASt)[\w+/]{6,}={0,2}`, "ACAb ACDb ASt"],
  ["entra-secret", String.raw`(?<![\w.~-])[\w.~]{3}[78]Q~[\w.~-]{31,37}`, "Q~"],
  ["azure-devops-token", String.raw`${NOT_WITHIN}[A-Za-z\d]{70,76}AZDO[A-Za-z\d]{4}`, "AZDO"],
  ["alibaba-secret", String.raw`(?<=LTAI[A-Za-z\d]{12,20}[\s:,/|"'\x60=]{1,5})[A-Za-z\d]{30}`, "LTAI"],
  // The secret is recognised only if it follows its key id.
  [
    "aws-secret",
    String.raw`(?<![\w/+])(?=[A-Za-z\d/+]{40}(?![\w/+=]))${LONG}(?<=A[KS]IA[A-Z2-7\d]{16}[^\0«]{1,40})[A-Za-z\d/+]{40}`,
    "AKIA ASIA",
  ],
  ["cloud-token", String.raw`${NOT_WITHIN}[A-Za-z\d]{14}\.atlasv1\.[\w-]{50,}`, "atlasv1"],
  ["new-relic-key", String.raw`${NOT_WITHIN}(?:[a-z]{2,3}\d{2}x{2})?[a-f\d]{30,36}(?:FFFF)?NRAL`, "NRAL"],
  ["webex-token", String.raw`${NOT_WITHIN}[A-Za-z\d]{60,66}_P0A1_[a-f\d-]{36}`, "_P0A1_"],
  ["convex-key", String.raw`(?<=(?:prod|dev|preview):[a-z]{2,20}-[a-z]{2,20}-\d{1,4}\|)eyJ[\w+/=-]{30,}`, "|eyJ"],
  ["pagerduty-key", String.raw`${NOT_WITHIN}u\+(?=[\w-]{0,17}\d)[\w-]{18}`, "u+"],
  ["paseto", String.raw`${NOT_WITHIN}v[1-4]\.local\.[\w-]{40,}`, ".local."],
];
/** Tokens whose forms have no distinctive literal. */
const OPEN_FORMS: readonly (readonly [rule: string, form: string])[] = [
  ["discord-token", String.raw`${NOT_WITHIN}[MNO][A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,40}`],
  ["twilio-key", String.raw`${NOT_WITHIN}SK[a-f\d]{32}`],
  ["ci-token", String.raw`${NOT_WITHIN}11[a-f\d]{32}`],
  ["business-token", String.raw`${NOT_WITHIN}pat[A-Za-z\d]{14}\.[a-f\d]{40,}`],
  ["azure-devops-token", String.raw`${NOT_WITHIN}(?=[a-z]{0,40}\d)(?=[a-f\d]{0,40}[g-z])[a-z\d]{52}`],
  ["dingtalk-secret", String.raw`${NOT_WITHIN}SEC[a-f\d]{60,64}`],
  ["mailgun-key", String.raw`${NOT_WITHIN}key-[a-z\d]{32}`],
  ["cloud-token", String.raw`${NOT_WITHIN}token-[a-z\d]{5}:[a-z\d]{50,}`],
  ["observability-key", String.raw`${NOT_WITHIN}hc[a-z](?:ik|lk|mk|xik)?_[A-Za-z\d]{26,}`],
  ["observability-key", String.raw`${NOT_WITHIN}(?:u|m|ur)\d{6,10}-[a-f\d]{24,32}`],
  ["tunnel-token", String.raw`${NOT_WITHIN}[12]${LONG}[A-Za-z\d]{26}_[A-Za-z\d]{20,24}`],
  ["vendor-token", String.raw`${NOT_WITHIN}[A-Za-z\d]{6}_[A-Za-z\d]{29}_mmk`],
  ["mail-key", String.raw`${NOT_WITHIN}[a-f\d]{32}-[a-f\d]{8}-[a-f\d]{8}(?!-)`],
  ["business-token", String.raw`${NOT_WITHIN}\d/\d{13,20}(?:/\d{13,20})?:[a-f\d]{32}`],
  // The licence key of a product: five groups of five characters.
  ["licence-key", String.raw`${NOT_WITHIN}(?=[A-Z\d-]{0,28}\d)(?=[\d-]{0,28}[A-Z])[A-Z\d]{5}(?:-[A-Z\d]{5}){4}`],
  // Tokens of vendors that no form above covers: a short prefix, a separator, and a long random text.
  [
    "prefixed-token",
    String.raw`(?<![A-Za-z\d]|[A-Za-z]_)(?!(?:sha|md)\d|chatcmpl|integrity|pk_|phc_|pub|anon)[a-z][a-z\d]{1,11}(?:[_-][a-z\d]{1,10}){0,2}[_-]${LONG}[A-Za-z\d]{32,200}`,
  ],
  [
    "prefixed-token",
    String.raw`(?<![A-Za-z\d]|[A-Za-z]_)(?:[a-z\d]{2,10}[_-])?(?:sk|rk|secret|api|priv|token|key|pat)[_-](?:[a-z]{2,8}[_-])?${LONG}[A-Za-z\d]{22,200}`,
  ],
  [
    "prefixed-token",
    String.raw`(?<![A-Za-z\d]|[A-Za-z]_)(?:[a-z\d]{2,10}_)?(?:sk|secret|pat|tok|token|apikey|auth|access|refresh|sts)_(?=[a-z]{0,31}\d)[a-z\d]{32,200}`,
  ],
];

/** Returns the literals with which the texts of a form can begin. */
function beginnings(form: string): string[] {
  return alternatives(form).flatMap((alternative) => {
    const group = /^\(\?:((?:[^()[\]]|\[[^\]]*\]|\([^()]*\))*)\)/.exec(alternative)?.[1];
    if (group !== undefined) return beginnings(group);
    const literal = /^(?:[\w/~-](?![?*+{])|\\[./](?![?*+{]))+/.exec(alternative)?.[0].replaceAll("\\", "") ?? "";
    if (literal.length < 2)
      throw new Error(`a form of tokens begins with nothing that could be searched for: ${alternative}`);
    return literal.toLowerCase();
  });
}

/** Returns the alternatives at the top level of an expression's source. */
function alternatives(source: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const [character = ""] of source.matchAll(/\\.|\[[^\]]*\]|./gs)) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "|" && depth === 0) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${character}`);
  }
  return parts;
}

/** Matches a text without separators that is too long for a word, or a licence key. */
const RUN = /[A-Za-z\d]{22}|[A-Z\d]{5}(?:-[A-Z\d]{5}){4}/;
const openTokens = OPEN_FORMS.map(([rule, form]) => finder(rule, form));

/** Rules for tokens that are recognised by their form. */
export const tokenRules: readonly TextRule[] = [
  ...FORMS.map(([rule, form]) => ({
    words: beginnings(form),
    find: finder(rule, NOT_WITHIN + form),
  })),
  ...MARKED_FORMS.map(([rule, form, words]) => ({
    words: words.toLowerCase().split(" "),
    find: finder(rule, form),
  })),
  {
    words: [LONG_RUN],
    find: (text) => (RUN.test(text) ? openTokens.flatMap((find) => find(text)) : []),
  },
];

function finder(rule: string, form: string): TextRule["find"] {
  const expression = new RegExp(form + NOT_BEFORE_WORD, "g");
  return (text) =>
    matchSpans(text, expression, rule, (token) => !isPlaceholderValue(token)).filter(
      (span) => rule !== "aws-access-key" || !isKeyId(text, span),
    );
}

/** Tells whether a match is a key id by the text before it, or the example of the vendor's documentation. */
function isKeyId(text: string, { start, end }: SecretSpan): boolean {
  const textBefore = text.slice(Math.max(0, start - 24), start);
  return (
    text.slice(start, end).endsWith("EXAMPLE") || /key[ _-]?ids?\W{0,4}(?:is\W{1,3}|was\W{1,3})?$/i.test(textBefore)
  );
}
