import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Diff } from "../../src/core/diff.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { CliRun } from "../support/run-cli.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const diffOf = (run: CliRun): Diff => documentOf(run)["diff"] as Diff;

/** One request to a self-hosted sandbox. */
async function call(sandbox: Sandbox, method: string, path: string, body?: JsonObject): Promise<unknown> {
  const headers = { authorization: `Bearer ${sandbox.apiKey ?? ""}`, "content-type": "application/json" };
  const answer = await fetch(`${sandbox.url}/api/v2/${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { data: unknown }).data;
}

interface Dashboard extends JsonObject {
  readonly id: string;
  readonly name: string;
  readonly tiles: readonly JsonObject[];
}

function nameOf(tile: JsonObject | undefined): string {
  return String(tile?.["name"]);
}

async function change(
  sandbox: Sandbox,
  pick: (all: Dashboard[]) => Dashboard | undefined,
  edit: (body: Dashboard) => JsonObject,
): Promise<Dashboard> {
  const all = (await call(sandbox, "GET", "dashboards")) as Dashboard[];
  const found = pick(all);
  if (!found) throw new Error("no such dashboard");
  const { id, ...body } = edit(found);
  await call(sandbox, "PUT", `dashboards/${String(id)}`, body);
  return found;
}

describe("two moments of one stack", () => {
  it("differ in nothing when nothing was changed, pipes included", async () => {
    await using stack = await startSandbox({ variant: "managed", seed: "sample" });
    const cwd = temporaryFolder();
    const env = sandboxEnv(stack);
    const pipes = (stack.pipeIds ?? []).flatMap((id) => ["--pipe", id]);
    for (const out of ["one.zip", "two.zip"]) {
      await runCli(["export", "--from", stack.stack, "--out", out, "--quiet", ...pipes], { env, cwd });
    }
    const archives = await runCli(["diff", "one.zip", "two.zip", "--exit-code"], { cwd });
    expect(archives).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("No difference") });
    const live = await runCli(["diff", "one.zip", stack.stack, "--exit-code", "--json"], { env, cwd });
    expect(diffOf(live).changes).toEqual([]);
    expect(diffOf(live).same).toBe(diffOf(await runCli(["diff", "one.zip", "two.zip", "--json"], { cwd })).same);
    expect(diffOf(live).notCompared).not.toContainEqual(expect.objectContaining({ kind: "pipes" }));
  });

  it("show each record that was added, removed or changed, and the member that differs", async () => {
    await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const cwd = temporaryFolder();
    const env = sandboxEnv(stack);
    await runCli(["export", "--from", stack.stack, "--out", "before.zip", "--quiet"], { env, cwd });
    const changed = await change(
      stack,
      (all) => all.find(({ tiles }) => tiles.length > 1),
      (body) => ({
        ...body,
        tiles: body.tiles.map((tile, index) => (index === 1 ? { ...tile, name: "Renamed" } : tile)),
      }),
    );
    const created = (await call(stack, "POST", "dashboards", { name: "Brand new", tiles: [] })) as Dashboard;
    const alerts = (await call(stack, "GET", "alerts")) as { id: string; name: string }[];
    const gone = alerts[0]?.id ?? "";
    await call(stack, "DELETE", `alerts/${gone}`);

    const run = await runCli(["diff", "before.zip", stack.stack, "--exit-code", "--json"], { env, cwd });
    expect(documentOf(run)).toMatchObject({ exitCode: 10, ok: true, different: true });
    const { changes } = diffOf(run);
    expect(changes).toHaveLength(3);
    expect(changes).toContainEqual(
      expect.objectContaining({
        change: "changed",
        leftId: changed.id,
        rightId: changed.id,
        members: [
          {
            pointer: "/tiles/1/name",
            change: "changed",
            from: nameOf(changed.tiles[1]),
            to: "Renamed",
            child: { noun: "tile", name: "Renamed" },
          },
        ],
      }),
    );
    expect(changes).toContainEqual({
      kind: "dashboards",
      change: "added",
      name: "Brand new",
      rightId: created.id,
      members: [],
    });
    expect(changes).toContainEqual(expect.objectContaining({ kind: "alerts", change: "removed", leftId: gone }));

    const text = await runCli(["diff", "before.zip", stack.stack], { env, cwd });
    expect(text.exitCode).toBe(0);
    expect(text.stdout).toContain(`    ~ tile "Renamed": name "${nameOf(changed.tiles[1])}" → "Renamed"\n`);
    expect(text.stdout).toMatch(/^\+ "Brand new"/m);
    expect(text.stdout).toContain("1 added, 1 removed, 1 changed");
    const selected = await runCli(["diff", "before.zip", stack.stack, "--kinds", "sources", "--exit-code"], {
      env,
      cwd,
    });
    expect(selected.exitCode).toBe(0);
  });

  it("never show a secret of the live side", async () => {
    await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const cwd = temporaryFolder();
    const env = sandboxEnv(stack);
    await runCli(["export", "--from", stack.stack, "--out", "all.zip", "--quiet"], { env, cwd });
    const urls = ((await call(stack, "GET", "webhooks")) as { url: string }[]).map(({ url }) => new URL(url).pathname);
    expect(urls.length).toBeGreaterThan(1);
    await using bare = await startSandbox({ variant: "self-hosted", seed: "none" });
    const both = { ...sandboxEnv(bare, stack) };
    const shown = await runCli(["diff", bare.stack, stack.stack, "--json"], { env: both, cwd });
    expect(diffOf(shown).changes.length).toBeGreaterThan(20);
    const text = await runCli(["diff", bare.stack, stack.stack, "--verbose"], { env: both, cwd });
    for (const url of urls) expect(`${shown.stdout}${text.stdout}${text.stderr}`).not.toContain(url);
    expect((await runCli(["diff", "all.zip", stack.stack, "--exit-code"], { env, cwd })).exitCode).toBe(0);
  });
});

describe("export --format folder, kept in git", () => {
  it("changes one line of one record when one tile is renamed", async () => {
    await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const cwd = temporaryFolder();
    const env = sandboxEnv(stack);
    const git = async (...args: string[]): Promise<string> => {
      const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
      return (await promisify(execFile)("git", [...identity, ...args], { cwd })).stdout;
    };
    const save = async (): Promise<void> => {
      const run = await runCli(["export", "--from", stack.stack, "--format", "folder", "--out", "stack", "--quiet"], {
        env,
        cwd,
      });
      expect(run.exitCode).toBe(0);
    };
    await save();
    await git("init", "--quiet");
    await git("add", "-A");
    await git("commit", "--quiet", "-m", "before");
    const changed = await change(
      stack,
      (all) => all.find(({ tiles }) => tiles.length > 1),
      (body) => ({
        ...body,
        tiles: body.tiles.map((tile, index) => (index === 0 ? { ...tile, name: "Renamed" } : tile)),
      }),
    );
    await save();
    const stat = (await git("diff", "--numstat", "--", ".", ":!stack/manifest.json")).trim().split("\n");
    expect(stat).toEqual([`1\t1\tstack/dashboards/${changed.id}.json`]);
  });
});
