import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import { documentOf } from "../support/run-cli.ts";
import { dashboard, hexId, source, tileWith, archiveIds } from "../support/stack-records.ts";
import { programForTwoStacks } from "../support/program.ts";

const SECRET = "hunter2-Zk81qpLm04";

function tile(letter: "a" | "b", number: number, name: string, more: JsonObject = {}): JsonObject {
  const config = {
    displayType: "line",
    fillNulls: true,
    sourceId: hexId(letter, 1),
    select: [{ aggFn: "count", whereLanguage: "lucene" }],
  };
  return tileWith(hexId(letter, number), name, config, more);
}

const NUMBER = {
  config: {
    displayType: "number",
    sourceId: archiveIds.source,
    select: [{ aggFn: "max", valueExpression: "x", whereLanguage: "lucene" }],
  },
};

function note(letter: "a" | "b", markdown: string): JsonObject {
  return tile(letter, 70, "Notes", { config: { displayType: "markdown", markdown } });
}

/** Returns a stack with one dashboard and `others` more dashboards, which are equal on both sides. */
function stack(letter: "a" | "b", tiles: readonly JsonObject[], others = 0, more: JsonObject = {}) {
  const logs = hexId(letter, 1);
  const equal = Array.from({ length: others }, (_, index) => dashboard(hexId(letter, 100 + index), `B${index}`, logs));
  return {
    sources: [source(logs, "Logs", hexId(letter, 3))],
    dashboards: [dashboard(hexId(letter, 16), "Overview", logs, { tiles: [...tiles], ...more }), ...equal],
    webhooks: [],
  };
}

async function migrateOver(ours: ReturnType<typeof stack>, theirs: ReturnType<typeof stack>, more = "") {
  const stacks = await programForTwoStacks(
    { variant: "self-hosted", seed: ours },
    { variant: "self-hosted", seed: theirs },
  );
  const line = `migrate --from $FROM --to $TO --on-conflict overwrite ${more}`;
  return {
    ...stacks,
    run: (flags: string) => stacks.run(`${line} ${flags}`),
    ask: (flags = "") =>
      stacks.run(`${line} ${flags}`, { env: { NO_COLOR: "1" }, terminal: { columns: 100, answers: ["n"] } }),
  };
}

describe("the plan of an update", () => {
  const ours = stack("a", [
    tile("a", 64, "CPU", { w: 12 }),
    tile("a", 65, "Memory", NUMBER),
    note("a", "see the wiki"),
  ]);
  const theirs = stack("b", [
    tile("b", 64, "CPU"),
    tile("b", 66, "Disk"),
    note("b", `see the wiki, password: ${SECRET}`),
  ]);

  it("shows each change, tiles by name, and no secret of the target", async () => {
    await using pair = await migrateOver(ours, theirs);
    const { stdout } = await pair.run("--dry-run");
    expect(stdout).toContain(
      [
        '~ update dashboard "Overview"',
        '    ~ tile "CPU": w 6 → 12',
        '    + tile "Memory"',
        '    ~ tile "Notes": config.markdown see the wiki[-, password: «redacted:assigned-secret»-]',
        '    - tile "Disk"',
        "",
      ].join("\n"),
    );
    const json = await pair.run("--dry-run --json");
    expect(documentOf(json)).toMatchObject({
      updates: [
        {
          kind: "dashboards",
          name: "Overview",
          leftId: hexId("a", 16),
          rightId: hexId("b", 16),
          members: expect.arrayContaining([
            { pointer: "/tiles/0/w", change: "changed", from: 6, to: 12, child: { noun: "tile", name: "CPU" } },
          ]),
        },
      ],
    });
    for (const text of [stdout, json.stdout]) expect(text).not.toContain(SECRET);
  });

  it("names both records if the overwritten one has another name", async () => {
    const renamed = stack("a", [tile("a", 64, "CPU", { w: 12 })], 0, { name: "Renamed" });
    await using pair = await migrateOver(renamed, theirs, "--map map.yaml --report p.html");
    await writeFile(join(pair.cwd, "map.yaml"), `dashboards:\n  Renamed: ${hexId("b", 16)}\n`);
    const sentence = '~ update dashboard "Renamed", which is "Overview" on the target\n';
    expect((await pair.run("--dry-run")).stdout).toContain(sentence);
    expect(await readFile(join(pair.cwd, "p.html"), "utf8")).toContain("which is &quot;Overview&quot; on the target");
    expect((await pair.ask()).stderr).toContain(sentence);
    expect(documentOf(await pair.run("--dry-run --json"))).toMatchObject({
      outcomes: expect.arrayContaining([expect.objectContaining({ name: "Renamed", targetName: "Overview" })]),
      updates: [{ name: "Renamed", targetName: "Overview" }],
    });
  });

  it("is shortened to a screen, and printed whole with --verbose", async () => {
    const tilesOf = (letter: "a" | "b", more: JsonObject = {}) =>
      Array.from({ length: 40 }, (_, index) => tile(letter, 200 + index, `Tile ${index}`, more));
    await using pair = await migrateOver(stack("a", tilesOf("a", { w: 4 })), stack("b", tilesOf("b")));
    const short = await pair.run("--dry-run");
    expect(short.stdout).toContain('~ tile "Tile 7": w 6 → 4\n    … and 32 more (--verbose shows all)\n');
    const whole = await pair.run("--dry-run --verbose");
    expect(whole.stdout.match(/~ tile "Tile \d+": w 6 → 4\n/g)).toHaveLength(40);
  });

  it("sums up many records before the question, the counts last", async () => {
    await using pair = await migrateOver(
      stack("a", [tile("a", 64, "CPU", { w: 12 })], 60),
      stack("b", [tile("b", 64, "CPU")], 60),
    );
    const { stderr } = await pair.ask();
    const shown = stderr.slice(stderr.indexOf("~ update"));
    expect(shown).toContain('    ~ tile "CPU": w 6 → 12\n');
    expect(shown).not.toContain("B59");
    expect(shown.split("\n").length).toBeLessThan(11);
    expect(shown).toMatch(
      /Plan: 1 to update; 60 as they are, 1 matched\.\n[^\n]*Make this change on .*\? Only "yes" goes on\.\n/,
    );
    expect((await pair.ask("--verbose")).stderr).toContain("B59");
  });
});
