import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allowUndescribed } from "../../support/allow-undescribed.ts";
import { startSandbox, type Sandbox } from "../../support/start-sandbox.ts";
import { programWithBackups, type ProgramWithBackups } from "../../support/program-with-backups.ts";

const KINDS = ["dashboards", "alerts", "sources", "webhooks"];

let stack: Sandbox;
let program: ProgramWithBackups;
beforeAll(async () => {
  stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
  program = await programWithBackups({ home: stack });
  await copyFile(configuration("stackferry.yaml"), configuration("all.yaml"));
  await configure("stackferry.yaml", KINDS);
});
afterAll(() => stack.close());

const routes = (): string[] => Object.keys(stack.stats().byRoute);
const configuration = (name: string): string => join(program.cwd, name);

/** Writes a configuration with these kinds of the stack. */
async function configure(name: string, kinds: readonly string[]): Promise<void> {
  const text = await readFile(configuration("all.yaml"), "utf8");
  const variant = '"variant":"self-hosted"';
  await writeFile(configuration(name), text.replace(variant, `${variant},"kinds":${JSON.stringify(kinds)}`));
}

it("an export asks for the kinds of the stack alone, and the archive says so", async () => {
  const document = await program.json("export --from home --out kinds.zip");
  expect(document).toMatchObject({
    exitCode: 0,
    incomplete: [],
    kinds: {
      dashboards: { status: "complete" },
      connections: { status: "not-requested", count: 0 },
      "saved-searches": { status: "not-requested", count: 0 },
    },
  });
  expect(routes()).toContain("GET dashboards");
  expect(routes()).not.toContain("GET connections");
  expect(routes()).not.toContain("GET saved-searches");
});

it("doctor leaves the other kinds out, and says so", async () => {
  const document = await program.json("doctor home");
  expect(document).toMatchObject({ exitCode: 0 });
  const [examined] = document["stacks"] as [
    { readonly kinds: readonly { readonly kind: string; readonly status: string }[] },
  ];
  const left = examined.kinds.filter(({ status }) => status === "left-out").map(({ kind }) => kind);
  expect(left).toEqual(expect.arrayContaining(["connections", "saved-searches"]));
  expect(left).not.toContain("dashboards");
});

it("a comparison does not ask for the other kinds either", async () => {
  await program.run("export --from home --out compared.zip");
  const document = await program.json("diff compared.zip home");
  expect(document).toMatchObject({ exitCode: 0, diff: { changes: [], notCompared: [] } });
  expect(routes()).not.toContain("GET saved-searches");
});

it.each(["--kinds saved-searches", "--kinds dashboards --kinds connections"])(
  "%s contradicts the kinds of the stack",
  async (words) => {
    const document = await program.json(`export --from home --out other.zip ${words}`);
    expect(document).toMatchObject({ exitCode: 2, error: { code: "usage" } });
  },
);

it("the configuration refuses a kind that there is not", async () => {
  await configure("other.yaml", ["dashboards", "hooks"]);
  const { exitCode, stderr } = await program.run("doctor home --config other.yaml");
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("stacks.home.kinds")]);
});

it("a backup without the other kinds is no fall of counts", async () => {
  await program.run("backup home --to place");
  const document = await program.json("backup home --to place");
  expect(document).toMatchObject({ exitCode: 0 });
});

it("code files say so if they refer to the other kinds by id", async () => {
  const exported = (config: string) => program.json(`export --from home --format code --out code --config ${config}`);
  expect(await exported("all.yaml")).toMatchObject({ exitCode: 0, warnings: [] });
  const warnings = [{ code: "left-out", message: expect.stringMatching(/connections, saved searches by id/) }];
  expect(await exported("stackferry.yaml")).toMatchObject({ exitCode: 0, warnings });
});

it("a backup of dashboards and alerts alone passes its restore test, on stand-ins for what they need", async () => {
  await configure("fewer.yaml", ["dashboards", "alerts"]);
  await mkdir(join(program.cwd, "fewer"));
  await program.run("backup home --to fewer --config fewer.yaml");
  // Nothing is known of the sources that the stand-ins stand for.
  allowUndescribed(/GET sources .*: is (?:missing|not described)$/);
  const document = await program.json("check fewer --restore-test");
  expect(document).toMatchObject({ exitCode: 0, restoreTests: [{ ok: true, problems: [] }] });
  expect(JSON.stringify(document["restoreTests"])).toContain("a stand-in for the source");
});
