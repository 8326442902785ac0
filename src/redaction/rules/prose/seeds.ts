import type { SecretSpan } from "../../spans.ts";

/** Words that say that a list of words opens a wallet or an account. */
export const SEED_LABEL = String.raw`(?:wallet|mnemonic|monedero|cartera|portefeuille|portafoglio|bip-?39|(?:12|15|18|21|24|twelve|twenty-four) (?:words|palabras|palavras|mots|wörter|parole|слов|kelime|słów|woorden|ord|sanaa)[^\n]{0,24}(?:order|orden|ordem|ordre|reihenfolge|ordine|порядк|kolejno)|(?:(?:seed|recovery|backup|secret|paper|restore)[ -]?(?:phrase|words?|list|sentence)s?|(?:seed|recovery)[ -]key|pass ?phrase)|(?<![A-Za-z])seed(?![A-Za-z])|slip-?39|frase (?:semilla|de (?:recupera\S{1,5}|respaldo)|di recupero|mnemonica|secreta)|phrase (?:de récupération|secrète|mnémonique)|(?:wiederherstellungs|seed-?|sicherungs)(?:phrase|wörter)|herstelzin|фраз[аиу] (?:відновлення|восстановления)|мнемони\S{1,10}|сид-?фраз\S|seed-фраз\S|助记词|助記詞|助憶詞|ニーモニック|シードフレーズ|니모닉|시드 ?문구|복구 ?문구|cụm từ khôi phục|kurtarma (?:ifadesi|kelimeleri)|fraza (?:seed|odzyskiwania))`;
/** The literals of which one is in each of these. */
export const SEED_WORDS: readonly string[] =
  "monedero,cartera,portefeuille,portafoglio,12 ,15 ,18 ,21 ,24 ,twelve,twenty-four,wallet,mnemonic,bip,seed,recover,backup,secret word,secret list,secret-,secret sen,paper,restore,slip,frase,phrase,wiederherst,sicherung,herstelzin,мнемони,сид,фраз,助记,助記,助憶,ニーモ,シード,니모닉,시드,복구,khôi,kurtarma,fraza".split(
    ",",
  );
const WORD = String.raw`(?:\d{1,2}[.):]?[ \t]{0,2})?[a-z]{3,8}`;
const GAP = String.raw`(?:[ \t,;|/>"'\x60*_-]{1,6}(?:\r?\n[ \t>]{0,6})?|[ \t,>]{0,3}\r?\n[ \t>]{0,6})`;
const PHRASE = String.raw`(?<![\w'])${WORD}(?:${GAP}${WORD}){11,23}(?![\w'])`;
/** Such a list is near its label. */
const REACH = 500;
/** Hardly any of these is a word of a seed phrase, and no sentence of a dozen words does without two of them. */
const OF_SENTENCES = new Set(
  `the and for not with from this that your our are was has have will can its all any when then than into only must should
  which who how what where them they there their been were does after before about over under per via see ask use get set`.split(
    /\s+/,
  ),
);

/** Words drawn by lot from a list, twelve or more, after a word for what they open. */
export function seedPhrases(text: string): SecretSpan[] {
  return [...text.matchAll(new RegExp(SEED_LABEL, "gi"))].slice(0, 20).flatMap(({ index, 0: label }) => {
    const from = index + label.length;
    // The label may go on with words of its own before the sign that ends it.
    const rest = text.slice(from, from + REACH);
    const sign = /^[^\n]{0,120}?(?:[:：=—–]|\bis\b|\bare\b|->|→|\n|`|")/.exec(rest)?.[0].length ?? 0;
    const match = new RegExp(PHRASE).exec(rest.slice(sign));
    if (!match) return [];
    const words = match[0].match(/[a-z]{3,8}/g) ?? [];
    if (words.filter((word) => OF_SENTENCES.has(word)).length > 1 || new Set(words).size < words.length - 3) return [];
    const start = from + sign + match.index;
    return [{ start, end: start + match[0].length, rule: "recovery-code" }];
  });
}
