import { isHarmless, looksOdd, looksRandom } from "../values/secret-value.ts";
import type { SecretSpan } from "../spans.ts";
import type { TextRule } from "./text-rule.ts";

/** A word or quoted text of a command line. */
const VALUE = String.raw`(?:'([^'\n\0«]{3,512})'|"([^"\n\0«]{3,512})"|([^\s"'\x60«\0<>|;&-][^\s"'\x60«\0<>|;]{2,512}))`;
/** What may be between a program and its flag. */
const BETWEEN = String.raw`[ ](?:[^\n|;]{0,200}?\s)?`;

/** Programs, and the flags of a single letter or short word with which each is given a password. */
const FLAGS: readonly (readonly [programs: string, flags: string])[] = [
  [
    "docker|podman|helm|nerdctl|oras|skopeo|crane|az|gh|cqlsh|rabbitmqadmin|beeline|mongo|mongosh|mongodump|mongorestore|kinit|argocd|oc|influx|cypher-shell|psexec|plink|pscp|sshpass|nuget|twine|npm|jfrog|jf|ftp|xfreerdp|vncviewer|isql|hdbsql|nmcli|arangosh|7z|rar|net",
    "-p ?",
  ],
  // A blank after it makes what follows the name of a database.
  ["mysql|mysqldump|mysqladmin|mysqlsh|mysqlimport|mariadb|mariadb-dump|mycli", "-p"],
  [
    "sqlcmd|bcp|osql|mosquitto_pub|mosquitto_sub|ipmitool|zip|unzip|impala-shell|taos|ibmcloud|curlftpfs|hydra|mqttx|pub|isql",
    "-P ?",
  ],
  ["redis-cli|valkey-cli|keydb-cli|xh|https?|htpasswd", "-a ?"],
  ["ldapsearch|ldapmodify|ldapadd|ldapwhoami|ldappasswd|ldapdelete|dsmadmc|wrangler", "-w ?"],
  ["snmpwalk|snmpget|snmpset|snmpbulkwalk|snmptrap|snmpgetnext|snmptable", "-[AXc] ?"],
  ["openssl", "(?:-(?:passin|passout|pass|password) pass:|-(?:k|K|hmac|macopt hexkey:) ?)"],
  ["gpg2?|ssh-keygen", "-N ?"],
  ["net use|cmdkey|xfreerdp|runas|schtasks|wmic|sc|vaultcmd", "/(?:pass|p|rp|password)[: ]"],
  ["nats|nsc|vault login|doctl auth init|flyctl auth|tailscale up", "(?:-t |--auth-?key[= ]|(?<=login )(?=hv|s\\.))"],
];
const FLAGGED = FLAGS.map(
  ([programs, flags]) => new RegExp(String.raw`(?<![\w/.-])(?:${programs})${BETWEEN}(?:${flags})${VALUE}`, "g"),
);
const FLAG_HINT = String.raw`(?:${FLAGS.map(([programs]) => programs).join("|")})${BETWEEN}[-/]`;

/** What is told by the words before it alone. Each ends with the value. */
const WORDS: readonly (readonly [words: string, isSecret: (value: string) => boolean])[] = [
  [
    String.raw`ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?(?:-AsPlainText\s{1,3}(?:-Force\s{1,3})?(?:-String\s{1,3})?)?`,
    isAny,
  ],
  [String.raw`\b(?:user(?:name)?|login)\s{1,2}\S{1,60}\s{1,2}(?:password|pass|pw)\s{1,2}`, isOdd],
  [String.raw`(?:^|[\n\x60;|>$#]\s{0,3})AUTH[ ]{1,2}(?:\w{1,30}\s{1,2})?`, isOdd],
  [String.raw`\b(?:requirepass|masterauth|masteruser)\s{1,3}`, isAny],
  [
    String.raw`\bmc[ ]{1,3}(?:alias\s{1,3}set|config\s{1,3}host\s{1,3}add)\s{1,3}\S{1,60}\s{1,3}\S{1,200}\s{1,3}\S{3,128}\s{1,3}`,
    isAny,
  ],
  [String.raw`\brclone\s{1,3}obscure\s{1,3}`, isAny],
  [String.raw`\b(?:htpasswd|passwd)\s{1,3}-\w*b\w*\s{1,3}(?:\S{1,200}\s{1,3}){1,2}`, isOdd],
  [String.raw`\bvault\s{1,3}login\s{1,3}(?:token=)?`, isRandom],
  [String.raw`--(?:with-)?token(?:-stdin)?\s{1,3}<<<\s{0,2}`, isRandom],
  [String.raw`\bnet[ ]{1,3}use\s[^\n]{0,120}?\s/user:\S{1,80}\s{1,3}`, isOdd],
  [String.raw`\bset[ ]{1,3}[\w.:-]{0,40}(?:secret|password|passwd|token|key)[\w.:-]{0,40}\s{1,3}`, isOdd],
  [String.raw`\s-e(?:nc|ncodedcommand)?[ ]{1,3}(?=[A-Za-z\d+/]{60})`, speaksOfSecret],
  [String.raw`\bnet[ ]{1,3}user\s{1,3}\S{1,60}\s{1,3}`, isOdd],
];
const AFTER_WORDS = WORDS.map(withValue);

