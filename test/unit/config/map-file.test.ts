import { assert, dictionary, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { formatMapDraft, loadMapFile, parseMapFile } from "../../../src/config/map-file.ts";
import { writePrivateFile } from "../../../src/files/atomic-write.ts";
import { propertyRuns } from "../../support/tries.ts";

describe("parseMapFile", () => {
  it("reads pairs by id space, and reads numeric ids as texts", () => {
    const text = `sources: { "Logs": "Application logs" }\nconnections: { 612345678901234567890123: 6e1555557777777755555555 }\n`;
    expect(parseMapFile(text, "map.yaml")).toEqual({
      sources: { Logs: "Application logs" },
      connections: { "612345678901234567890123": "6e1555557777777755555555" },
    });
  });

  it("ignores entries without a value", () => {
    expect(parseMapFile("sources:\n  a:\n  b: ''\n  c: ~\n  d: null\nwebhooks:\n", "m")).toEqual({});
  });

  it.each([
    "sources: [a]\n",
    "sources: text\n",
    "- a\n",
    "sources: {a: {b: c}}\n",
    "sources: {a: b, a: c}\n",
    "sources: {a: {host: x}}\n",
  ])("refuses the content %j", (text) =>
    expect(() => parseMapFile(text, "map.yaml")).toThrow(expect.objectContaining({ code: "config" })),
  );

  it("fails if the map file does not exist", async () => {
    await expect(loadMapFile("/nowhere/map.yaml")).rejects.toMatchObject({ code: "config" });
  });
});

const unresolved = {
  space: "webhooks",
  id: "6b00e155",
  name: "on-call\u202e\n# x",
  reason: "ambiguous",
  candidates: [{ id: "7c", name: "Slack\u001b[2J" }],
  neededBy: 3,
} as const;

describe("formatMapDraft", () => {
  it("writes the mapping that it was given", () => {
    const mapping = { sources: { Logs: "App: logs # 1" }, webhooks: { other: "x" } };
    expect(parseMapFile(formatMapDraft([unresolved], mapping), "m")).toEqual(mapping);
  });

  it("adds the names of both records as a comment if the line has only ids", () => {
    const mapping = { webhooks: { "6b0e": "7c1f", pager: "7c20", odd: "7c21" } };
    const names = [
      { space: "webhooks", from: "6b0e", name: "oncall\nslack", targetName: "oncall" },
      { space: "webhooks", from: "pager", name: "pager", targetName: "7c20" },
    ];
    const text = formatMapDraft([], mapping, names);
    expect(text).toContain('"6b0e": "7c1f" # "oncall\\nslack" → "oncall"\n');
    expect(text).toContain('"pager": "7c20"\n');
    expect(text).toContain('"odd": "7c21"\n');
    expect(parseMapFile(text, "m")).toEqual(mapping);
  });

  it("lists the candidates as comments, without control characters", () => {
    const text = formatMapDraft([unresolved]);
    expect(text).toContain('"6b00e155":');
    expect(text).toContain('#   "7c"');
    for (const control of ["\u001b", "\u202e"]) expect(text).not.toContain(control);
  });

  it("writes a long list of candidates once, and a short one at each reference", () => {
    const candidates = Array.from({ length: 60 }, (_, number) => ({ id: `c${number}`, name: "" }));
    const entries = ["x1", "x2", "x3"].map((id) => ({ ...unresolved, id, candidates }));
    const long = formatMapDraft(entries);
    expect(long.match(/"c7"/g)).toHaveLength(1);
    expect(long.match(/Candidates: those of "x1"/g)).toHaveLength(2);
    const short = formatMapDraft(entries.map((entry) => ({ ...entry, candidates: candidates.slice(0, 8) })));
    expect(short.match(/"c7"/g)).toHaveLength(3);
  });

  it("writes names that parse to the same mapping, whatever their characters", () => {
    const name = string({ unit: "grapheme", minLength: 1 }).filter(
      (text) => !["~", "null", "__proto__"].includes(text),
    );
    const pairs = dictionary(name, name, { minKeys: 1 });
    assert(
      property(dictionary(name, pairs), name, (mapping, odd) => {
        const draft = formatMapDraft([{ ...unresolved, space: odd, id: `${odd}-id`, name: odd }], mapping);
        expect(parseMapFile(draft, "m")).toEqual(mapping);
      }),
      propertyRuns(60),
    );
  });
});

it("writePrivateFile fails with archive-io if it cannot write", async () => {
  await expect(writePrivateFile("/nowhere/at/all", "x")).rejects.toMatchObject({ code: "archive-io" });
});
