import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, type JsonObject } from "../../../src/core/json.ts";
import { readArchive, writeArchive } from "../../support/archive-samples.ts";
import { propertyRuns } from "../../support/tries.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { anyCharacter } from "../../support/any-character.ts";

describe.each(["zip", "folder"] as const)("a %s", (format) => {
  it("gives back any record byte for byte", async () => {
    const path = join(temporaryFolder(), "archive");
    const bodies = fc.dictionary(
      fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom("__proto__", "constructor")),
      fc.jsonValue({ stringUnit: anyCharacter }),
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter }), bodies, async (id, rest) => {
        const body: JsonObject = JSON.parse(canonicalJson({ ...(rest as JsonObject), id }));
        const record = { kind: "alerts", id, name: "any", body };
        await writeArchive({ path, format }, [record]);
        const [read] = await readArchive(path);
        expect(canonicalJson(read?.body ?? {})).toBe(canonicalJson(body));
        expect(read?.id).toBe(id);
        expect(Object.getPrototypeOf(read?.body)).toBe(Object.prototype);
      }),
      propertyRuns(25),
    );
  });
});
