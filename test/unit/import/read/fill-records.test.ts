import { describe, expect, it } from "vitest";
import type { SecretAnswers, SecretValue } from "../../../../src/core/secrets.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { Manifest } from "../../../../src/core/manifest.ts";
import { fillRecords, isFillable, createRedactionLookup } from "../../../../src/import/read/fill-records.ts";
import { draftedFor } from "../../../support/drafted-secrets.ts";
import { dashboard, hexId, records } from "../../../support/stack-records.ts";

// The effect of an answer on one placeholder is tested in test/behaviour/secrets/answers.test.ts and context.test.ts.

const MARK = "«redacted:assigned-secret»";
const BOARD = `dashboards/${hexId("a", 16)}` as const;
const HOOK = `webhooks/${hexId("a", 2)}` as const;
const QUERY = "/savedQuery";

const board = (savedQuery: string): JsonObject => dashboard(hexId("a", 16), "Board", "", { tiles: [], savedQuery });
const hook = { id: hexId("a", 2), name: "oncall", service: "generic", url: "https://hooks.example" };
const archive = records({ dashboards: [board(`token:${MARK}`)], webhooks: [hook] });
const always = (): boolean => true;

/** Fills in drafted answers, and lists the pointers that were supplied, refused and unused. */
function fatesOf(key: typeof BOARD | typeof HOOK, answers: SecretAnswers): readonly unknown[] {
  const made = fillRecords(archive, answers, always);
  const { supplied = new Set(), refused = new Set() } = made.fillings.get(key) ?? {};
  return [[...supplied], [...refused], made.warnings.map(({ pointer }) => pointer)];
}

it("a secret in a name is written to the body and stays redacted in the displayed name", () => {
  const named = records({ dashboards: [dashboard(hexId("a", 16), `pwd ${MARK}`, "", { tiles: [] })] });
  const [made] = fillRecords(named, draftedFor(named, { [BOARD]: { "/name": "s3cret" } }), always).records;
  expect([made?.name, made?.body["name"]]).toEqual([`pwd ${MARK}`, "pwd s3cret"]);
});

it("of several answers for one placeholder, the answer for its context is used", () => {
  const [other, right] = ["other:", "token:"].map((text) =>
    draftedFor(records({ dashboards: [board(text + MARK)] }), { [BOARD]: { [QUERY]: text } }),
  );
  const both = [...(other?.[BOARD]?.[QUERY] ?? []), ...(right?.[BOARD]?.[QUERY] ?? [])];
  expect(fillRecords(archive, { [BOARD]: { [QUERY]: both } }, always).records[0]?.body).toEqual(board("token:token:"));
});

it.each<[string, typeof BOARD | typeof HOOK, Record<string, SecretValue>, fates: readonly unknown[]]>([
  ["none for a placeholder", BOARD, { [QUERY]: null }, [[], [], [QUERY]]],
  ["texts by name for a placeholder", BOARD, { [QUERY]: { a: "b" } }, [[], [QUERY], []]],
  ["a place without a placeholder", BOARD, { "/name": "x", "/none/0": "y" }, [[], [], ["/name", "/none/0"]]],
  ["members in another form", HOOK, { "/headers": "s", "/body": { a: "b" } }, [[], [], ["/headers", "/body"]]],
  ["members in their form", HOOK, { "/headers": { a: "b" }, "/body": "text" }, [["/headers", "/body"], [], []]],
])("an answer of %s is supplied, refused or unused", (_, key, places, fates) => {
  expect(fatesOf(key, draftedFor(archive, { [key]: places }))).toEqual(fates);
});

it("an answer for a placeholder that no export made is ignored without a warning", () => {
  const drafted = draftedFor(archive, { [BOARD]: { [QUERY]: "s3cret" } });
  expect(fillRecords(archive, drafted, () => false)).toMatchObject({ records: archive, warnings: [] });
});

describe("an answer for a write-only member", () => {
  it("is refused if it was drafted for another record, unless its value is null", () => {
    const [headers, none] = [
      { context: "other", value: { a: "b" } },
      { context: "other", value: null },
    ];
    const answers = { [HOOK]: { "/headers": [headers], "/queryParams": [none] } };
    expect(fatesOf(HOOK, answers)).toEqual([["/queryParams"], ["/headers"], []]);
  });

  it("is unused if the record has the member, or if its pointer goes deeper than the member", () => {
    const own = records({ webhooks: [{ ...hook, headers: { a: "b" } }] });
    const lines: SecretAnswers = { [HOOK]: { "/headers": [{ value: null }], "/queryParams/x": [{ value: null }] } };
    const { warnings } = fillRecords(own, lines, always);
    expect(warnings.map(({ pointer }) => pointer)).toEqual(["/headers", "/queryParams/x"]);
  });
});

describe("the redactions that the manifest lists", () => {
  const path = "dashboards/board.json";
  const manifest = {
    entries: [{ kind: "dashboards", id: hexId("a", 16), path }],
    redactions: [
      { path, pointer: QUERY, rule: "jwt" },
      { path: "other.json", pointer: "/name", rule: "jwt" },
    ],
  } as unknown as Manifest;
  const isListed = createRedactionLookup(manifest);

  it("are found by record, pointer and rule", () => {
    expect(isListed(BOARD, QUERY, "jwt")).toBe(true);
    expect(isListed(BOARD, QUERY, "assigned-secret")).toBe(false);
    expect(isListed(BOARD, "/name", "jwt")).toBe(false);
    expect(isListed(HOOK, QUERY, "jwt")).toBe(false);
  });

  it("let a place be filled only if each of its placeholders is listed", () => {
    const place = (...rules: string[]) => ({ pointer: QUERY, rules, tokens: ["savedQuery"] });
    expect(isFillable(BOARD, place("jwt", "jwt"), isListed)).toBe(true);
    expect(isFillable(BOARD, place("jwt", "assigned-secret"), isListed)).toBe(false);
  });
});
