import { credentialName } from "../names.ts";
import { isHarmless } from "../secret-value.ts";
import type { SecretSpan } from "../spans.ts";
import type { TextRule } from "./text-rule.ts";

/** Parameters that carry a credential or prove one; the rest are told by their name, like members. */
const SIGNED = new Set(
  `sig signature hmac sas jwt assertion ticket jsessionid phpsessid sid otp x-amz-signature x-amz-credential
  x-amz-security-token x-goog-signature x-goog-credential awsaccesskeyid googleaccessid code key pass auth apitoken id_token
  token access_token`.split(/\s+/),
);
/** These also name harmless things: `code=404`, `key=env`. */
const AMBIGUOUS = /^(?:code|key|auth|sid|ticket|sas)$/;
const WORD_OR_NUMBER = /^(?:[A-Za-z_.]{1,12}\d{0,4}|\d{1,4})$/;

const PARAMETER = /(?<=[?&#]|&amp;|^)([A-Za-z][\w.\-[\]]{0,60})=([^\s&#;"'<>`|\\)}«\0]+)/g;
const USER_INFO = /(?<=:\/\/)([^\s/?#"'<>`\0«@:]{0,128})(?::([^\s/?#"'<>`\0«@]{1,256}))?@/g;
/** Outside of the web people write passwords with slashes and question marks as they are. */
const LAX_USER_INFO = /(?<=:\/\/)([^\s/?#"'<>`\0«@:]{0,128}):([^\s"'<>`\0«@]{1,256})@/g;

/** User info of addresses anywhere in a text. */
export const userInfoRule: TextRule = { hint: /:\/\/[^\s"'<>`\0«@]{0,385}@/, find: userInfoSpans };

/** Signed and token-like parameters of addresses. */
export const parameterRule: TextRule = {
  hint: /(?:[?&#;]|^)[A-Za-z][\w.\-[\]]{0,60}=[^\s&#;"'<>`|\\)}«\0]/,
  find: parameterSpans,
};

function userInfoSpans(text: string): SecretSpan[] {
  const find = (expression: RegExp, lax: boolean): SecretSpan[] =>
    [...text.matchAll(expression)].flatMap(({ index, 0: whole, 1: user = "", 2: password }) => {
      const web = /https?$/i.test(text.slice(Math.max(0, index - 8), index - 3));
      if (lax && (web || /^\d{1,5}(?:[/?#,]|$)/.test(password ?? ""))) return [];
      if (password === undefined ? !web || !isToken(user) : isHarmless(password) && isHarmless(user)) return [];
      if (password !== undefined && /^(?:\{\{|\$\{)/.test(password) && isHarmless(password)) return [];
      return [{ start: index, end: index + whole.length - 1, rule: "url-user-info" }];
    });
  return [...find(USER_INFO, false), ...find(LAX_USER_INFO, true)];
}

function isToken(user: string): boolean {
  return /[A-Za-z\d]{2}/.test(user) && !isHarmless(user);
}

function parameterSpans(text: string): SecretSpan[] {
  return [...text.matchAll(PARAMETER)].flatMap(({ index, 0: whole, 1: name = "", 2: value = "" }) => {
    const plain = name.toLowerCase();
    const carries = SIGNED.has(plain) || credentialName(name) !== undefined;
    if (!carries || isHarmless(value)) return [];
    if (AMBIGUOUS.test(plain) && WORD_OR_NUMBER.test(value)) return [];
    return [{ start: index + name.length + 1, end: index + whole.length, rule: "url-parameter" }];
  });
}

const REST = String.raw`[^\s"'<>|\\)\]}«\0]`;

/** Services whose addresses are credentials by themselves, and from where on: the first group stays. */
const HOOKS: readonly RegExp[] = [
  String.raw`hooks\.slack(?:-gov)?\.com/`,
  String.raw`(?:(?:canary|ptb)\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/`,
  String.raw`[\w-]+\.webhook\.office\.com/webhookb2/`,
  String.raw`outlook\.office(?:365)?\.com/webhook/`,
  String.raw`chat\.googleapis\.com/v1/spaces/`,
  String.raw`hooks\.zapier\.com/hooks/`,
  String.raw`hook\.[\w.]*(?:make|integromat)\.com/`,
  String.raw`maker\.ifttt\.com/(?=trigger/|use/)`,
  String.raw`api\.telegram\.org/(?=bot\d)`,
  String.raw`events\.(?:eu\.)?pagerduty\.com/(?=integration/|x-ere/)`,
  String.raw`alert\.victorops\.com/integrations/`,
  String.raw`api\.incident\.io/v\d/alert_events/http/`,
  String.raw`open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/`,
  String.raw`hc-ping\.com/`,
  String.raw`(?:api\.)?webhook\.site/`,
  String.raw`[\w.-]+/hooks/(?=[a-z\d]{26}\b)`,
  String.raw`[\w.-]+/hooks/(?=[A-Za-z\d]{17,24}/[A-Za-z\d]{20,})`,
  String.raw`uptime\.betterstack\.com/api/v\d/(?=heartbeat/)`,
  String.raw`hooks\.[\w-]+\.grafana\.net/`,
].map((host) => new RegExp(`(https?://${host})(${REST}{6,})`, "gi"));

/** Paths of chat and paging services that anybody who knows them can post to. */
export const webhookPathRule: TextRule = {
  // A part of each service's address, or of the path.
  hint: /:\/\/[\w./-]*?(?:hook|discord|googleapis|ifttt|telegram|pagerduty|victorops|incident\.io|feishu|larksuite|hc-ping|betterstack)/i,
  find: webhookPathSpans,
};

function webhookPathSpans(text: string): SecretSpan[] {
  return HOOKS.flatMap((hook) =>
    [...text.matchAll(hook)].map(({ index, 0: whole, 1: kept = "" }) => {
      const rest = whole.slice(kept.length).replace(/[.,;:!?]+$/, "");
      return { start: index + kept.length, end: index + kept.length + rest.length, rule: "webhook-path" };
    }),
  );
}
