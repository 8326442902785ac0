import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import type { Sandbox, SandboxSeed } from "../../src/sandbox/start-sandbox.ts";
import { recordOn, recordsOn } from "../support/on-stack.ts";
import { runCli } from "../support/run-cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { emptySeed } from "../support/program-with-archive.ts";
import { alert, dashboard, hexId, tileWith, targetIds } from "../support/stack-records.ts";
import { writeCount } from "../support/read-sandbox.ts";
import { programForTwoStacks } from "../support/program.ts";

/** Returns a stack with two dashboards and three alerts. A text of the first dashboard holds the address of the second. */
function production(): SandboxSeed {
  const logs = hexId("a", 1);
  const two = dashboard(hexId("a", 17), "Billing (prod)", logs, { tags: ["production", "team-pay", "kept"] });
  const plain = dashboard(hexId("a", 16), "Checkout (prod)", logs, { tags: ["production"] });
  const text = `https://prod.example.com/dashboards/${hexId("a", 17)} needs https://prod.example.com/?token=hunter2hunter2hunter2x9Q`;
  const notes = tileWith(hexId("c", 99), "Notes", { displayType: "markdown", markdown: text }, { y: 9 });
  const one = { ...plain, tiles: [...(plain["tiles"] as JsonObject[]), notes] };
  const hook = hexId("a", 2);
  const busy = { ...alert(hexId("a", 32), "Busy", one, hook), message: "see https://prod.example.com" };
  const page = alert(hexId("a", 33), "Page: slow", one, hook);
  const other = alert(hexId("a", 34), "Page: down", two, hook);
  return { ...emptySeed("a"), dashboards: [one, two], alerts: [busy, page, other] };
}

const TRANSFORMS = `
    transforms:
      rename:
        - { kind: dashboards, from: "* (prod)", to: "[staging] *" }
        - { kind: alerts, from: "*", to: "staging: *" }
      tags: { set: [seeded], drop: [production, "team-*"] }
      replace:
        - { from: "https://prod.example.com", to: "https://staging.example.com" }
      leaveOut: { alerts: ["Page: *"] }
`;

type TransformingProgram = Awaited<ReturnType<typeof program>>;

/** Starts two stacks, and names both in a configuration file. */
async function program(transforms = TRANSFORMS, seed: SandboxSeed = emptySeed("b")) {
  const stacks = await programForTwoStacks(
    { variant: "self-hosted", seed: production() },
    { variant: "self-hosted", seed },
  );
  const stackOf = ({ url, apiKey }: Sandbox): string =>
    `    variant: self-hosted\n    baseUrl: ${url}\n    apiKey: ${apiKey}\n`;
  const stacksText = `stacks:\n  production:\n${stackOf(stacks.from)}  staging:\n${stackOf(stacks.to)}`;
  const configure = (settings: string): Promise<void> =>
    writeFile(join(stacks.cwd, "stackferry.yaml"), `${stacksText}${settings}`, { mode: 0o600 });
  await configure(transforms);
  return { ...stacks, configure };
}

const SEED = "migrate --from production --to staging --on-conflict overwrite --yes";

/** Fills in a value for each redacted secret, and returns the command line of the migration with these secrets. */
async function fillIn({ run, cwd }: TransformingProgram): Promise<string> {
  expect((await run(`${SEED} --dry-run --draft-secrets secrets.yaml`)).exitCode).toBe(3);
  const draft = await readFile(join(cwd, "secrets.yaml"), "utf8");
  await writeFile(join(cwd, "secrets.yaml"), draft.replaceAll(/value:.*$/gm, 'value: "filled-in"'));
  return `${SEED} --secrets secrets.yaml`;
}

