import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { canonicalJson } from "../../../src/core/json.ts";
import { readArchive, writeArchive } from "../../support/archive-samples.ts";
import { propertyRuns } from "../../support/tries.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe.each(["zip", "folder"] as const)("a %s", (format) => {
  it("brings any record through byte for byte", async () => {
    const path = join(temporaryFolder(), "archive");
    const bodies = fc.dictionary(
      fc.oneof(fc.string({ unit: "binary" }), fc.constant("__proto__")),
      fc.jsonValue({ noUnicodeString: false }),
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), bodies, async (id, rest) => {
        const body: JsonObject = JSON.parse(canonicalJson({ ...(rest as JsonObject), id }));
        const record = { kind: "alerts", id, name: "any", body };
        await writeArchive({ path, format }, [record]);
        const [read] = await readArchive(path);
        expect(canonicalJson(read?.body ?? {})).toBe(canonicalJson(body));
        expect(read?.id).toBe(id);
      }),
      propertyRuns(60),
    );
  });

  it("serves members named like an object's own machinery", async () => {
    const path = join(temporaryFolder(), "archive");
    const text = '{"id":"a","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const body: JsonObject = JSON.parse(text);
    await writeArchive({ path, format }, [{ kind: "alerts", id: "a", name: "", body }]);
    const [read] = await readArchive(path);
    expect(Object.keys(read?.body ?? {}).toSorted()).toEqual(["__proto__", "constructor", "id"]);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});
