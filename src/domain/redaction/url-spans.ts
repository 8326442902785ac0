import { credentialName } from "./credential-name.ts";
import { isHarmless } from "./looks-secret.ts";
import type { SecretSpan } from "./redaction-policy.ts";
import { webhookPathSpans } from "./webhook-path-spans.ts";

/** Parameters that carry a credential or prove one; the rest are told by their name, like members. */
const SIGNED = new Set([
  ..."sig signature hmac sas jwt assertion ticket jsessionid phpsessid sid otp".split(" "),
  ..."x-amz-signature x-amz-credential x-amz-security-token x-goog-signature x-goog-credential awsaccesskeyid".split(
    " ",
  ),
  ..."googleaccessid code key pass auth apitoken id_token token access_token".split(" "),
]);
/** These also name harmless things: `code=404`, `key=env`. */
const AMBIGUOUS = /^(?:code|key|auth|sid|ticket|sas)$/;
const WORD_OR_NUMBER = /^(?:[A-Za-z_.]{1,12}\d{0,4}|\d{1,4})$/;

const PARAMETER = /(?<=[?&#]|&amp;|^)([A-Za-z][\w.\-[\]]{0,60})=([^\s&#;"'<>`|\\)}«\0]+)/g;
const USER_INFO = /(?<=:\/\/)([^\s/?#"'<>`\0«@:]{0,128})(?::([^\s/?#"'<>`\0«@]{1,256}))?@/g;
/** Outside of the web people write passwords with slashes and question marks as they are. */
const LAX_USER_INFO = /(?<=:\/\/)([^\s/?#"'<>`\0«@:]{0,128}):([^\s"'<>`\0«@]{1,256})@/g;

/** User info, signed and token-like parameters, and paths that are credentials, in addresses anywhere in a text. */
export function urlSpans(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  if (text.includes("://")) spans.push(...userInfoSpans(text), ...webhookPathSpans(text));
  if (text.includes("=")) spans.push(...parameterSpans(text));
  return spans;
}

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
