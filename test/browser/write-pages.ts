import { writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { documentPage } from "../../src/report/html/document-page.ts";
import { readStackModel } from "../../src/report/model/stack.ts";
import { archiveDocument } from "../../src/report/view/archive.ts";
import { startSandbox, type Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { manifestOf } from "../support/archive-samples.ts";
import { hostileRecords } from "../support/hostile-records.ts";
import { recordsOn } from "../support/on-stack.ts";
import { runCli } from "../support/run-cli.ts";
import { bareWithSearches, sandboxEnv, searchMap } from "../support/program.ts";

/** The pages that `writePages` writes: each kind of page, with all that it can hold. */
export const PAGES = ["sample", "pipes", "plan", "import", "undo", "diff", "same", "history", "hostile"] as const;

/** Returns the path of a page. */
export function fileOf(folder: string, name: string): string {
  return join(folder, `${name}.html`);
}

/**
 * Writes the sample of both variants, the plan and the result of a migration with blocked records, the plan to undo it, a comparison
 * with a changed, an added and a removed dashboard, one without a difference, the history of two backups, and a hostile
 * archive.
 */
export async function writePages(folder: string): Promise<void> {
  await using source = await startSandbox({ variant: "self-hosted", seed: "sample" });
  await using managed = await startSandbox({ variant: "managed", seed: "sample" });
  const seed = await bareWithSearches("managed");
  await using target = await startSandbox({ variant: "managed", seed, api: "contract" });
  // The map file has the saved searches, but not the webhooks.
  writeFileSync(join(folder, "map.yaml"), searchMap(source, target));
  const file = (name: (typeof PAGES)[number]): string => fileOf(folder, name);
  const run = async (from: Sandbox, ...args: string[]): Promise<void> => {
    const { exitCode, stderr } = await runCli(args, { cwd: folder, env: sandboxEnv(from, target) });
    if (exitCode !== 0 && exitCode !== 3) throw new Error(`${args.join(" ")}: ${exitCode} ${stderr}`);
  };
  await run(source, "export", "--from", source.stack, "--out", "a.zip");
  await run(managed, "export", "--from", managed.stack, "--out", "m.zip");
  await run(source, "report", "a.zip", "--out", file("sample"));
  await run(source, "report", "m.zip", "--out", file("pipes"));
  const onto = ["--to", target.stack, "--map", "map.yaml"];
  await run(source, "import", "a.zip", ...onto, "--dry-run", "--report", file("plan"));
  const migration = ["migrate", "--from", source.stack, ...onto, "--yes", "--report", file("import")];
  await run(source, ...migration);
  await run(source, "rollback", "--to", target.stack, "--run", "1", "--dry-run", "--report", file("undo"));
  await run(source, "diff", "m.zip", "a.zip", "--report", file("same"));
  await mkdir(join(folder, "backups"));
  const settings = `variant: self-hosted, baseUrl: "${source.url}", apiKey: "\${env:STACKFERRY_API_KEY}"`;
  writeFileSync(join(folder, "stackferry.yaml"), `stacks:\n  production: { ${settings} }\n`);
  await run(source, "backup", "production", "--to", "backups");
  await edit(source);
  // Names of backups have whole seconds, so the second backup must be later than that.
  await setTimeout(1100);
  await run(source, "backup", "production", "--to", "backups");
  await run(source, "report", "backups/production", "--out", file("history"));
  await run(source, "diff", "a.zip", source.stack, "--report", file("diff"));
  writeFileSync(file("hostile"), await hostilePage());
}

/** Moves, renames, removes and adds a tile; deletes a dashboard with its alerts; and creates a dashboard. */
async function edit(sandbox: Sandbox): Promise<void> {
  const dashboards = await recordsOn(sandbox, "dashboards");
  const { id, ...body } = dashboards.find(({ name }) => name === "Service overview") ?? { id: "", tiles: [] };
  const [first, second, , ...others] = body.tiles as object[];
  const note = { name: "New", w: 12, h: 3, config: { displayType: "markdown", markdown: "# hi" } };
  const tiles = [{ ...first, w: 6 }, { ...second, name: "Renamed" }, ...others, { ...note, x: 0, y: 9 }];
  await call(sandbox, "PUT", `dashboards/${id}`, { ...body, tiles });
  const deletedId = dashboards.find(({ name }) => name === "Service level objectives")?.id ?? "";
  await call(sandbox, "DELETE", `dashboards/${deletedId}`);
  await call(sandbox, "POST", "dashboards", { name: "Added", tags: [], tiles: [{ ...note, x: 0, y: 0 }] });
}

async function call({ url, apiKey }: Sandbox, method: string, path: string, body?: object): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey ?? ""}`, "content-type": "application/json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const { status } = await fetch(`${url}/api/v2/${path}`, { method, headers, ...sent });
  if (status >= 300) throw new Error(`${method} ${path}: ${status}`);
}

function hostilePage(): Promise<string> {
  const summary = { path: "hostile.zip", formatVersion: 1, contentDigest: "d", bytes: 1 };
  const archive = { summary, manifest: manifestOf(hostileRecords), model: readStackModel(hostileRecords) };
  return documentPage(archiveDocument(archive), "stackferry");
}
