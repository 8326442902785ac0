import {
  isNumberedName,
  isQuietPhrase,
  isSpacedPassphrase,
  isWords,
  looksOdd,
  looksRandom,
} from "../../values/secret-value.ts";
import { isSpoken } from "../../values/phrases.ts";
import { ID } from "../../candidates.ts";
import type { SecretSpan } from "../../spans.ts";
import { shifted, valueSpans } from "../../spans.ts";
import type { TextRule } from "../text-rule.ts";
import { withoutGroups } from "../text-rule.ts";

const LABEL = String.raw`(?<![A-Za-z])(?:pass(?:word|wd|code|phrase|wort)?s?|pwd?s?|psw|p\/w|creds?|credentials?|logins?|kennwort|mdp|mot de passe|senha|contraseña|clave|has[łl][oa]|парол\S{1,2}|пасс|wachtwoord|lösenord|passord|adgangskode|kodeord|salasana|şifre(?:si)?|parola(?:sı)?|heslo|jelszó|κωδικός|mật khẩu|sandi|密[码碼]|パスワード|비번|비밀번호|รหัสผ่าน|סיסמה)(?![A-Za-z]|[ _-](?:polic|latenc|fail|error|count|length|expiry|manager|hint|hash|rules?|rates?\b|pages?\b|screen|form|button|event|metric|attempt|strength|storage))`;
const VALUE = String.raw`["'\x60*(]{0,3}([^\s"'<>\x60\0«,]{8,128})`;
/** So far behind a question its answer is looked for: some messages of a chat. */
const REACH = 320;
const QUESTION = new RegExp(String.raw`${LABEL}[^\n\0«?？]{0,100}[?？]`, "gi");
/** A question, or a message, that asks to be told the password. */
const ASKED = new RegExp(
  String.raw`(?<![A-Za-z])(?:what(?:'?s| is| was)|(?<=[:>\])][ \t]{1,3})was|which|who (?:has|knows|remembers)|any(?:one|body)|somebody|someone|need|send|share|remind|give|gimme|got|tell|forgot the|wie (?:ist|lautet|war)|was ist|wer (?:hat|kennt|weiß)|quel|cuál|qual|какой|кто|jakie|hvad|vad är|mikä|nedir|哪|什么|什麼|誰)(?![^\n]{0,40}(?:polic|rotat|reset))[^\n\0«]{0,60}?${LABEL}[^\n\0«]{0,60}\n`,
  "gi",
);
/** A message that is no more than the question. */
const SHORT = new RegExp(
  String.raw`(?:^|\n|[:>\])][ \t*_]{1,4})(?:(?:(?:the|and|root|admin|sudo|db|wifi|ssh|vpn|new|current)[ \t]){0,2}${LABEL}[^\n\0«?]{0,40}|(?:[\w-]{2,16}[ \t]){0,3}${LABEL})\?[ \t]{0,2}\n`,
  "gi",
);
/** What people write before an answer that is a password. */
const ANSWER =
  /(?:\b(?:it'?s|its|is|still|try|use|yes|yep|sure|ok|now|here|was|that'?s|should be|think|ist|nimm|probier|est|essaie|es|prueba|è|prova|to|jest|это|är|er|on)|[:>\]–—-]|^@[\w.-]{1,24}|^)[ \t]{0,3}["'`*(]{0,3}$/i;
/** A user, and a stroke before the password. */
const USER_BEFORE = /(?:^|[\s:>\]])["'`*]{0,2}[a-z][\w.@-]{1,24}["'`*]{0,2}[ ]?[/|:][ ]?["'`*]{0,2}$/;
const AGE =
  "old|previous|prev|prior|former|earlier|last|new|newer|current|other|second|first|backup|fallback|alte[rs]?|neue[rs]?|vorherige[rs]?|ancien|nouveau|anterior|nuev[ao]|vieja|antiga|nova|stare|nowe|старый|новый|eski|yeni|gamla|nya";
const IS = String.raw`[ \t]{0,2}(?:[:=]|was|is|were|being|->|→|war|ist|était|est|era|es|był[ao]?|был)`;
/** One password told after another: `(old one was …)`, `the second one is …`. */
const TOLD = String.raw`[^\n\0«]{0,160}?(?<![A-Za-z])(?:(?:${AGE})(?:[ \t](?:one|pass(?:word|wd)?|pwd?)(?:${IS})?|${IS})|(?:(?:before|until|since)(?:[ \t][^\s\d]{1,12}){0,3}|the [\w-]{2,20} one|[\w-]{2,20}'s|enable|console|vty|sudo)${IS}|(?:until|till|since)(?:[ \t][^\s\d,]{1,12}){0,3},?[ \t]now|(?<=[:=] ?\S{8,64}[,;/] )(?!(?:user|login|host|url|port|db|database|server|node|name|version|region|env|cluster|schema|table|index|see|ticket|expires|valid|ssid|owner|contact|id|key|email|mail)\b)[A-Za-z][\w-]{1,16}[ ]?[:=]|used to be|changed to|went back to|now (?:it )?(?:is|it'?s)|it(?: is|'s) now|jetzt ist es)[ \t]{1,3}${VALUE}`;
const OTHER = new RegExp(LABEL + TOLD, "gi");
/** The same a second time, which is told after the first has been taken out. */
const AFTER_OTHER = new RegExp(
  String.raw`\0[^\n\0«]{0,120}?(?<![A-Za-z])(?:old|previous|prev|former|last|new|current|other|alte[rs]?|neue[rs]?) (?:one|pass(?:word|wd)?|pwd?) (?:was|is|war|ist)[ :]{1,3}${VALUE}`,
  "gi",
);
/** The same where the sentence names it afterwards: `I set a new one: … Password is in the vault, too`. */
const BEFORE_LABEL = new RegExp(
  String.raw`(?<![A-Za-z])(?:new|current|temp(?:orary)?|other|neues?|nouveau|nuev[ao])(?:[ ](?:one|login|pw|eins)(?:${IS}|[ \t]?[:=])?|[ \t]?[:=])[ \t]{1,3}${VALUE}(?=[^\n\0]{0,120}?${LABEL})`,
  "gi",
);
/** A user and a password with a stroke between, where the line says that there is a password. */
const STROKE = /(?<![\w./:@\\-])[A-Za-z][\w@+.-]{1,30}[ ]?[/|:][ ]?([^\s"'<>`\0«/|,;:()]{8,64})(?![\w/|])/g;
const INSIDE = String.raw`[ \t]?(?:inside|included|within|in (?:the )?(?:name|title)|here|attached|above|below|visible|shown|for|to|\W{0,3}$)`;
const WITH = new RegExp(
  String.raw`(?:with|incl\.?|has|holds|shows|contains|mit|avec|con|com|z|med)[ \t](?:the |a |das |le |la )?${LABEL}`,
);
const SPEAKS = new RegExp(`${LABEL}${INSIDE}|${WITH.source}`, "i");
const BRACKETED =
  /[([{（【|,][ \t]?(?:api[ _-]?key|sig|auth|tok|pass|pw|pwd|secret|token)[ \t]?[=:][ \t]?["'`]?([^\s"'<>`\0«,;|()[\]{}（）]{8,128})["'`]?[ \t]?[)\]}）】|,]/gi;
/** The word and the value alone in brackets: `(pw …)`. */
const BRACKETED_PASSWORD =
  /[([{（【][ \t]?(?:pass(?:word|wort|wd)?|pwd?|kennwort|mdp)[ \t]{1,2}["'`]?([^\s"'<>`\0«,;|()[\]{}（）]{8,128})["'`]?[ \t]?[)\]}）】]/gi;
const BRACKETED_KEY =
  /[([{（【|,][ \t]?(?:key|k)[ \t]?[=:][ \t]?["'`]?([A-Za-z\d+/=]{14,128})["'`]?[ \t]?[)\]}）】|,]/gi;
const WORDS = String.raw`((?:(?:[a-z]{3,16}|\d{1,4}) ){3,11}(?:[a-z]{3,16}|\d{1,4}))`;
/** Some words that were drawn by lot, without quotes, up to the end of the sentence or line. */
const SPOKEN = new RegExp(
  String.raw`(?<![A-Za-z])(?:[Pp]ass ?phrase|[Pp]hrase de passe|[Ff]rase de paso|[Ff]rase segreta|[Pp]assfrase|[Кк]одовая фраза|密语|[Pp]ass(?:word)?)s?(?![A-Za-z])[^\n:：=«\0]{0,60}(?:[:：=–—→|][ \t]{1,3}|[(（](?=[a-z \t]{0,80}\d))["'\x60*_]{0,3}${WORDS}(?=["'\x60*_]{0,3}[ \t]{0,3}(?:$|[\n,.;)）|<(]))`,
  "g",
);

/** An answer to a question that does not name what it asks for: all of a message, and like no word. */
const LONE =
  /[?？][^\n\0«]{0,4}\n[^\n\0«]{0,60}[:>\])][ \t*_]{1,4}["'\x60]?([^\s"'<>\x60\0«,:()]{8,64})["'\x60]?[ \t]{0,3}(?=\n|$)/g;
/** Words in quotes, of which the text says how they are typed. */
const TYPED =
  /["“„'«]((?:\p{Ll}{2,16} ){2,8}\p{Ll}{2,16})["”“'»](?=[^\n\0]{0,60}(?:space|blank|lower|[Ll]eerzeichen|klein|spatie|min[uú]scul|espac|espaço|пробел|пробіл|spacj|mellanslag|mezer))/gu;
/** The same after a verb, of a passphrase alone: of a password and its words sentences tell other things. */
const SPOKEN_AFTER_VERB = new RegExp(
  String.raw`(?<![A-Za-z])(?:[Pp]ass ?phrase|[Pp]hrase de passe|[Ff]rase de paso|[Ww]achtzin)(?![A-Za-z]),?(?: which)? (?:is|ist|lautet|est|es|jest)[ \t]{1,2}["'\x60*_]{0,3}${WORDS}(?=["'\x60*_]{0,3}[ \t]{0,3}(?:$|[\n,.;)）|<(]))`,
  "g",
);
/** Words with a number behind them, in quotes: the first that follow the word for a passphrase. */
const QUOTED_AFTER =
  /(?:pass ?phrase|wachtzin|phrase de passe)[^\n\0«"“„]{0,200}["“„]((?:\p{L}{2,16} ){2,8}\d{1,4})["”“]/giu;
const NUMBERS = ["three", "four", "five", "six", "seven", "eight"];
/** As many words as the text says before them, without quotes. */
const COUNTED = new RegExp(
  String.raw`(?<![A-Za-z])(${NUMBERS.join("|")})(?: [a-z-]{4,10})? words?[ ,:]{1,3}["'\x60*_]{0,3}((?:[a-z]{2,14} ){2,7}[a-z]{2,14})`,
  "g",
);

/** Passwords that people tell each other: answers to questions, old ones and new ones, in names and in brackets. */
export const talkRule: TextRule = {
  words:
    "pass,pw,cred,login,p/w,psw,kennwort,mdp,senha,contrase,clave,hasł,hasl,парол,пасс,wachtw,lösenord,adgangsk,kodeord,salasana,şifre,parola,heslo,jelsz,κωδικ,khẩu,sandi,密,パスワード,비번,비밀,รหัส,סיסמ,(key,[key,( key,{key,（key,【key,|key,| key,key=,api,(k=,sig=,auth=,tok=,secret=,token=,sig:,auth:,tok:,secret:,token:,фраз,phrase,frase, one , word,?\n,? \n,space,blank,lower,leerzeich,klein,spatie,minuscul,minúscul,espac,espaç,пробел,пробіл,spacj,mellansl,mezer".split(
      ",",
    ),
  // What begins with the label is asked of it once, and what ends with it is not asked for what comes before.
  hint: new RegExp(
    [
      `${LABEL}(?![ \\t]{0,2}${LABEL})(?:[^\\n\\0«?？]{0,100}(?:[?？]|\\n)|${withoutGroups(new RegExp(TOLD))}|${INSIDE})`,
      ...[AFTER_OTHER, BEFORE_LABEL, WITH, BRACKETED, BRACKETED_PASSWORD, BRACKETED_KEY, SPOKEN, COUNTED, LONE].map(
        withoutGroups,
      ),
      // `TYPED`, which needs another flag.
      String.raw`["“„'«](?:[^\s"]{2,16} ){2,8}[^\s"]{2,16}["”“'»]`,
    ].join("|"),
    "i",
  ),
  find: (text) => [
    ...answers(text, QUESTION, () => false),
    ...[ASKED, SHORT].flatMap((question) =>
      answers(text, question, (line) => ANSWER.test(line) || USER_BEFORE.test(line)),
    ),
    ...[OTHER, AFTER_OTHER, BEFORE_LABEL].flatMap((expression) => toldSpans(text, expression, isTold)),
    ...besideStroke(text),
    ...toldSpans(text, BRACKETED, isDrawn),
    ...toldSpans(text, BRACKETED_PASSWORD, (value) => isTold(value) || isNumberedName(value)),
    ...toldSpans(text, BRACKETED_KEY, isKey),
    ...toldSpans(text, SPOKEN, isSpacedPassphrase),
    ...toldSpans(text, SPOKEN_AFTER_VERB, (value) => isSpacedPassphrase(value) && !/(?:ed|ing|ly)(?: |$)/.test(value)),
    ...countedWords(text),
    ...toldSpans(text, TYPED, isQuietPhrase),
    ...toldSpans(text, QUOTED_AFTER, isSpoken),
    ...toldSpans(
      text,
      LONE,
      (value) => isTold(value) && /[A-Za-z][!#$%&*?]\d|[A-Za-z\d][!#$%*?](?=[A-Za-z]|$)/.test(value),
    ),
  ],
};

/** The first word of the messages after a question that can only be a password. */
function answers(text: string, question: RegExp, isAnswer: (before: string) => boolean): SecretSpan[] {
  return [...text.matchAll(question)].slice(0, 50).flatMap(({ index, 0: whole }): SecretSpan[] => {
    const from = index + whole.length;
    const rest = text.slice(from, from + REACH);
    for (const { index: at, 0: raw } of rest.matchAll(/[^\s"'<>`\0«,]{6,128}/g)) {
      const value = trimmed(raw);
      const lead = rest.slice(Math.max(0, at - 24), at);
      const line = lead.slice(lead.lastIndexOf("\n") + 1);
      const ends = /^["'`*)]{0,3}[ \t]{0,3}(?:$|[\n,.;!(])/.test(rest.slice(at + raw.length));
      if (isTold(value) && (isLoud(value) || (ends && isAnswer(line) && !/\d{4}/.test(value))))
        return [
          {
            start: from + at + raw.indexOf(value),
            end: from + at + raw.indexOf(value) + value.length,
            rule: "assigned-secret",
          },
        ];
    }
    return [];
  });
}

function countedWords(text: string): SecretSpan[] {
  return [...text.matchAll(COUNTED)].flatMap(({ index, 0: whole, 1: number = "", 2: words = "" }): SecretSpan[] => {
    const value = words
      .split(" ")
      .slice(0, NUMBERS.indexOf(number) + 3)
      .join(" ");
    const start = index + whole.length - words.length;
    const isAsked = /pass|phrase|prompt|unlock|type|enter|code ?word/i.test(
      text.slice(Math.max(0, index - 160), index),
    );
    return isAsked && isQuietPhrase(value) ? [{ start, end: start + value.length, rule: "assigned-secret" }] : [];
  });
}

function besideStroke(text: string): SecretSpan[] {
  return [...text.matchAll(/[^\n]+/g)].flatMap(({ index, 0: line }): SecretSpan[] =>
    SPEAKS.test(line.slice(0, 300))
      ? shifted(
          toldSpans(line, STROKE, (value) => isTold(value) && !isWords(value)),
          index,
        )
      : [],
  );
}

/** An address of a person and a mention are told as often, and are none. */
function isTold(value: string): boolean {
  return (
    looksOdd(value) &&
    !/^[@#]|^[\w.+-]+@[\w-]+$|^\w{1,12}\(|^[a-z]+:\/\/|^(?:SAML|OAuth|OIDC|TLS|HTTP|LDAP|JWT|IPv)[\d.]/i.test(value) &&
    !ID.test(value)
  );
}

function isLoud(value: string): boolean {
  return /[!@#$%^&*+?~]/.test(value);
}

/** What only may be a key: the one of a row looks like words or like a hash. */
function isKey(value: string): boolean {
  return /^[A-Za-z\d+/=]{14,128}$/.test(value) && /\d[^\d]{0,20}\d/.test(value) && isDrawn(value);
}

/** Neither a hash nor an id. */
function isDrawn(value: string): boolean {
  return !ID.test(value) && (looksOdd(value) || (looksRandom(value) && !/^[a-f\d-]+$/i.test(value))) && !isWords(value);
}

function toldSpans(text: string, expression: RegExp, isSecret: (value: string) => boolean): SecretSpan[] {
  return valueSpans(text, expression, isSecret, trimmed);
}

function trimmed(raw: string): string {
  return raw.replace(/^[(*_]{1,3}/, "").replace(/[.,;:)\]*_'"。，；」]{1,6}$/, "");
}
