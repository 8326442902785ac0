import { mkdtempSync } from "node:fs";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RememberedRecord } from "../../../src/core/importing/memory.ts";
import { formatState, parseState } from "../../../src/journal/memory/format.ts";
import type { StateLocation } from "../../../src/journal/memory/state-file.ts";
import { openState, readState } from "../../../src/journal/memory/state-file.ts";

const stack = { variant: "self-hosted", baseUrl: "http://stack.test" } as const;
const subject = { source: { files: "stack" }, target: stack };
const known: RememberedRecord = { targetId: "t1", name: "One", written: true };

/** @param trust take what nothing proves, so that only its content is judged */
function location(trust = false): StateLocation {
  const folder = mkdtempSync(join(tmpdir(), "stackferry-state-file-"));
  return { path: join(folder, "deep", "s.json"), subject, access: { stateFolder: join(folder, "key"), trust } };
}

describe("a state file", () => {
  it("says what was written to it, to the same key alone", async () => {
    const at = location();
    const before = await readState(at);
    expect(before).toMatchObject({ standing: "new", text: undefined });
    {
      await using state = await openState(at, before);
      await state.write({ records: new Map([["dashboards/a/b", known]]) });
    }
    const read = await readState(at);
    expect(read.standing).toBe("used");
    expect([...read.records]).toEqual([["dashboards/a/b", known]]);
    const other = { ...at, access: { ...at.access, stateFolder: `${at.access.stateFolder}-2` } };
    expect(await readState(other)).toMatchObject({ standing: "replaced", warning: { code: "state-unproven" } });
    expect(await readdir(dirname(at.path))).toEqual(["s.json"]);
  });

  it("is not taken where another run has written it since", async () => {
    const at = location();
    const planned = await readState(at);
    {
      await using state = await openState(at, planned);
      await expect(openState(at, planned)).rejects.toMatchObject({ code: "locked" });
      await state.write({ records: new Map() });
    }
    await expect(openState(at, planned)).rejects.toMatchObject({ code: "locked" });
    await (await openState(at, await readState(at)))[Symbol.asyncDispose]();
  });

  it("that is hostile is refused by what it says", () => {
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

  it("is taken from another machine where that is trusted, and its content judged all the same", async () => {
    const at = location(true);
    const [content, wrong] = [formatState({ subject, records: new Map() }), '{"format":"stackferry-state"}'];
    await (await openState(at, await readState(at)))[Symbol.asyncDispose]();
    await writeFile(at.path, `${content}\n`, { mode: 0o600 });
    expect(await readState(at)).toMatchObject({ standing: "used" });
    await writeFile(at.path, `${wrong}\n`);
    expect(await readState(at)).toMatchObject({ warning: { code: "state-unreadable" } });
    expect(await readFile(at.path, "utf8")).toBe(`${wrong}\n`);
  });
});
