import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function folderWith(text: string, name = "stackferry.yaml"): Promise<string> {
  const cwd = temporaryFolder();
  await writeFile(join(cwd, name), text);
  return cwd;
}

const refusalOf = async (cwd: string): Promise<unknown> => loadConfig({ cwd }).catch((error: unknown) => error);

describe("loadConfig", () => {
  it("returns an empty config if there is no config file", async () => {
    const cwd = temporaryFolder();
    expect(await loadConfig({ cwd })).toMatchObject({ defaults: {}, stacks: new Map(), repositories: new Map() });
  });

  it("fails if stackferry.yaml is there and cannot be read: the rules in it would be ignored", async () => {
    const cwd = temporaryFolder();
    await symlink("stackferry.yaml", join(cwd, "stackferry.yaml"));
    expect(await refusalOf(cwd)).toMatchObject({ code: "config" });
  });

  it("fails if the config file that the user named does not exist", async () => {
    const cwd = temporaryFolder();
    await expect(loadConfig({ cwd, file: "other.yaml" })).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining(join(cwd, "other.yaml")),
    });
  });

  it("reads stacks and defaults", async () => {
    const cwd = await folderWith(
      "defaults: { concurrency: 2, rate: 10/10s }\nstacks:\n  local: { variant: self-hosted, baseUrl: http://h, timeout: 5s }\n",
    );
    const config = await loadConfig({ cwd });
    expect(config.defaults).toEqual({ concurrency: 2, rate: { requests: 10, perMs: 10_000 } });
    expect(config.stacks.get("local")).toMatchObject({ variant: "self-hosted", timeout: 5000 });
  });

  it("returns an empty config for an empty file", async () => {
    expect((await loadConfig({ cwd: await folderWith("# nothing\n") })).stacks.size).toBe(0);
  });

  it.each([
    [
      "an unknown member",
      "stacks:\n  a:\n    variant: self-hosted\n    baseUrl: http://h\n    apikey: S3CRET\n",
      "stacks.a",
      5,
    ],
    [
      "a member of the other variant",
      "stacks:\n  a: { variant: self-hosted, baseUrl: http://h, keyId: S3CRET }\n",
      "stacks.a",
      2,
    ],
    ["a wrong duration", "defaults:\n  timeout: S3CRET\n", "defaults.timeout", 2],
    ["a wrong number", "defaults:\n  concurrency: 900\n", "defaults.concurrency", 2],
    ["an unknown variant", "stacks:\n  a:\n    variant: S3CRET\n    baseUrl: http://h\n", "stacks.a.variant", 3],
    [
      "a name that is an address",
      "stacks:\n  'http://S':\n    variant: self-hosted\n    baseUrl: http://h\n",
      "stacks.http://S",
      2,
    ],
  ])("names file, line and member of %s, and does not repeat the value", async (_, text, member, line) => {
    const cwd = await folderWith(text);
    const error = await refusalOf(cwd);
    expect(error).toMatchObject({ code: "config" });
    const message = String(error);
    expect(message).toContain(`${join(cwd, "stackferry.yaml")}:`);
    expect(message).toContain(member);
    expect(message).toContain(`yaml:${line}:`);
    expect(message).not.toContain("S3CRET");
  });

  it("tells every mistake at once, each by line and member", async () => {
    const text = "defaults: { timeout: S3CRET }\nstacks:\n  a:\n    variant: self-hosted\n    baseUrll: http://h\n";
    const cwd = await folderWith(text);
    const file = join(cwd, "stackferry.yaml");
    expect(await refusalOf(cwd)).toMatchObject({
      code: "config",
      message: `${file}: 3 mistakes`,
      faults: [
        expect.stringMatching(/yaml:1: defaults\.timeout: expected a duration/),
        `${file}:3: stacks.a.baseUrl: it is missing`,
        `${file}:5: stacks.a: unknown member "baseUrll"`,
      ],
    });
  });

  it("lists both allowed values if a member has neither", async () => {
    const cwd = await folderWith("stacks:\n  a: { variant: selfhosted, baseUrl: http://h }\n");
    expect(String(await refusalOf(cwd))).toContain("stacks.a.variant: write managed or self-hosted");
  });

  it.each([
    ["a key twice", "stacks: {}\nstacks: {}\n", 2],
    ["a key twice, spelled otherwise", "stacks: {}\n1: a\n'1': b\n", 3],
    ["broken YAML", "stacks:\n  a: [S3CRET\n", undefined],
    ["an alias that is not there", "stacks: *S3CRET\n", undefined],
  ])("refuses %s", async (_, text, line) => {
    const error = await refusalOf(await folderWith(text));
    expect(error).toMatchObject({ code: "config" });
    expect(String(error)).not.toContain("S3CRET");
    if (line !== undefined) expect(String(error)).toContain(`yaml:${line}:`);
  });

  it("refuses a file whose aliases expand exponentially", async () => {
    const level = (n: number): string =>
      `l${n}: &l${n} [${Array.from({ length: 20 }, () => `*l${n - 1}`).join(", ")}]\n`;
    const cwd = await folderWith(`l0: &l0 [a]\n${[1, 2, 3, 4, 5, 6].map(level).join("")}`);
    await expect(loadConfig({ cwd })).rejects.toMatchObject({ code: "config" });
  });
});
