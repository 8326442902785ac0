import { describe, expect, it } from "vitest";
import { dashboards } from "../../src/kinds/dashboards.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";

/** What rules look for, so that each repetition is a beginning for one of them. */
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
  ..."sshpass -p;WIFI:T:a;SSID a, key ;PIN ;door code ;licence key ;-AB12;h:1:d:u:;: PSK x;$6$a;(admin/;admin: ;snmp-server user ;set a secret ;community ;password? ;from a to ;with a and ;%3A%2F%2Fa%3A;zoom pw ;passphrase is a-b-".split(
    ";",
  ),
  ..."eyJa.;sk_live_;a_b_;-----BEGIN PRIVATE KEY-----;\n;\t; ;a;1;A;';\";(;:;=;|;\\;&;,;«;/;-;_;@;>".split(";"),
];
const LENGTH = 40_000;
/** A quadratic search of so much text takes ten times as long. */
const MOST_MS = 4000;

describe("no text makes the search for secrets slow", () => {
  it.each(PIECES)("made of %j again and again", async (piece) => {
    const redact = createRedactor();
    for (const text of [
      piece.repeat(LENGTH / piece.length),
      `password: ${piece}`.repeat(LENGTH / (piece.length + 10)),
      `${piece}a `.repeat(LENGTH / (piece.length + 2)),
    ]) {
      const begin = performance.now();
      await redact(dashboards, { markdown: text });
      const took = performance.now() - begin;
      expect(took).toBeLessThan(MOST_MS);
    }
  });

  it("beside templates or between certificates are searched in a time that grows with the text", async () => {
    for (const piece of ["https://u:pass@h?t={{a}} ", "-----BEGIN CERTIFICATE-----\na\n-----END CERTIFICATE-----\n"]) {
      const begin = performance.now();
      await createRedactor()(dashboards, { markdown: piece.repeat(100_000 / piece.length) });
      await createRedactor()(dashboards, { markdown: piece.repeat(2_000_000 / piece.length) });
      expect(performance.now() - begin).toBeLessThan(MOST_MS);
    }
  });
});
