import { matchSpans, matchesOf, spanAt, type SecretSpan, type TextRule } from "../spans.ts";
import { wordSet } from "../../core/collections.ts";

/** The numbers of words that a seed phrase can have, and the noun "words" in several languages. */
const NUMBERS = "12 15 18 21 24 twelve twenty-four".split(" ");
const IN_WORDS = "words palabras palavras mots wörter parole слов kelime słów woorden ord sanaa".split(" ");
/** Matches words that announce a seed phrase: a list of words that opens a wallet or an account. */
const SEED_LABEL = new RegExp(
  String.raw`(?:wallet|mnemonic|monedero|cartera|portefeuille|portafoglio|bip-?39|(?:${NUMBERS.join("|")}) (?:${IN_WORDS.join("|")})[^\n]{0,24}(?:order|orden|ordem|ordre|reihenfolge|ordine|порядк|kolejno)|(?:(?:seed|recovery|backup|secret|paper|restore)[ -]?(?:phrase|words?|list|sentence)s?|(?:seed|recovery)[ -]key|pass ?phrase)|(?<![A-Za-z])seed(?![A-Za-z])|slip-?39|frase (?:semilla|de (?:recupera\S{1,5}|respaldo)|di recupero|mnemonica|secreta)|phrase (?:de récupération|secrète|mnémonique)|(?:wiederherstellungs|seed-?|sicherungs)(?:phrase|wörter)|herstelzin|фраз[аиу] (?:відновлення|восстановления)|мнемони\S{1,10}|сид-?фраз\S|seed-фраз\S|助记词|助記詞|助憶詞|ニーモニック|シードフレーズ|니모닉|시드 ?문구|복구 ?문구|cụm từ khôi phục|kurtarma (?:ifadesi|kelimeleri)|fraza (?:seed|odzyskiwania))`,
  "gi",
);
/** Plain texts: every text that `SEED_LABEL` matches contains at least one of them. */
const SEED_WORDS: readonly string[] = [
  ...NUMBERS.flatMap((number) => IN_WORDS.map((word) => `${number} ${word}`)),
  ..."monedero,cartera,portefeuille,portafoglio,wallet,mnemonic,bip,seed,recover,backup,secret word,secretword,secret list,secretlist,secret-,secret sen,secretsen,paper,restore,slip,frase,phrase,wiederherst,sicherung,herstelzin,мнемони,сид,фраз,助记,助記,助憶,ニーモ,シード,니모닉,시드,복구,khôi,kurtarma,fraza".split(
    ",",
  ),
];
const WORD = String.raw`(?:\d{1,2}[.):]?[ \t]{0,2})?[a-z]{3,8}`;
const GAP = String.raw`(?:[ \t,;|/>"'\x60*_-]{1,6}(?:\r?\n[ \t>]{0,6})?|[ \t,>]{0,3}\r?\n[ \t>]{0,6})`;
const PHRASE = new RegExp(String.raw`(?<![\w'])${WORD}(?:${GAP}${WORD}){11,23}(?![\w'])`);
/** The seed phrase has to end within this many characters after its label. */
const PHRASE_REACH = 500;
/** Common words. Almost no seed phrase has one, but every sentence of a dozen words has at least two. */
const OF_SENTENCES =
  wordSet(`the and for not with from this that your our are was has have will can its all any when then than into only must should
  which who how what where them they there their been were does after before about over under per via see ask use get set`);

