import { isHarmless, looksOdd, looksRandom, looksSecret } from "../values/secret-value.ts";
import type { SecretSpan } from "../spans.ts";
import type { TextRule } from "./text-rule.ts";

const USER = String.raw`(?<![\w.:/@+-])(?!mailto:|sip:|xmpp:|acct:|https?:)[A-Za-z_][\w.+\\-]{0,60}`;
const PASSWORD = String.raw`[^\s"'<>\x60\0«/@,:][^\s"'<>\x60\0«/]{3,128}?`;
const HOST = String.raw`(?:tcp\(|unix\(|//)?(?:[A-Za-z][\w-]*(?:\.[\w-]+)*|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\])`;

/** `user:password@host` without a scheme: in a DSN, after a program, in a sentence. */
const ADDRESS = new RegExp(String.raw`(${USER}):(${PASSWORD})@(?=(?!sha\d|md5)${HOST}(?![\w@]))`, "g");
/** Oracle's way: `user/password@host` */
const ORACLE = new RegExp(
  String.raw`((?<![\w./@+-])[A-Za-z_]\w{0,60})/(${PASSWORD})@(?=//[\w.-]|[\w.-]+:\d{2,5}[/:]|[\w.-]+/\w)`,
  "g",
);
/** A user and a password after words for the pair. */
const PAIR =
  /(?<![A-Za-z])(?:creds?|credentials?|logins?|account|acct|log ?(?:in|on)|sign(?:ed)? ?in|authenticate|zugang(?:sdaten)?|anmeldung|identifiants?|acceso|credenciales|credenciais|accesso|logowanie|inlog)(?![A-Za-z])[^\n\0«]{0,60}?[\s:=`"'*(]([\w.@+\\-]{2,60})\s?[/:|]\s?([^\s"'<>`\0«/|,]{6,128})/gi;
/** A password that is only said to be one by what it is used for: `log in as X with …`. */
const WITH =
  /(?<![A-Za-z])(?:log ?(?:in|on)|sign(?:ed)? ?in|login|connect|authenticate|ssh|rdp|vpn|sudo|unlock|anmelden|einloggen|connecte[rz]?|ingresar|entrar|accedi)(?![A-Za-z])[^\n\0«]{0,100}?\s(?:with|using|mit|avec|con|com|z|met|med)\s(?:["'`*(]{0,3})([^\s"'<>`\0«]{8,128})/gi;

/** `admin with … as the password` */
const AS_PASSWORD =
  /(?<=[\s"'`*(])([^\s"'<>`\0«]{8,128})["'`*)]{0,3}(?=\s(?:as|for|como|als|für|comme|come|jako)\s(?:(?:the|its|a|la|das|le)\s)?(?:pass|pw|contrase|senha|mot de passe|has[łl]o))/gi;

/** `u: deployer p: …` */
const SHORT_PAIR =
  /(?<![A-Za-z])(?:u|usr|user|login)\s?[:=]\s?[^\s,;|]{2,60}[\s,;/|]{1,4}(?:p|pw|pass|pwd)[:=]\s?(?:["'`]?)([^\s"'<>`\0«,]{6,128})/gi;
/** An answer to a question about a password. */
const TRIED =
  /(?<=(?<![A-Za-z])(?:pass|password|passwort|pwd?|mdp|contrase\u00f1a|senha)(?![A-Za-z])[^\0\u00ab]{0,200}?(?:try|it'?s|nimm|probier|versuch|prueba|essaie|tenta)[ \t:]{1,3})["'`*(]{0,3}([^\s"'<>`\0\u00ab]{8,128})/gi;
const LOGIN_WORDS =
  "cred,login,logon,log in,log on,account,acct,signin,sign in,signed in,signedin,authent,zugang,anmeld,identifiant,acceso,accesso,logowan,inlog,connect,ssh,rdp,vpn,sudo,unlock,einlogg,ingresar,entrar,accedi,pass,pw,p:,p=,contrase,senha,mot de passe,hasł,hasl,mdp".split(
    ",",
  );

/** Users with their passwords before the host: `user:password@host`. */
export const addressRule: TextRule = {
  words: ["@"],
  hint: /[\w.+\\-][:/][^\s"'<>`\0«/@,:][^\s"'<>`\0«/]{3,128}@[A-Za-z\d[/]/,
  find: (text) => [...spansOf(text, ADDRESS, isPassword), ...spansOf(text, ORACLE, isPassword)],
};

/** Users with their passwords in sentences. */
export const loginRule: TextRule = {
  words: LOGIN_WORDS,
  hint: new RegExp([PAIR, WITH, AS_PASSWORD, SHORT_PAIR, TRIED].map(withoutGroups).join("|"), "i"),
  find: (text) => [
    ...spansOf(text, PAIR, (value) => looksOdd(value) || looksRandom(value)),
    ...spansOf(text, WITH, looksOdd),
    ...spansOf(text, AS_PASSWORD, (value) => looksOdd(value) || (isPassword(value) && value.length >= 8)),
    ...spansOf(text, SHORT_PAIR, isPassword),
    ...spansOf(text, TRIED, looksOdd),
  ],
};

/** The source of an expression with its groups not capturing. */
function withoutGroups({ source }: RegExp): string {
  return source.replaceAll("([", "(?:[");
}

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
  return (
    looksSecret(value, { strength: "strong", tight: true }) && /[A-Za-z]/.test(value) && /\d|[!#$%^&*+~?]/.test(value)
  );
}
