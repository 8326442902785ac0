import { describe, expect, it } from "vitest";
import { dashboards } from "../../src/kinds/dashboards.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";

/** Words that the rules search for. Each repetition could begin a match. */
const PIECES = [
  ..."password;password: ;Passwort ;token=;api key ;<b>password</b>;**pw** ;| password |;<tr><td>password</td>;contraseña: ;パスワード".split(
    ";",
  ),
  ..."mysql -p;docker login ;curl -u ;net use ;echo ;AUTH ;set secret ;log in with ;creds a/;user: a p: ;a:b@;a/b@".split(
    ";",
  ),
  ...'https://h/webhook/;?token=;%3Ftoken%3D;recovery codes ;otp ;s3(;encrypt(\'a\',;{{;${;<;[[;$A;%(a;name="password" ;"key":"password",'.split(
    ";",
  ),
  ..."sshpass -p;WIFI:T:a;SSID a, key ;PIN ;door code ;licence key ;-AB12;h:1:d:u:;: PSK x;$6$a;(admin/;admin: ;snmp-server user ;set a secret ;community ;password? ;from a to ;with a and ;%3A%2F%2Fa%3A;zoom pw ;passphrase is a-b-;reset user is ;changed passpass ;key a put ;account gave it ;unlock with ;PWD = {a;PIN della SIM ;abcdefghijklmnop as the ;PDO('mysql:".split(
    ";",
  ),
  ..."eyJa.;sk_live_;a_b_;-----BEGIN PRIVATE KEY-----;\n;\t; ;a;1;A;';\";(;:;=;|;\\;&;,;«;/;-;_;@;>".split(";"),
];
const LENGTH = 40_000;
/**
 * All limits are multiples of the time that a plain search of two megabytes takes. It runs next to each text, so that a slow
 * or busy machine slows down both.
 */
const PLAIN_TEXT = "a page with a token here and 12 words = there; ".repeat(40_000);
/** A quadratic search of a text of this length takes ten times as long. */
const MAX_UNITS = 400;
/** Limit for a record of 15.5 MB. */
const MAX_UNITS_OF_RECORD = 1000;
/** Number of plain searches before a text, and again after it. */
const PLAIN_SEARCHES = 8;

