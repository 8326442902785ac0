import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCodeWriter, type CodeWriterOptions } from "../../../../../src/archive/as-code/write/writer.ts";
import type { JsonObject } from "../../../../../src/core/json.ts";
import type { KindSummary } from "../../../../../src/core/manifest.ts";
import { codeFolder } from "../../../../support/code-folder.ts";
import { dashboard, hexId, records, source } from "../../../../support/stack-records.ts";
import { filesBelow, sampleHeader, refusal } from "../../../../support/archive-samples.ts";

type Bodies = Readonly<Record<string, readonly JsonObject[]>>;

const COMMENT = "# yaml-language-server: $schema=../../node_modules/stackferry/schema/code/dashboards.schema.json\n";
const board = (number: number, name: string, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), name, "", { tiles: [], ...more });

type Written = [folder: string, stack: Bodies, options?: Partial<CodeWriterOptions>, status?: string];

/** Writes the files of a stack into a folder, and returns the files, and the warnings as `told`. */
async function write(...written: Written) {
  const { told, summary } = await writeOnly(...written);
  return { told, summary, files: await filesBelow(written[0]) };
}

async function writeOnly(...[folder, stack, options = {}, status = "complete"]: Written) {
  const told: [code: string, message: string][] = [];
  const base = { path: folder, isWanted: () => true, isKindWanted: () => true, mirror: false, check: () => {} };
  const warn: CodeWriterOptions["warn"] = ({ code, message }) => void told.push([code, message]);
  await using writer = createCodeWriter({ ...base, warn, signal: undefined, ...options });
  const all = records(stack);
  for (const record of all) await writer.add(record);
  const kinds = Object.fromEntries(
    Object.entries(stack).map(([kind, bodies]) => [kind, { status, count: bodies.length } as KindSummary]),
  );
  const summary = await writer.finish(sampleHeader(all, { kinds }));
  return { told, summary };
}

describe("a stack's files", () => {
  it("are named after the record and have a schema comment and the record's members", async () => {
    const { files, told, summary } = await write(await codeFolder({}), {
      dashboards: [board(1, "One", { tags: ["t"] })],
    });
    const text = `${COMMENT}name: One\ntags:\n  - t\ntiles: []\n`;
    expect(files).toEqual({ "dashboards/one.yaml": text });
    expect(told).toEqual([]);
    expect(summary).toMatchObject({ formatVersion: 1, bytes: Buffer.byteLength(text) });
  });

  it("are written into a new folder", async () => {
    const folder = join(await codeFolder({}), "new/deep");
    expect((await write(folder, { dashboards: [board(1, "One")] })).files).toHaveProperty(["dashboards/one.yaml"]);
  });

  it("have a key after the name if several records have the name", async () => {
    const twins = { dashboards: [board(1, "One", { tags: ["a"] }), board(2, "One", { tags: ["b"] })] };
    const { files } = await write(await codeFolder({}), twins);
    expect(files).toEqual({
      "dashboards/one.yaml": `${COMMENT}name: One\ntags:\n  - a\ntiles: []\n`,
      "dashboards/one-2.yaml": `${COMMENT}name: One\nkey: one-2\ntags:\n  - b\ntiles: []\n`,
    });
  });

  it("are written for selected records; other records are read for their names only", async () => {
    const logs = source(hexId("c", 1), "Logs", "");
    const stack = { sources: [logs], dashboards: [dashboard(hexId("a", 1), "One", hexId("c", 1))] };
    const checked: string[] = [];
    const check: CodeWriterOptions["check"] = (wanted) => void checked.push(...wanted.map(({ name }) => name));
    const { files } = await write(await codeFolder({}), stack, {
      isWanted: ({ kind }) => kind === "dashboards",
      check,
    });
    expect(Object.keys(files)).toEqual(["dashboards/one.yaml"]);
    expect(files["dashboards/one.yaml"]).toContain("source: Logs\n");
    expect(checked).toEqual(["One"]);
  });

  it("are not written if the check of the records throws", async () => {
    const folder = await codeFolder({});
    const check = (): void => {
      throw new Error("no");
    };
    await expect(write(folder, { dashboards: [board(1, "One")] }, { check })).rejects.toThrow("no");
    expect(await filesBelow(folder)).toEqual({});
  });

  it("have the same digest for the same content and another for other content", async () => {
    const digest = async (tags: readonly string[]): Promise<string> => {
      const { summary } = await write(await codeFolder({}), { dashboards: [board(1, "One", { tags: [...tags] })] });
      return summary.contentDigest;
    };
    expect(await digest(["a"])).toBe(await digest(["a"]));
    expect(await digest(["a"])).not.toBe(await digest(["b"]));
  });

  it("are not written if the signal is aborted before", async () => {
    const folder = await codeFolder({});
    const stopped = write(folder, { dashboards: [board(1, "One")] }, { signal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ code: "interrupted" });
    expect(await filesBelow(folder)).toEqual({});
    const running = { signal: new AbortController().signal };
    expect((await write(folder, { dashboards: [board(1, "One")] }, running)).files).not.toEqual({});
  });
});

