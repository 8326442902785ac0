import { isHarmless, looksOdd, looksRandom, looksSecret } from "../secret-value.ts";
import type { SecretSpan } from "../spans.ts";
import type { TextRule } from "./text-rule.ts";

const USER = String.raw`(?<![\w.:/@+-])(?!mailto:|sip:|xmpp:|acct:|https?:)[A-Za-z_][\w.+\\-]{0,60}`;
const PASSWORD = String.raw`[^\s"'<>\x60\0«/@,:][^\s"'<>\x60\0«/]{3,128}?`;
const HOST = String.raw`(?:tcp\(|unix\(|//)?(?:[A-Za-z][\w-]*(?:\.[\w-]+)*|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\])`;

/** `user:password@host` without a scheme: in a DSN, after a program, in a sentence. */
const ADDRESS = new RegExp(String.raw`(${USER}):(${PASSWORD})@(?=(?!sha\d|md5)${HOST}(?![\w@]))`, "g");
/** Oracle's way: `user/password@host` */
const ORACLE = new RegExp(String.raw`((?<![\w./@+-])[A-Za-z_]\w{0,60})/(${PASSWORD})@(?=//[\w.-]|[\w.-]+:\d{2,5}[/:]|[\w.-]+/\w)`, "g");
/** A user and a password after words for the pair. */
const PAIR =
  /(?<![A-Za-z])(?:creds?|credentials?|logins?|account|acct|log ?(?:in|on)|sign(?:ed)? ?in|auth(?:enticate)?|zugang(?:sdaten)?|anmeldung|identifiants?|acceso|credenciales|credenciais|accesso|logowanie|inlog)(?![A-Za-z])[^\n\0«]{0,60}?[\s:=`"'*(]([\w.@+\\-]{2,60})\s?[/:|]\s?([^\s"'<>`\0«/|,]{6,128})/gi;
/** A password that is only said to be one by what it is used for: `log in as X with …`. */
const WITH =
  /(?<![A-Za-z])(?:log ?(?:in|on)|sign(?:ed)? ?in|login|connect|authenticate|ssh|rdp|vpn|sudo|unlock|anmelden|einloggen|connecte[rz]?|ingresar|entrar|accedi)(?![A-Za-z])[^\n\0«]{0,100}?\s(?:with|using|mit|avec|con|com|z|met|med)\s(?:["'`*(]{0,3})([^\s"'<>`\0«]{8,128})/gi;

/** `admin with … as the password` */
const AS_PASSWORD =
  /(?<=[\s"'`*(])([^\s"'<>`\0«]{8,128})["'`*)]{0,3}(?=\s(?:as|como|als|comme|come|jako)\s(?:(?:the|its|a|la|das|le)\s)?(?:pass|pw|contrase|senha|mot de passe|has[łl]o))/gi;

const LOGIN_WORDS =
  "@ cred login account acct log in log on logon sign in signed in signin auth zugang anmeld identifiant acceso credenc accesso logowan inlog connect ssh rdp vpn sudo unlock einlogg ingresar entrar accedi".split(
    " ",
  ).filter((word) => word.length > 2 || word === "@");

/** Users with their passwords, written together. */
export const loginRule: TextRule = {
  words: LOGIN_WORDS,
  hint: new RegExp(
    [String.raw`[\w.+\\-][:/][^\s"'<>\x60\0«/@,:][^\s"'<>\x60\0«/]{3,128}@`, PAIR.source, WITH.source, AS_PASSWORD.source].map((source) => source.replaceAll(/\((?=[[^\\])(?!\?)/g, "(?:")).join("|"),
    "i",
  ),
  find: (text) => [
    ...spansOf(text, ADDRESS, isPassword),
    ...spansOf(text, ORACLE, isPassword),
    ...spansOf(text, PAIR, (value) => looksOdd(value) || looksRandom(value)),
    ...spansOf(text, WITH, looksOdd),
    ...spansOf(text, AS_PASSWORD, looksOdd),
  ],
};

function spansOf(text: string, expression: RegExp, isSecret: (value: string) => boolean): SecretSpan[] {
  return [...text.matchAll(expression)].flatMap((match): SecretSpan[] => {
    const raw = match.at(-1) ?? "";
    const value = raw.replace(/[.,;:)\]*_'"]+$/, "");
    const start = match.index + match[0].lastIndexOf(raw);
    return isSecret(value) ? [{ start, end: start + value.length, rule: "assigned-secret" }] : [];
  });
}

/** Neither a version, a tag, a port nor a plain word: `app:1.2.3@sha256`, `git:main@host`. */
function isPassword(value: string): boolean {
  if (isHarmless(value) || /^[\d.]+(?:-[a-z]+\.?\d*)?$|^v\d/.test(value) || /^\d+\)|\($/.test(value)) return false;
  return looksSecret(value, { strength: "strong", tight: true }) && /[A-Za-z]/.test(value) && /\d|[!#$%^&*+~?]/.test(value);
}
