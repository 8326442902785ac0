import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCodeFiles } from "../../../../../src/archive/as-code/read/read-files.ts";
import { schemaComment } from "../../../../../src/archive/as-code/schema.ts";
import { alerts } from "../../../../../src/kinds/alerts.ts";
import { codeFolder, readTexts } from "../../../../support/code-folder.ts";

const NAME = "name: A\n";
const MAX_BYTES = 16 * 1024 * 1024;

const pathsIn = async (texts: Readonly<Record<string, string>>): Promise<string[]> =>
  (await readTexts(texts)).files.map(({ path }) => path);

describe("the files of a folder", () => {
  it("are read if they end in .yaml, .yml or .json, in the order of their paths", async () => {
    const endings = ["b.yaml", "a.yml", "c.json", "D.YAML", "e.Yml", "f.JSON"];
    const others = ["a.yaml.bak", "a.yamls", "a.txt", "yaml", "ayaml", "json", "a.xyml", "a.jso"];
    const texts = Object.fromEntries([...endings, ...others].map((name) => [`dashboards/${name}`, NAME]));
    expect(await pathsIn(texts)).toEqual(
      ["D.YAML", "a.yml", "b.yaml", "c.json", "e.Yml", "f.JSON"].map((name) => `in/dashboards/${name}`),
    );
  });

  it("are not hidden files, files in node_modules, or folders with a file's name", async () => {
    const texts = {
      ".git/dashboards/a.yaml": NAME,
      "dashboards/.a.yaml": NAME,
      "node_modules/x/dashboards/a.yaml": NAME,
      "dashboards/sub.yaml/a.yaml": NAME,
      "dashboards/x.node_modules": NAME,
    };
    expect(await pathsIn(texts)).toEqual(["in/dashboards/sub.yaml/a.yaml"]);
  });

  it("may lie six folders deep, and no deeper", async () => {
    const deep = (count: number): string => `dashboards/${"x/".repeat(count - 1)}${count}.yaml`;
    expect(await pathsIn({ [deep(6)]: NAME, [deep(7)]: NAME })).toEqual([`in/${deep(6)}`]);
  });

  it("may be links, which is how a ConfigMap is mounted", async () => {
    const root = await codeFolder({ "..data/board.yaml": NAME });
    await mkdir(join(root, "dashboards"));
    await symlink(join(root, "..data/board.yaml"), join(root, "dashboards/board.yaml"));
    expect((await readCodeFiles("in", root)).files.map(({ path }) => path)).toEqual(["in/dashboards/board.yaml"]);
  });

  it("end the reading with archive-io if one of them cannot be read", async () => {
    const root = await codeFolder({ "dashboards/a.yaml": NAME });
    await symlink(join(root, "gone"), join(root, "dashboards/b.yaml"));
    await expect(readCodeFiles("in", root)).rejects.toMatchObject({ code: "archive-io" });
  });

  it("are refused at a path that does not exist", async () => {
    const root = await codeFolder({ "a.yaml": NAME });
    const usage = { code: "usage", hint: expect.any(String) };
    await expect(readCodeFiles("in", join(root, "none"))).rejects.toMatchObject(usage);
    await expect(readCodeFiles("in", join(root, "a.yaml/b.yaml"))).rejects.toMatchObject({ code: "archive-io" });
  });
});

describe("the kind of a file's record", () => {
  const kindsOf = async (texts: Readonly<Record<string, string>>, within?: string): Promise<string[]> =>
    (await readTexts(texts, within)).files.map(({ path, kind }) => `${path} ${kind.name}`);

  it("is given by the nearest folder named after a kind, also by the folder passed as argument", async () => {
    expect(await kindsOf({ "shop/alerts/x.yaml": NAME, "alerts/team/x.yaml": NAME })).toEqual([
      "in/alerts/team/x.yaml alerts",
      "in/shop/alerts/x.yaml alerts",
    ]);
    expect(await kindsOf({ "alerts/dashboards/x.yaml": NAME })).toEqual(["in/alerts/dashboards/x.yaml dashboards"]);
    expect(await kindsOf({ "alerts/x.yaml": NAME, "alerts/team/x.yaml": NAME }, "alerts")).toEqual([
      "in/team/x.yaml alerts",
      "in/x.yaml alerts",
    ]);
    expect(await kindsOf({ "alerts/dashboards/x.yaml": NAME }, "alerts")).toEqual(["in/dashboards/x.yaml dashboards"]);
  });

  it("is given by the schema comment in the first line before any folder's name", async () => {
    expect(await kindsOf({ "dashboards/x.yaml": `${schemaComment(alerts)}\n${NAME}` })).toEqual([
      "in/dashboards/x.yaml alerts",
    ]);
  });

  it("is given by the folder of a file that is passed as argument itself", async () => {
    const root = await codeFolder({ "alerts/x.yaml": NAME, "alerts/team/x.yaml": NAME });
    const { files } = await readCodeFiles("here.yaml", join(root, "alerts/x.yaml"));
    expect(files.map(({ path, kind }) => [path, kind.name])).toEqual([["here.yaml", "alerts"]]);
    const { problems } = await readCodeFiles("here.yaml", join(root, "alerts/team/x.yaml"));
    expect(problems).toEqual([{ file: "here.yaml", message: expect.stringContaining('"team" is not named after') }]);
    // If the folder's name resembles no kind, the message lists the kinds.
    expect(problems[0]?.message).toMatch(/dashboards, .*alerts.* does not name the schema/);
  });

  it("is suggested if a folder's name resembles a kind; files in other folders are ignored", async () => {
    const { files, problems } = await readTexts({ "dashbords/x.yaml": NAME, "alrts/x.yaml": NAME, "k8s/x.yaml": NAME });
    expect(files).toEqual([]);
    expect(problems).toEqual([
      expect.stringMatching(/^in\/alrts\/x\.yaml: the folder "alrts" .* did you mean alerts\?$/),
      expect.stringMatching(/^in\/dashbords\/x\.yaml: the folder "dashbords" .* did you mean dashboards\?$/),
    ]);
    const root = await codeFolder({ "dashbords/x.yaml": NAME });
    const named = await readCodeFiles("x.yaml", join(root, "dashbords/x.yaml"));
    expect(named.problems[0]?.message).toMatch(/did you mean dashboards\?$/);
    // The members tell the kind, whatever the folder is called.
    const told = await readTexts({ "dashbords/x.yaml": `${NAME}tiles: []\n` });
    expect(told.files.map(({ kind }) => kind.name)).toEqual(["dashboards"]);
    // A similarity of seven letters in ten is enough.
    expect((await readTexts({ "dashboxxxs/x.yaml": NAME })).problems).toHaveLength(1);
    expect((await readTexts({ "dashbxxxxs/x.yaml": NAME })).problems).toHaveLength(0);
  });
});

