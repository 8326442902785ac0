import { describe, expect, it } from "vitest";
import type { StackRecord } from "../../../../src/core/records/record.ts";
import { applyMapFileMembers, membersFromMapFile } from "../../../../src/import/read/map-file-members.ts";
import { hexId, records } from "../../../support/stack-records.ts";

describe("the members of a record in a map file", () => {
  const [MAIN, OTHER] = [hexId("c", 1), hexId("c", 2)];
  const connection = (id: string, name: string) => ({ id, name, host: "http://old:8123", username: "reader" });
  const archived = records({ connections: [connection(MAIN, "Main"), connection(OTHER, "Other")] });
  const read = { records: archived, fillings: new Map(), warnings: [] };
  const [main, other] = archived as [StackRecord, StackRecord];

  it.each([MAIN, "Main"])(
    "replace those of the archive's record %s, and leave other members and records unchanged",
    (line) => {
      const made = applyMapFileMembers(read, { connections: { [line]: { host: "http://new:8123" } } });
      expect(made.records).toEqual([{ ...main, body: { ...main.body, host: "http://new:8123" } }, other]);
      expect(made.records[1]).toBe(other);
      expect([...made.fillings]).toEqual([
        [`connections/${MAIN}`, { unfilled: main, supplied: new Set(), refused: new Set() }],
      ]);
    },
  );

  it("leave the secrets file's answers for the record unchanged", () => {
    const said = { unfilled: main, supplied: new Set(["/password"]), refused: new Set<string>() };
    const filled = new Map([[`connections/${MAIN}` as const, said]]);
    const made = applyMapFileMembers(
      { ...read, fillings: filled },
      { connections: { Main: { host: "h" }, Other: "Theirs" } },
    );
    expect(made.fillings.get(`connections/${MAIN}`)).toBe(said);
    expect(made.records.map(({ body }) => body["host"])).toEqual(["h", "http://old:8123"]);
    expect(filled.size).toBe(1);
  });

  it("leave all records unchanged if the map file has only names, or members of another kind", () => {
    const names = { connections: { Main: "Theirs" }, sources: { Main: "S" } };
    expect(applyMapFileMembers(read, names)).toBe(read);
    expect(applyMapFileMembers(read, {})).toBe(read);
    const elsewhere = applyMapFileMembers(read, { sources: { Main: { host: "h" } }, connections: { Main: "Theirs" } });
    expect(elsewhere.records).toEqual(archived);
    expect(elsewhere.fillings.size).toBe(0);
  });

  it("are listed with old and new value if the value changes", () => {
    const to = { ...main, body: { ...main.body, host: "http://new:8123" } };
    expect(membersFromMapFile(to, main)).toEqual([{ member: "host", from: "http://old:8123", to: "http://new:8123" }]);
    const { username: _username, ...nameless } = main.body;
    expect(membersFromMapFile(main, { ...main, body: nameless })).toEqual([{ member: "username", to: "reader" }]);
    expect(membersFromMapFile({ ...main, body: nameless }, main)).toEqual([]);
    expect(membersFromMapFile(main, main)).toEqual([]);
  });

  it("are not listed for a kind that takes no members from a map file", () => {
    const [one, two] = records({
      dashboards: [
        { id: "a", host: "1" },
        { id: "a", host: "2" },
      ],
    }) as [StackRecord, StackRecord];
    expect(membersFromMapFile(one, two)).toEqual([]);
  });
});
