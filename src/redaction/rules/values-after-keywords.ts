import { CREDENTIAL_WORDS, judgeCredentialName, HAS_CREDENTIAL_WORD } from "../values/names.ts";
import { isNonSecret } from "../values/non-secrets.ts";
import { hasRandomCookie, looksRandom, looksSecret } from "../values/secret-value.ts";
import { matchesOf, spanAt, valueRule, valueSpans, type SecretSpan, type TextRule } from "../spans.ts";

const BLANK = String.raw`[ \t]{1,3}["'\`]?`;
const CHARACTER = String.raw`[^\s"'\`,;<>()«\0\\]`;
const SCHEME = String.raw`(?<![A-Za-z\d])(?:bearer|basic|apikey|api-key|token|splunk|ssws|genie-?key|identified by|identified with \w+ by|authorization["'\`]{0,2}[ ]?[:=,][ ]?["'\`]?(?!basic|bearer|token)[a-z][\w-]{1,24}|--?[a-z][a-z-]{0,30})${BLANK}`;

const SCHEME_VALUE = new RegExp(`${SCHEME}((?!--?[a-z])${CHARACTER}{4,2048})`, "gi");

/** Blanks separate keyword and value, as in `Bearer …` and `--token …`. */
const schemeRule: TextRule = {
  words: [...CREDENTIAL_WORDS, "splunk", "ssws", "genie", "identified"],
  find: (text) =>
    matchesOf(text, SCHEME_VALUE).flatMap(({ index, 0: whole, 1: raw = "" }) => {
      const before = whole.slice(0, whole.length - raw.length);
      const word = before.replace(/[ \t]+["'`]?$/, "").toLowerCase();
      const value = raw.replace(/[.,:!?]+$/, "");
      return isSchemeValue(word, value) ? [spanAt(index + before.length, value, ruleOf(word))] : [];
    }),
};

const VENDORS =
  "mistral|cohere|openai|deepseek|together|fireworks|perplexity|azure|datadog|new relic|honeycomb|logz\\.io|loggly|papertrail|sumo|splunk|elastic|sentry|pagerduty|opsgenie|twilio|mailgun|mailchimp|postmark|sparkpost|cloudflare|fastly|akamai|bunny|netlify|algolia|mapbox|here|tomtom|stripe|adyen|braintree|shopify|zendesk|intercom|hubspot|jira|confluence|trello|asana|airtable|notion|figma|segment|mixpanel|amplitude|statuspage|pingdom|uptimerobot|betterstack|checkly|snyk|sonar|circleci|travis|jenkins|gitea|nuget|artifactory|nexus|harbor|quay|tavily|serpapi|deepl|assemblyai|deepgram|replicate|pinecone|weaviate|qdrant|upstash|supabase|neon|turso|meraki|unifi|dynatrace|instana|axiom|mezmo|coralogix|cronitor|pushover|backblaze|hetzner|linode|vultr|digitalocean|scaleway|ovh|anthropic|groq|huggingface|sendgrid|mailjet|brevo|vonage|rollbar|bugsnag|launchdarkly|virustotal|shodan|maxmind|zabbix|grafana|prtg|checkmk";

const AFTER_NAME = new RegExp(
  String.raw`(?<![A-Za-z])(?:pass(?:word|wd|wort|phrase)|pwd|(?:bind|root|ldap|db)pw|(?:api|app|application|access|admin|search|private|shared|secret|master|encryption|ingest|ingestion|integration|routing|signing|write|service|account|licen[cs]e|storage) key|(?:${VENDORS})(?: api)? (?:key|token|secret)|(?:access|auth|api|bot|app|read|write|personal) token|(?:client|signing|webhook|app|shared) secret)\s{1,3}(${CHARACTER}{8,512})`,
  "gi",
);

/** Matches `-u user:password`. */
const USER_FLAG = /(?<=\s(?:-u|--user|--proxy-user)[ =]["']?)[^\s:"'«\0]{1,128}:([^\s"'«\0]{3,256})/g;
/** Matches `PASSWORD '…'` and `secret ('…'`. */
const QUOTED_AFTER_WORD =
  /(?<![A-Za-z])(?:password|secret|passphrase)(?:\s{1,3}|\s{0,3}\(\s{0,2})'([^'\n\0«]{4,256}(?='))/gi;
/** A ClickHouse dictionary has `credentials(user 'feed' password '…')`. */
const OF_DICTIONARY =
  /(?<![A-Za-z])(?:credentials\s{0,3}\(\s{0,3}user\s{1,3}'[^'\n]{0,80}'\s{1,3}password|header\s{0,3}\(\s{0,3}name\s{1,3}'[^'\n]{0,40}(?:key|token|auth|secret)[^'\n]{0,40}'\s{1,3}value)\s{1,3}'([^'\n\0«]{4,256}(?='))/gi;
/** The quoted text may contain blanks. */
const IDENTIFIED_BY =
  /(?<![A-Za-z])identified\s{1,3}(?:with\s{1,3}\w{1,40}\s{1,3})?by\s{1,3}'([^'\n\0«]{4,256}(?='))/gi;

const COOKIES_OF_CURL = /(?:^|[\s\x60"'(])(?:-b|--cookie)[ =]{0,2}["']?(?=[^\s"']{0,60}=)([^\n"'\0«]{8,4096})/g;
const COOKIE_HEADER =
  /(?<![A-Za-z])(?:set-)?cookies?["']?(?:\s(?:header|string|value|jar))?(?:\s{0,3}[:=]|\sis\s|,)\s{0,3}(?:\{\s?)?["'\x60]?((?=[^\s"']{0,80}=)[^\n"'\x60\0«]{8,4096})/gi;

export const valueAfterKeywordRules: readonly TextRule[] = [
  schemeRule,
  valueRule(["-b ", "-b=", "-b'", '-b"', "--cookie"], COOKIES_OF_CURL, hasRandomCookie),
  valueRule(["cookie"], COOKIE_HEADER, hasRandomCookie, { rule: "cookie" }),
  // Spares `-u 1000:1000`: it gives the user and the group of a container.
  valueRule(["-u", "-user"], USER_FLAG, (value) => !isNonSecret(value) && !/^\d{1,5}$/.test(value)),
  valueRule(["password", "secret", "passphrase"], QUOTED_AFTER_WORD, (value) =>
    looksSecret(value, { strength: "strong", isTight: true }),
  ),
  valueRule(["password", "key", "token", "auth", "secret"], OF_DICTIONARY, (value) => !isNonSecret(value)),
  valueRule(["identified"], IDENTIFIED_BY, (value) => !isNonSecret(value)),
  valueRule(
    ["pass", "pwd", "bindpw", "rootpw", "ldappw", "dbpw", "key", "token", "secret"],
    AFTER_NAME,
    (value) => /\d/.test(value) && /[A-Za-z]/.test(value) && isUnlikeWords(value),
  ),
];

function isUnlikeWords(value: string): boolean {
  const isPlace = /[/:=]|\.(?![A-Z][a-z]+\d{0,4}$)\w|\[|\)$/.test(value);
  return !isPlace && looksSecret(value.replace(/[.,!?]+$/, ""), { strength: "strong", isTight: false });
}

function isSchemeValue(word: string, value: string): boolean {
  if (word.startsWith("-")) {
    const strength = HAS_CREDENTIAL_WORD.test(word) ? judgeCredentialName(word.replace(/^-+/, "")) : undefined;
    return strength !== undefined && !value.startsWith("-") && looksSecret(value, { strength, isTight: true });
  }
  if (word.startsWith("identified")) return !isNonSecret(value);
  if (word === "basic") return isEncodedLogin(value);
  if (/^[[({}\])>|*]/.test(value)) return false;
  return looksRandom(value) || (word === "bearer" && value.length >= 20 && /\d/.test(value));
}

function isEncodedLogin(value: string): boolean {
  if (!/^[A-Za-z\d+/_-]{6,}={0,2}$/.test(value)) return false;
  return /^[\x20-\x7e\u00a0-\uffff]*:[\x20-\x7e\u00a0-\uffff]*$/.test(Buffer.from(value, "base64").toString("utf8"));
}

function ruleOf(word: string): string {
  if (/^bearer|^token|^ssws|key$/.test(word)) return "bearer-token";
  return word === "basic" ? "basic-credential" : "assigned-secret";
}

/** Seeds of one-time passwords are base32. */
const SEED =
  /(?<=(?<![A-Za-z])(?:t?otp|2fa|mfa|seed|authenticator|one-time|two-factor|setup key|einmalpasswort)(?![A-Za-z])[^\n\0«]{0,60}?[\s:=`"'(*])(?:[A-Z2-7]{16,64}=*|[a-z2-7]{4}(?: [a-z2-7]{4}){3,15}|[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15})(?![A-Za-z\d])/gi;
/** These codes replace a second factor. */
const RECOVERY =
  /(?:recovery|backup|back-up|scratch|rescue|emergency|one-time|break-?glass|unseal|2fa|mfa|wiederherstellungs?|notfall|secours|récupération|recuperaci[oó]n|recupera[cç][aã]o|recupero|zapasowe|резервные)[- ]?(?:codes?|keys?|schlüssel|kody|коды|shares?)|(?:codes? de (?:secours|récupération)|c[oó]digos? de (?:recuperaci[oó]n|respaldo|recupera[cç][aã]o|seguridad)|codici di (?:recupero|backup)|bitlocker|filevault|engångskod\w{0,3}|engangskod\w{0,3}|kertakäyttökood\w{0,2}|eenmalige codes?|herstelcodes?|jednorazowe kody|kurtarma kod\w{0,4}|yedek kod\w{0,4}|kody zapasowe|återställningskod\w{0,3}|gjenopprettingskod\w{0,3}|リカバリーコード|バックアップコード|恢复代码|備援碼|備用碼|復原碼|备用(?:验证)?码|복구 코드|백업 코드)/gi;
const CODE =
  /(?<![\d-])\d{3,4} \d{3,4}(?![\d-])|(?<![\w+/-])[A-Za-z\d+/]{40,48}={0,2}(?![\w+/=])|(?<![\w-])[A-Za-z\d]{3,10}(?:-[A-Za-z\d]{3,10}){0,7}(?![\w-])/g;
const REACH = 600;

export const recoveryCodeRule: TextRule = {
  words:
    "bitlocker,filevault,otp,2fa,mfa,seed,authenticator,one-time,two-factor,setup key,recover,backup,back-up,scratch,rescue,emergency,break,unseal,wiederherst,notfall,secours,récup,recup,respaldo,seguridad,zapasow,резервн,codici di,リカバリー,バックアップ,恢复,备用,備援,備用,復原,복구,백업,einmalpass,engångs,engangs,kertakäyt,eenmalige,herstel,jednoraz,kurtarma,yedek,återställ,gjenoppr".split(
      ",",
    ),
  find: (text) => [
    ...valueSpans(text, SEED, (seed) => /[2-7]/.test(seed), { rule: "otp-seed" }),
    ...recoveryCodes(text),
  ],
};

function recoveryCodes(text: string): SecretSpan[] {
  let from = 0;
  return matchesOf(text, RECOVERY).flatMap(({ index, 0: words }) => {
    const start = Math.max(index + words.length, from);
    const textAfter = text.slice(start, start + REACH);
    from = start + textAfter.length;
    return matchesOf(textAfter, CODE).flatMap(({ index: at, 0: code }) =>
      isCode(code) ? [spanAt(start + at, code, "recovery-code")] : [],
    );
  });
}

function isCode(code: string): boolean {
  if (/^\d{4}-\d{2}(?:-\d{2})?$|^[A-Za-z]+\d{0,3}$|^\d{1,7}$|^[A-Za-z]+(?:-[A-Za-z]+)*(?:-\d{1,4})?$/.test(code))
    return false;
  if (/^\d+(?:[ -]\d+)*$/.test(code)) return true;
  return code.length >= 8 && /\d/.test(code) && !/^\d+(?:st|nd|rd|th|min|ms|days?|h|am|pm)/i.test(code);
}
