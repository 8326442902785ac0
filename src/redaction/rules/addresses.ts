import { CREDENTIAL_WORDS, credentialName, HAS_CREDENTIAL_WORD } from "../values/names.ts";
import { isNonSecret, isPlaceholderValue } from "../values/non-secrets.ts";
import { looksLabelled, looksRandom } from "../values/secret-value.ts";
import type { SecretSpan, TextRule } from "../spans.ts";
import { matchesOf, matchSpans } from "../spans.ts";

/** Parameters that hold a credential; other parameters are judged by their names, like members. */
const SIGNED = new Set(
  `sig signature hmac sas jwt assertion ticket jsessionid phpsessid sap-sessionid sessid magic sid otp x-amz-signature x-amz-credential
  x-amz-security-token x-goog-signature x-goog-credential awsaccesskeyid googleaccessid code key pass auth apitoken appid id_token
  token access_token oauth_verifier zapikey`.split(/\s+/),
);
/** Names that also have harmless values: `code=404`, `key=env`. */
const AMBIGUOUS = /^(?:appid|code|key|auth|sid|ticket|sas)$/;
/** A word or number: letters with the few capitals of a name (`orderId`, but not `ZLFhViRAFmT`). */
const WORD_OR_NUMBER = /^(?!(?:.*[a-z][A-Z]){3})(?:[A-Za-z_.]{1,12}\d{0,4}|\d{1,4})$/;

const PARAMETER = /(?<=[?&#]|&amp;|^|\w;|\\u0026)([A-Za-z][\w.\-[\]]{0,60})=([^\s&#;"'<>`|\\)}«\0]+)/g;
const USER_INFO = /(?<=:\/\/)([^\s/?#"'<>`\0«@:]{0,128})(?::([^\s/?#"'<>`\0«@]{1,256}))?@/g;
/** Outside of the web, people do not escape slashes and question marks in passwords. */
const LAX_USER_INFO = /(?<=:\/\/)([^\s/?#"'<>`\0«@:]{0,128}):([^\s"'<>`\0«@]{1,256})@/g;

/** User and password in an address that is a parameter of another address: encoded once or, after a redirect, twice. */
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
/** A login in the address of a console. */
const LOGIN_IN_PATH = /(?<=#\/login\/[^\s/"'<>«\0]{1,60}\/)[^\s/"'<>`«\0)]{4,200}/g;
/** User keys of a phone notification service, which forms submit under a harmless name. */
const PHONE_KEY = /(?<=(?<![A-Za-z])user(?:[_ -]?key)?["'`]?[=: ]{1,3}["'`]?)[ug][A-Za-z\d]{29}(?![A-Za-z\d])/g;

/** User info of addresses anywhere in a text. */
export const userInfoRule: TextRule = {
  words: ["://", "%2f", "%252f", "#/login/"],
  find: (text) => [
    ...userInfoSpans(text),
    ...matchSpans(text, ENCODED_USER_INFO, "url-user-info").filter(({ start, end }) =>
      isUserInfo(text.slice(start, end)),
    ),
    ...matchSpans(text, LOGIN_IN_PATH, "url-parameter").filter(
      ({ start, end }) => !isNonSecret(text.slice(start, end)),
    ),
  ],
};

/** Signed and token-like parameters of addresses. */
export const parameterRule: TextRule = {
  words: [...CREDENTIAL_WORDS, ...SIGNED, "user", "&p=", "?p="],
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
      return [{ start: index, end: index + whole.length - 1, rule: "url-user-info" }];
    });
  return [...find(USER_INFO, false), ...find(LAX_USER_INFO, true)];
}

/** Tells whether the text before an encoded host has a password that is not just a word for one. */
function isUserInfo(userInfo: string): boolean {
  const password = userInfo.slice(userInfo.search(/%(?:25)?3A/i)).replace(/^%(?:25)?3A/i, "");
  return !isNonSecret(password) && !/^\d{1,5}(?:%(?:25)?2F|$)/i.test(password) && !/%(?:25)?(?:2F|3F)/i.test(userInfo);
}

function isToken(user: string): boolean {
  return (looksRandom(user) || /^(?=.*\d)(?=.*[A-Za-z])[^.@]{10,}$/.test(user)) && !isNonSecret(user);
}

function parameterSpans(text: string): SecretSpan[] {
  const parameters = [PARAMETER, ...ENCODED_PARAMETERS].flatMap((expression) => matchesOf(text, expression));
  const parameterValues = parameters.flatMap(({ index, 0: whole, 1: name = "", 2: value = "" }) => {
    const lowerName = name.toLowerCase();
    // A form body has no blanks: a text with blanks is a sentence or a list, which other rules cover.
    if (index === 0 && /^[ \t]{1,3}\w/.test(text.slice(whole.length, whole.length + 4))) return [];
    const carries =
      SIGNED.has(lowerName) ||
      (lowerName === "p" && isPasswordOf(text, index, value)) ||
      (HAS_CREDENTIAL_WORD.test(name) && credentialName(name) !== undefined);
    // `LA_TUA_CHIAVE` stands for a value, and the variables of a dashboard (`var-…`) are not credentials.
    if (!carries || isNonSecret(value) || lowerName.startsWith("var-")) return [];
    if (AMBIGUOUS.test(lowerName) && WORD_OR_NUMBER.test(value)) return [];
    // `Authentication=Active Directory …` names a method, not a credential.
    if (
      /^auth(?:entication)?(?:[_-]?(?:mech|mechanism|type|method|mode|scheme))?$/.test(lowerName) &&
      /^[A-Za-z]{1,40}$/.test(value)
    )
      return [];
    return [{ start: index + whole.length - value.length, end: index + whole.length, rule: "url-parameter" }];
  });
  const settings = matchSpans(text, ENCODED_SETTING, "url-parameter").filter(
    ({ start, end }) => !isNonSecret(text.slice(start, end)),
  );
  return [...parameterValues, ...settings, ...matchSpans(text, PHONE_KEY, "url-parameter")];
}

/** Tells whether `p=` is a password, as in InfluxDB's `u=…&p=…`: the user stands beside it. */
function isPasswordOf(text: string, position: number, value: string): boolean {
  const textBefore = text.slice(Math.max(0, position - 200), position);
  const textAfter = text.slice(position, position + 300);
  const hasUser =
    /[?&]u(?:ser(?:name)?)?=[^\s"'<>]*$/.test(textBefore) || /^\S{0,200}?&u(?:ser(?:name)?)?=[a-z]/.test(textAfter);
  const isQuery = /[?&](?:db|q)=[^\s"'<>]*$/.test(textBefore) || /^\S{0,200}?&(?:db|q)=/.test(textAfter);
  return hasUser && isQuery && /[A-Za-z]/.test(value) && looksLabelled(value, "strong", true);
}
