import { isAny, isGiven, isMarked, isOdder } from "./commands.ts";
import { looksOdd, looksRandom } from "../values/secret-value.ts";
import type { TextRule } from "../spans.ts";
import { matchSpans, valueRule, valueSpans } from "../spans.ts";

const FIELD = String.raw`(?:\*|[\w.@$-]{1,60})`;
/** A line of `.pgpass`: host, port, database, user, password. A colon in the password is escaped with a backslash. */
const PGPASS = new RegExp(
  String.raw`(?<![\w:/.-])(?:\*|[A-Za-z\d][\w.-]{1,80}|/[\w/.-]{1,60}):(?:\*|\d{2,5}):${FIELD}:${FIELD}:((?:\\[:\\]|[^\s:"'\x60<>\0«\\]){4,128})(?![:\w])`,
  "g",
);
/** IPsec, EAP and PPP: an identity, then the secret in quotes. */
const IPSEC =
  /(?<=(?:^|[\s\w%@.]):[ \t]{0,3}(?:PSK|EAP|XAUTH|NTLM|PIN|RSA[ ][\w./-]{1,60}|ECDSA[ ][\w./-]{1,60}|P12[ ][\w./-]{1,60}|PKCS8[ ][\w./-]{1,60})[ \t]{1,4})"([^"\n\0«]{4,128})"/g;
const PPP =
  /(?<=\b(?:chap|pap)-secrets\b[^\n\0«]{0,20}?(?:\n[^\n\0«]{0,120}){0,3}?[\s:`>]"?[\w.@\\-]{1,40}"?[ \t]{1,8}(?:\*|"?[\w.-]{1,40}"?)[ \t]{1,8})"?([^\s"`\0«]{5,128})"?(?=[ \t]{1,8}(?:\*|"|\d))/g;
/** The login file of a VPN client: the user on one line and the password on the next. */
const TWO_LINES =
  /(?<=\b(?:auth-user-pass|auth\.txt|pass(?:word)?\.txt|credentials\.txt|login\.conf|\.?smbcredentials|userpass(?:\.txt)?)\b[^\n\0«]{0,40}\n(?:```\w{0,8}\n)?[\w.@\\-]{2,40}\r?\n)([^\s`\0«]{6,128})(?=\r?(?:\n|$))/g;
/** A relay mail server and the login for it. */
const RELAY = /(?<=(?:\]|[a-z]{2}):\d{2,5}[ \t]{1,8}[\w.@+-]{2,60}:)([^\s"'`\0«]{5,128})/g;
/** Passwords as systems store them: hashed, but open to guessing. */
const HASHED =
  /(?<![\w$])\$(?:[15679y]|gy|14|2[abxy]|apr1|argon2(?:id|i|d)|scrypt|pbkdf2-sha\d{1,3}|md5|sha1|sm3|1c|8)\$[\w./+=$,*!%-]{16,300}/g;
/** Hashed passwords after the name of their scheme. */
const NAMED_HASH = /\{(?:SSHA|SSHA256|SSHA512|SHA|SMD5|CRYPT|PBKDF2[\w-]{0,10}|ARGON2)\}[\w+/=$.]{20,200}/g;

/** A driver address of host, port, database, user and password with only colons between them. */
const CUBRID = /(?<=\bjdbc:cubrid:[\w.,-]{1,120}:\d{2,5}:\w{1,60}:\w{1,60}:)([^\s:"'`<>\0«]{3,128})(?=:)/gi;
/** The `key` in an `api:` block of YAML. */
const API_KEY =
  /(?<=\bapi:[ \t]{0,20}\r?\n(?:[ \t]{1,20}[\w-]{1,30}:[^\n]{0,80}\r?\n){0,3}[ \t]{1,20}key:[ \t]{1,20}["']?)([^\s"'`\0«]{16,128})/g;

/** Beginnings of port numbers. */
const PORTS = [":1", ":2", ":3", ":4", ":5", ":6", ":7", ":8", ":9"];

/** Lines of credential files that contain no word for a credential. */
export const fileRules: readonly TextRule[] = [
  {
    words: [":*:", ...PORTS],
    find: (text) => {
      const isSecret = /pgpass/i.test(text) ? isGiven : isLone;
      return valueSpans(text, PGPASS, (value) => !/^(?:password|\d+)$/i.test(value) && isSecret(value));
    },
  },
  valueRule(["api:"], API_KEY, looksRandom),
  valueRule(["cubrid"], CUBRID, isAny),
  valueRule("psk eap xauth ntlm pin rsa ecdsa p12 pkcs8".split(" "), IPSEC, isMarked),
  valueRule(["-secrets"], PPP, isMarked),
  valueRule(PORTS, RELAY, (value) => isOdder(value) && !/^\d/.test(value)),
  valueRule(["auth", "pass", "cred", "login"], TWO_LINES, (value) => looksOdd(value) || isOdder(value)),
  { words: ["$"], find: (text) => matchSpans(text, HASHED, "password-hash") },
  { words: ["{s", "{crypt", "{pbk", "{arg"], find: (text) => matchSpans(text, NAMED_HASH, "password-hash") },
];

/** A field that has to look like a password, because nothing else shows what kind of line it is. */
function isLone(value: string): boolean {
  return isAny(value) && (looksOdd(value) || (isOdder(value) && /[!@#$%^&*+~?]/.test(value)));
}
