import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  refuseSharedFile,
  readOrMakeMachineKey,
  readMachineKey,
  SealChain,
  splitSeal,
} from "../../../src/journal/seal.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const OWN = process.getuid?.() ?? 0;
const KEY = Buffer.alloc(32, 7);

/** Returns the hint of the error with which a file of this mode is refused; undefined if it is accepted. */
function refusal(path: string, mode: number, { secret = false } = {}): string | undefined {
  try {
    refuseSharedFile(path, { uid: OWN, mode: 0o100_000 | mode }, "the journal", secret);
  } catch (error) {
    expect(error).toMatchObject({ code: "journal" });
    return (error as { hint: string }).hint;
  }
  return undefined;
}

describe("a journal file's mode", () => {
  it("must not be writable by others, and for a secret not readable either", () => {
    for (const mode of [0o600, 0o640, 0o604, 0o644, 0o700]) expect(refusal("j", mode)).toBeUndefined();
    for (const mode of [0o620, 0o602, 0o666]) expect(refusal("j", mode)).toContain("chmod 600 j");
    for (const mode of [0o640, 0o604, 0o610, 0o620]) expect(refusal("j", mode, { secret: true })).toContain("chmod");
    for (const mode of [0o600, 0o700]) expect(refusal("j", mode, { secret: true })).toBeUndefined();
  });

  it("is refused with a hint that quotes the path for a shell", () => {
    expect(refusal("/a-b/c_d.1", 0o666)).toMatch(/chmod 600 \/a-b\/c_d\.1$/);
    expect(refusal("a b", 0o666)).toMatch(/chmod 600 'a b'$/);
    expect(refusal("it's; x", 0o666)).toMatch(/chmod 600 'it'\\''s; x'$/);
  });
});

describe("the machine's journal key", () => {
  it("is created once with private mode and then stays the same", async () => {
    const at = join(temporaryFolder(), "deep", "state");
    const [one, two] = await Promise.all([readOrMakeMachineKey(at), readOrMakeMachineKey(at)]);
    expect(one).toEqual(two);
    expect(await readOrMakeMachineKey(at)).toEqual(one);
    expect(one).toEqual({ key: await readMachineKey(at) });
    expect("key" in one && one.key).toHaveLength(32);
    expect(await readdir(at)).toEqual(["journal.key"]);
    expect((await stat(at)).mode & 0o777).toBe(0o700);
    expect((await stat(join(at, "journal.key"))).mode & 0o777).toBe(0o600);
    expect(await readOrMakeMachineKey(temporaryFolder())).not.toEqual(one);
  });

  it("is undefined if the folder does not exist or is a file", async () => {
    const at = temporaryFolder();
    await writeFile(join(at, "file"), "");
    expect(await readMachineKey(join(at, "none"))).toBeUndefined();
    expect(await readMachineKey(join(at, "file"))).toBeUndefined();
    expect(await readOrMakeMachineKey(join(at, "file"))).toMatchObject({ problem: expect.any(String) });
  });

  it.each([
    ["is shorter", `${"a".repeat(63)}\n`],
    ["is longer", `${"a".repeat(65)}\n`],
    ["begins with something else", `x${"a".repeat(64)}\n`],
    ["has no line end", "a".repeat(64)],
    ["ends with something else", `${"a".repeat(64)}\nx`],
    ["is no number", `${"g".repeat(64)}\n`],
  ])("is refused if the file %s", async (_, text) => {
    const at = temporaryFolder();
    await writeFile(join(at, "journal.key"), text, { mode: 0o600 });
    await expect(readMachineKey(at)).rejects.toMatchObject({ code: "journal" });
    await expect(readOrMakeMachineKey(at)).rejects.toMatchObject({ code: "journal" });
    expect(await readFile(join(at, "journal.key"), "utf8")).toBe(text);
  });

  it("is refused if it is a folder", async () => {
    const at = temporaryFolder();
    await mkdir(join(at, "journal.key"));
    await expect(readMachineKey(at)).rejects.toMatchObject({ code: "journal" });
  });
});

describe("sealed lines of a journal", () => {
  const bodies = ['{"a":1}', '{"b":{"mac":"x"}}', "{}"];

  async function sealed(chain: SealChain, lines: readonly string[]): Promise<string[]> {
    const stored: string[] = [];
    await chain.seal(lines, async (all) => void stored.push(...all));
    return stored;
  }

  it("keep their bodies and are verified with the same key only", async () => {
    const lines = await sealed(new SealChain(KEY), bodies);
    expect(lines.map((line) => splitSeal(line).body)).toEqual(bodies);
    expect(lines.slice(0, 2).map((line) => Object.keys(JSON.parse(line) as object))).toEqual([
      ["a", "mac"],
      ["b", "mac"],
    ]);
    expect(new SealChain(KEY).continueWith(lines)).toBe(true);
    expect(new SealChain(Buffer.alloc(32, 8)).continueWith(lines)).toBe(false);
    expect(new SealChain(KEY).continueWith(lines.slice(1))).toBe(false);
    expect(new SealChain(KEY).continueWith(lines.toReversed())).toBe(false);
    expect(new SealChain(KEY).continueWith([])).toBe(true);
    expect(new SealChain(KEY).continueWith(bodies)).toBe(false);
  });

  it("that could not be stored do not enter the chain", async () => {
    const chain = new SealChain(KEY);
    const first = await sealed(chain, ['{"a":1}']);
    const fails = chain.seal(['{"lost":1}'], () => Promise.reject(new Error("full")));
    await expect(fails).rejects.toThrow("full");
    const next = await sealed(chain, ['{"b":1}']);
    expect(new SealChain(KEY).continueWith([...first, ...next])).toBe(true);
  });

  it.each(['{"a":1}', '{"mac":"x"}', `{"a":1,"mac":"${"a".repeat(63)}"}`, `{"a":1,"mac":"${"a".repeat(64)}"} `])(
    "do not include %s",
    (line) => {
      expect(splitSeal(line)).toEqual({ body: line, mac: undefined });
    },
  );
});
