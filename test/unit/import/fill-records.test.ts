import { describe, expect, it } from "vitest";
import type { SecretAnswers, SecretValue } from "../../../src/core/secrets.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import type { FilledRecord, FilledRecords } from "../../../src/import/read/fill-records.ts";
import { fillRecords, isFillable, listedRedactions } from "../../../src/import/read/fill-records.ts";
import { draftedFor } from "../../support/drafted-secrets.ts";
import { dashboard, hexId, records } from "../../support/stack-records.ts";

const MARK = "«redacted:assigned-secret»";
const BOARD = `dashboards/${hexId("a", 16)}` as const;
const HOOK = `webhooks/${hexId("a", 2)}` as const;
const QUERY = "/savedQuery";

const board = (savedQuery: string): JsonObject => dashboard(hexId("a", 16), "Board", "", { tiles: [], savedQuery });
const hook = { id: hexId("a", 2), name: "oncall", service: "generic", url: "https://hooks.example" };
const archive = records({ dashboards: [board(`token:${MARK}`)], webhooks: [hook] });
const always = (): boolean => true;

function fill(key: string, places: Readonly<Record<string, SecretValue>>, isListed = always): FilledRecords {
  return fillRecords(archive, draftedFor(archive, { [key]: places }), isListed);
}

/** Which pointers of the record were supplied, refused, foreign, and unused. */
function fateOf(made: FilledRecords, key: typeof BOARD | typeof HOOK): readonly unknown[] {
  const { supplied, refused, foreign } = made.filled.get(key) ?? ({} as Partial<FilledRecord>);
  const sets = [supplied, refused, foreign].map((set) => [...(set ?? [])]);
  return [...sets, made.warnings.map(({ pointer }) => pointer)];
}

const bodyOf = ({ records: made }: FilledRecords, kind: string): JsonObject | undefined =>
  made.find((each) => each.kind === kind)?.body;

describe("the records of an archive that is filled in", () => {
  it("are the archive's own where nothing is", () => {
    expect(fillRecords(archive, {}, always)).toEqual({ records: archive, filled: new Map(), warnings: [] });
    expect(fillRecords(archive, {}, always).records).toBe(archive);
    const elsewhere = fillRecords(archive, { "dashboards/none": { [QUERY]: [{ value: "x" }] } }, always);
    expect(elsewhere.records).toBe(archive);
    expect(elsewhere.warnings).toMatchObject([{ code: "secret-unused" }]);
  });

  it("keep their names, and the others are the archive's own", () => {
    const made = fill(BOARD, { [QUERY]: "s3cret" });
    expect(bodyOf(made, "dashboards")).toEqual(board("token:s3cret"));
    expect(made.records[1]).toBe(archive[1]);
    expect(made.filled.get(BOARD)?.archived).toBe(archive[0]);
    expect(fateOf(made, BOARD)).toEqual([[], [], [], []]);
  });

  it("keep the placeholders of their names, which are printed", () => {
    const named = records({ dashboards: [dashboard(hexId("a", 16), `pwd ${MARK}`, "", { tiles: [] })] });
    const [made] = fillRecords(named, draftedFor(named, { [BOARD]: { "/name": "s3cret" } }), always).records;
    expect([made?.name, made?.body["name"]]).toEqual([`pwd ${MARK}`, "pwd s3cret"]);
  });
});

