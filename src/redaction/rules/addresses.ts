import { CREDENTIAL_WORDS, judgeCredentialName, HAS_CREDENTIAL_WORD } from "../values/names.ts";
import { isNonSecret, isPlaceholderValue } from "../values/non-secrets.ts";
import { looksSecretAfterLabel, looksRandom } from "../values/secret-value.ts";
import { matchesOf, spanAt, valueRule, valueSpans, type SecretSpan, type TextRule } from "../spans.ts";
import { wordSet } from "../../core/collections.ts";

const SIGNED =
  wordSet(`sig signature hmac sas jwt assertion ticket jsessionid phpsessid sap-sessionid sessid magic sid otp x-amz-signature x-amz-credential
  x-amz-security-token x-goog-signature x-goog-credential awsaccesskeyid googleaccessid code key pass auth apitoken appid id_token
  token access_token oauth_verifier zapikey`);
/** These names can also have harmless values: `code=404`, `key=env`. */
const AMBIGUOUS = /^(?:appid|code|key|auth|sid|ticket|sas)$/;
const LOGIN_METHOD = /^auth(?:entication)?(?:[_-]?(?:mech|mechanism|type|method|mode|scheme))?$/;
/** A word has at most two capitals after small letters: `orderId`, but not `ZLFhViRAFmT`. */
const WORD_OR_NUMBER = /^(?!(?:.*[a-z][A-Z]){3})(?:[A-Za-z_.]{1,12}\d{0,4}|\d{1,4})$/;

