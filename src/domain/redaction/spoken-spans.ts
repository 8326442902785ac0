import { credentialName } from "./credential-name.ts";
import { credentialSigns } from "./credential-signs.ts";
import { isHarmless, looksRandom, looksSecret } from "./looks-secret.ts";
import type { SecretSpan } from "./redaction-policy.ts";
import { signs, sticky } from "./sign.ts";
import type { TextRule } from "./text-rule.ts";

const BLANK = String.raw`[ \t]{1,3}["'\`]?`;
const CHARACTER = String.raw`[^\s"'\`,;<>()«\0\\]`;

/** Words before a value without any sign between them: headers, SQL, flags. */
const SCHEME = new RegExp(
  String.raw`(?<![A-Za-z\d])(bearer|basic|apikey|api-key|token|splunk|genie-?key|identified by|identified with \w+ by|--?[a-z][a-z-]{0,30})${BLANK}(${CHARACTER}{4,2048})`,
  "gi",
);
const FLAG_VALUE = sticky("i", String.raw`(?<=-[a-z-]{0,31})[a-z-]{0,30}${BLANK}(?!-)${CHARACTER}{4}`);
/** Twelve characters with a digit among them, unless there are 24: less is never random. */
const RANDOM = `(?=${CHARACTER}{0,23}\\d|${CHARACTER}{24})${CHARACTER}{12}`;
const SCHEMES: TextRule = {
  signs: [
    ...signs(["bearer", "apikey", "api-key", "token", "splunk", "geniekey", "genie-key"], {
      spelled: "any-case",
      after: sticky("", BLANK, RANDOM),
    }),
    ...signs(["basic"], { spelled: "any-case", after: sticky("", BLANK, String.raw`[A-Za-z\d+/_-]{6}`) }),
    ...signs(["identified "], {
      spelled: "any-case",
      after: sticky("i", String.raw`(?:by|with \w+ by)${BLANK}${CHARACTER}{4}`),
    }),
    ...credentialSigns([], { strong: FLAG_VALUE, weak: FLAG_VALUE }),
  ],
  find: (text) =>
    [...text.matchAll(SCHEME)].flatMap(({ index, 0: whole, 1: word = "", 2: value = "" }) => {
      const bare = value.replace(/[.,:!?]+$/, "");
      if (!isSchemeValue(word.toLowerCase(), bare)) return [];
      const start = index + whole.length - value.length;
      return [{ start, end: start + bare.length, rule: ruleOf(word) }];
    }),
};

const CURL_USER: TextRule = {
  signs: signs(["-u ", "-u=", "-user ", "-user="], { after: sticky("", String.raw`["']?[^\s:"'«\0]{1,128}:`) }),
  find: lastGroup(
    /(?<=\s(?:-u|--user|--proxy-user)[ =]["']?)[^\s:"'«\0]{1,128}:([^\s"'«\0]{3,256})/g,
    (value) => !isHarmless(value),
  ),
};

const SQL_PASSWORD: TextRule = {
  signs: signs(["password"], { spelled: "any-case", after: /\s{1,3}'/y }),
  find: lastGroup(/(?<![A-Za-z])password\s{1,3}'([^'\n\0«]{4,256})(?=')/gi, (value) =>
    looksSecret(value, { strength: "strong", tight: true }),
  ),
};

/** Programs whose flag for a password is a single letter. */
const SHORT_FLAG: TextRule = {
  signs: signs("docker podman helm sshpass redis-cli htpasswd mysql ldapsearch".split(" "), {
    after: /\b[^\n|;]{0,100}?\s-[paw]/y,
  }),
  find: lastGroup(
    /\b(?:docker|podman|helm|sshpass|redis-cli|htpasswd|mysql|ldapsearch)\b[^\n|;]{0,100}?\s-[paw]\s?["']?([^\s"'«\0-][^\s"'«\0]{3,256})/g,
    (value) => /\d|[^\w./:@-]/.test(value) && !isHarmless(value),
  ),
};

/** The name, and then the value without anything in between. */
const FOLLOWS: TextRule = {
  signs: signs(
    [
      ..."password passwd passwort passphrase pwd".split(" "),
      ..."api access secret master encryption".split(" ").map((word) => `${word} key`),
      ..."access token,auth token,api token,client secret".split(","),
    ],
    { spelled: "any-case", after: sticky("", String.raw`\s{1,3}(?=${CHARACTER}{0,511}\d)${CHARACTER}{8}`) },
  ),
  find: lastGroup(
    /(?<![A-Za-z])(?:pass(?:word|wd|wort|phrase)|pwd|(?:api|access|secret|master|encryption) key|(?:access|auth|api) token|client secret)\s{1,3}([^\s"'`,;<>()«\0\\]{8,512})/gi,
    (value) => /\d/.test(value) && /[A-Za-z]/.test(value) && isOdd(value),
  ),
};

const COOKIE: TextRule = {
  signs: signs(["cookie"], { spelled: "any-case", after: /["']?\s{0,3}:\s{0,3}["']?[^\n"'\0«]{8}/y }),
  find: lastGroup(
    /(?<![A-Za-z])(?:set-)?cookie["']?\s{0,3}:\s{0,3}["']?([^\n"'\0«]{8,4096})/gi,
    (value) => value.split(/[;=\s]/).some(looksRandom),
    "cookie",
  ),
};

/** Values after words that announce them, without a sign for "is" in between: headers, flags of programs, SQL. */
export const spokenRules: readonly TextRule[] = [SCHEMES, CURL_USER, SQL_PASSWORD, SHORT_FLAG, FOLLOWS, COOKIE];

/** What the first group of an expression that ends with it matches, where it is a secret. */
function lastGroup(
  expression: RegExp,
  isSecret: (value: string) => boolean,
  rule = "assigned-secret",
): TextRule["find"] {
  return (text) =>
    [...text.matchAll(expression)].flatMap(({ index, 0: whole, 1: value = "" }): SecretSpan[] => {
      const end = index + whole.length;
      return isSecret(value) ? [{ start: end - value.length, end, rule }] : [];
    });
}

/** Neither words nor a call, a path or an address. */
function isOdd(value: string): boolean {
  return (
    !/[/:=]|\.\w|\[|\)$/.test(value) && looksSecret(value.replace(/[.,!?]+$/, ""), { strength: "strong", tight: false })
  );
}

function isSchemeValue(word: string, value: string): boolean {
  if (word.startsWith("-")) {
    const strength = credentialName(word.replace(/^-+/, ""));
    return strength !== undefined && !value.startsWith("-") && looksSecret(value, { strength, tight: true });
  }
  if (word.startsWith("identified")) return !isHarmless(value);
  if (word === "basic") return isUserInfo(value);
  if (/^[[({]/.test(value)) return false;
  return looksRandom(value) || (word === "bearer" && value.length >= 20 && /\d/.test(value));
}

/** The Basic scheme's user and password, base64: what it says is the only proof, as any word is base64 too. */
function isUserInfo(value: string): boolean {
  if (!/^[A-Za-z\d+/_-]{6,}={0,2}$/.test(value)) return false;
  return /^[\x20-\x7e\u00a0-\uffff]*:[\x20-\x7e\u00a0-\uffff]*$/.test(Buffer.from(value, "base64").toString("utf8"));
}

function ruleOf(word: string): string {
  if (/^bearer|^token|key$/i.test(word)) return "bearer-token";
  return /^basic/i.test(word) ? "basic-credential" : "assigned-secret";
}
