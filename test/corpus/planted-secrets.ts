import type { JsonObject } from "../../src/core/json.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import { ALNUM, BASE64, DIGITS, HEX, LOWER, URLSAFE, uuid } from "./tokens.ts";

/** A secret as people type or store it. None is real: every token is made up when a test needs it. */
export interface Planted {
  /** A text that contains the secret, or members of an object. */
  readonly where: string | JsonObject;
  /** The part that redaction must remove. */
  readonly secret: string;
}

type Maker = (random: SeededRandom) => Planted;

const filledTemplate = (secret: string, ...templates: readonly string[]) => ({
  secret,
  in: (random: SeededRandom): string => random.pick(templates).replace("@@", secret),
});

/** Returns a maker of texts around a secret; `@@` in a template stands for the secret. */
function text(make: (random: SeededRandom) => string, ...templates: readonly string[]): Maker {
  return (random) => {
    const secret = make(random);
    return { where: filledTemplate(secret, ...templates).in(random), secret };
  };
}

const password = (random: SeededRandom): string =>
  `${random.pick(["Tr0ub", "S3cret", "hunter", "Winter", "pa55"])}${random.text(DIGITS, 2)}${random.pick(["!", "$", "-", "_", "x"])}${random.text(ALNUM, 4)}`;
const base64Url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const jwt = (random: SeededRandom): string =>
  [base64Url({ alg: "HS256", typ: "JWT" }), base64Url({ sub: random.text(DIGITS, 9) }), random.text(URLSAFE, 43)].join(
    ".",
  );
const tagged =
  (prefix: string, alphabet: string, length: number) =>
  (random: SeededRandom): string =>
    prefix + random.text(alphabet, length);
const SPOKEN = [
  "@@",
  "The token is @@, ask before you use it.",
  "curl -H 'X-Auth: @@' https://api.example.com",
  "`@@`",
];