describe("transforms of the target", () => {
  it("are shown in the plan, and change names, tags and texts once", async () => {
    await using stage = await program();
    const { run, json, to, cwd } = stage;
    const line = await fillIn(stage);
    const plan = `${line} --dry-run --report plan.html`;
    const { stdout } = await run(plan);
    expect(stdout).toContain(`dashboard "[staging] Billing" /name: "[staging] Billing" instead of "Billing (prod)"`);
    expect(stdout).toContain(`dashboard "[staging] Billing" /tags: + seeded, - production, - team-pay`);
    expect(stdout).toContain(`/message: "https://staging.example.com" for "https://prod.example.com"`);
    expect(stdout).toMatch(/· keep 2 alerts: transforms\.leaveOut.*\(left-out\)\n {4}Page: down, Page: slow\n/);
    const comment = (await run(`${plan} --markdown`)).stdout;
    for (const said of ["Changed by the target's transforms", "left-out"]) expect(comment).toContain(said);
    expect(await readFile(join(cwd, "plan.html"), "utf8")).toContain("Changed by the target");

    const seeded = await json(line);
    expect(seeded).toMatchObject({ exitCode: 0, counts: { create: 3, skip: 2 } });
    expect(seeded["transformed"]).toContainEqual(
      expect.objectContaining({ kind: "dashboards", name: "[staging] Checkout" }),
    );
    expect(seeded["leftAlone"]).toMatchObject([{ code: "left-out" }, { code: "left-out" }]);
    const checkout = await recordOn(to, "dashboards", "[staging] Checkout");
    const billing = await recordOn(to, "dashboards", "[staging] Billing");
    expect([checkout["tags"], billing["tags"]]).toEqual([["seeded"], ["kept", "seeded"]]);
    // The id in the text is that of the copy.
    expect(JSON.stringify(checkout)).toContain(`https://staging.example.com/dashboards/${billing.id} needs`);
    expect(JSON.stringify(checkout)).not.toContain("prod.example.com");
    const alerts = await recordsOn(to, "alerts");
    expect(alerts).toMatchObject([{ name: "staging: Busy", message: "see https://staging.example.com" }]);
    const writes = writeCount(to);
    for (const more of ["", "--journals other"]) {
      expect(await json(`${line} ${more}`)).toMatchObject({ exitCode: 0, counts: { unchanged: 3, skip: 2 } });
    }
    expect(writeCount(to)).toBe(writes);
  });

  it("are applied by diff if the stack on the right has them", async () => {
    await using stage = await program(TRANSFORMS.replace('["Page: *"]', '["*"]'));
    const { run, configure } = stage;
    expect((await run(await fillIn(stage))).exitCode).toBe(0);
    const compared = "diff production staging --kinds dashboards,alerts --exit-code";
    const same = await run(`${compared} --include "Billing (prod)"`);
    expect(same.exitCode, same.stdout).toBe(0);
    await configure("");
    expect((await run(compared)).exitCode).toBe(10);
  });

  it("do not change records that are restored from a backup of the same stack", async () => {
    const own = dashboard(hexId("b", 16), "Mine (prod)", targetIds.source, { tags: ["production"] });
    const theirs = alert(hexId("b", 32), "Page: mine", own, targetIds.webhook);
    await using stage = await program(TRANSFORMS, { ...emptySeed("b"), dashboards: [own], alerts: [theirs] });
    const { run, json, to } = stage;
    expect((await run("export --from staging --out own.zip")).exitCode).toBe(0);
    expect(await json("import own.zip --to staging --yes")).toMatchObject({ exitCode: 0, counts: { unchanged: 2 } });
    expect((await run("diff own.zip staging --exit-code")).exitCode).toBe(0);
    expect(writeCount(to)).toBe(0);
  });

  it("are applied to files as well: a second apply renames nothing again and finds no difference", async () => {
    const rename = `
    transforms:
      rename: [{ from: "*", to: "[staging] *" }]
      tags: { set: [seeded] }
`;
    await using stage = await program(rename);
    const { run, json, cwd, to } = stage;
    expect((await run("export --from production --format code --out files")).exitCode).toBe(0);
    const notes = join(cwd, "files/dashboards/checkout-prod.yaml");
    await writeFile(notes, (await readFile(notes, "utf8")).replace(/\?token=\S+/, ""));
    expect(await json("apply files --to staging --yes")).toMatchObject({ exitCode: 0, counts: { create: 5 } });
    expect((await recordsOn(to, "dashboards")).map(({ name }) => name).toSorted()).toEqual([
      "[staging] Billing (prod)",
      "[staging] Checkout (prod)",
    ]);
    const writes = writeCount(to);
    expect((await run("apply files --to staging --dry-run --exit-code")).exitCode).toBe(0);
    // Files that are exported from staging itself have the new names already.
    expect((await run("export --from staging --format code --out own")).exitCode).toBe(0);
    const own = await run("apply own --to staging --dry-run --exit-code");
    expect(own.exitCode, own.stdout).toBe(0);
    expect(writeCount(to)).toBe(writes);
  });
});

describe("a mistake in transforms", () => {
  it.each([
    ["renames: []", /stackferry\.yaml:7: stacks\.staging\.transforms: unknown member "renames"/],
    ['rename: [{ from: "A", to: "B *" }]', /transforms\.rename\.0\.to: it has more \* than "from"/],
    ["rename: [{ kind: webhooks, from: A, to: B }]", /transforms\.rename\.0\.kind: .*"dashboards"\|"alerts"/],
    ['replace: [{ from: "", to: b }]', /transforms\.replace\.0\.from: expected a text/],
    ['replace: [{ from: "«redacted:x»", to: b }]', /transforms\.replace\.0\.from: ids and «redacted:…» cannot/],
    ['replace: [{ from: "${env:HOST}", to: b }]', /transforms\.replace\.0\.from: \$\{env:…\} and .* not filled in/],
    ["leaveOut: { dashboards: [a] }", /transforms\.leaveOut: unknown member "dashboards"/],
    [`tags: { set: [${"t".repeat(33)}] }`, /transforms\.tags\.set\.0: a tag has at most 32 characters/],
  ])("%s is refused with its place and the right form", async (line, message) => {
    const staging = "    variant: self-hosted\n    baseUrl: http://localhost:8000\n    apiKey: key\n";
    const cwd = temporaryFolder();
    const text = `stacks:\n  staging:\n${staging}    transforms:\n      ${line}\n`;
    await writeFile(join(cwd, "stackferry.yaml"), text, { mode: 0o600 });
    const run = await runCli(["config", "check"], { cwd });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toMatch(message);
  });
});
