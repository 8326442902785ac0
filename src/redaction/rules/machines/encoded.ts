import type { TextRule } from "../text-rule.ts";
import { matchSpans } from "../../spans.ts";
import type { SecretSpan } from "../../spans.ts";

/**
 * Base64 of JSON (`{"`, `{ "`, `{` and a new line), of YAML that Kubernetes begins with, of keys in armour, and of addresses:
 * `redis`, `postgre`, `mysql:`, `mongodb`, `amqp`, `http`, `jdbc:`, `clickho`, `nats:`.
 */
export const ENCODED_HINT = String.raw`(?<![\w+/-])(?:ey[JAIKLM]|ewog|ewk|ew0K|YXBp|LS0tLS1C|a2luZ|W3si|Wwog|cmVkaX|cG9zdGdyZX|bXlzcWw6|bW9uZ29kYi|YW1xc|aHR0c|amRiYz|Y2xpY2tob|bmF0czov)[A-Za-z\d+/_-]{24}`;
export const ENCODED_WORDS: readonly string[] =
  "base64decode(,base64_decode(,from_base64(,atob(,b64decode(,unhex(,pass,pwd,secret,ugfzc3dvcmq6,eyj,eya,eyi,eyk,eyl,eym,ewog,ewk,ew0k,yxbp,ls0tls1c,a2luz,w3si,wwog,cmvkax,cg9zdgdyzx,bxlzcww6,bw9uz29kyi,yw1xc,ahr0c,amriyz,y2xpy2tob,bmf0czov".split(
    ",",
  );
const ENCODED = new RegExp(String.raw`${ENCODED_HINT}[A-Za-z\d+/_-]{0,20000}={0,2}(?![\w.+/=-])`, "g");
/** A member that holds a secret, as JSON or YAML has it, or a private key. */
const HOLDS =
  /PRIVATE KEY|["']?(?:[\w.-]{0,30}(?:private[_-]?key|passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|credential)[\w-]{0,12}|(?:[\w-]{0,20}[_-])?(?:token|auth|pass|pwd|identitytoken|client-key-data))["']?\s{0,3}:\s{0,3}["']?(?!true|false|null|""|\{\})[^\s"']{4}/i;

/** Lines of a file of settings, of which one holds a secret. */
const SETTINGS = /^[\t\r\n\x20-\x7e\u00a0-\u024f]*$/;
const HOLDS_SETTING =
  /(?:^|\n)(?:export )?[\w.]{0,40}(?:PASS(?:WORD|WD)?|SECRET|TOKEN|API_?KEY|PWD)[\w.]{0,10}[ ]?=[ ]?["']?[^\s"'$]{4}/i;
const ANY = /(?<![\w+/-])[A-Za-z\d+/]{40,20000}={0,2}(?![\w.+/=-])/g;
/** The bytes of a password, as a tool that looks at packets shows them. */
const BYTES = /(?<=(?:pass(?:word|wd)?|pwd|secret)["'\x60*]{0,3}[ ]?[:=][ \t]{1,8})(?:[\da-f]{2} ){5,127}[\da-f]{2}/gi;
/** What a query decodes and sends as a credential. */
const DECODED =
  /(?<=(?:bearer|basic|token|apikey|api-key)[ ]?["'],\s{0,3}(?:base64_?decode|from_base64|atob|b64decode|unhex)\(["'])[A-Za-z\d+/]{12,2000}={0,2}(?=["'])/gi;
/** The answer to a mail server that has asked for the password. */
const ANSWER = /(?<=\b334 UGFzc3dvcmQ6\s{1,3}(?:[CS]: )?)[A-Za-z\d+/]{4,200}={0,2}/g;

/** An address with a password. */
const LOGIN = /^[a-z][\w+.-]{1,20}:\/\/[^\s/:@]{0,60}:[^\s/@${}<>]{3,128}@[\w[]/;

/** What is base64 of a text that holds a secret: the key of a service account, a login of a registry. */
export function encodedSecrets(text: string): SecretSpan[] {
  const answers = [ANSWER, BYTES, DECODED].flatMap((expression) => matchSpans(text, expression, "encoded-secret"));
  const encoded = [...text.matchAll(ENCODED)].flatMap(({ index, 0: whole }) => {
    const plain = Buffer.from(whole, "base64").toString("utf8");
    const isSecret = HOLDS.test(plain) || LOGIN.test(plain);
    return isSecret ? [{ start: index, end: index + whole.length, rule: "encoded-secret" }] : [];
  });
  return [...answers, ...encoded];
}

/** The same of settings of an environment, which begin with anything. */
export const encodedSettingsRule: TextRule = {
  hint: /(?<![\w+/-])[A-Za-z\d+/]{40}/,
  isLong: true,
  find: (text) =>
    matchSpans(text, ANY, "encoded-secret").filter(({ start, end }) => {
      const plain = Buffer.from(text.slice(start, end), "base64").toString("utf8");
      return SETTINGS.test(plain) && HOLDS_SETTING.test(plain);
    }),
};