const processorTime = async (work: () => unknown) => {
  const began = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(began);
  return user + system;
};
const plainSearches = () => {
  for (let run = 0; run < PLAIN_SEARCHES; run++)
    for (const _ of PLAIN_TEXT.matchAll(/\b(\w{3,})\s?[:=]\s*["']?(\w+)/giu));
};
/** Returns the time of the work as a multiple of the time of one plain search. */
const inUnits = async (work: () => Promise<unknown>) => {
  const before = await processorTime(plainSearches);
  const took = await processorTime(work);
  const after = await processorTime(plainSearches);
  return (took * 2 * PLAIN_SEARCHES) / (before + after);
};

/** A beginning that makes every rule search the rest of the text. */
const BEGINNING =
  "password: Hunter22!x, api:\n key: x, https://h.example/hook/x mysql -p 'x'\n<table><tr><td>key</td><td>";
const MARKS =
  "\t; ;\n;a;A;1;_;-;.;:;,;/;\\;=;|;*;~;!;?;(;[;<;>;{;';\";`;&;%;#;@;+;é;パ;&quot;;</b12345678>;<td>; =;: ;\n>;\r\n;''"
    .split(";")
    .filter((mark) => mark !== "");

/** A chain of secrets: each is only found when the one before it has been redacted. */
const CHAIN = ["Qart", "Qbrt", "Qcrt", "Qdrt", "Qert", "Qfrt"].map(
  (word) => `, the old one was Zulu-${word}-4417-Xylo`,
);
const TOLD = ` the password is Abc!defg12${CHAIN.join("")}`;
/** Beginnings of an expression that are repeated between a head, which starts the search, and a tail, which ends it. */
const TRAPS: readonly (readonly [piece: string, head: string, tail: string])[] = [
  ['"n":"', "arn: {", ""],
  ['"e":"A", ', `arn: ${"x ".repeat(3100)}`, ""],
  ['"n":"', `kty" ${"a".repeat(6100)}`, ""],
  [".", "https://hc-ping.com/", "a"],
  ["b", "htpasswd -", ""],
  ["eyJ-", "", ""],
  ["<ab> ", "", " password=Xy7!abcdQ12 "],
  ["://", "", ""],
  ["://rece", "", ""],
  ["'ccccccc' AS k ", "", "  crypt password"],
  ["s3(", "", TOLD],
  ["hello ", "", TOLD],
  ["password ", "", TOLD],
];

describe("the search for secrets is fast in hostile texts", () => {
  it.each(MARKS)("of the character %j behind what makes it one to be searched", async (mark) => {
    const markdown = BEGINNING + mark.repeat(250_000 / mark.length);
    const record = { id: "6b00e15be5757e17d9e50091", markdown };
    expect(await inUnits(() => createRedactor()(dashboards, record))).toBeLessThan(MAX_UNITS);
  });

  it.each(TRAPS)("with %j again and again between %j and %j", async (piece, head, tail) => {
    const markdown = head + piece.repeat((250_000 - head.length - tail.length) / piece.length) + tail;
    const record = { id: "6b00e15be5757e17d9e50091", markdown };
    expect(await inUnits(() => createRedactor()(dashboards, record))).toBeLessThan(MAX_UNITS);
  });

  it.each(PIECES)("made of %j again and again", async (piece) => {
    const redact = createRedactor();
    for (const text of [
      piece.repeat(LENGTH / piece.length),
      `password: ${piece}`.repeat(LENGTH / (piece.length + 10)),
      `${piece}a `.repeat(LENGTH / (piece.length + 2)),
    ]) {
      expect(await inUnits(() => redact(dashboards, { markdown: text }))).toBeLessThan(MAX_UNITS);
    }
  });

  it("beside templates or between certificates are searched in a time that grows with the text", async () => {
    for (const piece of ["https://u:pass@h?t={{a}} ", "-----BEGIN CERTIFICATE-----\na\n-----END CERTIFICATE-----\n"]) {
      for (const length of [100_000, 2_000_000]) {
        const record = { markdown: piece.repeat(length / piece.length) };
        expect(await inUnits(() => createRedactor()(dashboards, record))).toBeLessThan(MAX_UNITS);
      }
    }
  });
});

describe("protected values in a long text", () => {
  const certificate = `-----BEGIN CERTIFICATE-----\npassword=c47MMRREd75tAxeANQ2F0To0${"Ab1+".repeat(300)}\n-----END CERTIFICATE-----\n`;
  const arn = `arn:aws:iam::123456789012:role/c47MMRREd75tAxeANQ2F0To0/password=c47MMRREd75tAxeANQ2F0To0 `;
  const long = `${`${certificate}${arn}`.repeat(181)}\n`;
  const redact = createRedactor();

  it("are not taken out", async () => {
    expect(long.length).toBeGreaterThan(200_000);
    expect(await redact(dashboards, { markdown: long })).toMatchObject({ body: { markdown: long } });
  });

  it("hide no secret next to them", async () => {
    const [secret, redacted] = ["password=c47MMRREd75tAxeANQ2F0To0 ", "password=«redacted» "];
    const { body } = await redact(dashboards, { markdown: secret + long + secret });
    const withoutRules = String(body["markdown"]).replaceAll(/«redacted:[a-z-]+»/gu, "«redacted»");
    expect(withoutRules).toBe(redacted + long + redacted);
  });
});

describe("a text that is longer than any real one", () => {
  const address = "http://u:pass@h ";

  it("is replaced whole if it may hold a secret", async () => {
    const plain = "nothing of note\n".repeat(40_000);
    for (const text of [address.repeat(700_000), `${plain}password: c47MMRREd75tAxeANQ2F0To0\n${plain}`]) {
      const { body, redactions } = await createRedactor()(dashboards, { id: "one", markdown: text });
      expect(body).toEqual({ id: "one", markdown: "«redacted:long-text»" });
      expect(redactions).toEqual([{ pointer: "/markdown", rule: "long-text" }]);
      expect(await createRedactor()(dashboards, body)).toEqual({ body, redactions: [] });
    }
    expect(await createRedactor()(dashboards, { markdown: plain })).toEqual({
      body: { markdown: plain },
      redactions: [],
    });
  });
});

it("16,000 secrets in one text are redacted one by one", async () => {
  const { body } = await createRedactor()(dashboards, { markdown: "http://u:pass@h ".repeat(16_000) });
  expect(body).toEqual({ markdown: "http://«redacted:url-user-info»@h ".repeat(16_000) });
});

it("redaction replaces whole each text that follows 1.25 MiB of texts about credentials", async () => {
  const text = "the password is told by phone, ".repeat(7000);
  const body = { id: "1", name: "x", notes: Array.from({ length: 8 }, () => text) };
  const { redactions } = await createRedactor()(dashboards, body);
  const pointers = redactions.map(({ pointer, rule }) => `${pointer} ${rule}`);
  expect(pointers).toEqual(["/notes/6 long-text", "/notes/7 long-text"]);
});

it.each([
  // Random mutation found these texts: they cost the most for their length.
  ["[using aaaa", "}aA1!pw?*", 32_000],
  ["curl -u A1B2C-enable secret 5 hunter2 ", "}aA1!pw?*", 32_000],
  ["seed log in パスワードh4rbour-Gate ", "pw?s3(", 8000],
  ["Authorization: log in パスワードh4rbour-Gate recovery codes ", "pw?s3(", 8000],
])("a record that is full of texts that begin with %j and go on with %j does so, too", async (head, unit, length) => {
  const notes = Array.from(
    { length: 15_500_000 / length },
    (_, index) => `${head}${unit.repeat((length - head.length - 10) / unit.length)}${index}`,
  );
  const redact = createRedactor();
  expect(await inUnits(() => redact(dashboards, { id: "1", notes }))).toBeLessThan(MAX_UNITS_OF_RECORD);
});

it.each(["password ", "password? ", "pw ", "--password ", "密碼", "密碼 b", "账号密码", "contraseña ", "token "])(
  "a record of 15.5 MB that is made of %j is searched within its budget",
  async (piece) => {
    const text = piece.repeat(60_000 / piece.length);
    const notes = Array.from({ length: 258 }, (_, index) => `${text}${index}`);
    const redact = createRedactor();
    let redactions: unknown;
    const took = await inUnits(async () => ({ redactions } = await redact(dashboards, { id: "1", notes })));
    expect(took).toBeLessThan(MAX_UNITS_OF_RECORD);
    // Once the budget is used up, texts are redacted without a search.
    expect(redactions).toContainEqual({ pointer: "/notes/257", rule: "long-text" });
  },
);
