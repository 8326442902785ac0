import { expect, it } from "vitest";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { createSecretScanner } from "../../../src/redaction/secretlint-scanner.ts";

// Texts that are one step from what a rule or an exception is made for.

const redact = createRedactor({ scanner: createSecretScanner() });
const redacted = async (markdown: string): Promise<string> => {
  const { body } = await redact(dashboards, { id: "6b00e15be5757e17d9e50091", markdown });
  return String(body["markdown"]);
};

const SECRETS: readonly (readonly [text: string, secret: string])[] = [
  ["adminPassword:\n  value: c2VjcmV0cGFzc3dvcmQ=", "c2VjcmV0cGFzc3dvcmQ"],
  ["api_key: |\n  QWxhZGRpbjpvcGVuc2VzYW1l=", "QWxhZGRpbjpvcGVu"],
  ["API_KEY=prod_9f8A7c6B5d4E3f2A1b0C", "9f8A7c6B5d4E3f2A1b0C"],
  ["password: in_Zk3v9QpT81xL", "Zk3v9QpT81xL"],
  ["RESEND_API_KEY=re_Zk3v9QpT81xL44mQab", "Zk3v9QpT81xL44mQab"],
  ["password grafana=Zk3v9QpT81xL", "Zk3v9QpT81xL"],
  ["credentials prod=Zk3v9QpT81xL44", "Zk3v9QpT81xL44"],
  ["DB_PASSWORD=CORRECT_HORSE_BATTERY_STAPLE", "CORRECT_HORSE_BATTERY_STAPLE"],
  ["DB_PASSWORD_BACKEND=Zk3v9QpT81xL", "Zk3v9QpT81xL"],
  ["JWT_SECRET_BACKEND=Zk3v9QpT81xL44", "Zk3v9QpT81xL44"],
  ["DELTA_SHARING_TOKEN=9f8aZc6b7d4e3f2a1b0c", "9f8aZc6b7d4e3f2a1b0c"],
  ["| Secret | v1 | Version 2 |\n|---|---|---|\n| DB password | Zk3v9QpT81xL | Km4tRw83bNs7 |", "Km4tRw83bNs7"],
  ["| Path | Staging | Prod |\n|---|---|---|\n| /app/db/password | Zk3v9QpT81xL | Km4tRw83bNs7 |", "Km4tRw83bNs7"],
  ["password: Wint3r***2024", "Wint3r***2024"],
  ["Azure Maps account\nPrimary key: Zk3v9QpT81xLKm4tRw83bNs7Zk3v9QpT81xLKm4tRw83b", "Zk3v9QpT81xLKm4t"],
  ['{"arn":"arn:aws:iam::123456789012:role/x","n":"ghp_16C7e42F292c6912E7710c838347Ae178B4a"}', "ghp_16C7"],
  ["The wifi password remains blau-im-roten-wald-88", "blau-im-roten-wald-88"],
  [
    `private_key[128] = { ${Array.from({ length: 128 }, (_, at) => `0x${(at + 16).toString(16)}`).join(", ")} };`,
    "0x8f",
  ],
  [
    `token: ${Buffer.from("PASSWORD=Zk3v9QpT81xL\nLEVEL=info\nREGION=eu\nNAME=x\n").toString("base64")}`,
    "UEFTU1dPUkQ9Wmsz",
  ],
  ["ww: zomerregen88x", "zomerregen88x"],
  ["<password-prod1>prod1-Harbour</password-prod1>", ">prod1-Harbour<"],
  ['proxy_set_header X-Acme-Key "bd4c5b9d757d4daefee4d23db77bbc450ac1b5d3";', "bd4c5b9d757d"],
];

it.each(SECRETS)("takes the secret out of %j", async (text, secret) => {
  expect(text).toContain(secret);
  expect(await redacted(text)).not.toContain(secret);
});

it.each([
  "If smoke tests pass, traffic is shifted gradually towards green.",
  "Once checks pass the rollout is fully automatic across regions.",
  "The password is encrypted during transit everywhere.",
  "The password is checked against ldap directory, then cached.",
  "Login to Core-Switch-12 via SSH, or to Cisco-Nexus-9300.",
  "Login errors on Windows_2019 hosts",
  "Sign in as admin and open Kunden-Portal-2024",
  "For p95 we set it to Europe-West-4 and changed it to Performance-Mode-2.",
  "Pass: end-to-end-tests, fail: unit",
  "Login checks: End-to-end-tests. Login trend (Year-over-year-growth)",
  "Passwords are protected by End-to-end-encryption",
  '{"newPassword": "neues passwort eingeben", "confirmPassword": "confirme la nueva contraseña"}',
  'sum(rate(logins{check_password="did match nothing"}[5m]))',
  "rtmp://media.example.com/live/warehouse-camera-01",
  "Say it in five words max so pagers display it in full",
  "Network: errors by country code eu-west-1b and by status code 5xx-upstream",
  "Wi-Fi controllers: status code: no route to host",
  "Key 1 maxConnections\nKey 2 idleTimeout",
  "| Code | Part |\n|---|---|\n| 4711-0815-1234 | cover |",
  "Host Mid-server-frankfurt-production-01 is down",
  "Top 12 words: error, timeout, refused, reset, slow, queue, full, disk, write, read, lock, wait",
  "La clave primaria: d41d8cd98f00b204e9800998ecf8427e",
  "SELECT '6b00e15be5757e17d9e50092' AS k, encrypt(x) FROM t",
  "passfile=/var/lib/postgresql/.pgpass dbname=espectros sslmode=verify-ca",
])("leaves %j as it is", async (text) => {
  expect(await redacted(text)).toBe(text);
});
