import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { setUpImport, IMPORT } from "../support/import-setup.ts";

describe("a journal", () => {
  it("is refused for another target, prefix or set of tags (exit 2), and nothing is sent", async () => {
    await using stage = await setUpImport();
    await using other = await setUpImport();
    await stage.run(`${IMPORT} --journal j`);
    const refused = { exitCode: 2, error: { code: "journal" } };
    const elsewhere = IMPORT.replace("$TO", other.to.stack);
    expect(await stage.json(`${elsewhere} --journal j`, { env: other.env })).toMatchObject(refused);
    const journal = await readFile(join(stage.cwd, "j"), "utf8");
    await writeFile(join(stage.cwd, "k"), journal.replace(/"(contentDigest|recordsDigest)":"[0-9a-f]+"/g, '"$1":"00"'));
    for (const more of ["--journal j --name-prefix 'x '", "--journal j --tag x", "--journal k"]) {
      expect(await stage.json(`${IMPORT} ${more}`)).toMatchObject(refused);
    }
    expect(other.to.stats().byRoute["POST dashboards"]).toBeUndefined();
    expect(stage.to.stats().byRoute["POST dashboards"]).toBe(9);
  });
});

/** Ids of connections in the map file and in the draft. The target does not list connections, so it accepts any id. */
const [MAP, DRAFT] = ["c0".repeat(12), "d0".repeat(12)] as const;

describe("a drafted map file", () => {
  it("keeps the lines that somebody has filled in, and --map decides where both have one", async () => {
    await using stage = await setUpImport({ api: "contract" });
    await writeFile(join(stage.cwd, "given.yaml"), `connections:\n  "both": "${MAP}"\n`);
    await writeFile(join(stage.cwd, "draft2.yaml"), `connections:\n  "both": "${DRAFT}"\n  "old": "kept"\n`);
    const run = await stage.run("import a.zip --to $TO --map given.yaml --dry-run --draft-map draft2.yaml");
    expect([0, 3]).toContain(run.exitCode);
    const text = await readFile(join(stage.cwd, "draft2.yaml"), "utf8");
    expect(text).toContain(`"both": "${MAP}"`);
    expect(text).toContain('"old": "kept"');
    expect(text).not.toContain(DRAFT);
  });
});
