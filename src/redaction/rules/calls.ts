import { isNonSecret } from "../values/non-secrets.ts";
import { looksSecretAfterLabel, hasPasswordShape } from "../values/secret-value.ts";
import { matchesOf, spanAt, type SecretSpan, type TextRule } from "../spans.ts";

interface Argument {
  readonly text: string;
  readonly start: number;
}

type Positions = (list: readonly Argument[]) => readonly number[];

/** The positions are those of key id, secret and session token; a key id alone is harmless. */
const objectStore =
  (first: number): Positions =>
  (list) =>
    list.length > first + 1 && !NO_KEY.test(literal(list[first])) ? [first, first + 1, first + 2] : [];
const database: Positions = (list) => (list.length === 4 ? [3] : [4]);
/** Database and table are one argument or two: `remote('host', 'db.table', user, password)`. */
const remote: Positions = (list) => (/^'?\w+'?\.'?\w|\(/.test(literal(list[1])) ? [3] : [4]);

const POSITIONS: readonly (readonly [names: string, positions: Positions])[] = [
  ["s3 s3queue gcs oss cosn iceberg icebergs3 deltalake hudi", objectStore(1)],
  ["s3cluster icebergs3cluster deltalakecluster", objectStore(2)],
  ["mysql materializedmysql postgresql", database],
  ["materializedpostgresql", (list) => (list.length >= 5 ? [4] : [3])],
  ["remote remotesecure", remote],
  ["aes_encrypt aes_decrypt pgp_sym_encrypt pgp_sym_decrypt", () => [1]],
  ["ytsaurus encrypt decrypt trydecrypt aes_encrypt_mysql aes_decrypt_mysql hmac", () => [2]],
  ["arrowflight", () => [3]],
  ["mongodb redis azureblobstorage azurequeue icebergazure", () => [4]],
  ["azureblobstoragecluster", () => [5]],
];
const CALLS = new Map(POSITIONS.flatMap(([names, positions]) => names.split(" ").map((name) => [name, positions])));
/** The index of a text is the position of the password, except for 2: there, `loginSpans` finds it. */
const CODE_CALLS = new Map(
  [
    "setpassword fernet hmac.new",
    `networkcredential pscredential httpbasicauth httpdigestauth basicauth basic_auth setbasicauth basiccredentials setcredentials
    usernamepasswordcredentials usernamepasswordcredential basicauthcredentials basicawscredentials basicauthentication
    awsbasiccredentials.create newstaticcredentials basicauthenticationtoken passwordauthentication passwordcredentials auth auth= authenticate login
    simple_bind simple_bind_s jwt.sign jwt.encode credentials withcredentials userinfo createhmac createcipheriv createdecipheriv`,
    "plainauth ftp_login ssh2_auth_password ldap_bind getconnection connect pdo mysqli mysqli_connect sequelize",
    "",
    "smtp.start",
  ].flatMap((names, position) => (names.match(/\S+/g) ?? []).map((name) => [name, position] as const)),
);
const BEGINNING = String.raw`\b(?:(?:${[...CALLS.keys()].join("|")})\s{0,3}|${[...CODE_CALLS.keys()].join("|").replace("=", " ?= ?")})\(`;
const CALL = new RegExp(BEGINNING, "gi");
const MAX_CALL_LENGTH = 4000;
const MAX_CODE_CALL_LENGTH = 400;
/** After so many searched characters, calls are read only up to `MAX_CODE_CALL_LENGTH`. */
const MAX_LOOKED = 10 * MAX_CALL_LENGTH;
/** Formats and compressions can stand in the positions of keys. */
const NO_KEY =
  /^(?:CSV|TSV|TabSeparated|JSON|Parquet|ORC|Avro|RawBLOB|LineAsString|Native|One|auto|gzip|zstd|none|NOSIGN|$)/i;
const DSN = /^\s*["'](?:dbi|jdbc|odbc|mysql|pgsql|sqlsrv|oci|dblib|firebird|informix|ibm):/i;
/** The literal may be in a function call: `unhex('…')`. */
const LITERAL = /(?:^|\()\s*[NEb]?(['"]|\$\$)((?:[^'"\\]|\\.|(?!\1)['"]|\1\1)*)\1/;
export const callRule: TextRule = {
  words: [...CALLS.keys(), ...[...CODE_CALLS.keys()].map((name) => `${name}(`), "auth = ("],
  find: callSpans,
};

function callSpans(text: string): SecretSpan[] {
  let searchedLength = 0;
  return matchesOf(text, CALL).flatMap(({ index, 0: whole }) => {
    const name = whole.replaceAll(/[\s(]/g, "").toLowerCase();
    const codePosition = CODE_CALLS.get(name);
    const maxLength =
      codePosition === undefined && searchedLength < MAX_LOOKED ? MAX_CALL_LENGTH : MAX_CODE_CALL_LENGTH;
    const { list, length } = argumentsAt(text, index + whole.length, maxLength);
    searchedLength += length;
    if (codePosition === 2) return loginSpans(list);
    if (codePosition !== undefined) return spanOf(list[codePosition], isRandomValue);
    return (CALLS.get(name)?.(list) ?? []).flatMap((position) => spanOf(list[position]));
  });
}

function loginSpans(list: readonly Argument[]): SecretSpan[] {
  const [address = "", second = "", third = ""] = list.map(({ text }) => text);
  if (list.length === 2 && /:\d{2,5}["']\s*$/.test(address)) return spanOf(list[1], hasPasswordShape);
  // The arguments are DSN, user and password.
  if (DSN.test(address)) return spanOf(list[2]);
  // A port may stand between address and user.
  if (/['"]|user|login/i.test(second)) return spanOf(list[2], isRandomValue);
  return /['"]/.test(third) ? spanOf(list[3], isRandomValue) : [];
}

/** Words and names of files are common in code, and are not secrets. */
function isRandomValue(value: string): boolean {
  return looksSecretAfterLabel(value.replace(/=+$/, ""), "strong", true) && !/^[\w-]*\.[a-z]{2,4}$/.test(value);
}

function spanOf(argument: Argument | undefined, isSecret = (value: string): boolean => value !== ""): SecretSpan[] {
  const match = argument && LITERAL.exec(argument.text);
  const value = match?.[2] ?? "";
  if (!argument || !match || isNonSecret(value) || NO_KEY.test(value) || value.length < 3 || !isSecret(value))
    return [];
  return [spanAt(argument.start + match.index + match[0].length - 1 - value.length, value, "sql-credential")];
}

function literal(argument: Argument | undefined): string {
  const text = argument?.text.trim() ?? "";
  return /^'(.*)'$/s.exec(text)?.[1] ?? text;
}

function argumentsAt(
  text: string,
  from: number,
  maxLength: number,
): { readonly list: readonly Argument[]; readonly length: number } {
  const list: Argument[] = [];
  const stop = Math.min(text.length, from + maxLength);
  let [depth, start, index] = [0, from, from];
  for (; index < stop; index += 1) {
    const character = text.charAt(index);
    if (isQuote(text, index)) index = endOfQuoted(text, index, stop);
    else if ("([".includes(character)) depth += 1;
    else if (depth > 0 && ")]".includes(character)) depth -= 1;
    else if (depth === 0 && ",)".includes(character)) {
      list.push({ text: text.slice(start, index), start });
      start = index + 1;
      if (character === ")") break;
    }
  }
  return { list, length: Math.min(index, stop) - from };
}

function isQuote(text: string, index: number): boolean {
  return "'\"`".includes(text.charAt(index)) || text.startsWith("$$", index);
}

function endOfQuoted(text: string, start: number, stop: number): number {
  const quote = text.charAt(start);
  if (quote === "$") {
    // A dollar-quoted text ends with `$$` and has no escapes.
    const end = text.indexOf("$$", start + 2);
    return end < 0 ? stop : end + 1;
  }
  for (let index = start + 1; index < stop; index += 1) {
    const character = text.charAt(index);
    if (character === "\\") index += 1;
    else if (character === quote) return index;
  }
  return stop;
}
