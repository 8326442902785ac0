import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allowUndescribed } from "../../support/allow-undescribed.ts";
import { startSandbox, type Sandbox } from "../../support/start-sandbox.ts";
import { programWithBackups, type ProgramWithBackups } from "../../support/program-with-backups.ts";
import { documentOf } from "../../support/run-cli.ts";

const KINDS = ["dashboards", "alerts", "sources", "webhooks"];

let stack: Sandbox;
let program: ProgramWithBackups;
const seen: string[] = [];
beforeAll(async () => {
  stack = await startSandbox({
    variant: "self-hosted",
    seed: "sample",
    intercept: (request, proceed) => {
      seen.push(request.route);
      return proceed();
    },
  });
  program = await programWithBackups({ home: stack });
  const path = join(program.cwd, "stackferry.yaml");
  const text = await readFile(path, "utf8");
  await writeFile(
    path,
    text.replace('"variant":"self-hosted"', `"variant":"self-hosted","kinds":${JSON.stringify(KINDS)}`),
  );
});
afterAll(() => stack.close());

it("an export asks for the kinds of the stack alone, and the archive says so", async () => {
  const document = documentOf(await program.run("export --from home --out kinds.zip --json"));
  expect(document).toMatchObject({
    exitCode: 0,
    incomplete: [],
    kinds: {
      dashboards: { status: "complete" },
      connections: { status: "not-requested", count: 0 },
      "saved-searches": { status: "not-requested", count: 0 },
    },
  });
  expect(seen).toContain("GET dashboards");
  expect(seen).not.toContain("GET connections");
  expect(seen).not.toContain("GET saved-searches");
});

it("doctor leaves the other kinds out, and says so", async () => {
  const document = documentOf(await program.run("doctor home --json"));
  expect(document).toMatchObject({ exitCode: 0 });
  const [examined] = document["stacks"] as [
    { readonly kinds: readonly { readonly kind: string; readonly status: string }[] },
  ];
  const left = examined.kinds.filter(({ status }) => status === "left-out").map(({ kind }) => kind);
  expect(left).toEqual(expect.arrayContaining(["connections", "saved-searches"]));
  expect(left).not.toContain("dashboards");
});

it("a comparison does not ask for the other kinds either", async () => {
  seen.length = 0;
  await program.run("export --from home --out compared.zip");
  const document = documentOf(await program.run("diff compared.zip home --json"));
  expect(document).toMatchObject({ exitCode: 0, diff: { changes: [], notCompared: [] } });
  expect(seen).not.toContain("GET saved-searches");
});

it.each(["--kinds saved-searches", "--kinds dashboards --kinds connections"])(
  "%s contradicts the kinds of the stack",
  async (words) => {
    const document = documentOf(await program.run(`export --from home --out other.zip ${words} --json`));
    expect(document).toMatchObject({ exitCode: 2, error: { code: "usage" } });
  },
);

it("the configuration refuses a kind that there is not", async () => {
  const text = await readFile(join(program.cwd, "stackferry.yaml"), "utf8");
  await writeFile(join(program.cwd, "other.yaml"), text.replace('"webhooks"]', '"hooks"]'));
  const { exitCode, stderr } = await program.run("doctor home --config other.yaml");
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("stacks.home.kinds")]);
});

it("a backup without the other kinds is no fall of counts", async () => {
  await program.run("backup home --to place");
  const document = documentOf(await program.run("backup home --to place --json"));
  expect(document).toMatchObject({ exitCode: 0 });
});

it("code files say so if they refer to the other kinds by id", async () => {
  const text = await readFile(join(program.cwd, "stackferry.yaml"), "utf8");
  await writeFile(join(program.cwd, "all.yaml"), text.replace(`,"kinds":${JSON.stringify(KINDS)}`, ""));
  const exported = async (config: string) =>
    documentOf(await program.run(`export --from home --format code --out code --json --config ${config}`));
  expect(await exported("all.yaml")).toMatchObject({ exitCode: 0, warnings: [] });
  const warnings = [{ code: "left-out", message: expect.stringMatching(/connections, saved searches by id/) }];
  expect(await exported("stackferry.yaml")).toMatchObject({ exitCode: 0, warnings });
});

it("a backup of dashboards and alerts alone passes its restore test, on stand-ins for what they need", async () => {
  const text = await readFile(join(program.cwd, "stackferry.yaml"), "utf8");
  const fewer = text.replace(JSON.stringify(KINDS), '["dashboards","alerts"]');
  await writeFile(join(program.cwd, "fewer.yaml"), fewer);
  await mkdir(join(program.cwd, "fewer"));
  await program.run("backup home --to fewer --config fewer.yaml");
  // Nothing is known of the sources that the stand-ins stand for.
  allowUndescribed(/GET sources .*: is (?:missing|not described)$/);
  const document = documentOf(await program.run("check fewer --restore-test --json"));
  expect(document).toMatchObject({ exitCode: 0, restoreTests: [{ ok: true, problems: [] }] });
  expect(JSON.stringify(document["restoreTests"])).toContain("a stand-in for the source");
});
