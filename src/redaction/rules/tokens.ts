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
  ["aws-bedrock-key", String.raw`ABSK[A-Za-z\d+/]{60,}={0,2}`],
  ["aws-session-token", String.raw`(?:IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz)[A-Za-z\d+/%]{40,}={0,2}`],
  ["google-token", String.raw`1//0[\w-]{30,}`],
  ["firebase-key", String.raw`AAAA[\w-]{7}:APA91b[\w-]{100,}`],
  ["entra-secret", String.raw`[\w.~]{3}[78]Q~[\w.~-]{31,37}`],
  ["azure-devops-token", String.raw`[A-Za-z\d]{70,76}AZDO[A-Za-z\d]{4}`],
  ["yandex-token", String.raw`(?:y[0-3]_[\w-]{50,}|AQVN[\w-]{35,40}|t1\.9eu[\w-]{20,}\.[\w-]{40,}|YC[\w-]{38})`],
  ["alibaba-secret", String.raw`(?<=LTAI[A-Za-z\d]{12,20}[\s:,/|"'\x60=]{1,5})[A-Za-z\d]{30}`],
  ["gitlab-token", String.raw`(?:glpat-[\w-]{20,300}\.[\da-z]{2}\.[\da-z]{9}|gl(?:oas|ffct|wt)-[\w-]{20,}|GR1348941[\w-]{20,})`],
  ["slack-token", String.raw`xoxe\.xox[bp]-\d-[\w-]{10,}`],
  ["discord-token", String.raw`[MNO][A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,40}`],
  ["ai-key", String.raw`(?:gsk_[A-Za-z\d]{40,}|xai-[A-Za-z\d]{40,}|pplx-[A-Za-z\d]{32,}|r8_[A-Za-z\d]{30,}|fw_[A-Za-z\d]{20,}|nvapi-[\w-]{40,}|csk-[a-z\d]{40,}|tgp_v1_[\w-]{40,}|lsv2_(?:pt|sk)_[a-f\d]{32}_[a-f\d]{10}|sk-lf-[a-f\d-]{36}|sk_[a-f\d]{40,64}|pcsk_[A-Za-z\d_]{40,}|pa-[\w-]{40,}|tvly-[\w-]{20,}|fc-[a-f\d]{32}|jina_[\w-]{50,}|hf_oauth_[\w.-]{30,}|co_[A-Za-z\d]{40}|esecret_[a-z\d]{25,}|wandb_v1_[\w]{30,}|crsr_[a-f\d]{40,}|key_[a-f\d]{60,})`],
  ["openai-key", String.raw`sess-[A-Za-z\d]{40}`],
  ["mail-key", String.raw`(?:re_[A-Za-z\d]{6,10}_[A-Za-z\d]{20,}|x(?:keysib|smtpsib)-[a-f\d]{64}-[A-Za-z\d]{16}|mlsn\.[a-f\d]{64}|[a-f\d]{32}-[a-f\d]{8}-[a-f\d]{8}(?!-)|md-[\w-]{22})`],
  ["clickhouse-key", String.raw`4b1d[A-Za-z\d]{38}`],
  ["database-token", String.raw`(?:sbp_[a-f\d]{40}|sb_secret_[\w-]{20,}|napi_[a-z\d]{40,}|mdb_sa_sk_[\w-]{30,}|CCDB1_\w{20,}|aivenv1[\w+/=-]{40,}|dose[a-f\d]{32}|dkea[a-f\d]{32}|dbt[cus]_[\w-]{30,}|pn[ub]_[A-Za-z\d]{36})`],
  ["cloud-token", String.raw`(?:fo1_[\w-]{40,}|fm\d[a-z]?_[\w+/=,-]{40,}|rnd_[A-Za-z\d]{20,}|vc[apirk]_[A-Za-z\d]{20,}|vercel_blob_rw_\w{20,}|nf[pcou]_[A-Za-z\d]{30,}|HRKU-[\w-]{30,}|v1\.0-[a-f\d]{24}-[a-f\d]{100,}|cf[uka]t_[\w-]{30,}|tskey-[a-z]{2,12}-\w{6,20}-\w{20,}|nbp_[A-Za-z\d]{30,}|pul-[a-f\d]{40}|[A-Za-z\d]{14}\.atlasv1\.[\w-]{50,}|ory_[as]t_\w{20,}|exo[A-Za-z\d]{40,}|scw-[\w-]{30,}|pat\.[\w-]{22}\.[a-f\d]{24}\.[A-Za-z\d]{20}|API-[A-Z\d]{25,32}|ptr_[\w+/=]{40,}|sha256~[\w-]{40,}|kubeconfig-[a-z\d-]{8,40}:[a-z\d]{50,}|token-[a-z\d]{5}:[a-z\d]{50,}|rp_[\w-]{40,}|rpa_[A-Z\d]{40,})`],
  ["package-token", String.raw`(?:rubygems_[a-f\d]{48}|cio[A-Za-z\d]{32}|oy2[a-z\d]{43}|CLOJARS_[a-z\d]{60}|AKCp[A-Za-z\d]{60,}|cmVmd[A-Za-z\d]{59}|sgp_(?:[a-f\d]{16}_)?[a-f\d]{40}|jsr_[A-Za-z\d]{30,})`],
  ["ci-token", String.raw`(?:sq[apu]_[a-f\d]{40}|bk(?:ua|at|ct|pt)?_[A-Za-z\d]{30,}|CCIPAT_[\w-]{20,}|11[a-f\d]{32}|svct_[\w-]{30,}|ghs_[\w.-]{36,}|prefect_[\w-]{30,}|signkey-[a-z]{2,8}-[a-f\d]{40,}|tr_(?:dev|prod|stg|preview)_[A-Za-z\d]{20,}|dd[pac]_[A-Za-z\d]{30,}|ddpat_[\w-]{30,})`],
  ["observability-key", String.raw`(?:hc[a-z]ik_[a-z\d]{40,}|hc[a-z](?:lk|mk|xik)?_[a-z\d]{50,}|xa[aip]t-[a-f\d-]{36}|ph[xs]_[A-Za-z\d]{36,}|dt0[a-z]\d{2}\.[A-Z\d]{24}\.[A-Z\d]{64}|[a-f\d]{36}(?:FFFF)?NRAL|NRLS-[\w-]{20,}|ess[ua]_[\w+/=]{40,}|sgp_[A-Za-z\d]{60,}|u[ +]?pdus?\+_[\w+-]{20,}|pdus\+_[\w-]{20,}|bs_[A-Za-z\d]{24,}|lq[sw]_[A-Za-z\d]{20,}|cxt[ph]_[A-Za-z\d]{20,}|oncall_[A-Za-z\d]{30,})`],
  ["business-token", String.raw`(?:pat-(?:na|eu)\d-[a-f\d-]{36}|pat[A-Za-z\d]{14}\.[a-f\d]{40,}|secret_[A-Za-z\d]{43}|sl\.[\w-]{60,}|CFPAT-[\w-]{40,}|PMAK-[a-f\d]{24}-[a-f\d]{34}|tfp_[\w-]{30,}|pk_\d{5,10}_[A-Z\d]{32}|EAAA[\w-]{55,}|EAA[A-Z][A-Za-z\d]{60,}|rdme_[a-z\d]{60,}|shippo_live_[a-f\d]{40}|EZ[AT]K[A-Za-z\d]{50,}|plk_[A-Za-z\d]{30,}|pdl_(?:live|sdbx)_apikey_[a-z\d]{20,}_[A-Za-z\d]{15,}(?:_\w{3})?|polar_(?:oat|pat)_[A-Za-z\d]{30,}|retool_\w{20,}|sk\.eyJ[\w-]{20,}\.[\w-]{10,}|os_v2_(?:app|org)_[a-z\d]{40,}|sec-c-[A-Za-z\d-]{30,}|duffel_(?:live|test)_[\w-]{40,}|access-(?:production|development|sandbox)-[a-f\d-]{36}|access_token\$production\$\w{10,}\$[a-f\d]{32}|xoauth_\w{30,}|cal_live_[a-f\d]{32}|figo[arhu]_[\w-]{30,}|shp(?:ua|rt|it|tka)_[\w]{32,}|1/\d{13,20}(?:/\d{13,20})?:[a-f\d]{32})`],
  ["dingtalk-secret", String.raw`SEC[a-f\d]{60,64}`],
  ["onepassword-key", String.raw`A3-[A-Z\d]{6}-(?:[A-Z\d]{11}|[A-Z\d]{6}-[A-Z\d]{5})(?:-[A-Z\d]{5}){3}`],
  ["onepassword-token", String.raw`ops_eyJ[\w-]{60,}={0,3}`],
  // What a vendor gives out today without being in this list: a short word, a joint, and a long text drawn by lot.
  ["prefixed-token", String.raw`(?!(?:sha|md)\d|chatcmpl|integrity)[a-z][a-z\d]{1,11}(?:[_-][a-z\d]{1,10}){0,2}[_-](?=[A-Za-z\d]{0,40}[A-Z])(?=[A-Za-z\d]{0,40}[a-z])(?=(?:[A-Za-z]{0,20}\d){3})[A-Za-z\d]{32,200}`],
];
/** Tokens that begin with anything, and what is looked for instead, so that not each word has to be tried. */
const OPEN_FORMS: readonly (readonly [rule: string, form: string, hint: string])[] = [
  ["telegram-token", String.raw`${NOT_WITHIN}\d{8,10}:AA[\w-]{32,34}`, String.raw`:AA[\w-]{32}`],
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