describe("a file that cannot be read", () => {
  it.each([
    ["an open list", "name: [\n", "2:1: it is not valid YAML ("],
    ["two members on one line", "name: A\n  x: b\n", "1:7: it is not valid YAML ("],
    ["a list", "- name\n", "1:3: it is no record"],
    ["a text", "text\n", "1:1: it holds no members"],
    ["nothing", "", "1:1: it holds no members"],
    ["an infinite number", "threshold: .inf\n", " it cannot be read: "],
    ["no number", "threshold: .nan\n", " it cannot be read: "],
    ["a merge of a number", "<<: 5\n", " it cannot be read: "],
    ["200 lists in each other", `name: ${"[".repeat(200)}${"]".repeat(200)}\n`, " it nests deeper"],
    [
      "aliases of aliases",
      `a: &a [x,x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n`,
      " it ",
    ],
  ])("as it holds %s is reported with its line and column if there is one", async (_, text, problem) => {
    const { files, problems } = await readTexts({ "dashboards/a.yaml": text });
    expect(files).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(`in/dashboards/a.yaml:${problem}`)]);
    // The message has the parser's sentence, but not the lines in which the parser quotes the text.
    expect(problems[0]).not.toMatch(/\n|at line/);
  });

  it("is reported if it is not UTF-8 or over the size limit", async () => {
    const [before, after] = [Buffer.from("name: "), Buffer.from([0xff, 0x0a])];
    const { problems } = await readTexts({ "dashboards/a.yaml": Buffer.concat([before, after]) });
    expect(problems).toEqual(["in/dashboards/a.yaml: it is not UTF-8"]);
    const root = await codeFolder({ "dashboards/a.yaml": after, "dashboards/b.yaml": after });
    await truncate(join(root, "dashboards/a.yaml"), MAX_BYTES);
    await truncate(join(root, "dashboards/b.yaml"), MAX_BYTES + 1);
    expect((await readCodeFiles("in", root)).problems.map(({ file, message }) => [file, message])).toEqual([
      ["in/dashboards/a.yaml", "it is not UTF-8"],
      ["in/dashboards/b.yaml", `it is over ${MAX_BYTES} bytes: split it into several files`],
    ]);
  });

  it("is ignored outside the folders of kinds", async () => {
    const { files, problems } = await readTexts({ "k8s/a.yaml": "{{ helm }}: [", "k8s/b.json": Buffer.from([0xff]) });
    expect([files, problems]).toEqual([[], []]);
  });

  it("does not stop the reading of other files", async () => {
    const { files, problems } = await readTexts({ "alerts/a.yaml": "name: [", "alerts/b.yaml": NAME });
    expect(files.map(({ path, code, text }) => [path, code, text])).toEqual([
      ["in/alerts/b.yaml", { name: "A" }, NAME],
    ]);
    expect(problems).toHaveLength(1);
  });
});

it("the reader of files reads YAML aliases, and yes and no as YAML 1.2 does", async () => {
  const text = "name: no\ntags: &t [on, yes]\nother: *t\n";
  const { files } = await readTexts({ "dashboards/a.yaml": text });
  expect(files[0]?.code).toEqual({ name: "no", tags: ["on", "yes"], other: ["on", "yes"] });
});

it("the reader of files reads merge keys: the members of another map, but for those that the map has itself", async () => {
  const text = "tiles:\n  - &first {name: A, w: 6, h: 3}\n  - {<<: *first, name: B}\n  - {<<: [{h: 9}, *first]}\n";
  const { files } = await readTexts({ "dashboards/a.yaml": text });
  const [w, h] = [6, 3];
  expect(files[0]?.code).toEqual({
    tiles: [
      { name: "A", w, h },
      { name: "B", w, h },
      { name: "A", w, h: 9 },
    ],
  });
});

it("the reader of files reads the only file of a path as it was named", async () => {
  const root = await codeFolder({});
  await mkdir(join(root, "dashboards"));
  await writeFile(join(root, "dashboards/a.txt"), NAME);
  const { files } = await readCodeFiles("a.txt", join(root, "dashboards/a.txt"));
  expect(files.map(({ path }) => path)).toEqual(["a.txt"]);
});
