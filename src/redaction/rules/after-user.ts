import type { SecretSpan, TextRule } from "../spans.ts";
import { matchesOf, valueSpans } from "../spans.ts";
import { wordTest } from "../word-search.ts";
import { FOREIGN_PASSWORD, FOREIGN_WORDS } from "../values/languages.ts";
import { isHarmless } from "../values/harmless.ts";
import { mayBePassword } from "../values/secret-value.ts";

const MARKS = String.raw`["'\x60*_)\]»）\\]{0,6}`;
const OPENING = String.raw`(?:[ \t]|["'\x60*_\\«「“]){0,8}`;
const JOINT = String.raw`[ \t]{0,3}(?::[ ]?[Ss]tr(?:ing)?[ ]?=|\{ ?get;[^{}\n]{0,20}\} ?=|=>|[:：=→]{1,2}|は|-(?= )|\((?=["']))`;
const USER = String.raw`(?:user(?:[ _-]?(?:name|id))?|user(?:vm|app|db|ssh|web)|login|e-?mail|account|benutzer(?:name)?|anmeldename|nutzer(?:name)?|utilisateur|usuario|usuário|identifiant|utente|gebruiker(?:snaam)?|użytkownik|utilizador|brukernavn|användar(?:e|namn)|käyttäjä(?:tunnus)?|kullanıcı(?: adı)?|uživatel|felhasználó(?:név)?|χρήστης|pengguna|логин|пользователь|почта|用户名?|使用者名?|账[号户]|帳號|邮箱|メール(?:アドレス)?|ユーザー?(?:名|ID)?|아이디|이메일)`;
/** A labelled user, shortly before on the same line, or one or two lines above. */
const USER_BEFORE = new RegExp(
  String.raw`${USER}${MARKS}${JOINT}${OPENING}(?<user>[^\s"'\x60*«»<>{}()[\],;|]{2,80})[^\n]{0,40}?(?:(?:\r?\n[^\n]{0,60})?\r?\n|[,;/|&]| (?:and|und|et|y|e|i|en) )[^\p{L}\p{N}\n]{0,16}(?:(?:va[lr]|let|const|final|static|private|public|protected|export|set|[Ss]tring|ARG|ENV|e) ){0,6}(?:[A-Za-z][\w.-]{0,40})?$`,
  "iu",
);
const ENGLISH = String.raw`(?:pass(?:word|wd|phrase|code|vm|app|db|ssh|web)?|pwd?)(?![\p{L}\d_-])`;
const VALUE = String.raw`(?: [\p{L}()-]{1,14}){0,2}${MARKS}(?<joint>${JOINT})(?<opening>${OPENING})(?<value>[^\s"'\x60*«»<>{}()[\],;|\0]{4,64})(?=["'\x60*_»」”]|[.,;)]{0,2}[ \t]{0,4}(?:\r?\n|$)|[ \t]{1,4}(?:#|//) |[ ]{0,2}[,;|}])`;
/** `user deploy / pass …` */
const SPOKEN =
  /(?<![\w.])(?:user(?:name)?|login|as):? ["'`*]{0,2}[A-Za-z][\w.@-]{1,40}["'`*]{0,2} ?(?:\/|,|&|\+|and|with) ?(?:the )?(?:pass(?:word|wd)?|pwd?):? ["'`*]{0,3}([^\s"'`*«»<>{}()[\],;|\0]{5,64})/gi;
/** Two lines of settings with only blanks between name and value. */
const SETTINGS =
  /^[ \t]{0,20}(?:\w{1,20}_)?user(?:name)?[ \t]{1,20}\S{2,80}\r?\n[ \t]{0,20}(?:\w{1,20}_)?pass(?:word|wd)?[ \t]{1,20}["']?([^\s"'`«»<>{}$\0]{5,64})["']?[ \t]{0,4}(?=\r?\n|$)/gim;
const hasForeignWord = wordTest(FOREIGN_WORDS);
const FIND = new RegExp(ENGLISH + VALUE, "giu");
const FIND_FOREIGN = new RegExp(`(?:${FOREIGN_PASSWORD})${VALUE}`, "giu");

/**
 * Passwords that are plain words, below or beside their user: between a user name and the end of the line only a password is
 * expected.
 */
export const afterUserRule: TextRule = {
  words: ["pass", "pw", ...FOREIGN_WORDS],
  find: (text) => [
    ...valueSpans(text, SPOKEN, (value) => /[\d!@#$%^&*+?~]/.test(value) && mayBePassword(value), withoutEnd),
    ...valueSpans(text, SETTINGS, mayBePassword),
    ...[FIND, ...(!hasForeignWord(text) ? [] : [FIND_FOREIGN])].flatMap((expression) =>
      matchesOf(text, expression).flatMap((match): SecretSpan[] => {
        const { joint = "", opening = "", value: raw = "" } = match.groups ?? {};
        const value = withoutEnd(raw);
        const start = match.index + match[0].length - raw.length;
        const user = USER_BEFORE.exec(text.slice(Math.max(0, match.index - 200), match.index))?.groups?.["user"] ?? "";
        if (user === "" || isHarmless(user) || !mayBePassword(value)) return [];
        // Without quotes the value may be a variable.
        const isCode = opening === "" && /[=(]/.test(joint);
        if (isCode && !/[^A-Za-z_.]/.test(value) && /^[A-Za-z_.]+$/.test(user)) return [];
        return [{ start, end: start + value.length, rule: "assigned-secret" }];
      }),
    ),
  ],
};

function withoutEnd(raw: string): string {
  return raw.replace(/(?:[.:?!_\\]{2,}|[.:?_\\])$/, "");
}
