import { CREDENTIAL_WORDS, credentialName } from "../values/names.ts";
import { isHarmless, standsForOne } from "../values/harmless.ts";
import { looksLabelled, looksRandom } from "../values/secret-value.ts";
import type { SecretSpan } from "../spans.ts";
import { matchSpans } from "../spans.ts";
import type { TextRule } from "./text-rule.ts";

/** Parameters that carry or prove a credential; the other parameters are judged by their name, like members. */
const SIGNED = new Set(
  `sig signature hmac sas jwt assertion ticket jsessionid phpsessid sap-sessionid sessid magic sid otp x-amz-signature x-amz-credential
  x-amz-security-token x-goog-signature x-goog-credential awsaccesskeyid googleaccessid code key pass auth apitoken appid id_token
  token access_token oauth_verifier zapikey`.split(/\s+/),
);
const SPEAKS = new RegExp(CREDENTIAL_WORDS.join("|"), "i");
/** Names that also have harmless values: `code=404`, `key=env`. */
const AMBIGUOUS = /^(?:appid|code|key|auth|sid|ticket|sas)$/;
/** A word or number: letters with the few capitals of a name (`orderId`, but not `ZLFhViRAFmT`). */
const WORD_OR_NUMBER = /^(?!(?:.*[a-z][A-Z]){3})(?:[A-Za-z_.]{1,12}\d{0,4}|\d{1,4})$/;