describe("an answer for a placeholder", () => {
  it("is not used where it was drafted for another text, has no context, or has a second one that fits", () => {
    const other = draftedFor(records({ dashboards: [board(`other:${MARK}`)] }), { [BOARD]: { [QUERY]: "s3cret" } });
    const refused = fillRecords(archive, other, always);
    expect(fateOf(refused, BOARD)).toEqual([[], [QUERY], [], []]);
    expect(bodyOf(refused, "dashboards")).toEqual(board(`token:${MARK}`));
    const right = draftedFor(archive, { [BOARD]: { [QUERY]: "right" } });
    const both: SecretAnswers = {
      [BOARD]: { [QUERY]: [...(other[BOARD]?.[QUERY] ?? []), ...(right[BOARD]?.[QUERY] ?? [])] },
    };
    expect(bodyOf(fillRecords(archive, both, always), "dashboards")).toEqual(board("token:right"));
  });

  it.each<[string, SecretValue]>([
    ["says that there was none", null],
    ["has too many texts", ["a", "b"]],
  ])("is unused where it %s", (_, value) => {
    const made = fill(BOARD, { [QUERY]: value });
    expect(fateOf(made, BOARD)).toEqual([[], [], [], [QUERY]]);
    expect(bodyOf(made, "dashboards")).toEqual(board(`token:${MARK}`));
  });

  it("is refused where it has texts by name", () => {
    expect(fateOf(fill(BOARD, { [QUERY]: { a: "b" } }), BOARD)).toEqual([[], [QUERY], [], []]);
  });

  it("is unused where there is no placeholder, and where there is no such place", () => {
    expect(fateOf(fill(BOARD, { "/name": "x", "/none/0": "y" }), BOARD)).toEqual([[], [], [], ["/name", "/none/0"]]);
  });

  it("is passed by without a word where no export made the placeholder", () => {
    const made = fill(BOARD, { [QUERY]: "s3cret" }, () => false);
    expect(fateOf(made, BOARD)).toEqual([[], [], [], []]);
    expect(bodyOf(made, "dashboards")).toEqual(board(`token:${MARK}`));
  });

  it("is not used for an address on another host", () => {
    const cut = records({ webhooks: [{ ...hook, url: "https://hooks.example/«redacted:webhook-url»" }] });
    const answer = (value: string) => fillRecords(cut, draftedFor(cut, { [HOOK]: { "/url": value } }), always);
    expect(fateOf(answer("https://elsewhere.example/x"), HOOK)).toEqual([[], [], ["/url"], []]);
    expect(bodyOf(answer("T0/x"), "webhooks")).toMatchObject({ url: "https://hooks.example/T0/x" });
  });
});

describe("an answer for what no stack shows", () => {
  it("is added to the record, and one that there was none is noted", () => {
    const made = fill(HOOK, { "/headers": { "X-Key": "s3cret" }, "/queryParams": null });
    expect(fateOf(made, HOOK)).toEqual([["/headers", "/queryParams"], [], [], []]);
    expect(bodyOf(made, "webhooks")).toEqual({ ...hook, headers: { "X-Key": "s3cret" } });
  });

  it("is unused where it has another form", () => {
    expect(fateOf(fill(HOOK, { "/headers": "s3cret", "/body": { a: "b" } }), HOOK)).toEqual([
      [],
      [],
      [],
      ["/headers", "/body"],
    ]);
    expect(fateOf(fill(HOOK, { "/body": "text" }), HOOK)).toEqual([["/body"], [], [], []]);
  });

  it("is refused where it was drafted for another record, unless it says that there was none", () => {
    const lines: SecretAnswers = {
      [HOOK]: {
        "/headers": [{ context: "other", value: { a: "b" } }],
        "/queryParams": [{ context: "other", value: null }],
      },
    };
    expect(fateOf(fillRecords(archive, lines, always), HOOK)).toEqual([["/queryParams"], ["/headers"], [], []]);
  });

  it("is unused where the record says it itself, or where it goes deeper", () => {
    const own = records({ webhooks: [{ ...hook, headers: { a: "b" } }] });
    const lines: SecretAnswers = { [HOOK]: { "/headers": [{ value: null }], "/queryParams/x": [{ value: null }] } };
    expect(fateOf(fillRecords(own, lines, always), HOOK)).toEqual([[], [], [], ["/headers", "/queryParams/x"]]);
  });
});

describe("what the manifest lists", () => {
  const path = "dashboards/board.json";
  const manifest = {
    entries: [{ kind: "dashboards", id: hexId("a", 16), path }],
    redactions: [
      { path, pointer: QUERY, rule: "jwt" },
      { path: "other.json", pointer: "/name", rule: "jwt" },
    ],
  } as unknown as Manifest;
  const isListed = listedRedactions(manifest);

  it("is this place of this record, by this rule", () => {
    expect(isListed(BOARD, QUERY, "jwt")).toBe(true);
    expect(isListed(BOARD, QUERY, "assigned-secret")).toBe(false);
    expect(isListed(BOARD, "/name", "jwt")).toBe(false);
    expect(isListed(HOOK, QUERY, "jwt")).toBe(false);
  });

  it("lets a place be filled only where it lists each of its placeholders", () => {
    const place = (...rules: string[]) => ({ pointer: QUERY, rules, tokens: ["savedQuery"] });
    expect(isFillable(BOARD, place("jwt", "jwt"), isListed)).toBe(true);
    expect(isFillable(BOARD, place("jwt", "assigned-secret"), isListed)).toBe(false);
  });
});
