import { matchSpans, NOT_BEFORE_WORD, type SecretSpan, type TextRule } from "../spans.ts";
import { isPlaceholderValue } from "../values/non-secrets.ts";
import { LONG_RUN } from "../word-search.ts";

/** Refuses a letter or digit directly before a token, because the match would be a part of another word. */
const NOT_WITHIN = String.raw`(?<![A-Za-z\d])`;

/** Tokens that are recognised by their form alone: the name of a rule, and the forms that it finds. */
const FORMS: readonly (readonly [rule: string, ...forms: string[]])[] = [
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
    String.raw`y0_[\w-]{50,}`,
    String.raw`y1_[\w-]{50,}`,
    String.raw`y2_[\w-]{50,}`,
    String.raw`y3_[\w-]{50,}`,
    String.raw`AQVN[\w-]{35,40}`,
    String.raw`t1\.9eu[\w-]{20,}\.[\w-]{40,}`,
  ],
  [
    "gitlab-token",
    String.raw`glpat-[\w-]{20,300}\.[\da-z]{2}\.[\da-z]{9}`,
    String.raw`gloas-[\w-]{20,}`,
    String.raw`glffct-[\w-]{20,}`,
    String.raw`glwt-[\w-]{20,}`,
    String.raw`GR1348941[\w-]{20,}`,
  ],
  ["slack-token", String.raw`xoxe\.xox[bp]-\d-[\w-]{10,}`],
  [
    "ai-key",
    String.raw`gsk_[A-Za-z\d]{40,}`,
    String.raw`xai-[A-Za-z\d]{40,}`,
    String.raw`pplx-[A-Za-z\d]{32,}`,
    String.raw`r8_[A-Za-z\d]{30,}`,
    String.raw`fw_[A-Za-z\d]{20,}`,
    String.raw`nvapi-[\w-]{40,}`,
    String.raw`csk-[a-z\d]{40,}`,
    String.raw`tgp_v1_[\w-]{40,}`,
    String.raw`lsv2_(?:pt|sk)_[a-f\d]{32}_[a-f\d]{10}`,
    String.raw`sk-lf-[a-f\d-]{36}`,
    String.raw`sk_[a-f\d]{40,64}`,
    String.raw`pcsk_[A-Za-z\d_]{40,}`,
    String.raw`pa-[\w-]{40,}`,
    String.raw`tvly-[\w-]{20,}`,
    String.raw`fc-[a-f\d]{32}`,
    String.raw`jina_[\w-]{50,}`,
    String.raw`hf_oauth_[\w.-]{30,}`,
    String.raw`co_[A-Za-z\d]{40}`,
    String.raw`esecret_[a-z\d]{25,}`,
    String.raw`wandb_v1_[\w]{30,}`,
    String.raw`crsr_[a-f\d]{40,}`,
  ],
  ["openai-key", String.raw`sess-[A-Za-z\d]{40}`],
  [
    "mail-key",
    String.raw`re_[A-Za-z\d]{6,10}_[A-Za-z\d]{20,}`,
    String.raw`xkeysib-[a-f\d]{64}-[A-Za-z\d]{16}`,
    String.raw`xsmtpsib-[a-f\d]{64}-[A-Za-z\d]{16}`,
    String.raw`mlsn\.[a-f\d]{64}`,
    String.raw`md-[\w-]{22}`,
  ],
  ["clickhouse-key", String.raw`4b1d[A-Za-z\d]{38}`],
  [
    "database-token",
    String.raw`sbp_(?:v0_)?[a-f\d]{40}`,
    String.raw`npg_[A-Za-z\d]{12,40}`,
    String.raw`sb_secret_[\w-]{20,}`,
    String.raw`napi_[a-z\d]{40,}`,
    String.raw`mdb_sa_sk_[\w-]{30,}`,
    String.raw`CCDB1_\w{20,}`,
    String.raw`aivenv1[\w+/=-]{40,}`,
    String.raw`dose[a-f\d]{32}`,
    String.raw`dkea[a-f\d]{32}`,
    String.raw`dbt[cus]_[\w-]{30,}`,
    String.raw`(?:pnu|pnb)_[A-Za-z\d]{36}`,
  ],
  [
    "cloud-token",
    String.raw`fo1_[\w-]{40,}`,
    String.raw`(?:fm1|fm2)[a-z]?_[\w+/=,-]{40,}`,
    String.raw`rnd_[A-Za-z\d]{20,}`,
    String.raw`(?:vca|vcp|vci|vcr|vck)_[A-Za-z\d]{20,}`,
    String.raw`vercel_blob_rw_\w{20,}`,
    String.raw`(?:nfp|nfc|nfo|nfu)_[A-Za-z\d]{30,}`,
    String.raw`HRKU-[\w-]{30,}`,
    String.raw`v1\.0-[a-f\d]{24}-[a-f\d]{100,}`,
    String.raw`(?:cfut|cfkt|cfat)_[\w-]{30,}`,
    String.raw`tskey-[a-z]{2,12}-\w{6,20}-\w{20,}`,
    String.raw`nbp_[A-Za-z\d]{30,}`,
    String.raw`pul-[a-f\d]{40}`,
    String.raw`(?:ory_at|ory_st)_\w{20,}`,
    String.raw`exo[A-Za-z\d]{40,}`,
    String.raw`scw-[\w-]{30,}`,
    String.raw`pat\.[\w-]{22}\.[a-f\d]{24}\.[A-Za-z\d]{20}`,
    String.raw`API-[A-Z\d]{25,32}`,
    String.raw`ptr_[\w+/=]{40,}`,
    String.raw`sha256~[\w-]{40,}`,
    String.raw`kubeconfig-[a-z\d-]{8,40}:[a-z\d]{50,}`,
    String.raw`rp_[\w-]{40,}`,
    String.raw`rpa_[A-Z\d]{40,}`,
  ],
  [
    "package-token",
    String.raw`rubygems_[a-f\d]{48}`,
    String.raw`cio[A-Za-z\d]{32}`,
    String.raw`oy2[a-z\d]{43}`,
    String.raw`CLOJARS_[a-z\d]{60}`,
    String.raw`AKCp[A-Za-z\d]{60,}`,
    String.raw`cmVmd[A-Za-z\d]{59}`,
    String.raw`sgp_(?:[a-f\d]{16}_)?[a-f\d]{40}`,
    String.raw`jsr_[A-Za-z\d]{30,}`,
  ],
  [
    "ci-token",
    String.raw`(?:sqa|sqp|squ)_[a-f\d]{40}`,
    String.raw`(?:bkua|bkat|bkct|bkpt)_[A-Za-z\d]{30,}`,
    String.raw`CCIPAT_[\w-]{20,}`,
    String.raw`svct_[\w-]{30,}`,
    String.raw`ghs_[\w.-]{36,}`,
    String.raw`prefect_[\w-]{30,}`,
    String.raw`signkey-[a-z]{2,8}-[a-f\d]{40,}`,
    String.raw`tr_(?:dev|prod|stg|preview)_[A-Za-z\d]{20,}`,
    String.raw`(?:ddp|dda|ddc)_[A-Za-z\d]{30,}`,
    String.raw`ddpat_[\w-]{30,}`,
  ],
  [
    "observability-key",
    String.raw`(?:xaat|xait|xapt)-[a-f\d-]{36}`,
    String.raw`(?:phx|phs)_[A-Za-z\d]{36,}`,
    String.raw`dt0[a-z]\d{2}\.[A-Z\d]{24}\.[A-Z\d]{64}`,
    String.raw`NRLS-[\w-]{20,}`,
    String.raw`(?:essu|essa)_[\w+/=]{40,}`,
    String.raw`sgp_[A-Za-z\d]{60,}`,
    String.raw`pdus\+_[\w-]{20,}`,
    String.raw`bs_[A-Za-z\d]{24,}`,
    String.raw`(?:lqs|lqw)_[A-Za-z\d]{20,}`,
    String.raw`cxt[ph]_[A-Za-z\d]{20,}`,
    String.raw`oncall_[A-Za-z\d]{30,}`,
  ],
  [
    "business-token",
    String.raw`pat-(?:na|eu)\d-[a-f\d-]{36}`,
    String.raw`secret_[A-Za-z\d]{43}`,
    String.raw`sl\.[\w-]{60,}`,
    String.raw`CFPAT-[\w-]{40,}`,
    String.raw`PMAK-[a-f\d]{24}-[a-f\d]{34}`,
    String.raw`tfp_[\w-]{30,}`,
    String.raw`pk_\d{5,10}_[A-Z\d]{32}`,
    String.raw`EAAA[\w-]{55,}`,
    String.raw`EAA[A-Z][A-Za-z\d]{60,}`,
    String.raw`rdme_[a-z\d]{60,}`,
    String.raw`shippo_live_[a-f\d]{40}`,
    String.raw`(?:EZAK|EZTK)[A-Za-z\d]{50,}`,
    String.raw`plk_[A-Za-z\d]{30,}`,
    String.raw`pdl_(?:live|sdbx)_apikey_[a-z\d]{20,}_[A-Za-z\d]{15,}(?:_\w{3})?`,
    String.raw`polar_(?:oat|pat)_[A-Za-z\d]{30,}`,
    String.raw`retool_\w{20,}`,
    String.raw`sk\.eyJ[\w-]{20,}\.[\w-]{10,}`,
    String.raw`os_v2_(?:app|org)_[a-z\d]{40,}`,
    String.raw`sec-c-[A-Za-z\d-]{30,}`,
    String.raw`duffel_(?:live|test)_[\w-]{40,}`,
    String.raw`access-(?:production|development|sandbox)-[a-f\d-]{36}`,
    String.raw`access_token\$production\$\w{10,}\$[a-f\d]{32}`,
    String.raw`xoauth_\w{30,}`,
    String.raw`cal_live_[a-f\d]{32}`,
    String.raw`figo[arhu]_[\w-]{30,}`,
    String.raw`shp(?:ua|rt|it|tka)_[\w]{32,}`,
  ],
  // Forms that vendors have introduced in recent years.
  [
    "vendor-token",
    String.raw`st\.[a-f\d-]{24,36}\.[A-Za-z\d]{10,}(?:\.[A-Za-z\d]{4,})?`,
    String.raw`snyk_(?:uat|sat)\.[a-f\d]{8}\.[\w-]{20,}\.[\w-]{10,}`,
    String.raw`(?:CCIPAT|CCIPRJ)_[A-Za-z\d]{16,}_[a-f\d]{40}`,
    String.raw`e2b_[a-f\d]{40}`,
    String.raw`dtn_[a-f\d]{40,}`,
    String.raw`(?:phx|phs)_[A-Za-z\d]{30,}`,
    String.raw`tk_[a-z\d]{29}`,
    String.raw`pk_[a-f\d]{34}`,
    String.raw`lin_wh_\w{30,}`,
    String.raw`AQ\.Ab8[\w-]{30,}`,
    String.raw`(?:tr_dev|tr_prod|tr_pat)_[A-Za-z\d]{20,}`,
    String.raw`signkey-(?:prod|test|branch)-[a-f\d]{30,}`,
    String.raw`SCT\d{1,8}T[A-Za-z\d]{20,}`,
    String.raw`BBDC-[A-Za-z\d+/=]{30,}`,
    String.raw`AKID[A-Za-z\d]{32}`,
    String.raw`LTAI5t[A-Za-z\d]{18}`,
    String.raw`eyJrIjoi[\w+/=]{40,}`,
    String.raw`FLWSECK(?:_TEST)?-[a-z\d]{12,}`,
    String.raw`Mid-server-(?=[A-Za-z_-]{0,30}\d)(?=[a-z\d_-]{0,30}[A-Z])[\w-]{20,}`,
    String.raw`APP_USR-\d{8,20}-\d{6}-[a-f\d]{32}-\d{5,12}`,
    String.raw`xnd_(?:production|development)_\w{30,}`,
    String.raw`fio-u-[\w-]{60,}`,
    String.raw`bedrock-api-key-[\w+/=]{40,}`,
    String.raw`sdk-[a-f\d]{8}-[a-f\d]{4}-4[a-f\d]{3}-[89ab][a-f\d]{3}-[a-f\d]{12}`,
    String.raw`api-[a-f\d]{8}-[a-f\d]{4}-4[a-f\d]{3}-[89ab][a-f\d]{3}-[a-f\d]{12}`,
    String.raw`mob-[a-f\d]{8}-[a-f\d]{4}-4[a-f\d]{3}-[89ab][a-f\d]{3}-[a-f\d]{12}`,
    String.raw`vk1\.a\.[\w-]{60,}`,
    String.raw`bb_live_[\w-]{24,}`,
    String.raw`ak-(?=[A-Za-z]{0,20}\d)(?=[a-z\d]{0,21}[A-Z])[A-Za-z\d]{22}`,
    String.raw`as-(?=[A-Za-z]{0,20}\d)(?=[a-z\d]{0,21}[A-Z])[A-Za-z\d]{22}`,
    String.raw`loops_[a-f\d]{32}`,
    String.raw`gitea_[a-f\d]{40}`,
    String.raw`unkey_[A-Za-z\d]{20,}`,
    String.raw`cflt[\w+/]{56,}`,
    String.raw`GOOG1E[A-Z\d]{50,}`,
    String.raw`secret-(?:live|test)-[\w=-]{30,}`,
    String.raw`AQE(?!CAH)[\w+/=-]{90,}`,
    String.raw`NRII-[\w-]{30,}`,
    String.raw`NRIQ-[\w-]{30,}`,
    String.raw`oauth:[a-z\d]{30}`,
    String.raw`dnkey-[A-Z\d-]{20,}`,
    String.raw`key_live_\w{20,}`,
    String.raw`rootly_[a-f\d]{64}`,
    String.raw`K00\d[A-Za-z\d+/]{27}`,
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

/** Matches a licence key, or letters and digits without a separator that are too many for a word. */
const RUN = /[A-Za-z\d]{22}|[A-Z\d]{5}(?:-[A-Z\d]{5}){4}/;
const openTokens = OPEN_FORMS.map(([rule, form]) => finder(rule, form));

/** Rules for tokens that are recognised by their form. */
export const tokenRules: readonly TextRule[] = [
  ...FORMS.map(([rule, ...forms]) => ({
    words: forms.flatMap(beginnings),
    find: finder(rule, `${NOT_WITHIN}(?:${forms.join("|")})`),
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

/** Tells whether the text before a match calls it a key id, or the match is the example of the vendor's documentation. */
function isKeyId(text: string, { start, end }: SecretSpan): boolean {
  const textBefore = text.slice(Math.max(0, start - 24), start);
  return (
    text.slice(start, end).endsWith("EXAMPLE") || /key[ _-]?ids?\W{0,4}(?:is\W{1,3}|was\W{1,3})?$/i.test(textBefore)
  );
}
