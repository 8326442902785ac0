import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { pipes } from "../../../src/kinds/pipes.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { webhooks } from "../../../src/kinds/webhooks.ts";
import { redactDeclared } from "../../../src/redaction/declared.ts";
import { propertyRuns } from "../../support/tries.ts";

describe("redacting declared secrets", () => {
  it("cuts a webhook's address down to its origin", () => {
    const { body, redactions } = redactDeclared(webhooks, {
      id: "1",
      url: "https://hooks.slack.com/services/T0/B0/secret?x=1",
    });
    expect(body["url"]).toBe("https://hooks.slack.com/«redacted:webhook-url»");
    expect(redactions).toEqual([{ pointer: "/url", rule: "webhook-url" }]);
  });

  it.each(["https://eosecret1.m.pipedream.net/x", "https://secret.requestcatcher.com", "https://secret.eu.ngrok.io/a"])(
    "keeps nothing of %s, whose host is somebody's inbox",
    (url) => {
      expect(redactDeclared(webhooks, { id: "1", url }).body["url"]).toBe("«redacted:webhook-url»");
    },
  );

  it.each(["hooks.slack.com/services/secret", "data:text/plain,secret", "https://user:secret@/x"])(
    "keeps nothing of %s",
    (url) => {
      expect(JSON.stringify(redactDeclared(webhooks, { id: "1", url }).body)).not.toContain("secret");
    },
  );

  it("leaves an address that is nothing but its origin, and what is empty or not there", () => {
    for (const value of ["https://example.com", "", null]) {
      expect(redactDeclared(webhooks, { id: "1", url: value })).toEqual({
        body: { id: "1", url: value },
        redactions: [],
      });
    }
  });

  it("takes out the whole of an address that has no origin", () => {
    const { body } = redactDeclared(webhooks, { id: "1", url: "data:text/plain,secret" });
    expect(body["url"]).toBe("«redacted:webhook-url»");
  });

  it("drops user info with the path", () => {
    expect(redactDeclared(webhooks, { url: "https://me:secret@example.com/x" }).body["url"]).toBe(
      "https://example.com/«redacted:webhook-url»",
    );
  });

  it("takes out connection strings and registry credentials, whatever their shape", () => {
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

  it("changes nothing the second time, and lists every change", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.webUrl({ withQueryParameters: true }),
        fc.jsonValue(),
        (kind, url, value) => {
          const body = { url, headers: value, source: { objectStorage: { connectionString: url } } } as JsonObject;
          const once = redactDeclared(kind, body);
          const twice = redactDeclared(kind, once.body);
          expect(twice.body).toEqual(once.body);
          expect(twice.redactions).toEqual([]);
          if (once.redactions.length === 0) expect(once.body).toEqual(body);
        },
      ),
      propertyRuns(),
    );
  });
});
