import type { SecretSpan } from "../../spans.ts";

/** Base64 of JSON (`{"`, `{ "`, `{` and a new line), of YAML that Kubernetes begins with, and of keys in armour. */
export const ENCODED_HINT = String.raw`(?<![\w+/-])(?:ey[JAIKLM]|ewog|ewk|ew0K|YXBp|LS0tLS1C|a2luZ|W3si|Wwog)[A-Za-z\d+/_-]{24}`;
export const ENCODED_WORDS: readonly string[] =
  "eyj,eya,eyi,eyk,eyl,eym,ewog,ewk,ew0k,yxbp,ls0tls1c,a2luz,w3si,wwog".split(",");
const ENCODED = new RegExp(String.raw`${ENCODED_HINT}[A-Za-z\d+/_-]{0,20000}={0,2}(?![\w.+/=-])`, "g");
/** A member that holds a secret, as JSON or YAML has it, or a private key. */
const HOLDS =
  /PRIVATE KEY|["']?(?:[\w.-]{0,30}(?:private[_-]?key|passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|credential)[\w-]{0,12}|(?:[\w-]{0,20}[_-])?(?:token|auth|pass|pwd|identitytoken|client-key-data))["']?\s{0,3}:\s{0,3}["']?(?!true|false|null|""|\{\})[^\s"']{4}/i;

/** What is base64 of a text that holds a secret: the key of a service account, a login of a registry. */
export function encodedSecrets(text: string): SecretSpan[] {
  return [...text.matchAll(ENCODED)].flatMap(({ index, 0: whole }) =>
    HOLDS.test(Buffer.from(whole, "base64").toString("utf8"))
      ? [{ start: index, end: index + whole.length, rule: "encoded-secret" }]
      : [],
  );
}
