import { CREDENTIAL_WORDS, credentialName, HAS_CREDENTIAL_WORD } from "../values/names.ts";
import { isNonSecret } from "../values/non-secrets.ts";
import { looksRandom, looksSecret } from "../values/secret-value.ts";
import type { SecretSpan, TextRule } from "../spans.ts";
import { matchesOf } from "../spans.ts";

const BLANK = String.raw`[ \t]{1,3}["'\`]?`;
const CHARACTER = String.raw`[^\s"'\`,;<>()«\0\\]`;
const SCHEME = String.raw`(?<![A-Za-z\d])(?:bearer|basic|apikey|api-key|token|splunk|ssws|genie-?key|identified by|identified with \w+ by|authorization["'\`]{0,2}[ ]?[:=,][ ]?["'\`]?(?!basic|bearer|token)[a-z][\w-]{1,24}|--?[a-z][a-z-]{0,30})${BLANK}`;

const SCHEME_VALUE = new RegExp(`${SCHEME}((?!--?[a-z])${CHARACTER}{4,2048})`, "gi");

/** Matches flags whose value is not a secret: for instance the name of a header, a variable, a plugin or a store. */
const NAMES_ONE =
  /-(?:stdin|headers?|env|var|variable|backend|plugin|audience|prefix|suffix|group|class|alias|dir|folder|command|cmd|helper|program|key-?names?|engine|mount|role|namespace|keystore|bits|lifetime|duration|grace|leeway|interval)$/i;