describe("files that exist in the folder", () => {
  it("stay where they are, whatever they are called, and keep their comments", async () => {
    const text = `${COMMENT}# ours\nname: One\n`;
    const folder = await codeFolder({ "dashboards/team/mine.yaml": text, "README.md": "ours" });
    const { files, told } = await write(folder, { dashboards: [board(1, "One", { tags: ["t"] })] });
    expect(files).toEqual({ "README.md": "ours", "dashboards/team/mine.yaml": `${text}tags:\n  - t\ntiles: []\n` });
    expect(told).toEqual([]);
  });

  it("are matched with records by key before name", async () => {
    const folder = await codeFolder({ "dashboards/mine.yaml": "name: Else\nkey: One\n" });
    const { files } = await write(folder, { dashboards: [board(1, "One")] });
    expect(Object.keys(files)).toEqual(["dashboards/mine.yaml"]);
    expect(files["dashboards/mine.yaml"]).toBe(`${COMMENT}name: One\nkey: One\ntiles: []\n`);
  });

  it("are not overwritten by another record of the same file name", async () => {
    const texts = {
      "dashboards/one.yaml": "name: Two\ntiles: []\n",
      "dashboards/one.2.yaml": "name: Three\ntiles: []\n",
    };
    const boards = ["One", "Two", "Three"].map((name, at) => board(at + 1, name));
    const { files } = await write(await codeFolder(texts), { dashboards: boards });
    expect(files).toEqual({ ...texts, "dashboards/one.3.yaml": `${COMMENT}name: One\ntiles: []\n` });
    const once = { "dashboards/one.yaml": "name: Two\ntiles: []\n" };
    const { files: second } = await write(await codeFolder(once), { dashboards: boards.slice(0, 2) });
    expect(second).toEqual({ ...once, "dashboards/one.2.yaml": `${COMMENT}name: One\ntiles: []\n` });
  });

  it("are left byte for byte if their content is the same", async () => {
    const same = '{"name": "One", "tags": ["t"], "tiles": []}';
    const { files } = await write(await codeFolder({ "dashboards/x.json": same }), {
      dashboards: [board(1, "One", { tags: ["t"] })],
    });
    expect(files).toEqual({ "dashboards/x.json": same });
  });

  it("of deleted records are reported, and are removed with mirror", async () => {
    const written = `${COMMENT}name: One\ntiles: []\n`;
    const texts = {
      "dashboards/gone.yaml": "name: Gone\n",
      "dashboards/one.yaml": written,
      "alerts/a.yaml": "name: Alert\n",
      "notes.yaml": "a: b\n",
    };
    const one = { dashboards: [board(1, "One")] };
    const left = await write(await codeFolder(texts), one);
    expect(left.files).toEqual(texts);
    expect(left.told).toEqual([["files-left", expect.stringMatching(/^left 1 file .*: dashboards\/gone\.yaml;/)]]);
    const { "dashboards/gone.yaml": _gone, ...others } = texts;
    const mirrored = await write(await codeFolder(texts), one, { mirror: true });
    expect(mirrored.files).toEqual(others);
    expect(mirrored.told).toEqual([
      ["files-removed", expect.stringMatching(/^removed 1 file .*: dashboards\/gone\.yaml$/)],
    ]);
  });

  it("stay if their kind was read in part or was not requested", async () => {
    const texts = { "dashboards/gone.yaml": "name: Gone\n" };
    const one = { dashboards: [board(1, "One")] };
    const failed = await write(await codeFolder(texts), one, { mirror: true }, "failed");
    expect([failed.told, Object.keys(failed.files).length]).toEqual([[], 2]);
    const other = await write(await codeFolder(texts), one, {
      mirror: true,
      isKindWanted: (kind) => kind === "alerts",
    });
    expect([other.told, Object.keys(other.files).length]).toEqual([[], 2]);
  });

  it("that the web interface has exported are neither changed nor removed", async () => {
    const texts = { "dashboards/x.json": '{"version": "1", "name": "One", "tiles": []}' };
    const { files, told } = await write(await codeFolder(texts), { dashboards: [board(1, "One")] }, { mirror: true });
    expect(files).toEqual({ ...texts, "dashboards/one.yaml": `${COMMENT}name: One\ntiles: []\n` });
    expect(told).toEqual([]);
  });

  it("that cannot be read are not overwritten", async () => {
    const texts = { "dashboards/one.yaml": "name: [" };
    const folder = await codeFolder(texts);
    await expect(write(folder, { dashboards: [board(1, "One")] })).rejects.toMatchObject(refusal("config"));
    expect(await filesBelow(folder)).toEqual(texts);
  });
});

describe("the folder of files", () => {
  it("is refused if it is a file or cannot be read or written", async () => {
    const folder = await codeFolder({ file: "x", "taken/dashboards": "x" });
    const one = { dashboards: [board(1, "One")] };
    const refused = { code: "usage", hint: expect.any(String) };
    await expect(write(join(folder, "file"), one)).rejects.toMatchObject(refused);
    await expect(write(join(folder, "file/below"), one)).rejects.toMatchObject(refusal("archive-io"));
    await expect(write(join(folder, "taken"), one)).rejects.toMatchObject(refusal("archive-io"));
    expect(await readFile(join(folder, "taken/dashboards"), "utf8")).toBe("x");
  });

  it("may be written by several exports at the same time", async () => {
    for (let round = 0; round < 10; round += 1) {
      const folder = await codeFolder({});
      await Promise.all(
        Array.from({ length: 4 }, () => writeOnly(folder, { dashboards: [board(1, "One"), board(2, "Two")] })),
      );
      expect(Object.keys(await filesBelow(folder))).toEqual(["dashboards/one.yaml", "dashboards/two.yaml"]);
    }
  });

  it("may be a symbolic link to a folder", async () => {
    const folder = await codeFolder({});
    await mkdir(join(folder, "real"));
    await symlink(join(folder, "real"), join(folder, "link"));
    await write(join(folder, "link"), { dashboards: [board(1, "One")] });
    expect(await filesBelow(join(folder, "real"))).toHaveProperty(["dashboards/one.yaml"]);
  });
});
