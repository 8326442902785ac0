import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expandValues } from "../../../../src/config/expand-values.ts";
import { formatSecretsDraft, loadSecretsFile, parseSecretsFile } from "../../../../src/config/secrets/secrets-file.ts";
import { recordKey } from "../../../../src/core/records/record.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { propertyRuns } from "../../../support/tries.ts";

const missing = [
  {
    key: recordKey("dashboards", "d1"),
    name: 'Run "book"\n\u202e',
    pointer: "/tiles/0/a~1b",
    rules: ["jwt", "credential"],
    context: "c0ffee",
    around: ["first\\u{a}", "evil.example: k=«redacted:credential»"],
  },
  {
    key: recordKey("alerts", "a1"),
    name: "",
    pointer: "/note",
    rules: ["credential"],
    context: "12e4",
    around: [],
  },
  {
    key: recordKey("webhooks", "w1"),
    name: "pager",
    pointer: "/headers",
    rules: ["webhook-headers"],
    context: "0123",
    around: ["url https://hooks.example/x"],
    writeOnly: true,
    named: true,
  },
] as const;

describe("a secrets file", () => {
  it("reads values as texts, and leaves out values that are not filled in completely", () => {
    const text = `
dashboards/d1:
  /a: { context: 12e4, value: 12e4 }
  /b: { context: x, value: [x, "y z"] }
  /c: { context: x, value: "" }
  /d: { context: x, value: [x, ""] }
  /e: { context: x }
  /f: { context: x, value: { A: b, C: } }
  /g:
    - { context: x, value: "" }
    - { context: y, value: "null" }
webhooks/w1:
  /headers: { context: x, value: { Authorization: Bearer x, "1": "2" } }
  /body: { context: x, value: null }
  /query: { value: ~ }
alerts/a1:
`;
    expect(parseSecretsFile(text, "secrets.yaml")).toEqual({
      "dashboards/d1": {
        "/a": [{ context: "12e4", value: "12e4" }],
        "/b": [{ context: "x", value: ["x", "y z"] }],
        "/g": [{ context: "y", value: "null" }],
      },
      "webhooks/w1": {
        "/headers": [{ context: "x", value: { Authorization: "Bearer x", "1": "2" } }],
        "/body": [{ context: "x", value: null }],
        "/query": [{ value: null }],
      },
    });
  });

  it("may have short forms, which have no context", () => {
    expect(parseSecretsFile(`alerts/a1:\n  /a: x\n  /b: [x, y]\n  /c:\n  /d: null\n`, "secrets.yaml")).toEqual({
      "alerts/a1": { "/a": [{ value: "x" }], "/b": [{ value: ["x", "y"] }], "/d": [{ value: null }] },
    });
  });

  it.each([
    "d1:\n  /a: x",
    "dashboards/d1:\n  a: x",
    "dashboards/d1:\n  /a: {b: c}",
    "dashboards/d1:\n  /a: {value: {b: {c: d}}}",
    "dashboards/d1:\n  /a: x\n  /a: y",
  ])("with the content %j is refused without repeating a value", (text) => {
    expect(() => parseSecretsFile(text, "secrets.yaml")).toThrow(expect.objectContaining({ code: "config" }));
  });

  it("is drafted with an entry for each placeholder, and empty values are no answers", () => {
    const draft = formatSecretsDraft(missing);
    expect(draft).toContain('value: ["", ""]');
    expect(draft).toContain("  # evil.example: k=«redacted:credential»\n");
    expect(draft).not.toContain("\u202e");
    expect(parseSecretsFile(draft, "draft")).toEqual({});
  });

  it("is read from a draft whose values were filled in", () => {
    const headers = formatSecretsDraft([missing[2]]).replace('value: ""', "value:\n      X-Key: ${env:KEY}");
    expect(parseSecretsFile(headers, "draft")).toEqual({
      "webhooks/w1": { "/headers": [{ context: "0123", value: { "X-Key": "${env:KEY}" } }] },
    });
    expect(parseSecretsFile(formatSecretsDraft([missing[1]]).replace('value: ""', "value: null"), "draft")).toEqual({
      "alerts/a1": { "/note": [{ context: "12e4", value: null }] },
    });
  });

  it("is drafted with a new entry if the context has changed, and the earlier answer stays", () => {
    const lines = { "alerts/a1": { "/note": [{ context: "old", value: "secret" }] } };
    const draft = formatSecretsDraft([missing[1]], lines);
    expect(parseSecretsFile(draft, "draft")).toEqual(lines);
    expect(parseSecretsFile(draft.replace('value: ""', "value: new"), "draft")["alerts/a1"]?.["/note"]).toEqual([
      { context: "12e4", value: "new" },
      { context: "old", value: "secret" },
    ]);
  });

  it("preserves all answers in a new draft", () => {
    const value = fc.string({ minLength: 1 });
    const answer = fc.record(
      {
        context: fc.constantFrom("12e4", "c0ffee", "x: #"),
        value: fc.oneof(
          value,
          fc.array(value, { minLength: 1, maxLength: 3 }),
          fc.dictionary(
            value.filter((name) => name !== "__proto__"),
            value,
            { minKeys: 1 },
          ),
          fc.constant(null),
        ),
      },
      { requiredKeys: ["value"] },
    );
    const lines = fc.dictionary(
      fc.constantFrom("dashboards/d1", "alerts/a b: c"),
      fc.dictionary(fc.constantFrom("/note", "/x y: #z", "/a~1b"), fc.array(answer, { minLength: 1, maxLength: 3 }), {
        minKeys: 1,
      }),
    );
    fc.assert(
      fc.property(lines, (filled) => {
        expect(parseSecretsFile(formatSecretsDraft(missing, filled), "draft")).toEqual({ ...filled });
      }),
      propertyRuns(40),
    );
  });

  it("may take values from the environment and from files next to it", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "secrets.yaml");
    await writeFile(join(folder, "pw"), "from file\n");
    await writeFile(
      path,
      'alerts/a1:\n  /note: ${file:pw}\n  /message: ["a${env:X}", b]\n  /headers: { value: { A: "${env:X}" } }\n',
    );
    const lines = await expandValues(await loadSecretsFile(path), "", { env: { X: "1" }, configPath: path });
    expect(lines).toEqual({
      "alerts/a1": {
        "/note": [{ value: "from file" }],
        "/message": [{ value: ["a1", "b"] }],
        "/headers": [{ value: { A: "1" } }],
      },
    });
    const answers = { "alerts/a1": { "/n": [{ value: "${env:NONE}" }] } };
    await expect(expandValues(answers, "", { env: {}, configPath: path })).rejects.toMatchObject({
      code: "config",
      message: `${path}: alerts/a1./n.0.value needs the environment variable NONE`,
    });
  });
});
