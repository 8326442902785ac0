import { credentialName } from "./credential-name.ts";
import { credentialSigns } from "./credential-signs.ts";
import { isHarmless } from "./looks-secret.ts";
import type { SecretSpan } from "./redaction-policy.ts";
import { signs } from "./sign.ts";
import type { TextRule } from "./text-rule.ts";

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

/** From inside of a parameter's name: where it begins, and that it goes on to a sign and a value. */
const IN_PARAMETER = /(?<=(?:[?&#;]|^)[\w.\-[\]]{0,61})[\w.\-[\]]{0,61}=[^\s&#;"'<>`|\\)}«\0]/y;

/** User info of addresses anywhere in a text. */
export const userInfoRule: TextRule = {
  signs: signs(["://"], { after: /[^\s"'<>`\0«@]{0,385}@/y }),
  find: userInfoSpans,
};

/** Signed and token-like parameters of addresses. */
export const parameterRule: TextRule = {
  signs: [
    ...signs([...SIGNED], { spelled: "any-case", after: IN_PARAMETER }),
    ...credentialSigns([], { strong: IN_PARAMETER, weak: IN_PARAMETER }),
  ],
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