/** The same of programs that take a user and a password in one word, and of network devices. Few texts have these words. */
const RARE_WORDS: typeof WORDS = [
  // The user and the password in one word.
  [String.raw`(?<![\w/.-])(?:https?|xhs?|hey|ab)${BETWEEN}(?:-[aA]|--auth)[ =]["']?[^\s:"'\x60«\0]{1,128}:`, isAny],
  [String.raw`(?<![\w/.-])curl${BETWEEN}-[a-z]{0,6}[uU][ ]?["']?[^\s:"'\x60«\0/]{1,128}:`, isAny],
  [String.raw`\b(?:smbclient|smbget|smbmap|rpcclient|winexe|wmic)${BETWEEN}-U[ ]?["']?[^\s%"'\x60«\0]{1,128}%`, isAny],
  [String.raw`\blftp${BETWEEN}-u[ ]?["']?[^\s,"'\x60«\0]{1,128},`, isAny],
  // Routers, switches and access points.
  [
    String.raw`\b(?:snmp-server[ ]{1,3}community|set[ ]snmp[ ]community|r[ow]community6?|com2sec6?[ ]\S{1,60}[ ]\S{1,60})[ ]{1,3}`,
    isCommunity,
  ],
  [String.raw`\bsnmp-server[ ]host[ ]\S{1,60}[ ](?:(?:traps|informs)[ ])?(?:version[ ]\w{1,3}[ ])?`, isOdder],
  [String.raw`\b(?:enable|username[ ]\S{1,60}(?:[ ]privilege[ ]\d{1,2})?)[ ](?:secret|password)[ ](?:\d[ ])?`, isOdder],
  [
    String.raw`\b(?:tacacs-server|radius-server|isakmp|pre-shared|neighbor[ ]\S{1,60})[ -](?:[^\n]{0,60}[ ])?(?:key|password)[ ](?:\d[ ])?`,
    isOdder,
  ],
  [String.raw`\b(?:key-string|wpa-psk[ ]ascii|authentication-key[ ]\d{1,5}[ ]md5)[ ](?:\d[ ])?`, isOdder],
];
const AFTER_RARE_WORDS = RARE_WORDS.map(withValue);

/** `echo secret | program --password-stdin`, `<<< secret` */
const PIPED =
  /\b(?:echo|printf)\s{1,3}(?:-\w{1,3}\s{1,3})?(?:["']?%s(?:\\n)?["']?\s{1,3})?(?:'([^'\n\0«]{3,256})'|"([^"\n\0«]{3,256})"|([^\s"'|\0«$-][^\s"'|\0«]{2,256}))\s{0,3}\|[^\n|]{0,120}(?:-stdin|sudo\s[^\n]{0,20}-S|--with-token|chpasswd|passwd|secrets?\s{1,3}(?:set|create|put)|base64)/gi;
