import { finderOf, isAny, isCommunity, isGiven, isMarked, isOdder } from "./after-words.ts";
import type { AnnouncedValue } from "./after-words.ts";
import type { TextRule } from "../text-rule.ts";

/** How a value is stored, between the word for it and the value. */
const HOW = String.raw`(?:(?:[05789]|ENC|cipher|simple|irreversible-cipher|plain|plaintext|plain-text|encrypted|clear|clear-text|ascii-text|ascii|hexadecimal|sha512|md5|hash)[ ])?`;

/** Routers, switches, firewalls and access points: the words of their configuration before a secret. */
const LINES: readonly AnnouncedValue[] = [
  [
    String.raw`\b(?:snmp-server[ ]{1,3}community|set[ ](?:system[ ])?snmp[ ]community(?:[ ]name)?|snmp-agent[ ]community[ ](?:read|write)|r[ow]community6?|com2sec6?[ ]\S{1,60}[ ]\S{1,60}|snmp[ ]community[ ](?:set[ ]\S{1,40}|add)[ ]name=|snmp[ ]community)(?:[ ]{1,3}|(?<==))(?:cipher[ ])?`,
    isLineCommunity,
  ],
  // In sentences, lists and code.
  [
    String.raw`\b(?:snmp|read|write|ro|rw|trap)[ -]{0,3}(?:v?[123]c?[ ])?communit(?:y|ies)(?:[ ]strings?|[ ]names?)?(?:[ ]?\([^()\n]{1,20}\))?(?:[ ]?[:=][ ]?["'\x60*(]{0,3}|[ ]["'\x60*(]{1,3}|[ ]is[ ]["'\x60*]{0,3})`,
    isLineCommunity,
  ],
  [
    String.raw`communit(?:y|ies)[^\n\0]{1,80}\((?:r[ow]|read|write)[^()\n]{0,12}\)[,;/&]?[ ](?:and[ ])?["'\x60*]{1,3}`,
    isLineCommunity,
  ],
  ...["auth", "priv"].map((each): AnnouncedValue => [
    String.raw`\bSNMP ?v?3[^\n\0]{0,100}?\b${each}(?:[ ]?(?:pass(?:word|phrase)?|key|pw))?[ ]?[ :=][ ]?["'\x60*]{0,3}`,
    isMarked,
  ]),
  [String.raw`\bsnmp-server[ ]host[ ]\S{1,60}[ ](?:(?:traps|informs)[ ])?(?:version[ ]\w{1,3}[ ])?`, isOdder],
  // A user of SNMP has two: one proves who it is, one encrypts.
  [
    String.raw`\b(?:snmp-server[ ]user|usm-user|createUser|snmp-agent[ ]usm-user|snmpv3[ ]user)\b[^\n]{0,80}?\b(?:auth(?:entication-mode)?[ ])?(?:md5|sha[-\d]{0,4})[ ]${HOW}`,
    isMarked,
  ],
  [
    String.raw`\b(?:snmp-server[ ]user|createUser|snmp-agent[ ]usm-user|snmpv3[ ]user)\b[^\n]{0,160}?\b(?:priv(?:acy-mode)?[ ])?(?:aes|des|3des)[- ]?(?:128|192|256)?[ ]${HOW}`,
    isMarked,
  ],
  [
    String.raw`\b(?:enable|username[ ]\S{1,60}(?:[ ](?:privilege|role|group)[ ][\w-]{1,20})?)[ ](?:algorithm-type[ ]\w{1,10}[ ])?(?:secret|password)[ ](?:level[ ]\d{1,2}[ ])?${HOW}`,
    (value) => isMarked(value) && !/^(?:and|or|is|for)$/.test(value),
  ],
  // Where a number says how it is stored, there is nothing but the password.
  [String.raw`\b(?:username|enable|local-user)[ ][^\n]{0,60}?(?:secret|password)[ ][05789][ ]`, isGiven],
  [String.raw`\b(?:local-user|super)[ ](?:\S{1,60}[ ])?password[ ](?:level[ ]\d{1,2}[ ])?${HOW}`, isMarked],
  [
    String.raw`(?:^|\n)[-+]?[ \t]{0,8}(?:password|secret|key|auth-?key|auth-pwd|priv-pwd|passwd|psksecret)[ ](?:\d{1,2}|ENC)[ ]`,
    isOdder,
  ],
  [
    String.raw`\b(?:tacacs-server|radius-server|isakmp|pre-shared|neighbor[ ]\S{1,60})[ -](?:[^\n]{0,60}[ ])?(?:key|password|secret)[ ]${HOW}`,
    isOdder,
  ],
  [String.raw`\bpre-shared-key[ ]${HOW}(?:(?:address|local|remote)[ ]\S{1,60}[ ](?:key[ ])?)?`, isMarked],
  [
    String.raw`\bset[ ](?:psksecret|passwd|password|passphrase|auth-pwd|priv-pwd|shared-secret|secret|ppk-secret|wifi-passphrase|sae-password|ldap-password|auth-password|key|authkey)[ ]${HOW}`,
    isMarked,
  ],
  // Junos and the like: a path of words, and the value in quotes.
  [
    String.raw`\bset[ ][\w. :/-]{3,160}[ ](?:secret|pre-shared-key|encrypted-password|plain-text-password-value|authentication-key|authentication-password|privacy-password|simple-password|shared-secret|passphrase|password|phash|ascii-text)[ ]${HOW}`,
    isMarked,
  ],
  [
    String.raw`\b(?:key-string|wpa-psk[ ]ascii|authentication-key[ ]\d{1,5}[ ]md5|message-digest-key[ ]\d{1,3}[ ]md5|ppp[ ](?:chap|pap)[ ]password|sent-username[ ]\S{1,60}[ ]password|ip[ ]ftp[ ]password|(?:standby|vrrp|glbp)[ ](?:\d{1,3}[ ])?authentication(?:[ ]text|[ ]md5[ ]key-string)?|isis[ ]password|area-password|domain-password|ldap-login-password|ip[ ]ospf[ ]authentication-key|failover[ ]key|vtp[ ]password|crypto[ ]key[ ]\w{1,20}[ ]pass(?:phrase)?)[ ]${HOW}`,
    isMarked,
  ],
];

/** Secrets of network devices by the words of their configuration. */
export const deviceRule: TextRule = {
  words: [
    ...'community,com2sec,communities,snmp,usm-user,createuser,enable ,username ,local-user,super ,tacacs,radius-,isakmp,pre-shared,neighbor ,key-string,wpa-psk,authentication,message-digest,ppp ,sent-username,ftp password,isis password,area-password,domain-password,ldap-,failover key,vtp password,crypto key,psksecret,passphrase,auth-pwd,priv-pwd,shared-secret,encrypted-password,plain-text-password,privacy-password,simple-password,phash,ascii-text,auth-password,sae-password,ppk-secret,authkey,secret "'.split(
      ",",
    ),
    ...["password", "secret", "key", "passwd", "auth-key"].flatMap((word) => [
      `set ${word} `,
      ..."0123456789e".split("").map((how) => `${word} ${how}`),
    ]),
  ],
  hint: new RegExp(LINES.map(([words]) => words.replaceAll("(?<=", "(?:")).join("|"), "i"),
  find: finderOf(LINES),
};

/** A community is named like a thing, so a word alone is none. */
function isLineCommunity(value: string): boolean {
  return isCommunity(value) && isAny(value) && (/\d|[A-Z]/.test(value) || /[-_!@#$%]/.test(value));
}
