import { isHarmless } from "../../values/harmless.ts";
import { isPassphrase, isQuietPhrase, isWords, looksOdd, looksSecret } from "../../values/secret-value.ts";
import { isLicenceKey } from "./pins.ts";
import { isGiven } from "./after-words.ts";
import { valueSpans } from "../../spans.ts";
import type { TextRule } from "../text-rule.ts";

/** The text of a QR code that lets a phone join: `WIFI:T:WPA;S:name;P:password;;`. A mark inside of a field has a backslash before it. */
const QR = /(?<=\bWIFI:(?:[TSHEAIRK]\w{0,3}:(?:\\.|[^\\;\n\0«]){0,80};){0,6}P:)((?:\\.|[^\\;\n\0«]){4,128})(?=;)/gi;
const NETWORK = String.raw`(?:\bSSIDs?\b|\bwi-?fi\b|\bwlan\b|\bwpa[23]?(?:-psk)?\b|\bhotspot\b|无线|無線|와이파이)`;
const KEY = String.raw`(?:keys?|pass ?(?:word|phrase|code)?|pw|pwd|psk|code|(?:netzwerk)?schlüssel|kennwort|passwort|clé|clef|mot de passe|mdp|clave|contraseña|senha|chave|chiave|hasło|klucz|sleutel|wachtwoord|nøgle|nøkkel|avain|nyckel|lösenord|ключ|пароль|şifre|คีย์|รหัส(?:ผ่าน)?|कुंजी|مفتاح|密[码碼]|パスワード|キー|비밀번호|암호|비번)`;
const MARKS = String.raw`[\s"'\x60*_「『“«»”」』(（]`;
const SIGN = String.raw`${MARKS}{0,3}(?:[:=：＝]|->|=>|→|–|—|is|ist|est|es|は|是)?${MARKS}{0,4}`;
const VALUE = String.raw`([^\s"'\x60\0«»<>|,;，。）」]{6,128})`;
/** The name of the network may be between the word for it and the word for its key. */
const KEYED = new RegExp(String.raw`${NETWORK}[^\0]{0,80}?(?<![A-Za-z])${KEY}(?![A-Za-z])${SIGN}${VALUE}`, "gi");
/** The same after any word for a network, in a text that speaks of wireless ones. */
const OF_NETWORK = new RegExp(
  KEYED.source.replace(
    NETWORK,
    String.raw`\b(?:netwerk|netzwerk|network|réseau|netværk|nätverk|nettverk|sieć|rete)(?![a-z])`,
  ),
  "gi",
);
const SPEAKS = /wi-?fi|ssid|wlan|wpa/i;
/** Right after the way in which it encrypts. */
const ENCRYPTED =
  /\bWPA[23]?(?:-(?:PSK|Personal))?["'\x60*_]{0,3}[ ]?[:=][ ]{0,3}["'\x60*_]{1,3}([^\s"'\x60*\0«<>|]{8,64})(?=["'\x60*])/g;
/** The same with some words as its key. */
const WORDS = new RegExp(
  String.raw`${NETWORK}[^\0]{0,80}?(?<!\p{L}|(?:status|error|exit|country) )${KEY}${MARKS}{0,3}[:=：]${MARKS}{0,4}((?:\p{Ll}{2,16} ){2,7}\p{Ll}{2,16})(?=["'\x60*_.,;)]{0,3}[ \t]{0,4}(?:\r?\n|$))`,
  "giu",
);
/** Network and key with a stroke between, or the network in brackets. */
const PAIRED = new RegExp(
  String.raw`${NETWORK}[^\n\0]{0,60}?(?:["'\x60*\w)][ ]?[/|][ ]?|[)\]"'\x60][:=：][ ]?)["'\x60*]{0,3}${VALUE}`,
  "gi",
);
/** The word for the key first: `Wi-Fi` as a part of its name. */
const NAMED = new RegExp(
  String.raw`(?<![A-Za-z])${KEY}[ ](?:of |for |du |de la |de |del |della |do |zum |für |vom )?(?:the |guest |gäste-?)?(?:wi-?fi|wlan)(?:[ ]["'\x60][\w-]{1,20}["'\x60])?${SIGN}${VALUE}`,
  "gi",
);
const COMMANDS =
  /(?:\bwpa_passphrase[ ](?:"[^"\n]{1,40}"|'[^'\n]{1,40}'|\S{1,40})[ ]["']?|\b(?:iwconfig|iw)[ ][^\n]{0,80}?\bkeys?[ ](?:s:|\d:)?["']?|\bkeyMaterial["']?[ ]{0,2}[=:>][ ]{0,2}["']?|\bnmcli[ ][^\n]{0,120}?\b(?:password|wifi-sec\.psk|psk)[ ]["']?|\bnetworksetup[ ]-setairportnetwork[ ]\S{1,20}[ ](?:"[^"\n]{1,40}"|\S{1,40})[ ]["']?)([^\s"'`\0«<>|;]{8,128})/gi;

/** Keys of wireless networks. */
export const wirelessRule: TextRule = {
  words: "ssid,wifi,wi-fi,wlan,wpa,hotspot,无线,無線,와이파이,iwconfig,iw ,keymaterial,nmcli,networksetup".split(","),
  hint: new RegExp(
    String.raw`${NETWORK}[^\0]{0,140}[^\s]{6}|(?:wi-?fi|wlan)|\bWIFI:|wpa_passphrase|keyMaterial|\biw(?:config)?[ ]|\bnmcli[ ]|networksetup`,
    "i",
  ),
  find: (text) => [
    ...valueSpans(text, QR, (value) => !isHarmless(value)),
    ...valueSpans(text, KEYED, isKey),
    ...(SPEAKS.test(text) ? valueSpans(text, OF_NETWORK, isKey) : []),
    ...valueSpans(text, WORDS, isQuietPhrase),
    ...valueSpans(text, ENCRYPTED, (value) => isGiven(value) && !/^(?:WPA|AES|TKIP|CCMP|SAE|EAP)/i.test(value)),
    ...valueSpans(text, PAIRED, (value) => looksOdd(value) && !isWords(value) && isKey(value)),
    ...valueSpans(text, NAMED, isKey),
    ...valueSpans(text, COMMANDS, isGiven),
  ],
};

/** A key has at least eight characters, and is neither a word nor the name of a way to encrypt. */
function isKey(value: string): boolean {
  const bare = value.replace(/[.,;:)\]*_]+$/, "");
  if (bare.length < 8 || /^(?:WPA|WEP|EAP|TKIP|CCMP|AES|SAE|PEAP|802)/i.test(bare) || /[/:]\S|^[\d.]+$/.test(bare))
    return false;
  return (
    isPassphrase(bare) ||
    isLicenceKey(bare) ||
    /^(?:[a-z]{2,12}-){2,6}[a-z]{2,12}[!?#*]$/.test(value) ||
    (/\d/.test(bare) && /[A-Za-z]/.test(bare) && looksSecret(bare, { strength: "strong", tight: true })) ||
    /[a-z][!#$%&*+?@_-][A-Z]/.test(bare)
  );
}
