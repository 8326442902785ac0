import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manifestOf, sampleRecord, writeArchive } from "../support/archive-samples.ts";
import { manifestEntry, recordEntry } from "../support/hostile-archives.ts";
import { HOSTILE, terminalControlIn } from "../support/hostile-text.ts";
import { rawZip } from "../support/raw-zip.ts";
import { programForOneStack } from "../support/program.ts";

let program: Awaited<ReturnType<typeof programForOneStack>>;

const tile = { id: HOSTILE, name: HOSTILE, x: 0, y: 0, w: 6, h: 3, config: { displayType: "line", sourceId: HOSTILE } };
const records = [
  sampleRecord(HOSTILE, "dashboards", { name: HOSTILE, tiles: [tile], tags: [HOSTILE], filters: [] }),
  sampleRecord("plain", "dashboards", { name: `second ${HOSTILE}`, tiles: [tile], [HOSTILE]: HOSTILE }),
  sampleRecord(`${HOSTILE}2`, "alerts", {
    name: HOSTILE,
    dashboardId: HOSTILE,
    tileId: HOSTILE,
    threshold: 1,
    thresholdType: "above",
    interval: "5m",
    source: "tile",
    channel: { type: "webhook", webhookId: HOSTILE },
  }),
  sampleRecord(`${HOSTILE}3`, "sources", { name: HOSTILE, kind: "log", connection: HOSTILE }),
  sampleRecord(`${HOSTILE}4`, "webhooks", { name: HOSTILE, service: HOSTILE, url: HOSTILE }),
];

beforeAll(async () => {
  program = await programForOneStack({ variant: "self-hosted", seed: "bare" });
  await writeArchive({ path: join(program.cwd, "hostile.zip"), format: "zip" }, records, {
    createdBy: { name: HOSTILE, version: HOSTILE },
    source: { variant: "managed", baseUrl: `http://localhost/${HOSTILE}`, organizationId: HOSTILE, serviceId: HOSTILE },
    kinds: {
      dashboards: { status: "failed", count: 2, error: HOSTILE },
      alerts: { status: "complete", count: 1 },
      sources: { status: "complete", count: 1 },
      webhooks: { status: "complete", count: 1 },
    },
    redactions: [{ path: "dashboards/plain.json", pointer: HOSTILE, rule: HOSTILE }],
    warnings: [{ code: HOSTILE as never, message: HOSTILE }],
  });
});

afterAll(() => program[Symbol.asyncDispose]());

describe("an archive full of terminal control sequences", () => {
  it.each(
    [
      "inspect hostile.zip",
      "verify hostile.zip",
      "import hostile.zip --to $STACK --dry-run",
      "import hostile.zip --to $STACK --dry-run --draft-map map.yaml",
      "import hostile.zip --to $STACK --yes",
    ].flatMap((line) => [line, `${line} --verbose`, `${line} --json`]),
  )("prints no control sequence: %s", async (line) => {
    const { stdout, stderr } = await program.run(line);
    expect(stdout + stderr).not.toBe("");
    expect(terminalControlIn(stdout)).toBeUndefined();
    expect(terminalControlIn(stderr)).toBeUndefined();
  });

  it("is refused if its file names hold control sequences, and prints none", async () => {
    const bytes = rawZip([recordEntry(records[1]), { name: `dashboards/${HOSTILE.slice(0, 40)}.json`, content: "{}" }]);
    await writeFile(join(program.cwd, "names.zip"), bytes);
    const refused = await program.run("verify names.zip --verbose");
    expect(refused.exitCode).toBe(4);
    expect(terminalControlIn(refused.stderr)).toBeUndefined();
  });

  it("is refused if its manifest holds control sequences, and prints none", async () => {
    const content = JSON.stringify({ ...manifestOf([]), [HOSTILE]: 1 });
    await writeFile(join(program.cwd, "members.zip"), rawZip([manifestEntry([], { content })]));
    const refused = await program.run("verify members.zip --verbose --json");
    expect(refused.exitCode).toBe(4);
    expect(terminalControlIn(refused.stdout + refused.stderr)).toBeUndefined();
  });
});

it("a plan shows names of a megabyte without filling the screen, or the memory", async () => {
  const long = "m".repeat(1_000_000);
  const many = Array.from({ length: 50 }, (_, index) => sampleRecord(`r${index}`, "dashboards", { tiles: [] }));
  await writeArchive({ path: join(program.cwd, "long.zip"), format: "zip" }, [
    sampleRecord(long, "dashboards", { name: long, tiles: [] }),
    ...many,
  ]);
  for (const line of ["inspect long.zip", "verify long.zip", "import long.zip --to $STACK --dry-run"]) {
    const { stdout, stderr, exitCode } = await program.run(line);
    expect(`${line} ${exitCode}`).toMatch(/ [03]$/);
    expect(stdout.length + stderr.length).toBeLessThan(3_000_000);
  }
});
