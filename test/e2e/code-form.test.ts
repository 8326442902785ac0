import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { getOrMake } from "../../src/core/collections.ts";
import { programForOneStack } from "../support/program.ts";
import { writeCount } from "../support/read-sandbox.ts";
import type { SandboxVariant } from "../../src/sandbox/start-sandbox.ts";

/** Exports a sample stack as files to the folder `stack`. */
async function exported(variant: SandboxVariant = "self-hosted") {
  const program = await programForOneStack({ variant, seed: "sample" });
  const { exitCode, stderr } = await program.run(EXPORT);
  expect(exitCode, stderr).toBe(0);
  return program;
}

const EXPORT = "export --from $STACK --format code --out stack";
const APPLY = "apply stack --to $STACK";

const ajv = new Ajv({ strict: false });
/** By kind: the check of a file's content against the shipped schema. */
const validators = new Map<string, ReturnType<typeof validatorOf>>();

async function validatorOf(kind: string) {
  return ajv.compile(
    JSON.parse(await readFile(new URL(`../../schema/code/${kind}.schema.json`, import.meta.url), "utf8")),
  );
}

async function textsIn(folder: string): Promise<Record<string, string>> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".yaml")).toSorted();
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), "utf8")])),
  );
}

/** Replaces a text in one file, which must contain it. */
async function edit(path: string, from: string | RegExp, to: string): Promise<void> {
  const text = await readFile(path, "utf8");
  expect(text.search(from)).not.toBe(-1);
  await writeFile(path, text.replace(from, to));
}

describe.each(["self-hosted", "managed"] as const)("the files of a %s stack", (variant) => {
  it("are the same bytes in two exports, valid under the shipped schemas, and applied without a write", async () => {
    await using program = await exported(variant);
    const { run, cwd, stack, json } = program;
    const first = await textsIn(join(cwd, "stack"));
    expect((await run("export --from $STACK --format code --out again")).exitCode).toBe(0);
    expect(await textsIn(join(cwd, "again"))).toEqual(first);
    const ids = Object.entries(stack.stored()).flatMap(([kind, records]) =>
      variant === "managed" && kind === "connections" ? [] : records.map(({ id }) => id),
    );
    const all = Object.values(first).join("");
    expect(ids.filter((id) => all.includes(id))).toEqual([]);
    expect(all).not.toMatch(/createdAt|updatedAt|sha256/);
    const dry = await run(`${APPLY} --dry-run --exit-code`);
    expect(dry.exitCode, dry.stdout).toBe(0);
    const applied = await json(`${APPLY} --yes`);
    // Pipes are archived but never applied, so their outcome is "skip"; a self-hosted stack has none.
    const left = variant === "managed" ? ["skip"] : [];
    expect(Object.keys(Object(applied["counts"])).toSorted()).toEqual(["matched", ...left, "unchanged"]);
    expect(writeCount(stack)).toBe(0);
    for (const [file, text] of Object.entries(first)) {
      const kind = file.split("/")[0] ?? "";
      expect(text).toMatch(
        new RegExp(`^# yaml-language-server: \\$schema=\\S+/schema/code/${kind}\\.schema\\.json\\n`),
      );
      const isValid = await getOrMake(validators, kind, () => validatorOf(kind));
      expect(isValid(parse(text)), `${file}: ${ajv.errorsText(isValid.errors)}`).toBe(true);
    }
  });
});

describe("an edited file", () => {
  const alertFile = "stack/alerts/checkout-is-slow.yaml";

  it("is planned as an update with what changes, exits 10, is written once, and can be rolled back", async () => {
    await using program = await exported();
    const { run, cwd, json } = program;
    await cp(join(cwd, "stack"), join(cwd, "before"), { recursive: true });
    await edit(join(cwd, alertFile), "threshold: 800", "threshold: 900");
    const dry = await run(`${APPLY} --dry-run --exit-code`);
    expect(dry.exitCode).toBe(10);
    expect(dry.stdout).toContain('~ update alert "Checkout is slow"');
    expect(dry.stdout).toMatch(/threshold.*800 → 900/);
    const comment = await run(`${APPLY} --dry-run --markdown`);
    expect(comment.stdout).toMatch(/- `~` update alert "Checkout is slow"/);
    const applied = await json(`${APPLY} --yes`);
    expect(applied).toMatchObject({ ok: true, counts: { update: 1 } });
    expect((await run(`${APPLY} --dry-run --exit-code`)).exitCode).toBe(0);
    expect((await run(`rollback --to $STACK --run ${Number(applied["run"])} --yes`)).exitCode).toBe(0);
    expect((await run("apply before --to $STACK --dry-run --exit-code")).exitCode).toBe(0);
  });

  it("stays and is named if its record was deleted, and is removed with --mirror only", async () => {
    await using program = await exported();
    const { run, cwd } = program;
    const text = await readFile(join(cwd, alertFile), "utf8");
    await writeFile(join(cwd, "stack/alerts/gone.yaml"), text.replace(/^name: .*$/m, "name: Gone"));
    await writeFile(join(cwd, "stack/README.md"), "ours\n");
    const left = await run(EXPORT);
    expect(left.stderr).toContain("left 1 file of records that the stack does not have: alerts/gone.yaml");
    expect(await readdir(join(cwd, "stack/alerts"))).toContain("gone.yaml");
    expect((await run(`${EXPORT} --mirror --include x`)).exitCode).toBe(2);
    expect((await run(`${EXPORT} --mirror`)).exitCode).toBe(0);
    expect(await readdir(join(cwd, "stack/alerts"))).not.toContain("gone.yaml");
    expect(await readFile(join(cwd, "stack/README.md"), "utf8")).toBe("ours\n");
  });
});

describe("apply", () => {
  it("accepts one file, JSON or an archive, and resolves missing references on the target", async () => {
    await using program = await exported();
    const { run, cwd, json } = program;
    const file = "stack/dashboards/audit-trail.yaml";
    await edit(join(cwd, file), /^name: .*$/m, "name: Another trail");
    const one = await json(`apply ${file} --to $STACK --yes`);
    expect(one).toMatchObject({ ok: true, counts: { create: 1 } });
    await mkdir(join(cwd, "json/alerts"), { recursive: true });
    const alert = parse(await readFile(join(cwd, "stack/alerts/checkout-is-slow.yaml"), "utf8"));
    await writeFile(join(cwd, "json/alerts/slow.json"), JSON.stringify({ ...alert, threshold: 901 }));
    const updated = await json("apply json --to $STACK --yes");
    expect(updated).toMatchObject({ ok: true, counts: { update: 1 } });
    for (const format of ["zip", "folder"]) {
      await rm(join(cwd, "archive"), { recursive: true, force: true });
      const out = format === "zip" ? "archive.zip" : "archive";
      expect((await run(`export --from $STACK --format ${format} --out ${out}`)).exitCode).toBe(0);
      const dry = await run(`apply ${out} --to $STACK --dry-run --exit-code`);
      expect(dry.exitCode, dry.stderr).toBe(0);
    }
  });
});

it("exported files name a schema of the package, and no address of the network", async () => {
  await using program = await exported();
  const [text = ""] = Object.values(await textsIn(join(program.cwd, "stack")));
  const [, address = ""] = /\$schema=(\S+)/.exec(text) ?? [];
  expect(address).toMatch(/^\.\..*\/stackferry\/schema\/code\/\w+\.schema\.json$/);
  const shipped = new URL(`../../${address.slice(address.indexOf("schema/"))}`, import.meta.url);
  expect(JSON.parse(await readFile(shipped, "utf8"))).toHaveProperty("title");
});
