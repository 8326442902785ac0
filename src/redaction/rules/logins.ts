import { FOREIGN_PASSWORD, FOREIGN_WORDS, hasForeignWord, isNonSecret } from "../values/non-secrets.ts";
import {
  mayBePassword,
  looksSecretAfterLabel,
  hasPasswordShape,
  looksRandom,
  looksSecret,
} from "../values/secret-value.ts";
import { valueSpans, type SecretSpan, type TextRule, type ValueTest } from "../spans.ts";

const USER = String.raw`(?<![\w.:/@+-])(?!mailto:|sip:|xmpp:|acct:|https?:)[A-Za-z_][\w.+\\-]{0,60}`;
const PASSWORD = String.raw`[^\s"'<>\x60\0«/@,:][^\s"'<>\x60\0«/]{3,128}?`;
const HOST = String.raw`(?:(?:tcp|unix)?\(|//)?(?:[A-Za-z][\w-]*(?:\.[\w-]+)*|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\])`;

/** Matches `user:password@host` in a DSN, after a program, or in a sentence. */
const ADDRESS = new RegExp(String.raw`(${USER}):(${PASSWORD})@(?=(?!sha\d|md5)${HOST}(?![\w@]))`, "g");
/** Oracle writes a login as `user/password@host`. */
const ORACLE = new RegExp(
  String.raw`((?<![\w./@+-])[A-Za-z_]\w{0,60})/(${PASSWORD})@(?=//[\w.-]|[\w.-]+:\d{2,5}[/:]|[\w.-]+/\w)`,
  "g",
);
const MARKS = String.raw`(?:["'\x60*_«“]|<\/?(?:b|i|code|strong|kbd|em|tt)>){0,4}`;
const STROKE = String.raw`${MARKS}[ ]?(?:[/|:／：]|&#47;|→|->)[ ]?${MARKS}`;
const LOGIN = String.raw`(?:creds?|credentials?|logins?|basic[ -]auth|account|acct|log ?(?:in|on)|sign(?:ed)? ?in|(?<!(?:www|proxy)-)authenticate|user(?:name)? ?(?:/|&|\\+|and) ?pass(?:word|wd)?|u/p|id/pw|dane logowania|zugang(?:sdaten)?|anmeldung|anmeldedaten|benutzer|identifiants?|connexion|acceso|usuario|credenciales|credenciais|usuário|accesso|utente|credenziali|logowanie|konto|inlog(?:gegevens)?|inloggning|giriş|kullanıcı|логин|уч[её]тка|доступы?|аккаунт)`;
const UNSPACED_LOGIN = "账[号户]|帐[号户]|登录|用户名|帳號|ログイン|アカウント|ユーザー?|계정|로그인|아이디";
const PAIR = new RegExp(
  String.raw`(?:(?<![\p{L}])${LOGIN}(?![\p{L}])|${UNSPACED_LOGIN})[^\n\0«]{0,60}?[\s:：=\x60"'*(（>]([\w.@+\\-]{2,60})${STROKE}([^\s"'<>\x60\0«/|,，）]{6,128})`,
  "giu",
);
const KNOWN_USER = String.raw`(?:admin|administrator|root|elastic|guest|readonly|sa|postgres|kibana|minioadmin|sysadmin|superuser|ubnt)\d{0,2}(?:@[\w.-]{2,60})?`;

