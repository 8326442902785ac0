import { describe, expect, it } from "vitest";
import { mapStrings, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { BLIND_SETS, blindCases } from "../../corpus/blind-sets.ts";
import { HARD_SECRETS } from "../../corpus/hard-cases.ts";
import { PLANTED } from "../../corpus/planted-secrets.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { takesAllCases } from "../../support/tries.ts";

const redact = createRedactor();
const TEMPLATES = [
  "{{api_token}}",
  "{{ password }}",
  "${API_KEY}",
  "${env:DB_PASSWORD}",
  "{password}",
  "<token>",
  "<your-password>",
  "%s",
  "%(password)s",
  "$DB_PASSWORD",
  "[[secret]]",
  "%DB_PASSWORD%",
];

const redacted = async (body: JsonObject): Promise<JsonObject> => (await redact(dashboards, body)).body;

/** Counts the occurrences of a template in a value. */
function count(value: JsonValue, template: string): number {
  return JSON.stringify(value).split(JSON.stringify(template).slice(1, -1)).length - 1;
}

/** The records of the corpora that contain a secret, with `@@` instead of the secret. */
const PLACES = places();

function places(): JsonObject[] {
  const filled = (value: JsonValue, secrets: readonly string[]): JsonObject => ({
    what: mapStrings(value, (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "@@"), text)),
  });
  const planted = Object.values(PLANTED).flatMap((make, position) =>
    [1, 2, 3, 4].map((seed) => make(seededRandom(position * 10 + seed))),
  );
  return [
    ...HARD_SECRETS.map((markdown) => ({ markdown })),
    ...planted.map(({ where, secret }) => filled(where, [secret])),
    ...BLIND_SETS.flatMap(blindCases).flatMap(({ value, secret }) => (secret ? [filled(value, secret)] : [])),
    // Places beside a letter are left out, because there a short form could be a part of a password.
  ].filter((place) => count(place, "@@") > 0 && !/\w@@|@@\w/.test(JSON.stringify(place).replaceAll("\\n", " ")));
}

describe("a template expression", () => {
  // Every third place is tried with one template; under `npm run properties`, each with every template.
  it("is not redacted in the place of any secret", async () => {
    const changed: string[] = [];
    for (const [index, place] of PLACES.entries()) {
      if (!takesAllCases && index % 3 !== 0) continue;
      for (const template of takesAllCases ? TEMPLATES : [TEMPLATES[index % TEMPLATES.length] ?? ""]) {
        const body = mapStrings(place, (text) => text.replaceAll("@@", template)) as JsonObject;
        const left = await redacted(body);
        if (count(left, template) !== count(body, template))
          changed.push(`${JSON.stringify(body)}\n -> ${JSON.stringify(left)}`);
      }
    }
    expect(changed).toEqual([]);
  });

  it.each([
    "?token={{api_token}}&a=1",
    "https://h.example.com/x?token=${API_KEY}&sig={sig}&n=5",
    "Authorization: Bearer {{token}}",
    "the password: {{password}}",
    "password={password}",
    "token: {{ token }} and more text",
    "https://{{user}}:{{password}}@h.example.com",
  ])("is not redacted, nor is the text around it: %s", async (markdown) => {
    expect(await redacted({ markdown })).toEqual({ markdown });
  });

  it.each([{ apiKey: "{{key}}" }, { headers: { Authorization: "Bearer {{token}}" } }, { password: "${DB_PASSWORD}" }])(
    "is not redacted as the value of a member, as in %j",
    async (body) => {
      expect(await redacted(body)).toEqual(body);
    },
  );
});

describe("a secret beside a template expression", () => {
  it.each([
    ["password: Tr0ub4dor{&3", "password: «redacted:assigned-secret»"],
    ["password: pa$$w0rd", "password: «redacted:assigned-secret»"],
    ["the password: Tr0ub4dor&3 x", "the password: «redacted:assigned-secret» x"],
    ["use password='Hunter!' there", "use password='«redacted:assigned-secret»' there"],
    ["use password=Hunter! there", "use password=«redacted:assigned-secret» there"],
    ["use password=Hunter2?! there", "use password=«redacted:assigned-secret» there"],
    ["is the password=required? yes", "is the password=required? yes"],
    ["use password=correcthorse", "use password=«redacted:assigned-secret»"],
    ["https://{{user}}:S3cret-w0rd@h.example.com", "https://{{user}}«redacted:url-user-info»@h.example.com"],
  ])("is redacted, also with the characters of a template: %s", async (markdown, expected) => {
    expect(await redacted({ markdown })).toEqual({ markdown: expected });
  });

  it("is redacted as the default of a template expression", async () => {
    const { markdown } = await redacted({ markdown: "DB_PASSWORD=${DB_PASSWORD:-Gh7Kkl2xxQ}" });
    expect(markdown).not.toContain("Gh7Kkl2xxQ");
  });
});
