import { readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StateRecords, RecordState } from "../../../src/core/plan/state.ts";
import { editState, readState, writeState, type StateLocation } from "../../../src/journal/state-file.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const target = { variant: "self-hosted", baseUrl: "http://stack.test" } as const;
const subject = { source: { files: "stack" }, target };
const known: RecordState = { targetId: "t1", name: "One", written: true };
const begun = { journal: "/j", identities: {} };
const forgetAll = (): StateRecords => new Map();

/** Writes a state of one record, with a run that has begun. */
async function written(): Promise<StateLocation> {
  const folder = temporaryFolder();
  const at = { path: join(folder, "s.json"), subject, access: { stateFolder: join(folder, "key"), trust: false } };
  await writeState(at, { records: new Map([["dashboards/a", known]]), begun });
  return at;
}

describe("editing a state file", () => {
  it("changes the records, keeps the seal valid, and keeps the begun run", async () => {
    const at = await written();
    const rename = (records: StateRecords): StateRecords =>
      new Map([...records].map(([key, each]) => [key, { ...each, name: "Two" }]));
    expect(await editState({ ...at, target }, rename)).toBeUndefined();
    const read = await readState(at);
    expect(read).toMatchObject({ status: "used", begun });
    expect([...read.records]).toEqual([["dashboards/a", { ...known, name: "Two" }]]);
    expect(await readdir(dirname(at.path))).toEqual(["key", "s.json"]);
  });

  it("is refused for a state of another target", async () => {
    const at = await written();
    const other = { ...target, baseUrl: "http://other.test" };
    expect(await editState({ ...at, target: other }, forgetAll)).toMatch(/another target/);
    expect((await readState(at)).records.size).toBe(1);
  });

  it("is refused for a state that this machine has not written", async () => {
    const at = await written();
    const text = (await readFile(at.path, "utf8")).replace("One", "Two");
    await writeFile(at.path, text);
    expect(await editState({ ...at, target }, forgetAll)).toMatch(/another machine/);
    expect(await readFile(at.path, "utf8")).toBe(text);
  });

  it("does not create a missing state file", async () => {
    const at = await written();
    const path = `${at.path}-2`;
    expect(await editState({ ...at, path, target }, forgetAll)).toBeUndefined();
    expect(await readdir(dirname(path))).not.toContain("s.json-2");
  });
});