/** Finds seed phrases: twelve or more random words, after a word for the account or wallet. */
function seedPhrases(text: string): SecretSpan[] {
  return matchesOf(text, SEED_LABEL)
    .slice(0, 20)
    .flatMap(({ index, 0: label }) => {
      const from = index + label.length;
      // Other words may stand between the label and the sign that ends the label.
      const textAfter = text.slice(from, from + PHRASE_REACH);
      const sign = /^[^\n]{0,120}?(?:[:：=—–]|\bis\b|\bare\b|->|→|\n|`|")/.exec(textAfter)?.[0].length ?? 0;
      const match = PHRASE.exec(textAfter.slice(sign));
      if (!match) return [];
      const words = match[0].match(/[a-z]{3,8}/g) ?? [];
      if (words.filter((word) => OF_SENTENCES.has(word)).length > 1 || new Set(words).size < words.length - 3)
        return [];
      return spanAt(from + sign + match.index, match[0], "recovery-code");
    });
}

/** Matches the seeds of one-time passwords: base32 after a word for such passwords. */
const SEED =
  /(?<=(?<![A-Za-z])(?:t?otp|2fa|mfa|seed|authenticator|one-time|two-factor|setup key|einmalpasswort)(?![A-Za-z])[^\n\0«]{0,60}?[\s:=`"'(*])(?:[A-Z2-7]{16,64}=*|[a-z2-7]{4}(?: [a-z2-7]{4}){3,15}|[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15})(?![A-Za-z\d])/gi;
/** Matches words for codes that replace a second factor. */
const RECOVERY =
  /(?:recovery|backup|back-up|scratch|rescue|emergency|one-time|break-?glass|unseal|2fa|mfa|wiederherstellungs?|notfall|secours|récupération|recuperaci[oó]n|recupera[cç][aã]o|recupero|zapasowe|резервные)[- ]?(?:codes?|keys?|schlüssel|kody|коды|shares?)|(?:codes? de (?:secours|récupération)|c[oó]digos? de (?:recuperaci[oó]n|respaldo|recupera[cç][aã]o|seguridad)|codici di (?:recupero|backup)|bitlocker|filevault|engångskod\w{0,3}|engangskod\w{0,3}|kertakäyttökood\w{0,2}|eenmalige codes?|herstelcodes?|jednorazowe kody|kurtarma kod\w{0,4}|yedek kod\w{0,4}|kody zapasowe|återställningskod\w{0,3}|gjenopprettingskod\w{0,3}|リカバリーコード|バックアップコード|恢复代码|備援碼|備用碼|復原碼|备用(?:验证)?码|복구 코드|백업 코드)/gi;
const CODE =
  /(?<![\d-])\d{3,4} \d{3,4}(?![\d-])|(?<![\w+/-])[A-Za-z\d+/]{40,48}={0,2}(?![\w+/=])|(?<![\w-])[A-Za-z\d]{3,10}(?:-[A-Za-z\d]{3,10}){0,7}(?![\w-])/g;
/** Codes are searched within this many characters after a word for such codes. */
const REACH = 600;

/** Finds seeds of one-time passwords, seed phrases, and codes that replace a second factor. */
export const recoveryCodeRule: TextRule = {
  words: [
    ..."bitlocker,filevault,otp,2fa,mfa,seed,authenticator,one-time,two-factor,setup key,recover,backup,back-up,scratch,rescue,emergency,break,unseal,wiederherst,notfall,secours,récup,recup,respaldo,seguridad,zapasow,резервн,codici di,リカバリー,バックアップ,恢复,备用,備援,備用,復原,복구,백업,einmalpass,engångs,engangs,kertakäyt,eenmalige,herstel,jednoraz,kurtarma,yedek,återställ,gjenoppr".split(
      ",",
    ),
    ...SEED_WORDS,
  ],
  find: (text) => [
    ...matchSpans(text, SEED, "otp-seed", (seed) => /[2-7]/.test(seed)),
    ...seedPhrases(text),
    ...recoveryCodes(text),
  ],
};

function recoveryCodes(text: string): SecretSpan[] {
  let from = 0;
  return matchesOf(text, RECOVERY).flatMap(({ index, 0: words }) => {
    const start = Math.max(index + words.length, from);
    const textAfter = text.slice(start, start + REACH);
    from = start + textAfter.length;
    return matchesOf(textAfter, CODE).flatMap(({ index: at, 0: code }) =>
      isCode(code) ? [spanAt(start + at, code, "recovery-code")] : [],
    );
  });
}

/** Tells whether a text is a random code and no date, version, or word with a number. */
function isCode(code: string): boolean {
  if (/^\d{4}-\d{2}(?:-\d{2})?$|^[A-Za-z]+\d{0,3}$|^\d{1,7}$|^[A-Za-z]+(?:-[A-Za-z]+)*(?:-\d{1,4})?$/.test(code))
    return false;
  if (/^\d+(?:[ -]\d+)*$/.test(code)) return true;
  return code.length >= 8 && /\d/.test(code) && !/^\d+(?:st|nd|rd|th|min|ms|days?|h|am|pm)/i.test(code);
}