const PARAMETER = /(?<=[?&#]|&amp;|^|\w;|\\u0026)([A-Za-z][\w.\-[\]]{0,60})=([^\s&#;"'<>`|\\)}«\0]+)/g;
const USER_INFO = /(?<=:\/\/)([^\s/?#"'<>`\0«@:]{0,128})(?::([^\s/?#"'<>`\0«@]{1,256}))?@/g;
/** Outside of the web, people leave slashes and question marks in passwords unescaped. */
const LAX_USER_INFO = /(?<=:\/\/)([^\s/?#"'<>`\0«@:]{0,128}):([^\s"'<>`\0«@]{1,256})@/g;

/** User info in an address that is a parameter of another address: encoded once or, after a redirect, twice. */
const ENCODED_PARAMETERS = ["", "25"].map(
  (again) =>
    new RegExp(
      String.raw`%${again}(?:3F|26|23|3B)([A-Za-z][\w.-]{0,60})%${again}3D((?:[\w.~+!*'-]|%(?!${again}(?:26|23|22|3C|3E|20|7B)|26)[\da-f]{2}){5,1024})`,
      "gi",
    ),
);
const ENCODED_USER_INFO =
  /(?<=%(?:25)?3A%(?:25)?2F%(?:25)?2F)[\w.~%+-]{0,128}?%(?:25)?3A[\w.~!*'%+-]{3,256}?(?=%(?:25)?40[\w[])/gi;
/** A string of driver settings in a parameter: `;PWD=…;`. */
const ENCODED_SETTING =
  /(?<=%3B(?:PWD|Password|AccountKey|SharedAccessKey|Secret|Token)%3D)(?:[\w.~+!*'-]|%(?!3B)[\da-f]{2}){4,512}/gi;
/** A session id in the path, as servers write it that are configured not to use cookies. */
const SESSION_IN_PATH = /(?<=\/\((?:[A-Z]\([\w-]{1,60}\)){0,2}[SF]\()[a-z\d_-]{20,200}(?=\))/gi;
/** A login in the address of a console. */
const LOGIN_IN_PATH = /(?<=#\/login\/[^\s/"'<>«\0]{1,60}\/)[^\s/"'<>`«\0)]{4,200}/g;
/** User keys of a phone notification service, which forms submit under a harmless name. */
const PHONE_KEY = /(?<=(?<![A-Za-z])user(?:[_ -]?key)?["'`]?[=: ]{1,3}["'`]?)[ug][A-Za-z\d]{29}(?![A-Za-z\d])/g;

/** User info of addresses anywhere in a text. */
export const userInfoRule: TextRule = {
  words: ["://", "%2f", "%252f", "/(", "#/login/"],
  hint: /#\/login\/|:\/\/[^\s"'<>`\0«@]{0,385}@|%(?:25)?3A%(?:25)?2F%(?:25)?2F[\w.~!*'%+-]{3,400}%(?:25)?40|\/\([A-Z]\(/i,
  find: (text) => [
    ...userInfoSpans(text),
    ...matchSpans(text, ENCODED_USER_INFO, "url-user-info").filter(({ start, end }) =>
      isUserInfo(text.slice(start, end)),
    ),
    ...matchSpans(text, LOGIN_IN_PATH, "url-parameter").filter(({ start, end }) => !isHarmless(text.slice(start, end))),
    ...matchSpans(text, SESSION_IN_PATH, "url-parameter").filter(({ start, end }) =>
      looksRandom(text.slice(start, end)),
    ),
  ],
};

/** Signed and token-like parameters of addresses. */
export const parameterRule: TextRule = {
  words: [...CREDENTIAL_WORDS, ...SIGNED, "user", "&p=", "?p="],
  hint: /(?:[?&#;]|^|\\u0026)[A-Za-z][\w.\-[\]]{0,60}=[^\s&#;"'<>`|\\)}«\0]|%(?:25)?(?:3F|26|23|3B)[A-Za-z]|(?<![A-Za-z])user(?:[_ -]?key)?["'`]?[=: ]/i,
  find: parameterSpans,
};

function userInfoSpans(text: string): SecretSpan[] {
  const find = (expression: RegExp, lax: boolean): SecretSpan[] =>
    [...text.matchAll(expression)].flatMap(({ index, 0: whole, 1: user = "", 2: password }) => {
      const web = /https?$/i.test(text.slice(Math.max(0, index - 8), index - 3));
      if (lax && (web || /^\d{1,5}(?:[/?#,]|$)/.test(password ?? ""))) return [];
      if (
        password === undefined ? !(web ? isToken(user) : looksRandom(user)) : isHarmless(password) && isHarmless(user)
      )
        return [];
      if (password !== undefined && (standsForOne(password) || password.endsWith("..."))) return [];
      return [{ start: index, end: index + whole.length - 1, rule: "url-user-info" }];
    });
  return [...find(USER_INFO, false), ...find(LAX_USER_INFO, true)];
}

/** Tells whether the text before an encoded host has a password that is not just a word for one. */
function isUserInfo(encoded: string): boolean {
  const password = encoded.slice(encoded.search(/%(?:25)?3A/i)).replace(/^%(?:25)?3A/i, "");
  return !isHarmless(password) && !/^\d{1,5}(?:%(?:25)?2F|$)/i.test(password) && !/%(?:25)?(?:2F|3F)/i.test(encoded);
}

function isToken(user: string): boolean {
  return (looksRandom(user) || /^(?=.*\d)(?=.*[A-Za-z])[^.@]{10,}$/.test(user)) && !isHarmless(user);
}

function parameterSpans(text: string): SecretSpan[] {
  const parameters = [PARAMETER, ...ENCODED_PARAMETERS].flatMap((expression) => [...text.matchAll(expression)]);
  const named = parameters.flatMap(({ index, 0: whole, 1: name = "", 2: value = "" }) => {
    const plain = name.toLowerCase();
    // A form body that is the whole text has no blanks: a text with blanks is a sentence or a list, which other rules cover.
    if (index === 0 && /^[ \t]{1,3}\w/.test(text.slice(whole.length, whole.length + 4))) return [];
    const carries =
      SIGNED.has(plain) ||
      (plain === "p" && isPasswordOf(text, index, value)) ||
      (SPEAKS.test(name) && credentialName(name) !== undefined);
    // `LA_TUA_CHIAVE` stands for a value, and the variables of a dashboard (`var-…`) are not credentials.
    if (!carries || isHarmless(value) || plain.startsWith("var-")) return [];
    if (AMBIGUOUS.test(plain) && WORD_OR_NUMBER.test(value)) return [];
    // `Authentication=Active Directory …` names a method, not a credential.
    if (
      /^auth(?:entication)?(?:[_-]?(?:mech|mechanism|type|method|mode|scheme))?$/.test(plain) &&
      /^[A-Za-z]{1,40}$/.test(value)
    )
      return [];
    return [{ start: index + whole.length - value.length, end: index + whole.length, rule: "url-parameter" }];
  });
  const settings = matchSpans(text, ENCODED_SETTING, "url-parameter").filter(
    ({ start, end }) => !isHarmless(text.slice(start, end)),
  );
  return [...named, ...settings, ...matchSpans(text, PHONE_KEY, "url-parameter")];
}

/** Tells whether `p=` is a password, as in InfluxDB's `u=…&p=…`: the user stands beside it. */
function isPasswordOf(text: string, at: number, value: string): boolean {
  const before = text.slice(Math.max(0, at - 200), at);
  const after = text.slice(at, at + 300);
  const hasUser =
    /[?&]u(?:ser(?:name)?)?=[^\s"'<>]*$/.test(before) || /^\S{0,200}?&u(?:ser(?:name)?)?=[a-z]/.test(after);
  const isQuery = /[?&](?:db|q)=[^\s"'<>]*$/.test(before) || /^\S{0,200}?&(?:db|q)=/.test(after);
  return hasUser && isQuery && /[A-Za-z]/.test(value) && looksLabelled(value, "strong", true);
}

const REST = String.raw`[^\s"'<>|\\)\]}«\0]`;

/** Services whose addresses are themselves credentials. The first group is kept. */
const HOOKS: readonly RegExp[] = [
  // Chat
  String.raw`hooks\.slack(?:-gov)?\.com/`,
  String.raw`(?:(?:canary|ptb)\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/`,
  String.raw`[\w-]+\.webhook\.office\.com/webhookb2/`,
  String.raw`outlook\.office(?:365)?\.com/webhook/`,
  String.raw`chat\.googleapis\.com/v1/spaces/`,
  String.raw`api\.telegram\.org/(?=bot\d)`,
  String.raw`open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/`,
  String.raw`(?:api\.ciscospark|webexapis)\.com/v1/webhooks/incoming/`,
  String.raw`hooks\.(?:glip|ringcentral)\.com/webhook/`,
  String.raw`media\.guilded\.gg/webhooks/`,
  String.raw`api\.flock\.com/hooks/sendMessage/`,
  String.raw`[\w.-]+/hooks/(?=[a-z\d]{26}\b)`,
  String.raw`[\w.-]+/hooks/(?=[A-Za-z\d]{17,24}/[A-Za-z\d]{20,})`,
  // Automation
  String.raw`hooks\.zapier\.com/hooks/`,
  String.raw`hook\.[\w.]*(?:make|integromat)\.com/`,
  String.raw`maker\.ifttt\.com/(?=trigger/|use/)`,
  String.raw`(?:api\.)?webhook\.site/`,
  String.raw`hooks\.airtable\.com/workflows/`,
  String.raw`(?:webhooks|hooks)\.workato\.com/webhooks/rest/`,
  String.raw`[\w-]+\.tines\.(?:com|io)/webhook/`,
  String.raw`hooks\.torq\.io/v\d/webhooks/`,
  String.raw`[\w-]+\.m\.pipedream\.net(?=/|$)`,
  String.raw`api\.netlify\.com/build_hooks/`,
  String.raw`api\.vercel\.com/v\d/integrations/deploy/`,
  // Paging
  String.raw`events\.(?:eu\.)?pagerduty\.com/(?=integration/|x-ere/)`,
  String.raw`alert\.victorops\.com/integrations/`,
  String.raw`api\.incident\.io/v\d/alert_events/http/`,
  String.raw`(?:api|www|events)\.zenduty\.com/(?:api/)?(?:events|integration)/`,
  String.raw`(?:api|app|alerts?)\.(?:eu\.)?squadcast\.(?:com|tech)/v\d/incidents/`,
  String.raw`(?:webhooks|app)\.rootly\.com/webhooks/`,
  String.raw`connect\.signl4\.com/webhook/`,
  String.raw`api\.pagertree\.com/integration/`,
  String.raw`api\.ilert\.com/api/(?:v\d/)?(?:events|alerts?|heartbeats?)/`,
  String.raw`(?:[\w-]+\.)?allquiet\.app/api/webhook/`,
  String.raw`hooks\.spike\.sh/`,
  String.raw`hooks\.[\w-]+\.grafana\.net/`,
  String.raw`[\w.-]+/(?:oncall/)?integrations/v1/(?=[a-z_]{3,30}/[A-Za-z\d_-]{16,})`,
  // Heartbeats
  String.raw`hc-ping\.com/`,
  String.raw`(?:uptime\.betterstack|betteruptime)\.com/api/v\d/(?=heartbeat/)`,
  String.raw`heartbeat\.uptimerobot\.com/`,
  String.raw`cronitor\.link/`,
  String.raw`trigger\.macrodroid\.com/`,
  String.raw`ntfy\.sh/(?=[\w-]{0,60}\d)`,
  String.raw`nosnch\.in/`,
  String.raw`api\.(?:pushcut\.io|day\.app)/`,
  String.raw`(?:simplepush\.io/send|notify\.run|wirepusher\.com)/`,
  String.raw`logs-\d+\.loggly\.com/(?:inputs|bulk)/`,
  String.raw`hub\.docker\.com/api/build/v\d/source/`,
  String.raw`script\.google\.com/macros/s/`,
  // Calendars that are readable for anyone who knows the address.
  String.raw`calendar\.google\.com/calendar/ical/[^\s/]{1,120}/(?=private-)`,
  String.raw`outlook\.(?:office(?:365)?|live)\.com/owa/calendar/[^\s/]{1,120}/`,
  String.raw`ping\.checklyhq\.com/`,
  String.raw`(?:cronhub\.io|ping\.\w+\.io)/ping/`,
  String.raw`api\.honeybadger\.io/v\d/check_in/`,
  String.raw`[\w.:-]+/api/push/`,
].map((host) => new RegExp(`((?:https?://|(?<![\\w./:-]))${host})(${REST}{6,})`, "gi"));
/** In chats people omit the scheme. */
const WITHOUT_SCHEME =
  /(?<![\w./-])(?:hooks?\.[\w.-]{4,40}\.\w{2,4}\/|(?:(?:canary|ptb)\.)?discord(?:app)?\.com\/api\/|[\w-]+\.webhook\.office|open\.(?:feishu|lark)|api\.telegram\.org\/bot|chat\.googleapis\.com\/v1\/spaces|hc-ping\.com\/|maker\.ifttt|events\.(?:eu\.)?pagerduty\.com\/|cronitor\.link\/|ntfy\.sh\/|nosnch\.in\/|alert\.victorops\.com\/)/i;

/** Path segments of endpoints that receive messages, and the segment after them. */
const RECEIVER =
  /(https?:\/\/(?:[\w.-]{0,60}hooks?[.-][\w.-]{1,60}\/|[^\s"'<>|\\)\]}«\0/]{1,200}\/(?:[\w.~-]{1,60}\/){0,5}(?:web-?hooks?(?:-test)?|hooks?|incoming|inbound|push|heartbeats?|ping|catch|triggers?|deploy[_-]?hooks?|build_hooks|ingest|collect|notify|callback|events?|check-?ins?|receivers?|alerts?|integrations?|inputs?|send|robot|feeds?|calendars?|ical)\/)(?:(?!settings|docs)[\w.~-]{1,40}\/){0,3})([\w~-]{16,200})(?![\w.])/gi;

/** Webhook paths of chat and paging services: whoever knows one can post to it. */
export const webhookPathRule: TextRule = {
  words: [
    "://",
    "hook.",
    "hooks.",
    "discord",
    "webhook.office",
    "open.",
    "telegram.org",
    "googleapis",
    "hc-ping",
    "ifttt",
    "pagerduty",
    "cronitor",
    "ntfy",
    "nosnch",
    "victorops",
  ],
  // A part of each service's address, or of its path.
  hint: new RegExp(
    `rtmps?://|${WITHOUT_SCHEME.source}|${/:\/\/(?:(?!:\/\/)[\w.:/~-]){0,800}?(?:hook|discord|googleapis|ifttt|telegram|pagerduty|victorops|incident\.io|feishu|larksuite|hc-ping|betterstack|betteruptime|incoming|inbound|push|heartbeat|ping|pipedream|zenduty|squadcast|rootly|signl4|pagertree|ilert|allquiet|spike\.sh|integration|cronitor|ntfy|macrodroid|nosnch|checkly|check|honeybadger|catch|trigger|ingest|collect|notify|callback|event|receiver|alert|input|send|robot|feed|calendar|ical|loggly|pushcut|day\.app|notify|wirepusher|docker|macros|netlify|vercel|tines|torq)/.source}`,
    "i",
  ),
  find: (text) => [...webhookPathSpans(text), ...receiverSpans(text), ...streamSpans(text)],
};

function webhookPathSpans(text: string): SecretSpan[] {
  return HOOKS.flatMap((hook) =>
    [...text.matchAll(hook)].flatMap(({ index, 0: whole, 1: kept = "" }) => {
      const rest = whole.slice(kept.length).replace(/(?<![.,;:!?\x60])[.,;:!?\x60]+$/, "");
      // `services/XXX/YYY/ZZZ`, `YOUR/WEBHOOK/URL`
      if (/[A-Z]{3}/.test(rest) && rest.split("/").every((part) => PLACEHOLDER.test(part))) return [];
      return { start: index + kept.length, end: index + kept.length + rest.length, rule: "webhook-path" };
    }),
  );
}

/** Streaming ingest addresses: whoever knows the last segment can broadcast. */
const STREAM = /(?<=\brtmps?:\/\/[\w.:-]{3,80}\/(?:[\w-]{1,20}\/){1,2})[\w?=&-]{16,200}/g;

function streamSpans(text: string): SecretSpan[] {
  return matchSpans(text, STREAM, "webhook-path").filter(({ start, end }) => {
    const key = text.slice(start, end);
    return looksRandom(key) || /^(?=.*\d)[a-z\d]{4}(?:-[a-z\d]{4}){3,4}$/.test(key);
  });
}

/** A word in a path, or a stand-in for a segment. */
const PLACEHOLDER = /^(?:[a-z]{1,12}|(?:[A-Z]{1,10}_){0,4}[A-Z]{1,10}|[xX.*]+)$/;

/** Any other receiving endpoint whose last path segment is random and not the id of a record. */
function receiverSpans(text: string): SecretSpan[] {
  return [...text.matchAll(RECEIVER)].flatMap(({ index, 1: kept = "", 2: part = "" }) => {
    // A date or a title with hyphens.
    if (part.split(/[-_~.]/).every((word) => /^(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}|v?\d{1,4})$/.test(word))) return [];
    const isId = /^[\da-f]{24}$/i.test(part) || (UUID.test(part) && !/hook|push|heartbeat|ping|check-?in/i.test(kept));
    if (isId || REPOSITORY.test(kept) || !looksRandom(part)) return [];
    const start = index + kept.length;
    return [{ start, end: start + part.length, rule: "webhook-path" }];
  });
}

/** Addresses of repositories: a commit is not a secret, whatever the name of the repository. */
const REPOSITORY =
  /\/\/(?:[\w-]{1,40}\.){0,4}(?:github|gitlab|bitbucket|gitea|codeberg|sourcehut|sr\.ht|gitee|git)\b|\/(?:-\/)?(?:commits?|tree|blob|blame|compare|raw|merge_requests|pull|src\/commit)\//i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
