import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { pipes } from "../../../src/kinds/pipes.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { webhooks } from "../../../src/kinds/webhooks.ts";
import { redactDeclared } from "../../../src/redaction/redactor.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { propertyRuns } from "../../support/tries.ts";

// `fc.webUrl` makes a table of the million code points first.
const ascii = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCodePoint(code));
const urlPart = fc.string({ unit: fc.oneof(ascii, anyCharacter).map(encodeURI) });
const urls = fc
  .tuple(fc.webAuthority(), urlPart, fc.option(urlPart))
  .map(([host, path, query]) => `https://${host}/${path}${query === null ? "" : `?${query}`}`);

describe("redacting declared secrets", () => {
  it.each([
    ["an address", "https://hooks.slack.com/services/T0/B0/secret?x=1", "https://hooks.slack.com/"],
    ["an address with user info", "https://me:secret@example.com/x", "https://example.com/"],
    ["somebody's inbox", "https://eosecret1.m.pipedream.net/x", ""],
    ["somebody's inbox", "https://secret.requestcatcher.com", ""],
    ["somebody's inbox", "https://secret.eu.ngrok.io/a", ""],
    ["an address without a scheme", "hooks.slack.com/services/secret", ""],
    ["an address without an origin", "data:text/plain,secret", ""],
    ["an address without a host", "https://user:secret@/x", ""],
  ])("leaves of the %s %s only %j", (_, url, origin) => {
    expect(redactDeclared(webhooks, { id: "1", url })).toEqual({
      body: { id: "1", url: `${origin}«redacted:webhook-url»` },
      redactions: [{ pointer: "/url", rule: "webhook-url" }],
    });
  });

  it("leaves an address that is only an origin, and empty or null members", () => {
    for (const value of ["https://example.com", "", null]) {
      expect(redactDeclared(webhooks, { id: "1", url: value })).toEqual({
        body: { id: "1", url: value },
        redactions: [],
      });
    }
  });

  it("redacts connection strings and registry credentials of any type", () => {
    const pipe = {
      id: "1",
      source: {
        objectStorage: { connectionString: "AccountKey=secret" },
        kafka: { schemaRegistry: { authentication: { user: "u", password: "secret" }, url: "https://r" } },
      },
    };
    const { body, redactions } = redactDeclared(pipes, pipe);
    expect(JSON.stringify(body)).not.toContain('secret"');
    expect(redactions.map(({ pointer }) => pointer)).toEqual([
      "/source/objectStorage/connectionString",
      "/source/kafka/schemaRegistry/authentication",
    ]);
  });

  it("is idempotent, and lists every change", () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), urls, fc.jsonValue(), (kind, url, value) => {
        const body = { url, headers: value, source: { objectStorage: { connectionString: url } } } as JsonObject;
        const once = redactDeclared(kind, body);
        const twice = redactDeclared(kind, once.body);
        expect(twice.body).toEqual(once.body);
        expect(twice.redactions).toEqual([]);
        if (once.redactions.length === 0) expect(once.body).toEqual(body);
      }),
      propertyRuns(),
    );
  });
});