/** Kinds of secrets, by their common names. */
export const PLANTED: Readonly<Record<string, Maker>> = {
  "password in prose": text(
    password,
    "Login: admin, password: @@",
    "The password is @@.",
    "Passwort: @@",
    "(pwd = @@)",
  ),
  "password in YAML": text(
    password,
    "db:\n  user: app\n  password: @@\n  port: 5432",
    'password: "@@"',
    "PASSWORD=@@\nPORT=1",
  ),
  "password in JSON text": text(
    password,
    '{"user":"app","password":"@@"}',
    '{\\"password\\": \\"@@\\"}',
    '{"dbPassword" : "@@"}',
  ),
  "password on a command line": text(
    password,
    "mysql -h db --password=@@ -u app",
    "backup --db-password @@ --now",
    "curl -u admin:@@ https://x.example.com",
  ),
  "password in SQL": text(
    password,
    "CREATE USER app IDENTIFIED BY '@@'",
    "ALTER USER app IDENTIFIED WITH sha256_password BY '@@'",
    "CREATE ROLE app WITH PASSWORD '@@'",
  ),
  "password of a table function": text(
    password,
    "SELECT count() FROM postgresql('db:5432', 'shop', 'orders', 'reader', '@@')",
    "SELECT * FROM mysql('db:3306', 'shop', 'orders', 'reader', '@@') LIMIT 10",
    "SELECT 1 FROM remoteSecure('ch.example.com', 'default.logs', 'reader', '@@')",
  ),
  "key of a table function": text(
    tagged("", BASE64, 40),
    "SELECT count() FROM s3('https://b.s3.amazonaws.com/x.csv', 'AKIAQWERTYUIOPASDFGH', '@@', 'CSV')",
    "SELECT 1 FROM gcs('https://storage.example.com/b/x.parquet', 'GOOG1EXAMPLEEXAMPLE1', '@@')",
  ),
  "user info of a web address": text(
    password,
    "https://reader:@@@registry.example.com/subjects",
    "[wiki](https://bot:@@@wiki.example.com/page?id=4)",
  ),
  "database address": text(
    password,
    "postgres://app:@@@db.example.com:5432/shop",
    "mongodb+srv://app:@@@cluster0.example.net/?retryWrites=true",
    "redis://:@@@cache.example.com:6379/0",
    "amqp://svc:@@@mq.example.com/vhost",
  ),
  "signed address (Azure)": text(
    tagged("", URLSAFE, 43),
    "https://acct.blob.core.windows.net/logs/x.json?sv=2022-11-02&se=2027-01-01&sp=r&sig=@@",
    "https://prod-07.westeurope.logic.azure.com/workflows/x/triggers/manual/paths/invoke?api-version=2016-10-01&sig=@@",
  ),
  "signed address (S3)": text(
    tagged("", HEX, 64),
    "https://b.s3.amazonaws.com/x?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=300&X-Amz-Signature=@@",
    "https://storage.googleapis.com/b/x?X-Goog-Expires=300&X-Goog-Signature=@@",
  ),
  "token in a query string": text(
    tagged("", ALNUM, 28),
    "https://ci.example.com/build?token=@@&cause=alert",
    "See https://status.example.com/embed#access_token=@@ for more",
    "hooks.example.com/in?channel=ops&api_key=@@",
    "https://x.example.com/a?b=1&amp;key=@@",
  ),
  "chat webhook (Slack)": text(
    (random) =>
      `${random.text(LOWER.toUpperCase(), 9)}/B${random.text(LOWER.toUpperCase(), 8)}/${random.text(ALNUM, 24)}`,
    "https://hooks.slack.com/services/T@@",
    "curl -X POST https://hooks.slack.com/services/T@@ -d '{}'",
  ),
  "chat webhook (others)": text(
    tagged("", URLSAFE, 60),
    "https://discord.com/api/webhooks/112233445566778899/@@",
    "https://acme.webhook.office.com/webhookb2/@@",
    "https://chat.googleapis.com/v1/spaces/AAAA/messages?key=x&token=@@",
    "https://hooks.zapier.com/hooks/catch/12345/@@/",
  ),
  "paging webhook": text(
    tagged("", HEX, 32),
    "https://events.pagerduty.com/integration/@@/enqueue",
    "https://alert.victorops.com/integrations/generic/20131114/alert/@@/ops",
    '{"routing_key": "@@", "event_action": "trigger"}',
  ),
  "bearer header": text(
    tagged("", URLSAFE, 40),
    "Authorization: Bearer @@",
    "-H 'authorization: bearer @@'",
    '{"Authorization":"Bearer @@"}',
  ),
  "basic header": text(
    (random) => Buffer.from(`user:${password(random)}`).toString("base64"),
    "Authorization: Basic @@",
    "curl -H 'Authorization: Basic @@' https://x.example.com",
  ),
  "cookie header": text(tagged("", HEX, 32), "Cookie: theme=dark; session=@@; lang=en", "set-cookie: sid=@@; HttpOnly"),
  JWT: text(jwt, ...SPOKEN, "?jwt=@@"),
  "private key, PEM": text(
    (random) => Array.from({ length: 6 }, () => random.text(BASE64, 64)).join("\n"),
    "-----BEGIN RSA PRIVATE KEY-----\n@@\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\n@@\n-----END OPENSSH PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n@@",
    "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n@@\n-----END EC PRIVATE KEY-----",
  ),
  "private key, one line": text(
    (random) => Array.from({ length: 4 }, () => random.text(BASE64, 64)).join("\\n"),
    String.raw`"-----BEGIN PRIVATE KEY-----\n@@\n-----END PRIVATE KEY-----\n"`,
  ),
  "AWS access key": text(tagged("AKIA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), ...SPOKEN),
  "AWS secret key": text(
    tagged("", BASE64, 40),
    "aws_secret_access_key = @@",
    "AWS_SECRET_ACCESS_KEY=@@",
    'secretAccessKey: "@@"',
  ),
  "Azure connection string": text(
    (random) => `${random.text(BASE64, 86)}==`,
    "DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=@@;EndpointSuffix=core.windows.net",
    "Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=@@",
  ),
  "ADO connection string": text(
    password,
    "Server=db;Database=shop;User Id=app;Password=@@;Encrypt=true",
    "Data Source=db;UID=app;Pwd=@@",
  ),
  "GitHub token": text(tagged("ghp_", ALNUM, 36), ...SPOKEN),
  "GitLab token": text(tagged("glpat-", URLSAFE, 20), ...SPOKEN),
  "Slack token": text(
    (random) => `xoxb-${random.text(DIGITS, 12)}-${random.text(DIGITS, 13)}-${random.text(ALNUM, 24)}`,
    ...SPOKEN,
  ),
  "Stripe key": text(tagged("sk_live_", ALNUM, 24), ...SPOKEN),
  "Google API key": text(tagged("AIza", URLSAFE, 35), ...SPOKEN),
  "OpenAI key": text(tagged("sk-proj-", ALNUM, 48), ...SPOKEN),
  "SendGrid key": text((random) => `SG.${random.text(URLSAFE, 22)}.${random.text(URLSAFE, 43)}`, ...SPOKEN),
  "Grafana token": text(tagged("glsa_", ALNUM, 41), ...SPOKEN),
  "npm token": text(tagged("npm_", ALNUM, 36), ...SPOKEN),
  "Telegram bot token": text(
    (random) => `${random.text(DIGITS, 9)}:AA${random.text(URLSAFE, 33)}`,
    "https://api.telegram.org/bot@@/sendMessage",
    "bot token: @@",
  ),
  "random API key in text": text(
    tagged("", HEX, 32),
    "api_key=@@",
    "API key: @@",
    'x-api-key: "@@"',
    "export DD_API_KEY=@@",
    "apiKey => '@@'",
  ),
  "UUID as a token": text(uuid, "access token: @@", "INGEST_TOKEN=@@", "auth-token: '@@'"),
  "undocumented member": (random) => {
    const secret = random.pick([password, uuid, tagged("", ALNUM, 20)])(random);
    const name = random.pick([
      "password",
      "apiKey",
      "api_key",
      "clientSecret",
      "accessToken",
      "private_key",
      "secret",
      "X-Auth-Token",
      "brokerPassword",
    ]);
    return { where: { connector: { kind: "custom", settings: { retries: 3, [name]: secret } } }, secret };
  },
  "headers of an undocumented member": (random) => {
    const secret = tagged("", ALNUM, 24)(random);
    const header = random.pick(["Authorization", "X-Api-Key", "Cookie", "Proxy-Authorization"]);
    const list = [
      { name: "Accept", value: "application/json" },
      { name: header, value: secret },
    ];
    return {
      where: random.pick<JsonObject>([{ requestHeaders: { [header]: secret } }, { requestHeaders: list }]),
      secret,
    };
  },
  "credentials object": (random) => {
    const secret = password(random);
    const inner = random.pick<JsonObject>([
      { user: "svc", pass: secret },
      { values: ["x", secret] },
      { basic: { user: "svc", word: secret } },
    ]);
    return { where: { upstream: { credentials: inner } }, secret };
  },
};
