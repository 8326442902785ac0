import type { JsonObject } from "../../src/core/json.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import { BASE64, DIGITS, HEX, uuid } from "./tokens.ts";

/** Makes something harmless that a careless rule would take for a secret: a text, or members of an object. */
export type LookAlike = (random: SeededRandom) => string | JsonObject;

const hex = (random: SeededRandom, length: number): string => random.text(HEX, length);
const service = (random: SeededRandom): string =>
  random.pick(["checkout", "auth-service", "token-broker", "payments", "secret-store"]);

/** Kinds of look-alikes. */
export const LOOK_ALIKES: Readonly<Record<string, LookAlike>> = {
  "24-hex id": (r) =>
    r.pick([hex(r, 24), `dashboard ${hex(r, 24)}`, `https://o.example.com/dashboards/${hex(r, 24)}?from=now-1h`]),
  UUID: (r) => r.pick([uuid(r), `organization ${uuid(r)}`, `https://o.example.com/s/${uuid(r)}#tile-3`]),
  "commit hash": (r) =>
    r.pick([`fixed in ${hex(r, 40)}`, `commit: ${hex(r, 40)}`, `https://git.example.com/c/${hex(r, 40)}`]),
  checksum: (r) =>
    r.pick([`sha256:${hex(r, 64)}`, `md5 ${hex(r, 32)}`, `image: registry.example.com/app@sha256:${hex(r, 64)}`]),
  traceparent: (r) =>
    r.pick([
      `00-${hex(r, 32)}-${hex(r, 16)}-01`,
      `traceparent: 00-${hex(r, 32)}-${hex(r, 16)}-01`,
      `TraceId:${hex(r, 32)}`,
    ]),
  "Lucene query": (r) =>
    r.pick([
      `ServiceName:${service(r)} AND SeverityText:error`,
      'Body:"invalid token" OR Body:"wrong password"',
      "LogAttributes.auth.method:password AND NOT status:200",
      "token:* AND http.status_code:[500 TO 599]",
      "user.password_reset:true",
    ]),
  "SQL filter": (r) =>
    r.pick([
      `ServiceName = '${service(r)}' AND StatusCode = 'Error'`,
      "LogAttributes['auth.type'] = 'password' AND Body ILIKE '%token expired%'",
      "SpanAttributes['http.url'] LIKE 'https://%@%' AND Duration > 1e9",
      "password_hash != '' AND token_count > 100",
      "has(mapKeys(LogAttributes), 'api_key')",
    ]),
  "SQL query": (r) =>
    r.pick([
      "SELECT toStartOfInterval(Timestamp, INTERVAL 5 minute) AS ts, sum(token_count) AS tokens FROM llm_calls GROUP BY ts",
      "SELECT JSONExtractString(Body, 'access_token_type') AS kind, count() FROM default.otel_logs GROUP BY kind",
      "SELECT count() FROM remote('host-1', default, otel_logs) WHERE key = 'env'",
      "WITH secrets AS (SELECT name, rotated_at FROM secret_store) SELECT * FROM secrets ORDER BY rotated_at",
      "SELECT user, countIf(action = 'password_reset') AS resets FROM audit GROUP BY user",
    ]),
  "prose about credentials": (r) =>
    r.pick([
      "The password is in the vault; ask the platform team for the token.",
      "Rotate the API key every 90 days. Tokens expire after an hour.",
      "If authorization fails: check the secret store, then the key rotation job.",
      "Bearer authentication is required for this endpoint.",
      "Basic setup: token bucket of 100, secret sauce not included.",
      "Passwords: see the wiki. API key: same place.",
    ]),
  "placeholder for a secret": (r) =>
    r.pick([
      "password: <your-password>",
      "Authorization: Bearer ${TOKEN}",
      "api_key={{apiKey}}",
      "https://user:{{password}}@host.example.com",
      "PASSWORD=***",
      "token=$CI_TOKEN",
      "password = ?",
    ]),
  "metric name": (r) =>
    r.pick([
      "auth_token_refresh_total",
      "secrets_manager_latency_seconds_bucket",
      "kafka.consumer.lag.max",
      "jwt_validation_errors_total",
      "process_open_fds",
    ]),
  "attribute name": (r) =>
    r.pick([
      "LogAttributes['http.request.header.authorization']",
      "ResourceAttributes['k8s.pod.uid']",
      "SpanAttributes['gen_ai.usage.input_tokens']",
      "enduser.credential.type",
    ]),
  "image in base64": (r) =>
    r.pick([
      `![](data:image/png;base64,iVBORw0KGgo${r.text(BASE64, 120)}==)`,
      `<img src="data:image/gif;base64,R0lGODlh${r.text(BASE64, 60)}">`,
    ]),
  "CSS colour": (r) =>
    r.pick([
      `#${hex(r, 6)}`,
      `color: #${hex(r, 8)}`,
      `rgba(${r.below(255)}, 20, 30, 0.5)`,
      `linear-gradient(#${hex(r, 6)}, #${hex(r, 6)})`,
    ]),
  cron: (r) => r.pick(["*/5 * * * *", "0 2 * * 1-5", "@daily", `${r.below(59)} ${r.below(23)} 1,15 * ?`]),
  version: (r) =>
    r.pick([
      `v1.${r.below(99)}.${r.below(99)}-rc.1+build.${hex(r, 7)}`,
      "2026.08.1",
      "node-20.19.0-linux-x64",
      "sha-1.2.3-alpine3.20",
    ]),
  "date and time": (r) =>
    r.pick([
      "2026-11-21T04:52:41.000Z",
      `${1_700_000_000_000 + r.below(1e9)}`,
      "expires: 2027-01-01T00:00:00Z",
      "token expiry: 2026-12-31",
    ]),
  "host and port": (r) =>
    r.pick([
      "broker-1.example.com:9092,broker-2.example.com:9092",
      "http://localhost:8123/?query=select%201",
      "clickhouse://default@localhost:9000/default",
      "ssh://git@git.example.com/team/repo.git",
    ]),
  "harmless address": (r) =>
    r.pick([
      `https://o.example.com/search?where=ServiceName:${service(r)}&from=now-6h&to=now&key=env`,
      "https://docs.example.com/api/tokens#access-token-types",
      "https://medium.com/@writer/how-we-rotate-keys-4f2a",
      "https://example.com:8443/path/a@b?code=404&page_size=50",
      "https://hooks.example.com/docs/webhooks",
    ]),
  ARN: (r) =>
    r.pick([
      `arn:aws:iam::${r.text(DIGITS, 12)}:role/reader`,
      `arn:aws:secretsmanager:eu-central-1:${r.text(DIGITS, 12)}:secret:db-AbCdEf`,
    ]),
  certificate: (r) =>
    `-----BEGIN CERTIFICATE-----\n${r.text(BASE64, 64)}\n${r.text(BASE64, 64)}\n-----END CERTIFICATE-----\n`,
  "public key": (r) =>
    r.pick([
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${r.text(BASE64, 43)} ops@example.com`,
      `-----BEGIN PUBLIC KEY-----\n${r.text(BASE64, 64)}\n-----END PUBLIC KEY-----`,
    ]),
  "markdown table": (r) =>
    `| service | tokens/s | secrets |\n| --- | ---: | --- |\n| ${service(r)} | ${r.below(900)} | 0 |`,
  template: (r) =>
    r.pick([
      '{"title":"{{title}}","link":"{{link}}","token":"{{token}}"}',
      "p95 is {{value}}, see {{link}}",
      "{{#is_alert}}{{name}} fired{{/is_alert}}",
    ]),
  "code in text": (r) =>
    r.pick([
      "const token = getToken(request);",
      "password = os.environ['DB_PASSWORD']",
      "if (auth.token === undefined) return;",
      'secret := os.Getenv("SECRET")',
      "apiKey: process.env.API_KEY,",
    ]),
  "Kubernetes names": (r) =>
    r.pick([
      `${service(r)}-7d9f8b6c5-${r.text("bcdfghjklmnpqrstvwxz2456789", 5)}`,
      "secretName: db-credentials",
      "secretKeyRef: { name: db, key: password }",
      "imagePullSecrets: [regcred]",
    ]),
  "path or glob": (r) =>
    r.pick([
      "exports/2026-*/orders-*.json.gz",
      "/run/secrets/db-password",
      "s3://bucket/secrets/**/*.parquet",
      `/var/lib/docker/overlay2/${hex(r, 64)}/merged`,
    ]),
  "e-mail address": (r) =>
    r.pick(["ops@example.com", "mailto:on-call+alerts@example.com", `Message-ID: <${hex(r, 16)}@mail.example.com>`]),
  "IP and MAC": (r) =>
    r.pick(["10.0.0.0/8", "2001:db8::8a2e:370:7334", "00:1b:44:11:3a:b7", `192.168.${r.below(255)}.1:8080`]),
  number: (r) =>
    r.pick(["1_000_000", "0.99999", "1.7976931348623157e308", r.text(DIGITS, 16), `${r.below(1e9)} bytes`]),
  "foreign text": (r) =>
    r.pick([
      "Passwörter werden nie protokolliert",
      "トークンの有効期限",
      "Kosten – Übersicht 漢字 🎉",
      "Секреты хранятся в хранилище",
    ]),
  regexp: (r) =>
    r.pick([
      String.raw`(?i)(password|token)=\S+`,
      String.raw`^[A-Za-z0-9+/]{40}$`,
      String.raw`match(Body, 'Bearer [A-Za-z0-9._-]+')`,
    ]),
  "message id": (r) =>
    r.pick([
      `request ${uuid(r)} failed`,
      `requestId=${hex(r, 16)}&status=500`,
      `X-Request-Id: ${uuid(r)}`,
      `ETag: "${hex(r, 32)}"`,
    ]),
  "settings about tokens": (r): JsonObject =>
    r.pick<JsonObject>([
      { maxTokens: 4096, tokenCount: 12 },
      { tokenType: "bearer", tokenExpression: "LogAttributes['t']" },
      { nextPageToken: "CAESBmFiY2RlZg" },
      { tokensPerSecond: 3.5 },
    ]),
  "settings about keys": (r): JsonObject =>
    r.pick<JsonObject>([
      { sortingKeys: ["order_id", "created_at"], useCustomSortingKey: true },
      { primaryKey: "id", partitionKey: "toYYYYMM(updated_at)", foreignKey: "customer_id_2" },
      { keySchema: "avro", cacheKey: `dash-${hex(r, 8)}`, hashKey: "tenant" },
    ]),
  "settings about secrets": (r): JsonObject =>
    r.pick<JsonObject>([
      { secretName: "db-credentials", passwordPolicy: "rotate-90d" },
      { authType: "SCRAM-SHA-512", credentialKind: "iam" },
      { hasPassword: true, authEnabled: "yes" },
      { auth: "none", authorization: "required" },
    ]),
  "grouped by a secret's name": (r): JsonObject =>
    r.pick<JsonObject>([
      { groupBy: "password", orderBy: '"token" DESC' },
      { valueExpression: "LogAttributes['token']", alias: "tokens" },
      { name: "token", expression: "LogAttributes['token']" },
    ]),
  "ids under other names": (r): JsonObject =>
    r.pick<JsonObject>([
      { traceId: hex(r, 32), spanId: hex(r, 16) },
      { sessionId: uuid(r), requestId: uuid(r) },
      { containerId: hex(r, 64), tabId: hex(r, 8) },
      { connectionId: hex(r, 24) },
    ]),
  "numbers under token names": (r): JsonObject =>
    r.pick<JsonObject>([{ tokens: 5000 }, { token: r.below(9000) }, { passwordAttempts: 3, authTimeoutMs: 250 }]),
  "null and empty": (r): JsonObject =>
    r.pick<JsonObject>([{ password: null }, { apiKey: "" }, { secret: false, token: null }, { privateKey: [] }]),
};
