import { describe, expect, it } from "vitest";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import {
  HARD_LOOK_ALIKES,
  HARD_SECRET,
  HARD_SECRETS,
  KNOWN_MISSES,
  PASSPHRASES,
  WORDY_SECRETS,
} from "../../corpus/hard-cases.ts";
import { MACHINE_LOOK_ALIKES, MACHINE_SECRETS } from "../../corpus/machine-cases.ts";
import { TOLD_LOOK_ALIKES, TOLD_SECRETS } from "../../corpus/told-cases.ts";

const redact = createRedactor();

async function redacted(markdown: string): Promise<string> {
  const { body } = await redact(dashboards, { id: "6b00e15be5757e17d9e50091", markdown });
  return String(body["markdown"]);
}

/** Secrets that differ in one step from texts for which the rules make an exception. */
const NEAR_EXCEPTIONS: readonly (readonly [text: string, secret: string])[] = [
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

describe("a secret in a text, redacted without the scanner", () => {
  it.each([
    ...HARD_SECRETS.map((text) => [text.replace("@@", HARD_SECRET), HARD_SECRET.slice(0, 7)] as const),
    // The replacement is a function, because `$` has a meaning in a replacement text.
    ...[...MACHINE_SECRETS, ...TOLD_SECRETS].map(
      ([text, secret]) => [text.replace("@@", () => secret), secret.slice(-Math.ceil(secret.length / 2))] as const,
    ),
    ...NEAR_EXCEPTIONS,
  ])("is removed from %j", async (text, part) => {
    expect(text).toContain(part);
    const left = await redacted(text);
    expect(left).toContain("«redacted:");
    expect(left).not.toContain(part);
  });

  it.each(PASSPHRASES)("as a passphrase is removed from %j", async (text) => {
    expect(await redacted(text)).toMatch(/«redacted:assigned-secret»$/);
  });

  it.each(WORDY_SECRETS)("made of words is removed from %j", async (text) => {
    const left = await redacted(text);
    expect(left).toContain("«redacted:assigned-secret»");
    expect(left).not.toMatch(/birchwater|Kestrel|Walrus|Walross|Leuchtturm/);
  });
});

describe("a plain word is redacted as the password", () => {
  it.each([
    ["below the user name", "* user: root\n* pass: ¦manguera¦"],
    ["below the user name, with a line between", "- Email: `ops@quay.net`\n- Role: admin\n- Password: `¦umeume¦`"],
    ["beside the user name", "username: ops, password: ¦harbour¦"],
    ["in code", 'val dbUser:String = "quay";\nval dbPassword:String = "¦moorings¦";'],
    [
      "in a class",
      'public string UserName { get; set; } = "quay";\n\npublic string Password { get; set; } = "¦sandbank¦";',
    ],
    ["of a member of JSON", '{"user": "ops", "password": "¦sandbank¦"}'],
    ["in settings that are separated only by blanks", "  username root@quay.io\n  password ¦planken¦"],
    ["before a comment", "ansible_user: quay\nansible_password: ¦planken¦ # encrypt it"],
    ["after a slash", "the default is user ops / pass ¦lade4471¦ for now"],
    ["in another language", "- Пользователь: `root`\n- Пароль: `¦ochensilno¦`"],
    ["in quotes, in a sentence", 'the default admin password is "¦lotsenboot¦"'],
    ["in backticks, after a label", "**Password (all users):** `¦molenfeuer¦`\n"],
    ["in a table of users", "| Email | Password |\n|---|---|\n| `ops@quay.net` | ¦quai4471¦ |"],
    ["after both names", "the default username/password is ops/¦opsmooring¦"],
  ])("%s", async (_, marked) => {
    const value = /¦(.*)¦/.exec(marked)?.[1] ?? "";
    expect(await redacted(marked.replaceAll("¦", ""))).toBe(marked.replace(`¦${value}¦`, "«redacted:assigned-secret»"));
  });
});

/** Remarks about passwords, and texts that differ in one step from those that a rule redacts. */
const HARMLESS: readonly string[] = [
  "user: root\npassword: rotated",
  "user: root\npassword: disabled",
  "Username: see the wiki\nPassword: Vaultwarden",
  "username: string\npassword: string",
  "username = form.username\npassword = form.password",
  "this.username = username\nthis.password = phrase",
  '{"username": "Benutzername", "password": "Passwort"}',
  'the password is "incorrect"',
  "**Password:** `required`\n",
  "| Username | Password |\n|---|---|\n| ops | optional |",
  "login: ops\npassword policy: strong",
  "https://hooks.slack.com/services/XXX/YYY/ZZZ",
  "identified by @dbserver.log.password@ account unlock",
  "mongodb+srv://quay_user:<password>@cluster0.hz.mongodb.net/",
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
];

it.each([...HARD_LOOK_ALIKES, ...MACHINE_LOOK_ALIKES, ...TOLD_LOOK_ALIKES, ...HARMLESS])(
  "redaction leaves %j unchanged",
  async (text) => expect(await redacted(text)).toBe(text),
);

// docs/redaction.md lists these texts. If a rule finds one of them one day, remove it from both lists.
it.each(KNOWN_MISSES)("redaction misses the secret in %j, as docs/redaction.md says", async (text) =>
  expect(await redacted(text)).toBe(text),
);
