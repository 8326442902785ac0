import { matchSpans, matchesOf, spanAt, type SecretSpan, type TextRule } from "../spans.ts";

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

/** Finds seeds of one-time passwords, and codes that replace a second factor. */
export const recoveryCodeRule: TextRule = {
  words:
    "bitlocker,filevault,otp,2fa,mfa,seed,authenticator,one-time,two-factor,setup key,recover,backup,back-up,scratch,rescue,emergency,break,unseal,wiederherst,notfall,secours,récup,recup,respaldo,seguridad,zapasow,резервн,codici di,リカバリー,バックアップ,恢复,备用,備援,備用,復原,복구,백업,einmalpass,engångs,engangs,kertakäyt,eenmalige,herstel,jednoraz,kurtarma,yedek,återställ,gjenoppr".split(
      ",",
    ),
  find: (text) => [...matchSpans(text, SEED, "otp-seed", (seed) => /[2-7]/.test(seed)), ...recoveryCodes(text)],
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