/** Matches `log in as ops with …`. */
const WITH =
  /(?<![A-Za-z])(?:log ?(?:in|on)|sign(?:ed)? ?in|login|connect|authenticate|ssh|rdp|vpn|sudo|unlock|anmelden|einloggen|connecte[rz]?|ingresar|entrar|accedi|conect\w{0,8}|intr[ăa]|łącz\w{0,5}|loguj\w{0,3}|підключ\w{0,6}|подключ\w{0,6}|заход\w{0,4})(?![A-Za-z])[^\n\0«]{0,100}?\s(?:with|using|mit|avec|con|com|cu|z|met|med|с|з)\s(?:["'`*(]{0,3})([^\s"'<>`\0«]{8,128})/gi;

/** Matches `with ops and …` and `use ops:…`. */
const WITH_USER =
  /(?<![A-Za-z.])(?:with|using|use|mit|avec|con|com|met)\s(?:user\s|login\s|benutzer\s)?["'`*]{0,2}[A-Za-z][\w.@-]{1,40}["'`*]{0,2}(?:\s(?:and|und|et|y|e|en|\/|&|\+)\s(?:password\s|pw\s)?|:|\/)["'`*(]{0,3}([^\s"'<>`\0«]{8,128})/gi;
/** Matches `… as the password`. */
const AS_PASSWORD =
  /(?<=[\s"'`*(])([^\s"'<>`\0«]{8,128})["'`*)]{0,3}(?=\s(?:as|for|como|als|für|comme|come|jako)\s(?:(?:the|its|an?|his|her|their|our|my|la|das|le)\s)?(?:pass|pw|contrase|senha|mot de passe|has[łl]o)|\s(?:when|if|where)\s[^\n]{0,40}\bpass(?:word|phrase|code)\b)/gi;

/** Matches `u: deployer p: …`. */
const SHORT_PAIR =
  /(?<![A-Za-z])(?:u|usr|user|login)\s?[:=]\s?[^\s,;|]{2,60}[\s,;/|]{1,4}(?:p|pw|pass|pwd)[:=]\s?(?:["'`]?)([^\s"'<>`\0«,]{6,128})/gi;
const LOGIN_WORDS =
  "conect,intră,intra,łącz,loguj,підключ,подключ,заход,cred,login,logon,log in,log on,account,acct,signin,sign in,signed in,signedin,authent,zugang,anmeld,identifiant,acceso,accesso,logowan,inlog,basic,connect,u/p,id/pw,benutzer,connexion,usuario,usuário,utente,credenzial,konto,giriş,kullanıcı,логин,учетк,учётк,доступ,аккаунт,账,帐,登录,用户,帳,ログイン,アカウント,ユーザ,계정,로그인,아이디,ssh,rdp,vpn,sudo,unlock,einlogg,ingresar,entrar,accedi,pass,pw,p:,p=,contrase,senha,mot de passe,hasł,hasl,mdp,clave,as ".split(
    ",",
  );

/** Matches of `WITH_USER` begin with one of these words and a blank. */
const BEFORE_USERS = "with using use mit avec con com met"
  .split(" ")
  .flatMap((word) => [" ", "\n", "\t", "\u00a0"].map((blank) => `${word}${blank}`));

export const hostLoginRule: TextRule = {
  words: ["@"],
  find: (text) => [...loginSpans(text, ADDRESS, isPassword), ...loginSpans(text, ORACLE, isPassword)],
};

export const sentenceLoginRule: TextRule = {
  words: [...LOGIN_WORDS, ...BEFORE_USERS],
  find: (text) => [
    ...pairs(text),
    ...loginSpans(text, WITH, hasPasswordShape),
    ...loginSpans(text, WITH_USER, hasPasswordShape),
    ...loginSpans(text, AS_PASSWORD, (value) => hasPasswordShape(value) || (isPassword(value) && value.length >= 8)),
    ...loginSpans(text, SHORT_PAIR, isPassword),
  ],
};

function pairs(text: string): SecretSpan[] {
  return loginSpans(text, PAIR, (value, [whole, user = "", raw = ""]) => {
    const lead = whole.slice(0, whole.length - raw.length);
    return isUser(user) && isPasswordAfter(lead, user, value);
  });
}

function isUser(user: string): boolean {
  return /[a-z@]/i.test(user) && !/^[A-Z]{2,6}$/.test(user) && !NO_USER.test(user);
}

function isPasswordAfter(lead: string, user: string, value: string): boolean {
  const isOdd = hasPasswordShape(value) || (looksRandom(value) && !/^[A-Z]?[a-z]+[-_. ]?v?\d/.test(value));
  if (isOdd) return true;
  const isExpected = PASSWORD_ANNOUNCEMENT.test(lead) || IS_KNOWN_USER.test(user);
  if (isExpected && looksSecretAfterLabel(value, "strong", true)) return true;
  return ANNOUNCES_BOTH.test(lead) && mayBePassword(value);
}

/** These words stand before a colon or slash near a login, but are not users. */
const NO_USER =
  /^(?:sha-?\d{1,3}|md5|value|content|text|data|title|label|name|type|role|host|url|port|page|build|version|region|env|team|db|database|failures|errors|rate)$/i;
const PASSWORD_ANNOUNCEMENT = /pass|pw|u\/p|密|парол|비번|비밀|contrase|senha|hasł|şifre|パス|mdp|wachtw/i;
const ANNOUNCES_BOTH =
  /^user(?:name)? ?[/&+] ?pass(?:word)?[^\n]{0,40}(?: is| are|:)[ "'\x60*]{0,4}[^\s]+[ ]?\/["'\x60*]{0,3}$/i;
const IS_KNOWN_USER = new RegExp(`^${KNOWN_USER}$`, "i");

function loginSpans(text: string, expression: RegExp, isSecret: ValueTest): SecretSpan[] {
  return valueSpans(text, expression, isSecret, { trim: trimmed });
}

function trimmed(raw: string): string {
  return raw.replace(/[.,;:)\]*_'"。，；」]+$/, "");
}

/** `app:1.2.3@sha256` and `git:main@host` have no password. */
function isPassword(value: string): boolean {
  if (isNonSecret(value) || /^[\d.]+(?:-[a-z]+\.?\d*)?$|^v\d/.test(value) || /^\d+\)|\($/.test(value)) return false;
  return (
    looksSecret(value, { strength: "strong", isTight: true }) && /[A-Za-z]/.test(value) && /\d|[!#$%^&*+~?]/.test(value)
  );
}

const MARKS_AFTER = String.raw`["'\x60*_)\]»）\\]{0,6}`;
const MARKS_BEFORE = String.raw`(?:[ \t]|["'\x60*_\\«「“]){0,8}`;
const JOINT = String.raw`[ \t]{0,3}(?::[ ]?[Ss]tr(?:ing)?[ ]?=|\{ ?get;[^{}\n]{0,20}\} ?=|=>|[:：=→]{1,2}|は|-(?= )|\((?=["']))`;
const USER_LABEL = String.raw`(?:user(?:[ _-]?(?:name|id))?|user(?:vm|app|db|ssh|web)|login|e-?mail|account|benutzer(?:name)?|anmeldename|nutzer(?:name)?|utilisateur|usuario|usuário|identifiant|utente|gebruiker(?:snaam)?|użytkownik|utilizador|brukernavn|användar(?:e|namn)|käyttäjä(?:tunnus)?|kullanıcı(?: adı)?|uživatel|felhasználó(?:név)?|χρήστης|pengguna|логин|пользователь|почта|用户名?|使用者名?|账[号户]|帳號|邮箱|メール(?:アドレス)?|ユーザー?(?:名|ID)?|아이디|이메일)`;
/** The user may be one or two lines above. */
const USER_BEFORE = new RegExp(
  String.raw`${USER_LABEL}${MARKS_AFTER}${JOINT}${MARKS_BEFORE}(?<user>[^\s"'\x60*«»<>{}()[\],;|]{2,80})[^\n]{0,40}?(?:(?:\r?\n[^\n]{0,60})?\r?\n|[,;/|&]| (?:and|und|et|y|e|i|en) )[^\p{L}\p{N}\n]{0,16}(?:(?:va[lr]|let|const|final|static|private|public|protected|export|set|[Ss]tring|ARG|ENV|e) ){0,6}(?:[A-Za-z][\w.-]{0,40})?$`,
  "iu",
);
const PASSWORD_LABEL = String.raw`(?:pass(?:word|wd|phrase|code|vm|app|db|ssh|web)?|pwd?)(?![\p{L}\d_-])`;
const VALUE_AFTER_LABEL = String.raw`(?: [\p{L}()-]{1,14}){0,2}${MARKS_AFTER}(?<joint>${JOINT})(?<opening>${MARKS_BEFORE})(?<value>[^\s"'\x60*«»<>{}()[\],;|\0]{4,64})(?=["'\x60*_»」”]|[.,;)]{0,2}[ \t]{0,4}(?:\r?\n|$)|[ \t]{1,4}(?:#|//) |[ ]{0,2}[,;|}])`;
/** Matches `user deploy / pass …`. */
const SPOKEN =
  /(?<![\w.])(?:user(?:name)?|login|as):? ["'`*]{0,2}[A-Za-z][\w.@-]{1,40}["'`*]{0,2} ?(?:\/|,|&|\+|and|with) ?(?:the )?(?:pass(?:word|wd)?|pwd?):? ["'`*]{0,3}([^\s"'`*«»<>{}()[\],;|\0]{5,64})/gi;
/** In these two lines of settings, blanks separate name and value. */
const SETTINGS =
  /^[ \t]{0,20}(?:\w{1,20}_)?user(?:name)?[ \t]{1,20}\S{2,80}\r?\n[ \t]{0,20}(?:\w{1,20}_)?pass(?:word|wd)?[ \t]{1,20}["']?([^\s"'`«»<>{}$\0]{5,64})["']?[ \t]{0,4}(?=\r?\n|$)/gim;
const FIND = new RegExp(PASSWORD_LABEL + VALUE_AFTER_LABEL, "giu");
const FIND_FOREIGN = new RegExp(`(?:${FOREIGN_PASSWORD})${VALUE_AFTER_LABEL}`, "giu");

/** Beside a user, even a plain word can be a password. */
export const passwordAfterUserRule: TextRule = {
  words: ["pass", "pw", ...FOREIGN_WORDS],
  find: (text) => [
    ...valueSpans(text, SPOKEN, (value) => /[\d!@#$%^&*+?~]/.test(value) && mayBePassword(value), {
      trim: withoutEnd,
    }),
    ...valueSpans(text, SETTINGS, mayBePassword),
    ...[FIND, ...(hasForeignWord(text) ? [FIND_FOREIGN] : [])].flatMap((expression) =>
      valueSpans(text, expression, isBesideUser, { trim: withoutEnd }),
    ),
  ],
};

function isBesideUser(
  value: string,
  { index, input, groups: { joint = "", opening = "" } = {} }: RegExpExecArray,
): boolean {
  const user = USER_BEFORE.exec(input.slice(Math.max(0, index - 200), index))?.groups?.["user"] ?? "";
  if (user === "" || isNonSecret(user) || !mayBePassword(value)) return false;
  // In code, a value without quotes may be a variable.
  const isCode = opening === "" && /[=(]/.test(joint);
  return !isCode || /[^A-Za-z_.]/.test(value) || !/^[A-Za-z_.]+$/.test(user);
}

function withoutEnd(raw: string): string {
  return raw.replace(/(?:[.:?!_\\]{2,}|[.:?_\\])$/, "");
}
