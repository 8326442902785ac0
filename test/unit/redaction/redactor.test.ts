import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { alerts } from "../../../src/kinds/alerts.ts";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { pipes } from "../../../src/kinds/pipes.ts";
import type { RedactionPolicy } from "../../../src/redaction/text-rules.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";

const id = "6b00e15be5757e17d9e50091";
const uuid = "7c9e6679-7425-40de-944b-e07fc1f90ae7";

async function redacted(body: JsonObject, policy: RedactionPolicy = {}): Promise<JsonObject> {
  return (await createRedactor(policy)(dashboards, body)).body;
}

it.each([
  ["many short ones", 'auth("x") '.repeat(110)],
  ["one with a long text", `auth($$${"x ".repeat(25_000)}$$) `],
])("redaction finds the password of a long call after %s", async (_, before) => {
  const long = `postgresql('h:5432', '${"x".repeat(500)}', 't', 'u', 'orange-boat')`;
  const cleaned = await redacted({ markdown: before + long });
  expect(cleaned["markdown"]).not.toContain("orange-boat");
});

describe("redaction by member names", () => {
  it("removes the whole value under a name that means a credential, at any depth, and lists it", async () => {
    const body = { a: [{ connection: { brokerPassword: "plain words" } }] };
    const { body: cleaned, redactions } = await createRedactor()(pipes, body);
    expect(cleaned).toEqual({ a: [{ connection: { brokerPassword: "«redacted:credential»" } }] });
    expect(redactions).toEqual([{ pointer: "/a/0/connection/brokerPassword", rule: "credential" }]);
  });

  it("writes a placeholder for a number, so that the secrets file restores a number", async () => {
    expect(await redacted({ passcode: 471_147 })).toEqual({ passcode: "«redacted:credential-number»" });
  });

  it("takes the name member of a list entry as the name of the value beside it", async () => {
    const body = {
      headers: [
        { name: "X-Api-Key", value: "some words" },
        { name: "Accept", value: "text/html" },
      ],
    };
    expect(JSON.stringify(await redacted(body))).toBe(
      '{"headers":[{"name":"X-Api-Key","value":"«redacted:credential»"},{"name":"Accept","value":"text/html"}]}',
    );
  });

  it("uses the redacted name, so that a second redaction changes nothing more", async () => {
    const body = {
      // The placeholder contains "private-key", the name of its rule. This text must not count as the name of the value beside it.
      words: { name: `-----BEGIN PRIVATE KEY-----\n${"a1B2".repeat(40)}\n-----END PRIVATE KEY-----`, value: "." },
      pin: { name: '{"Cookie":"c47MMRREd75tAxeANQ2F0To0"}', value: 123_456 },
      // The name is too long to count as a name until its token is redacted.
      late: { name: `The password is sent to https://h.example.com/?token=${"a1B2".repeat(20)}`, value: "some words" },
    };
    const once = await createRedactor()(dashboards, body);
    expect(once.body).toMatchObject({ words: { value: "." }, pin: { value: 123_456 } });
    expect(once.body).toHaveProperty("late.value", "«redacted:credential»");
    expect(once.redactions).toHaveLength(4);
    expect(await createRedactor()(dashboards, once.body)).toEqual({ body: once.body, redactions: [] });
  });

  it("lists each place once, also if a pattern matches again after a redaction", async () => {
    const patterns = [{ rule: "digit", pattern: "\\d(?!.*\\d)" }];
    const text = "build 12345678901234";
    const { redactions } = await createRedactor({ patterns })(dashboards, { id, name: text, description: text });
    expect(redactions.map(({ pointer, rule }) => [pointer, rule])).toEqual([
      ["/name", "digit"],
      ["/description", "digit"],
    ]);
  });

  it("leaves types, flags, counts, sorting keys and null unchanged", async () => {
    const body = {
      auth: { type: "basic", enabled: true },
      token: null,
      maxTokens: 4096,
      sortingKeys: ["a1b2c3d4e5f6"],
    };
    expect(await redacted(body)).toEqual(body);
  });
});

