import { mkdir, readFile, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RecordState } from "../../../src/core/plan/state.ts";
import { readState, writeState, type StateLocation } from "../../../src/journal/state-file.ts";
import { formatState, parseState } from "../../../src/journal/state-format.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const stack = { variant: "self-hosted", baseUrl: "http://stack.test" } as const;
const subject = { source: { files: "stack" }, target: stack };
const known: RecordState = { targetId: "t1", name: "One", written: true };

/** Returns a new location of a state. @param trust if true, a file without a valid seal is accepted */
function location(trust = false): StateLocation {
  const folder = temporaryFolder();
  return { path: join(folder, "deep", "s.json"), subject, access: { stateFolder: join(folder, "key"), trust } };
}

describe("a state file", () => {
  it("returns the records written to it, with the same machine key only", async () => {
    const at = location();
    const before = await readState(at);
    expect(before).toMatchObject({ status: "new" });
    await writeState(at, { records: new Map([["dashboards/a/b", known]]) });
    const read = await readState(at);
    expect(read.status).toBe("used");
    expect([...read.records]).toEqual([["dashboards/a/b", known]]);
    const other = { ...at, access: { ...at.access, stateFolder: `${at.access.stateFolder}-2` } };
    expect(await readState(other)).toMatchObject({ status: "replaced", warning: { code: "state-unproven" } });
    expect(await readdir(dirname(at.path))).toEqual(["s.json"]);
  });

  it("with invalid content is refused", () => {
    const text = formatState({ subject, records: new Map([["dashboards/a", known]]) });
    expect(parseState(text)).toMatchObject({ subject });
    const twice = new Map([
      ["dashboards/a", known],
      ["dashboards/b", { ...known, targetId: "T1" }],
    ] as const);
    const spoilt = [
      formatState({ subject, records: twice }),
      text.replace('"version":1', '"version":2'),
      text.replace('"written":true', '"written":true,"body":{}'),
      text.replace('"targetId":"t1"', '"targetId":""'),
      text.replace('"targetId":"t1"', '"targetId":7'),
      text.replace("dashboards/a", "a"),
      "[]",
      "null",
      "{",
    ];
    for (const each of spoilt) expect(parseState(each), each).toHaveProperty("problem");
  });

  it("of another machine is read if trusted, and its content is still checked", async () => {
    const at = location(true);
    await writeState(at, { records: new Map() });
    const [content, wrong] = [formatState({ subject, records: new Map() }), '{"format":"stackferry-state"}'];
    await writeFile(at.path, `${content}\n`, { mode: 0o600 });
    expect(await readState(at)).toMatchObject({ status: "used" });
    await writeFile(at.path, `${wrong}\n`);
    expect(await readState(at)).toMatchObject({ warning: { code: "state-unreadable" } });
    expect(await readFile(at.path, "utf8")).toBe(`${wrong}\n`);
  });

  it("is of one source, one target and one prefix, and of another it is left as it is", async () => {
    const at = location();
    const own = { ...at, subject: { ...subject, namePrefix: "Mine " } };
    await writeState(own, { records: new Map([["dashboards/a", known]]) });
    expect(await readState(own)).toMatchObject({ status: "used" });
    const others: readonly (readonly [string, StateLocation["subject"]])[] = [
      ["source", { ...own.subject, source: { files: "elsewhere" } }],
      ["source", { ...own.subject, source: stack }],
      ["target", { ...own.subject, target: { ...stack, baseUrl: "http://other.test" } }],
      ["--name-prefix", subject],
      ["--name-prefix", { ...subject, namePrefix: "Theirs " }],
    ];
    for (const [what, other] of others) {
      const read = await readState({ ...own, subject: other });
      expect(read).toMatchObject({ status: "kept", warning: { code: "state-foreign" } });
      expect(read.warning?.message).toContain(`of another ${what}`);
      expect([...read.records]).toEqual([]);
    }
  });

  it("holds the begun run, and has the same bytes whatever the order of the records", async () => {
    const begun = { journal: "/tmp/j", identities: { "dashboards/a": "dashboards/b" } } as const;
    const all: readonly (readonly [`${string}/${string}`, RecordState])[] = [
      ["dashboards/b", known],
      ["alerts/a", known],
      ["dashboards/a", { ...known, targetId: "t2" }],
    ];
    const text = formatState({ subject, records: new Map(all), begun });
    expect(formatState({ subject, records: new Map(all.toReversed()), begun })).toBe(text);
    const parsed = parseState(text);
    expect(parsed).toMatchObject({ begun });
    expect([...("records" in parsed ? parsed.records.keys() : [])]).toEqual([
      "alerts/a",
      "dashboards/a",
      "dashboards/b",
    ]);
    const ended = formatState({ subject, records: new Map(all) });
    expect(ended).not.toContain("begun");
    expect(parseState(ended)).not.toHaveProperty("begun");
    const at = location();
    await writeState(at, { records: new Map(all), begun });
    expect(await readState(at)).toMatchObject({ begun });
  });

  it("may hold records of two kinds with the same id", () => {
    const both = new Map([
      ["dashboards/a", known],
      ["alerts/a", known],
    ] as const);
    expect(parseState(formatState({ subject, records: both }))).not.toHaveProperty("problem");
  });

  it("over 64 MiB is not read", async () => {
    const at = location(true);
    await writeState(at, { records: new Map() });
    const content = formatState({ subject, records: new Map() });
    const most = 64 * 1024 * 1024;
    await writeFile(at.path, content.padEnd(most + 1, " "), { mode: 0o600 });
    expect(await readState(at)).toMatchObject({ status: "replaced" });
    await truncate(at.path, most);
    expect(await readState(at)).toMatchObject({ status: "used" });
  });

  it("in a folder that cannot be written, or in the place of a folder, is not written", async () => {
    const at = location();
    const refused = { name: "StackferryError", code: "archive-io" };
    await writeFile(dirname(at.path), "a file in the place of the folder");
    await expect(writeState(at, { records: new Map() })).rejects.toMatchObject(refused);
    await rm(dirname(at.path));
    await mkdir(at.path, { recursive: true });
    await expect(writeState(at, { records: new Map() })).rejects.toMatchObject(refused);
  });

  it("that cannot be sealed is written, but counts as unproven", async () => {
    const at = location();
    await writeFile(at.access.stateFolder, "a file in the place of the folder");
    await writeState(at, { records: new Map([["dashboards/a", known]]) });
    expect(await readState(at)).toMatchObject({ status: "replaced", warning: { code: "state-unproven" } });
    const trusting = { ...at, access: { ...at.access, trust: true } };
    expect([...(await readState(trusting)).records]).toEqual([["dashboards/a", known]]);
  });
});
