import fc from "fast-check";
import { expect, it } from "vitest";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import { formatPointer } from "../../../src/core/records/member-path.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { LOOK_ALIKES } from "../../corpus/look-alikes.ts";
import { PLANTED } from "../../corpus/planted-secrets.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { propertyRuns } from "../../support/tries.ts";

const NAMES = "password token auth url headers name key field value content id type tiles __proto__ a/b~c".split(" ");

/** Texts that join ordinary text, secrets, look-alikes and placeholders. */
const text = fc
  .array(
    fc.oneof(
      fc.string(),
      fc.constantFrom(
        "«redacted:credential»",
        "«redacted:",
        "»",
        "\0",
        " ",
        "=",
        ": ",
        "\n",
        "'",
        "?token=",
        "://",
        "@",
      ),
      fc
        .tuple(fc.constantFrom(...Object.values(PLANTED), ...Object.values(LOOK_ALIKES)), fc.nat())
        .map(([make, seed]) => {
          const made = make(seededRandom(seed));
          const where = typeof made === "object" && "where" in made ? made.where : made;
          return typeof where === "string" ? where : JSON.stringify(where);
        }),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(""));

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(null, true, 0, 123_456),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), tie("value"), { maxKeys: 4 }),
  ),
}));

/** Lists the pointers at which two values differ. */
function differences(before: JsonValue, after: JsonValue, path: readonly string[] = []): string[] {
  if (isJsonArray(before) && isJsonArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => differences(item, after[index] ?? null, [...path, String(index)]));
  }
  if (isJsonObject(before) && isJsonObject(after) && Object.keys(before).join("\n") === Object.keys(after).join("\n")) {
    return Object.entries(before).flatMap(([name, inner]) =>
      differences(inner ?? null, (after[name] as JsonValue) ?? null, [...path, name]),
    );
  }
  return Object.is(before, after) ? [] : [formatPointer(path)];
}

it("redaction is idempotent, preserves the structure of a record, and lists every change", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...kinds),
      fc.constant(createRedactor()),
      fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), value, { maxKeys: 5 }),
      async (kind, redact, body: JsonObject) => {
        const once = await redact(kind, body);
        const listed = new Set(once.redactions.map(({ pointer }) => pointer));
        expect(new Set(differences(body, once.body))).toEqual(listed);
        expect(new Set(once.redactions.map(({ pointer, rule }) => `${pointer} ${rule}`)).size).toBe(
          once.redactions.length,
        );
        const text = JSON.stringify(once.body);
        expect(JSON.parse(text)).toEqual(once.body);
        const twice = await redact(kind, once.body);
        expect(twice.redactions).toEqual([]);
        expect(JSON.stringify(twice.body)).toBe(text);
      },
    ),
    propertyRuns(100),
  );
}, 120_000);