describe("addresses in text", () => {
  it.each([
    ["https://me:s3cretPw@h.example.com/x?a=1", "https://«redacted:url-user-info»@h.example.com/x?a=1"],
    [
      "[a](https://h.example.com/x?token=abc1&b=2) end",
      "[a](https://h.example.com/x?token=«redacted:url-parameter»&b=2) end",
    ],
    [
      "https://s.example.com/b?se=2027&sig=aB%2Bc&sp=r",
      "https://s.example.com/b?se=2027&sig=«redacted:url-parameter»&sp=r",
    ],
    ["postgres://app:pa/ss?@db:5432/shop", "postgres://«redacted:url-user-info»@db:5432/shop"],
    ["https://hooks.example.com:8443/@x", "https://hooks.example.com:8443/@x"],
    ["https://{{user}}:{{password}}@h.example.com", "https://{{user}}:{{password}}@h.example.com"],
  ])("%s", async (markdown, expected) => {
    expect(await redacted({ markdown })).toEqual({ markdown: expected });
  });
});

describe("a password that stands in a tag behind its label", () => {
  it.each(["x", "n", "inline", "code mono", 'x"\ntitle="y', 'x"\r\n  title="y'])(
    "is redacted whatever the tag's class is: %j",
    async (name) => {
      const markdown = `Password <code class="${name}">kestrelVb7q</code>`;
      expect((await redacted({ id, markdown }))["markdown"]).not.toContain("kestrelVb7q");
    },
  );
});

describe("redaction leaves unchanged", () => {
  it("every id, also in a member whose name is listed as a credential", async () => {
    const channel = { type: "webhook", webhookId: uuid };
    const body = { id, dashboardId: id, tileId: uuid, channel, channels: [channel] };
    const policy = { names: ["webhookId"] } as const;
    expect((await createRedactor(policy)(alerts, body)).body).toEqual(body);
  });

  it("ARNs and account numbers", async () => {
    const body = { arn: "arn:aws:iam::123456789012:role/x", note: "in 123456789012" };
    expect(await redacted(body)).toEqual(body);
  });
});

describe("the redaction policy of a team", () => {
  it("adds names, which match in every spelling of the same words in the same order", async () => {
    expect(await redacted({ teamPin: "x-1", "team-pin": "x-2", pinTeam: "x-3" }, { names: ["team_pin"] })).toEqual({
      teamPin: "«redacted:credential»",
      "team-pin": "«redacted:credential»",
      pinTeam: "x-3",
    });
  });

  it("adds patterns", async () => {
    const policy = { patterns: [{ rule: "acme-key", pattern: "acme_[a-z]{4}" }] };
    expect(await redacted({ markdown: "use acme_abcd here" }, policy)).toEqual({
      markdown: "use «redacted:acme-key» here",
    });
  });

  it.each<[string, RedactionPolicy]>([
    ["the member's name", { exceptions: [{ name: "apiKey" }] }],
    ["the rule and the place", { exceptions: [{ rule: "credential", pointer: "/tiles/*/apiKey" }] }],
    ["the kind and the text", { exceptions: [{ kind: "dashboards", pattern: "not-[a-z]+" }] }],
  ])("makes exceptions by %s", async (_, policy) => {
    const body = { tiles: [{ apiKey: "not-secret" }] };
    expect(await redacted(body, policy)).toEqual(body);
    expect(await redacted(body, {})).not.toEqual(body);
  });

  it.each(["not", "-secret", "secret|not"])(
    "makes no exception if the pattern %s matches only a part",
    async (pattern) => {
      const body = { tiles: [{ apiKey: "not-secret" }] };
      expect(await redacted(body, { exceptions: [{ pattern }] })).toEqual(await redacted(body, {}));
      expect(await redacted(body, {})).not.toEqual(body);
    },
  );

  it("makes no exception for declared secrets", async () => {
    const body = { source: { objectStorage: { connectionString: "AccountKey=x" } } };
    const { redactions } = await createRedactor({ exceptions: [{ name: "connectionString" }] })(pipes, body);
    expect(redactions).toEqual([{ pointer: "/source/objectStorage/connectionString", rule: "connection-string" }]);
  });

  it("redacts literal values", async () => {
    expect(await redacted({ a: "it is blue moon." }, { literals: ["blue moon"] })).toEqual({
      a: "it is «redacted:known-secret».",
    });
  });
});