/** PowerShell's `'…' | ConvertTo-SecureString`, and `net use` with the password before the user. */
const BEFORE_WORDS =
  /(?<=['"])([^'"\n\0«]{3,256})(?=['"]\s{0,3}\|\s{0,3}ConvertTo-SecureString)|(?<=\bnet\s{1,3}use\s[^\n]{0,120}?\s)([^\s"'`«\0/][^\s"'`«\0]{4,128})(?=\s{1,3}\/user:)/gi;
/** Cookies that are given to curl. */
const COOKIES = /\s(?:-b|--cookie)[ =]{1,2}["']?(?=[^\s"']{0,60}=)([^\n"'\0«]{8,4096})/g;

const PROGRAMS = FLAGS.flatMap(([programs]) => programs.split("|")).flatMap((each) =>
  // Of `gpg2?` both forms.
  each.endsWith("?") ? [`${each.slice(0, -2)} `, `${each.slice(0, -1)} `] : [`${each} `],
);
const COMMAND_WORDS =
  "convertto-securestring,pass,pw,auth ,requirepass,masterauth,mc ,rclone,htpasswd,passwd,vault,<<<,set ,net\t,net ,-e ,-enc ,-encodedcommand,echo,printf,-b ,-b=,--cookie".split(
    ",",
  );

/** Secrets of command lines: flags of a single letter, arguments by position, what is piped in. */
export const commandRule: TextRule = {
  words: [...PROGRAMS, ...COMMAND_WORDS],
  hint: new RegExp(
    [
      FLAG_HINT,
      "ConvertTo-SecureString|\\bnet\\s{1,3}use",
      ...WORDS.map(([words]) => words.replaceAll("(?<=", "(?:")),
      String.raw`\b(?:echo|printf)\s[^\n]{3,400}\|`,
      String.raw`\s(?:-b|--cookie)[ =]`,
    ].join("|"),
    "i",
  ),
  find: (text) => [
    ...FLAGGED.flatMap((expression) => spansOf(text, expression, isFlagValue)),
    ...AFTER_WORDS.flatMap(({ expression, isSecret }) => spansOf(text, expression, isSecret)),
    ...spansOf(text, PIPED, isAny),
    ...spansOf(text, BEFORE_WORDS, (value) => isAny(value) && !/^\w:$|^\\\\/.test(value)),
    ...spansOf(text, COOKIES, (value) => value.split(/[;=\s]/).some(looksRandom)),
  ],
};

/** Users with passwords in one word, and the configuration of network devices. */
export const deviceRule: TextRule = {
  words:
    "http ,https ,xh ,xhs ,hey ,ab ,curl ,smb,rpcclient,winexe,wmic,lftp,community,com2sec,snmp-server,enable ,username ,tacacs,radius-,isakmp,pre-shared,neighbor ,key-string,wpa-psk,authentication-key".split(
      ",",
    ),
  hint: new RegExp(RARE_WORDS.map(([words]) => words).join("|"), "i"),
  find: (text) => AFTER_RARE_WORDS.flatMap(({ expression, isSecret }) => spansOf(text, expression, isSecret)),
};

function withValue([words, isSecret]: (typeof WORDS)[number]): {
  readonly expression: RegExp;
  readonly isSecret: (value: string) => boolean;
} {
  return { expression: new RegExp(words + VALUE, "gi"), isSecret };
}

function spansOf(text: string, expression: RegExp, isSecret: (value: string) => boolean): SecretSpan[] {
  return [...text.matchAll(expression)].flatMap((match): SecretSpan[] => {
    const value = match.slice(1).find((group) => group !== undefined) ?? "";
    const start = match.index + match[0].lastIndexOf(value);
    return isSecret(value) ? [{ start, end: start + value.length, rule: "assigned-secret" }] : [];
  });
}

function isFlagValue(value: string): boolean {
  return (
    value.length >= 5 &&
    /\d|[^\w./:@,=-]/.test(value) &&
    /[A-Za-z]/.test(value) &&
    isAny(value) &&
    !/^\d+:\d+|^[\w./-]+:\d+$|^[\w.-]+:[\w./-]+$/.test(value)
  );
}

function isAny(value: string): boolean {
  return !isHarmless(value) && !/^[$%{<[(]/.test(value);
}

function isOdd(value: string): boolean {
  return looksOdd(value) || looksRandom(value) || (isFlagValue(value) && /[!@#$%^&*+~?]/.test(value));
}

/** Two communities are what every device has when it is new. */
function isCommunity(value: string): boolean {
  return isAny(value) && !/^(?:public|private)$/i.test(value);
}

/** Letters with digits, of which devices make nothing but passwords in these places. */
function isOdder(value: string): boolean {
  return isAny(value) && value.length >= 6 && /\d/.test(value) && /[A-Za-z]/.test(value);
}

/** A command of PowerShell that is encoded, as UTF-16 in base64. */
function speaksOfSecret(value: string): boolean {
  return /pass|pwd|secret|token|key|credential|\/user:/i.test(Buffer.from(value, "base64").toString("utf16le"));
}

function isRandom(value: string): boolean {
  return looksRandom(value);
}