/** Finds values that follow a word without a sign in between: in headers, in SQL, after flags. */
const SCHEMES: TextRule = {
  words: [...CREDENTIAL_WORDS, "splunk", "ssws", "genie", "identified"],
  find: (text) =>
    valuesAfter(text, SCHEME_VALUE).flatMap(({ start, before, value }) => {
      const word = before.replace(/[ \t]+["'`]?$/, "").toLowerCase();
      const trimmedValue = value.replace(/[.,:!?]+$/, "");
      return isSchemeValue(word, trimmedValue) ? [{ start, end: start + trimmedValue.length, rule: ruleOf(word) }] : [];
    }),
};

const CURL_USER = announced({
  words: ["-u", "-user"],
  before: String.raw`(?<=\s(?:-u|--user|--proxy-user)[ =]["']?)[^\s:"'«\0]{1,128}:`,
  value: String.raw`[^\s"'«\0]{3,256}`,
  // `-u 1000:1000` gives the user and the group of a container.
  isSecret: (value) => !isNonSecret(value) && !/^\d{1,5}$/.test(value),
  exactCase: true,
});

const SQL_PASSWORD = announced({
  words: ["password", "secret", "passphrase"],
  before: String.raw`(?<![A-Za-z])(?:password|secret|passphrase)(?:\s{1,3}|\s{0,3}\(\s{0,2})'`,
  value: String.raw`[^'\n\0«]{4,256}(?=')`,
  isSecret: (value) => looksSecret(value, { strength: "strong", tight: true }),
});

/** Finds credentials in a ClickHouse dictionary: `credentials(user 'feed' password '…')`, `header(name 'X-API-KEY' value '…')`. */
const DICTIONARY = announced({
  words: ["password", "key", "token", "auth", "secret"],
  before: String.raw`(?<![A-Za-z])(?:credentials\s{0,3}\(\s{0,3}user\s{1,3}'[^'\n]{0,80}'\s{1,3}password|header\s{0,3}\(\s{0,3}name\s{1,3}'[^'\n]{0,40}(?:key|token|auth|secret)[^'\n]{0,40}'\s{1,3}value)\s{1,3}'`,
  value: String.raw`[^'\n\0«]{4,256}(?=')`,
  isSecret: (value) => !isNonSecret(value),
});

/** Finds the password in `CREATE USER … IDENTIFIED BY '…'`: the whole quoted text, including blanks. */
const IDENTIFIED = announced({
  words: ["identified"],
  before: String.raw`(?<![A-Za-z])identified\s{1,3}(?:with\s{1,3}\w{1,40}\s{1,3})?by\s{1,3}'`,
  value: String.raw`[^'\n\0«]{4,256}(?=')`,
  isSecret: (value) => !isNonSecret(value),
});

/** Vendors whose keys cannot be recognised by their form. */
const VENDORS =
  "mistral|cohere|openai|deepseek|together|fireworks|perplexity|azure|datadog|new relic|honeycomb|logz\\.io|loggly|papertrail|sumo|splunk|elastic|sentry|pagerduty|opsgenie|twilio|mailgun|mailchimp|postmark|sparkpost|cloudflare|fastly|akamai|bunny|netlify|algolia|mapbox|here|tomtom|stripe|adyen|braintree|shopify|zendesk|intercom|hubspot|jira|confluence|trello|asana|airtable|notion|figma|segment|mixpanel|amplitude|statuspage|pingdom|uptimerobot|betterstack|checkly|snyk|sonar|circleci|travis|jenkins|gitea|nuget|artifactory|nexus|harbor|quay|tavily|serpapi|deepl|assemblyai|deepgram|replicate|pinecone|weaviate|qdrant|upstash|supabase|neon|turso|meraki|unifi|dynatrace|instana|axiom|mezmo|coralogix|cronitor|pushover|backblaze|hetzner|linode|vultr|digitalocean|scaleway|ovh|anthropic|groq|huggingface|sendgrid|mailjet|brevo|vonage|rollbar|bugsnag|launchdarkly|virustotal|shodan|maxmind|zabbix|grafana|prtg|checkmk";

/** Finds values that follow a name directly, with only blanks in between. */
const FOLLOWS = announced({
  words: ["pass", "pwd", "bindpw", "rootpw", "ldappw", "dbpw", "key", "token", "secret"],
  before: String.raw`(?<![A-Za-z])(?:pass(?:word|wd|wort|phrase)|pwd|(?:bind|root|ldap|db)pw|(?:api|app|application|access|admin|search|private|shared|secret|master|encryption|ingest|ingestion|integration|routing|signing|write|service|account|licen[cs]e|storage) key|(?:${VENDORS})(?: api)? (?:key|token|secret)|(?:access|auth|api|bot|app|read|write|personal) token|(?:client|signing|webhook|app|shared) secret)\s{1,3}`,
  value: `${CHARACTER}{8,512}`,
  isSecret: (value) => /\d/.test(value) && /[A-Za-z]/.test(value) && isUnlikeWords(value),
});

const COOKIE = announced({
  words: ["cookie"],
  before: String.raw`(?<![A-Za-z])(?:set-)?cookies?["']?(?:\s(?:header|string|value|jar))?(?:\s{0,3}[:=]|\sis\s|,)\s{0,3}(?:\{\s?)?["'\x60]?`,
  value: String.raw`(?=[^\s"']{0,80}=)[^\n"'\x60\0«]{8,4096}`,
  isSecret: (value) => value.split(/[;=\s]/).some(looksRandom),
  rule: "cookie",
});

/** Rules for values after words that announce them, with no sign in between: in headers, flags of programs, SQL. */
export const announcedValueRules: readonly TextRule[] = [
  SCHEMES,
  CURL_USER,
  SQL_PASSWORD,
  DICTIONARY,
  IDENTIFIED,
  FOLLOWS,
  COOKIE,
];

/** A rule for values that a text announces. `before` and `value` are sources of expressions. */
interface Announced {
  readonly before: string;
  readonly words: readonly string[];
  readonly value: string;
  readonly isSecret: (value: string) => boolean;
  readonly exactCase?: boolean;
  readonly rule?: string;
}

function announced({
  before,
  words,
  value,
  isSecret,
  exactCase = false,
  rule = "assigned-secret",
}: Announced): TextRule {
  const expression = new RegExp(`${before}(${value})`, exactCase ? "g" : "gi");
  return {
    words,
    find: (text) =>
      valuesAfter(text, expression).flatMap((match): SecretSpan[] =>
        isSecret(match.value) ? [{ start: match.start, end: match.start + match.value.length, rule }] : [],
      ),
  };
}

/** A value in a text, and the words before it. */
interface Found {
  readonly start: number;
  readonly before: string;
  readonly value: string;
}

/** Finds the values that follow words. @param expression ends with the value, which is its only group */
function valuesAfter(text: string, expression: RegExp): Found[] {
  return matchesOf(text, expression).map(({ index, 0: whole, 1: value = "" }) => {
    const before = whole.slice(0, whole.length - value.length);
    return { start: index + before.length, before, value };
  });
}

/** Tells whether a value is neither words nor a call, a path or an address. */
function isUnlikeWords(value: string): boolean {
  const isPlace = /[/:=]|\.(?![A-Z][a-z]+\d{0,4}$)\w|\[|\)$/.test(value);
  return !isPlace && looksSecret(value.replace(/[.,!?]+$/, ""), { strength: "strong", tight: false });
}

function isSchemeValue(word: string, value: string): boolean {
  if (word.startsWith("-")) {
    const strength =
      HAS_CREDENTIAL_WORD.test(word) && !NAMES_ONE.test(word) ? credentialName(word.replace(/^-+/, "")) : undefined;
    return strength !== undefined && !value.startsWith("-") && looksSecret(value, { strength, tight: true });
  }
  if (word.startsWith("identified")) return !isNonSecret(value);
  if (word === "basic") return isUserInfo(value);
  if (/^[[({}\])>|*]/.test(value)) return false;
  return looksRandom(value) || (word === "bearer" && value.length >= 20 && /\d/.test(value));
}

/**
 * Tells whether a text is the user and password of a Basic header. Any word is valid base64, so the decoded text has to contain a
 * colon and only printable characters.
 */
function isUserInfo(value: string): boolean {
  if (!/^[A-Za-z\d+/_-]{6,}={0,2}$/.test(value)) return false;
  return /^[\x20-\x7e\u00a0-\uffff]*:[\x20-\x7e\u00a0-\uffff]*$/.test(Buffer.from(value, "base64").toString("utf8"));
}

function ruleOf(word: string): string {
  if (/^bearer|^token|^ssws|key$/.test(word)) return "bearer-token";
  return word === "basic" ? "basic-credential" : "assigned-secret";
}
