import { describe, expect, it } from "vitest";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { hexKeyRule, passwordShapedWordRule } from "../../../src/redaction/rules/password-shaped-words.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";

const foundIn = (text: string): string[] =>
  [passwordShapedWordRule, hexKeyRule]
    .flatMap(({ find }) => find(text))
    .map(({ start, end }) => text.slice(start, end));
const far = "all is well. ".repeat(60);

describe("a word with the form of a password", () => {
  it.each([
    ["a special character that only passwords have", "connect(host, 'reader', 'Bandage&Co2031')", "Bandage&Co2031"],
    ["a dollar in it", "the account of the probe has Tulip$48 since May", "Tulip$48"],
    ["another special character near a word for a password", "login fails? -w Kettle*Ramp_2", "Kettle*Ramp_2"],
    [
      "a special character, and the word for a password after it",
      "reader_ro / h4rbour+gate (pwd ends in May)",
      "h4rbour+gate",
    ],
    ["digits inside of its words", "creds are in the macro: sk4lpell10", "sk4lpell10"],
    ["some words as one, and a number", "the password is as ever QuayWall3189 there", "QuayWall3189"],
    ["a word of another language near", "Passwort haben wir auf 4ltona-Elster gesetzt", "4ltona-Elster"],
    [
      "random letters and digits near a word for a key",
      "token below\n\nR7mQz2LkV9xTb4NcYw8HpD3s",
      "R7mQz2LkV9xTb4NcYw8HpD3s",
    ],
    [
      "hex right after a name for a key",
      "publisher_key=CE19DEF569C74C986017CE303632C4B0",
      "CE19DEF569C74C986017CE303632C4B0",
    ],
  ])("is found with %s", (_, text, value) => {
    expect(foundIn(text)).toEqual([value]);
  });

  it.each([
    "login rate: sum(errors)*100 and requests*1000 of node42",
    "password rotation: Every90Days, see PLAT-77#comment-118203",
    "login with Ctrl+Shift+F5 or Uint8Array#subarray",
    "the password service runs vault-agent 1.16.2+ent, oauth2-proxy and k8s-Prod",
    "credentials of deploy@bastion-2 and https://wiki.example.net/x?pageId=48219077",
    "checksum/secret: d41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e",
    "cache_key=d41d8cd98f00b204e9800998ecf8427e and the token",
    "SELECT 5 FROM t WHERE a LIKE 'host1%' AND login = 'node-West2a'",
  ])("is not found in %j", (text) => {
    expect(foundIn(text)).toEqual([]);
  });

  it("is not found without a word for a credential nearby", () => {
    expect(foundIn(`login ${far}h4rbour+gate`)).toEqual([]);
    expect(foundIn(`token ${far}R7mQz2LkV9xTb4NcYw8HpD3s`)).toEqual([]);
    expect(foundIn("the boat Bandage&Co2031 left")).toEqual([]);
  });

  it("is redacted in a record without the brackets and marks around it", async () => {
    const { body } = await createRedactor({})(dashboards, { markdown: "login then (*Tulip$4831*), as ever" });
    expect(body).toEqual({ markdown: "login then (*«redacted:assigned-secret»*), as ever" });
  });
});
