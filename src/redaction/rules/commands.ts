import { isNonSecret } from "../values/non-secrets.ts";
import { hasPasswordShape } from "../values/secret-value.ts";
import { valueRule, valueSpans, type TextRule } from "../spans.ts";
import { findEncodedSecrets } from "./keys.ts";

const VALUE = String.raw`(?:'([^'\n\0«]{3,512})'|"([^"\n\0«]{3,512})"|([^\s"'\x60«\0<>|;&-][^\s"'\x60«\0<>|;]{2,512}))`;

function isLiteralValue(value: string): boolean {
  return !isNonSecret(value) && !/^(?:[%{<[(]|\$(?!\w{1,8}\$))/.test(value);
}

function isLiteralArgument(value: string): boolean {
  return isLiteralValue(value) && !/^\d{1,5}$|^(?:~|\.{1,2})?\/|^-/.test(value);
}

function isFlagValue(value: string): boolean {
  return (
    value.length >= 5 &&
    /\d|[^\w./:@,=-]/.test(value) &&
    /[A-Za-z]/.test(value) &&
    isLiteralValue(value) &&
    !/^\d+:\d+|^[\w./-]+:\d+$|^[\w.-]+:[\w./-]+$/.test(value)
  );
}

const SYMBOL = /[!@#$%^&*+~?]/;

function hasLettersAndDigits(value: string): boolean {
  return isLiteralValue(value) && value.length >= 6 && /\d/.test(value) && /[A-Za-z]/.test(value);
}

/** Keywords of commands rarely have digits, inner capitals or symbols. */
function hasPasswordMarks(value: string): boolean {
  return (
    hasLettersAndDigits(value) ||
    (isLiteralValue(value) && value.length >= 5 && /[a-z][-_.]?[A-Z]|\w[!@#$%^&*+~?]/.test(value))
  );
}

const BETWEEN = String.raw`[ ](?:(?:[^\n|;]|\\\n){0,200}?\s)?`;

/** In SNMP, `-c` gives a community, `-A` a password, and `-X` a second password. */
const SNMP = "snmpwalk|snmpget|snmpset|snmpbulkwalk|snmpbulkget|snmptrap|snmpinform|snmpgetnext|snmptable|check_snmp";

const FLAGS: readonly (readonly [programs: string, flags: string, isSecret: (value: string) => boolean])[] = [
  [
    "docker|podman|helm|nerdctl|oras|skopeo|crane|az|gh|cqlsh|rabbitmqadmin|beeline|mongo|mongosh|mongodump|mongorestore|mongoimport|mongoexport|mongostat|kinit|argocd|oc|influx|cypher-shell|psexec|nuget|twine|npm|jfrog|jf|ftp|xfreerdp|vncviewer|isql|hdbsql|nmcli|arangosh|7z|7za|rar|net|smbpasswd|storcli|govc|esxcli|couchbase-cli|cbq|snowsql|bee|pbrun|sftp|ncftp|ncftpput|ncftpget|rdesktop|check_mysql|check_pgsql|check_ldap|check_oracle|check_by_ssh",
    "-p ?",
    isFlagValue,
  ],
  // Here, `-p` takes only passwords.
  [
    "sshpass|racadm|ilorest|fence_ipmilan|fence_idrac|fence_ilo|ipmi-sensors|ipmi-chassis|ipmipower|ipmi-sel|bmc-info",
    "-p ?",
    isLiteralArgument,
  ],
  ["ipmitool|ipmiutil|mosquitto_pub|mosquitto_sub|mosquitto_rr|mqttx|sqlcmd|osql|bcp", "-P ?", isLiteralArgument],
  // `-p` and the password touch: after a blank, the name of a database follows.
  [
    "mysql|mysqldump|mysqladmin|mysqlsh|mysqlimport|mysqlcheck|mariadb|mariadb-dump|mariadb-admin|mariadb-backup|mycli|mydumper|xtrabackup|pt-query-digest",
    "-p",
    isFlagValue,
  ],
  ["sipp", "-ap ?", isLiteralArgument],
  ["redis-cli|valkey-cli|keydb-cli|redis-benchmark", "-a ?", isLiteralArgument],
  ["ldapsearch|ldapmodify|ldapadd|ldapwhoami|ldappasswd|ldapdelete|ldapcompare|dsconf", "-w ?", isLiteralArgument],
  // Spares `public` and `private`, the communities of new devices.
  [SNMP, "-[Ac] ?", (value) => isLiteralArgument(value) && !/^(?:public|private)$/i.test(value)],
  [SNMP, "-X ?", isLiteralArgument],
  [
    "net use|cmdkey|xfreerdp|runas|schtasks|wmic|sc|vaultcmd|vpncmd|wfreerdp|netdom|sqlplus",
    "/(?:pass|p|rp|pd|password|passwordd)[: ]",
    isFlagValue,
  ],
];
const ANNOUNCED: readonly (readonly [words: string, before: string, isSecret: (value: string) => boolean])[] = [
  ["requirepass,masterauth,masteruser", String.raw`\b(?:requirepass|masterauth|masteruser)\s{1,3}`, isLiteralValue],
  [
    "mc ",
    String.raw`\bmc[ ]{1,3}(?:alias\s{1,3}set|config\s{1,3}host\s{1,3}add)\s{1,3}\S{1,60}\s{1,3}\S{1,200}\s{1,3}\S{3,128}\s{1,3}`,
    isLiteralValue,
  ],
  ["+login", String.raw`\+login[ ]\S{2,60}[ ]`, hasLettersAndDigits],
  ["from-literal", String.raw`\bsecret[ ][^|;]{0,200}?--from-literal[= ]["']?[\w.-]{1,60}=`, hasPasswordMarks],
  [
    "<<<,--value,--secret-string,--body",
    String.raw`\bsecrets?[ ][^\n|;<]{0,160}(?:<<<|[ ]--(?:value|secret-string|body)[ =])\s{0,2}`,
    hasPasswordMarks,
  ],
  [
    "radtest",
    String.raw`\bradtest[ ](?:-\w[ ]\S{1,20}[ ])?\S{1,60}[ ](?:\S{1,60}[ ]\S{1,60}[ ]\d{1,5}[ ])?`,
    isLiteralArgument,
  ],
  [
    "net ",
    String.raw`\bnet[ ]{1,3}use\s[^\n]{0,120}?\s/user:\S{1,80}\s{1,3}`,
    (value) =>
      hasPasswordShape(value) ||
      (hasLettersAndDigits(value) && !value.startsWith("/")) ||
      (isFlagValue(value) && SYMBOL.test(value)),
  ],
  ["-e ,-enc ,-encodedcommand", String.raw`\s-e(?:nc|ncodedcommand)?[ ]{1,3}(?=[A-Za-z\d+/]{60})`, mentionsSecret],
  ["user ", String.raw`\b(?:user|setuser)[ ]\S{1,40}[ ](?:[^\n|;>]{0,80}[ ])?>`, isLiteralArgument],
  // User and password are one argument: `user:password`, `user%password`.
  [
    "http ,https ,xh ,xhs ,hey ,ab ",
    String.raw`(?<![\w/.-])(?:https?|xhs?|hey|ab)${BETWEEN}(?:-[aA]|--auth)[ =]["']?[^\s:"'\x60«\0]{1,128}:`,
    isLiteralValue,
  ],
  ["curl ", String.raw`(?<![\w/.-])curl${BETWEEN}-[a-z]{0,6}[uU][ ]?["']?[^\s:"'\x60«\0/]{1,128}:`, isLiteralValue],
  [
    "smb,rpcclient,winexe,wmic",
    String.raw`\b(?:smbclient|smbget|smbmap|rpcclient|winexe|wmic)${BETWEEN}-U[ ]?["']?[^\s%"'\x60«\0]{1,128}%`,
    isLiteralValue,
  ],
];

/** Matches `echo secret | program --password-stdin`. */
const PIPED =
  /\b(?:echo|printf)\s{1,3}(?:-\w{1,3}\s{1,3})?(?:["']?%s(?:\\n)?["']?\s{1,3})?(?:'([^'\n\0«]{3,256})'|"([^"\n\0«]{3,256})"|([^\s"'|\0«$-][^\s"'|\0«]{2,256}))\s{0,3}\|[^\n|]{0,120}(?:-stdin|sudo\s[^\n]{0,20}-S|--with-token|chpasswd|passwd|secrets?\s{1,3}(?:set|create|put)|base64|\bkinit\b|cryptsetup|passphrase-fd|\bsmbpasswd|wg\s(?:set|pubkey)|openconnect|\bgpg\b)/gi;
/** Matches `'…' | ConvertTo-SecureString` and `net use … /user:`. */
const BEFORE_WORDS =
  /(?<=['"])([^'"\n\0«]{3,256})(?=['"]\s{0,3}\|\s{0,3}ConvertTo-SecureString)|(?<=\bnet\s{1,3}use\s[^\n]{0,120}?\s)([^\s"'`«\0/][^\s"'`«\0]{4,128})(?=\s{1,3}\/user:)/gi;
export const commandRules: readonly TextRule[] = [
  ...FLAGS.map(([programs, flags, isSecret]) =>
    valueRule(
      programWords(programs),
      new RegExp(String.raw`(?<![\w/.-])(?:${programs})${BETWEEN}(?:${flags})${VALUE}`, "g"),
      isSecret,
    ),
  ),
  ...ANNOUNCED.map(([words, before, isSecret]) =>
    valueRule(words.split(","), new RegExp(before + VALUE, "gi"), isSecret),
  ),
  // Spares JSON in base64 without secrets: it can be the continuation token of a paged list.
  valueRule(
    ["echo", "printf"],
    PIPED,
    (value) => isLiteralValue(value) && (!/^ey[JAI][\w+/]+={0,2}$/.test(value) || findEncodedSecrets(value).length > 0),
  ),
  valueRule(
    ["convertto-securestring", "/user:"],
    BEFORE_WORDS,
    (value) => isLiteralValue(value) && !/^\w:$|^\\\\/.test(value),
  ),
];

function programWords(programs: string): string[] {
  return programs.split("|").map((program) => `${program} `);
}

/** PowerShell encodes commands as UTF-16 in base64. */
function mentionsSecret(value: string): boolean {
  return /pass|pwd|secret|token|key|credential|\/user:/i.test(Buffer.from(value, "base64").toString("utf16le"));
}

const FIELD = String.raw`(?:\*|[\w.@$-]{1,60})`;
/** Matches a line of `.pgpass`: host, port, database, user, password. */
const PGPASS = new RegExp(
  String.raw`(?<![\w:/.-])(?:\*|[A-Za-z\d][\w.-]{1,80}|/[\w/.-]{1,60}):(?:\*|\d{2,5}):${FIELD}:${FIELD}:((?:\\[:\\]|[^\s:"'\x60<>\0«\\]){4,128})(?![:\w])`,
  "g",
);
/** The address of a relay mail server and the user stand before the password. */
const RELAY = /(?<=(?:\]|[a-z]{2}):\d{2,5}[ \t]{1,8}[\w.@+-]{2,60}:)([^\s"'`\0«]{5,128})/g;
/** A password can be guessed from a hash such as `$6$…`. */
const HASHED =
  /(?<![\w$])\$(?:[15679y]|gy|14|2[abxy]|apr1|argon2(?:id|i|d)|scrypt|pbkdf2-sha\d{1,3}|md5|sha1|sm3|1c|8)\$[\w./+=$,*!%-]{16,300}/g;

/** Matches a CUBRID address: host, port, database, user, password. */
const CUBRID = /(?<=\bjdbc:cubrid:[\w.,-]{1,120}:\d{2,5}:\w{1,60}:\w{1,60}:)([^\s:"'`<>\0«]{3,128})(?=:)/gi;
const PORTS = [":1", ":2", ":3", ":4", ":5", ":6", ":7", ":8", ":9"];

export const credentialFileRules: readonly TextRule[] = [
  {
    words: [":*:", ...PORTS],
    find: (text) => {
      const isSecret = /pgpass/i.test(text) ? isLiteralArgument : isPasswordWithoutLabel;
      return valueSpans(text, PGPASS, (value) => !/^(?:password|\d+)$/i.test(value) && isSecret(value));
    },
  },
  valueRule(["cubrid"], CUBRID, isLiteralValue),
  valueRule(PORTS, RELAY, (value) => hasLettersAndDigits(value) && !/^\d/.test(value)),
  valueRule(["$"], HASHED, undefined, { rule: "password-hash" }),
];

/** No word in the line announces a password, so the test is strict. */
function isPasswordWithoutLabel(value: string): boolean {
  return isLiteralValue(value) && (hasPasswordShape(value) || (hasLettersAndDigits(value) && SYMBOL.test(value)));
}