const PARAMETER = /(?<=[?&#]|&amp;|^|\w;|\\u0026)([A-Za-z][\w.\-[\]]{0,60})=([^\s&#;"'<>`|\\)}«\0]+)/g;
const USER_INFO = /(?<=:\/\/)([^\s/?#"'<>`\0«@:]{0,128})(?::([^\s/?#"'<>`\0«@]{1,256}))?@/g;
/** Outside web addresses, people rarely escape a password, so it can contain `/`, `?` or `#`. */
const LAX_USER_INFO = /(?<=:\/\/)([^\s/?#"'<>`\0«@:]{0,128}):([^\s"'<>`\0«@]{1,256})@/g;

/** An address may be a parameter of another address, percent-encoded once or twice. */
const ENCODED_PARAMETERS = ["", "25"].map(
  (again) =>
    new RegExp(
      String.raw`%${again}(?:3F|26|23|3B)([A-Za-z][\w.-]{0,60})%${again}3D((?:[\w.~+!*'-]|%(?!${again}(?:26|23|22|3C|3E|20|7B)|26)[\da-f]{2}){5,1024})`,
      "gi",
    ),
);
/** Matches `?odbc_connect=…%3BPWD%3D…%3B`. */
const ENCODED_SETTING =
  /(?<=%3B(?:PWD|Password|AccountKey|SharedAccessKey|Secret|Token)%3D)(?:[\w.~+!*'-]|%(?!3B)[\da-f]{2}){4,512}/gi;
/** Matches the address of a console: `#/login/USER/…`. */
const LOGIN_IN_PATH = /(?<=#\/login\/[^\s/"'<>«\0]{1,60}\/)[^\s/"'<>`«\0)]{4,200}/g;
export const userInfoRule: TextRule = {
  words: ["@", "#/login/"],
  find: (text) => [
    ...userInfoSpans(text),
    ...valueSpans(text, LOGIN_IN_PATH, (value) => !isNonSecret(value), { rule: "url-parameter" }),
  ],
};

export const parameterRule: TextRule = {
  words: [...CREDENTIAL_WORDS, ...SIGNED, "?db=", "&db=", "?q=", "&q="],
  find: parameterSpans,
};

function userInfoSpans(text: string): SecretSpan[] {
  const find = (expression: RegExp, isLax: boolean): SecretSpan[] =>
    matchesOf(text, expression).flatMap(({ index, 0: whole, 1: user = "", 2: password }) => {
      const web = /https?$/i.test(text.slice(Math.max(0, index - 8), index - 3));
      if (isLax && (web || /^\d{1,5}(?:[/?#,]|$)/.test(password ?? ""))) return [];
      if (
        password === undefined ? !(web ? isToken(user) : looksRandom(user)) : isNonSecret(password) && isNonSecret(user)
      )
        return [];
      if (password !== undefined && (isPlaceholderValue(password) || password.endsWith("..."))) return [];
      return spanAt(index, whole.slice(0, -1), "url-user-info");
    });
  return [...find(USER_INFO, false), ...find(LAX_USER_INFO, true)];
}

function isToken(user: string): boolean {
  return (looksRandom(user) || /^(?=.*\d)(?=.*[A-Za-z])[^.@]{10,}$/.test(user)) && !isNonSecret(user);
}

function parameterSpans(text: string): SecretSpan[] {
  const options = { rule: "url-parameter" };
  const isSecret = (value: string, { index, 0: whole, 1: name = "" }: RegExpExecArray): boolean => {
    // A text that begins with `name=value` and a blank is not the body of a form.
    if (index === 0 && /^[ \t]{1,3}\w/.test(text.slice(whole.length, whole.length + 4))) return false;
    const isCredential = carriesCredential(name) || (name.toLowerCase() === "p" && isPasswordOf(text, index, value));
    return isCredential && !isHarmlessParameter(name.toLowerCase(), value);
  };
  return [
    ...[PARAMETER, ...ENCODED_PARAMETERS].flatMap((expression) => valueSpans(text, expression, isSecret, options)),
    ...valueSpans(text, ENCODED_SETTING, (value) => !isNonSecret(value), options),
  ];
}

function carriesCredential(name: string): boolean {
  return SIGNED.has(name.toLowerCase()) || (HAS_CREDENTIAL_WORD.test(name) && judgeCredentialName(name) !== undefined);
}

function isHarmlessParameter(name: string, value: string): boolean {
  // `var-…` is a variable of a dashboard.
  if (isNonSecret(value) || name.startsWith("var-")) return true;
  if (AMBIGUOUS.test(name) && WORD_OR_NUMBER.test(value)) return true;
  // `Authentication=Active Directory …` names a method.
  return LOGIN_METHOD.test(name) && /^[A-Za-z]{1,40}$/.test(value);
}

/** InfluxDB writes `u=…&p=…`, and a parameter for a database or query. */
function isPasswordOf(text: string, position: number, value: string): boolean {
  const textBefore = text.slice(Math.max(0, position - 200), position);
  const textAfter = text.slice(position, position + 300);
  const hasUser =
    /[?&]u(?:ser(?:name)?)?=[^\s"'<>]*$/.test(textBefore) || /^\S{0,200}?&u(?:ser(?:name)?)?=[a-z]/.test(textAfter);
  const isQuery = /[?&](?:db|q)=[^\s"'<>]*$/.test(textBefore) || /^\S{0,200}?&(?:db|q)=/.test(textAfter);
  return hasUser && isQuery && /[A-Za-z]/.test(value) && looksSecretAfterLabel(value, "strong", true);
}

const REST = String.raw`[^\s"'<>|\\)\]}«\0]`;

/** Addresses of these services are credentials. The host and the path up to the secret stay. */
const HOSTS: readonly (readonly [words: string, host: string])[] = [
  [".webhook.office", String.raw`[\w-]+\.webhook\.office\.com/webhookb2/`],
  ["hooks.zapier", String.raw`hooks\.zapier\.com/hooks/`],
  ["api.netlify", String.raw`api\.netlify\.com/build_hooks/`],
  [".pagerduty", String.raw`events\.(?:eu\.)?pagerduty\.com/(?=integration/|x-ere/)`],
  ["alert.victorops", String.raw`alert\.victorops\.com/integrations/`],
  ["hc-ping.com", String.raw`hc-ping\.com/`],
  ["nosnch.in", String.raw`nosnch\.in/`],
  ["calendar.google", String.raw`calendar\.google\.com/calendar/ical/[^\s/]{1,120}/(?=private-)`],
  ["/api/push/", String.raw`[\w.:-]+/api/push/`],
];
const RECEIVERS =
  "webhook webhooks web-hook web-hooks webhook-test webhooks-test web-hook-test web-hooks-test hook hooks incoming inbound push heartbeat heartbeats ping catch trigger triggers deployhook deployhooks deploy-hook deploy-hooks deploy_hook deploy_hooks build_hooks ingest collect notify callback event events checkin checkins check-in check-ins receiver receivers alert alerts integration integrations input inputs send robot feed feeds calendar calendars ical".split(
    " ",
  );
const RECEIVER = new RegExp(
  String.raw`(https?:\/\/(?:[\w.-]{0,60}hooks?[.-][\w.-]{1,60}\/|[^\s"'<>|\\)\]}«\0/]{1,200}\/(?:[\w.~-]{1,60}\/){0,5}(?:${RECEIVERS.join("|")})\/)(?:(?!settings|docs)[\w.~-]{1,40}\/){0,3})([\w~-]{16,200})(?![\w.])`,
  "gi",
);

/** Anybody who knows the stream key of an RTMP address can broadcast. */
const STREAM = /(?<=\brtmps?:\/\/[\w.:-]{3,80}\/(?:[\w-]{1,20}\/){1,2})[\w?=&-]{16,200}/g;

/** Anybody who knows such a path of a webhook, stream or feed can use it. */
export const webhookRules: readonly TextRule[] = [
  ...HOSTS.map(([words, host]) =>
    valueRule(words.split(" "), new RegExp(`(?:https?://|(?<![\\w./:-]))${host}(${REST}{6,})`, "gi"), undefined, {
      rule: "webhook-path",
      trim: (path) => path.replace(/(?<![.,;:!?\x60])[.,;:!?\x60]+$/, ""),
    }),
  ),
  valueRule(["hook.", "hook-", "hooks.", "hooks-", ...RECEIVERS.map((name) => `/${name}/`)], RECEIVER, isWebhook, {
    rule: "webhook-path",
  }),
  valueRule(["rtmp"], STREAM, (key) => looksRandom(key) || /^(?=.*\d)[a-z\d]{4}(?:-[a-z\d]{4}){3,4}$/.test(key), {
    rule: "webhook-path",
  }),
];

function isWebhook(part: string, [, kept = ""]: RegExpExecArray): boolean {
  // The part is a date, or a title with hyphens.
  if (part.split(/[-_~.]/).every((word) => /^(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}|v?\d{1,4})$/.test(word))) return false;
  const isId = /^[\da-f]{24}$/i.test(part) || (UUID.test(part) && !/hook|push|heartbeat|ping|check-?in/i.test(kept));
  return !isId && !REPOSITORY.test(kept) && looksRandom(part);
}

/** A random segment of a repository's address is a commit. */
const REPOSITORY =
  /\/\/(?:[\w-]{1,40}\.){0,4}(?:github|gitlab|bitbucket|gitea|codeberg|sourcehut|sr\.ht|gitee|git)\b|\/(?:-\/)?(?:commits?|tree|blob|blame|compare|raw|merge_requests|pull|src\/commit)\//i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
