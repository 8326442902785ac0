import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM, medians, run, runNode } from "./measure.js";
import { sources, webhooks, writeArchive, writeBackups, writeDashboardList } from "./samples.js";
import { serveStack } from "./serve.js";

// Each figure has a measured value, a floor of the same run to compare it with, and a goal.

const script = (name) => new URL(name, import.meta.url).pathname;
const target = { records: { sources, webhooks } };
/**
 * Number of lists: connections, sources, webhooks, saved searches, dashboards and alerts. A list is one request if one page
 * holds all its records.
 */
const LISTS = 6;
/** An export compares one dashboard, one alert and one source with the lists. */
const SINGLES = 3;

/** Starts a stack, calls `use` with it, and stops the stack. */
async function withStack(options, use) {
  const stack = await serveStack(options);
  try {
    return await use(stack);
  } finally {
    stack.close();
  }
}

export async function startUp({ folder }) {
  const archive = join(folder, "small.zip");
  await writeArchive(archive, { dashboards: 10, tiles: 3, alerts: true });
  const repository = join(folder, "repository");
  mkdirSync(repository);
  const config = join(folder, "stackferry.yaml");
  return withStack(target, async ({ url }) => {
    const stack = { variant: "self-hosted", baseUrl: url, apiKey: "${env:STACKFERRY_API_KEY}" };
    writeFileSync(config, JSON.stringify({ stacks: { production: stack } }), { mode: 0o600 });
    await runNode([PROGRAM, "import", archive, "--to", url, "--yes", "--quiet"]);
    await runNode([PROGRAM, "backup", "production", "--to", repository, "--config", config, "--quiet"]);
    const started = (...args) => runNode(args, { memory: false });
    const { floor, version, help, helpOfImport, list, inspect } = await medians(21, {
      floor: () => started("-e", "0"),
      version: () => started(PROGRAM, "--version"),
      help: () => started(PROGRAM, "--help"),
      // `import` has the most flags of all commands.
      helpOfImport: () => started(PROGRAM, "import", "--help"),
      list: () => started(PROGRAM, "list", repository),
      inspect: () => started(PROGRAM, "inspect", archive),
    });
    return [
      { figure: "`--version`, against `node -e 0`", unit: "ms", ours: version, floor, goal: 1.6 },
      { figure: "`--help`, against `node -e 0`", unit: "ms", ours: help, floor, goal: 2.5 },
      { figure: "`import --help`, against `node -e 0`", unit: "ms", ours: helpOfImport, floor, goal: 4 },
      { figure: "`list` of a small repository, against `node -e 0`", unit: "ms", ours: list, floor, goal: 5 },
      { figure: "`inspect` of a small archive, against `node -e 0`", unit: "ms", ours: inspect, floor, goal: 5 },
    ];
  });
}

export async function requests({ folder }) {
  const path = join(folder, "requests.zip");
  await writeArchive(path, { dashboards: 60, tiles: 3, alerts: true });
  const counted = (stack, args) =>
    runNode([PROGRAM, ...args, "--quiet"], { cwd: folder }).then(() => {
      const { total } = stack.counts;
      stack.counts.total = 0;
      return total;
    });
  return withStack(target, async (stack) => {
    const first = await counted(stack, ["import", path, "--to", stack.url, "--yes"]);
    const again = await counted(stack, ["import", path, "--to", stack.url, "--yes", "--journals", "other"]);
    const exported = await counted(stack, ["export", "--from", stack.url, "--out", "exported.zip"]);
    return [
      { figure: "requests of an import of 60 dashboards and 60 alerts", unit: "", ours: first, floor: 127, goal: 1 },
      {
        figure: "requests of the same import again, without its journal",
        unit: "",
        ours: again,
        floor: LISTS,
        goal: 1,
      },
      { figure: "requests of an export", unit: "", ours: exported, floor: LISTS + SINGLES, goal: 1 },
    ];
  });
}

export async function waiting({ folder }) {
  // A self-hosted stack has windows of 60 s; windows of 10 s shorten the measurement.
  const announcedLimit = { requests: 100, windowMs: 10_000, headers: true };
  // The managed service publishes this limit, but its responses do not name it.
  const silentLimit = { requests: 10, windowMs: 10_000, headers: false };
  const measure = (limit, dashboards) => limited(folder, limit, dashboards);
  const [announced, silent] = await Promise.all([measure(announcedLimit, 480), measure(silentLimit, 54)]);
  return [
    { figure: "480 dashboards at 100 requests per 10 s, announced", unit: "s", ...announced, goal: 1.05 },
    { figure: "54 dashboards at 10 requests per 10 s, not announced", unit: "s", ...silent, goal: 1.25 },
  ];
}

/** Prints how much of a limit the client uses, and how much is refused, in simulated time. */
export async function pace() {
  const args = ["vitest", "run", "--project", "slow", "--disableConsoleIntercept", "test/slow/pace-table.test.ts"];
  const { stdout } = await run("npx", args, { env: { PACE_TABLE: "1" } });
  process.stdout.write(
    `${stdout
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .join("\n")}\n\n`,
  );
  return [];
}

/** Measures an import onto a stack with this limit, and its floor, at the same time: both spend their time waiting. */
async function limited(folder, limit, dashboards) {
  const path = join(folder, `limited-${dashboards}.zip`);
  await writeArchive(path, { dashboards, tiles: 1 });
  const { requests: allowed, windowMs } = limit;
  const [ours, floor] = await Promise.all([
    withStack({ ...target, limit }, ({ url }) =>
      runNode([PROGRAM, "import", path, "--to", url, "--yes", "--quiet", "--journals", `${path}.journals`], {
        cwd: folder,
      }),
    ),
    withStack({ ...target, limit }, ({ url }) =>
      runNode([script("floor-requests.js"), url, "dashboards", dashboards, 4, allowed, windowMs]),
    ),
  ]);
  return { ours: ours.ms / 1000, floor: floor.ms / 1000 };
}

export async function latency({ folder }) {
  const path = join(folder, "latency.zip");
  await writeArchive(path, { dashboards: 1000, tiles: 2, alerts: true });
  let run = 0;
  const slow = { ...target, latencyMs: 50 };
  const writing = [];
  const importing = async ({ url, writes }) => {
    const journal = `latency-${(run += 1)}.journal`;
    const args = ["--to", url, "--yes", "--concurrency", "8", "--quiet", "--journals", journal];
    const result = await runNode([PROGRAM, "import", path, ...args], { cwd: folder });
    writing.push(writes.last - writes.first);
    return result;
  };
  const { ours, floor } = await medians(3, {
    floor: () =>
      withStack(slow, ({ url }) => runNode([script("floor-requests.js"), url, "dashboards,alerts", 1000, 8])),
    ours: () => withStack(slow, importing),
  });
  const writesAlone = writing.toSorted((left, right) => left - right)[1] / 1000;
  const least = (2 * Math.ceil(1000 / 8) * 50) / 1000;
  return [
    {
      figure: "1,000 dashboards and 1,000 alerts, 8 at a time, 50 ms each: the writes",
      unit: "s",
      ours: writesAlone,
      floor: least,
      goal: 1.1,
    },
    {
      figure: "the whole import, against a bare loop of fetches",
      unit: "s",
      ours: ours / 1000,
      floor: floor / 1000,
      goal: 1.1,
    },
  ];
}

export async function exporting({ folder }) {
  const file = join(folder, "list.json");
  writeDashboardList(file, 5000, 40);
  return withStack({ ...target, files: { dashboards: file } }, async ({ url }) => {
    const floorOf = () => runNode([script("floor-export.js"), url, join(folder, "floor.bin")]);
    let memory = 0;
    const oursOf = async () => {
      // Write a new file each time, because an export reads a file before it replaces it.
      const path = join(mkdtempSync(join(folder, "export-")), "large.zip");
      const result = await runNode([PROGRAM, "export", "--from", url, "--out", path, "--quiet"]);
      memory = Math.max(memory, result.memoryMb);
      return result;
    };
    const { floor, ours } = await medians(3, { floor: floorOf, ours: oursOf });
    return [
      {
        figure: "export of 5,000 dashboards of 40 tiles, against fetch + parse + archiver",
        unit: "s",
        ours: ours / 1000,
        floor: floor / 1000,
        goal: 1.6,
      },
      { figure: "its peak memory, of 400 MB", unit: "MB", ours: memory, floor: 400, goal: 1 },
    ];
  });
}

export async function reading({ folder }) {
  // An archive of a gigabyte in large records, and one in records of the size that the other figures use.
  const [large, small] = [await readings(folder, 3800, 400), await readings(folder, 38_000, 40)];
  const rows = [
    ["`verify` of a 1 GB archive of 3,800 records, against `unzip -t`", large.verify, large.floor, 2.5, 250],
    ["`inspect` of it, against `unzip -t`", large.inspect, large.floor, 1.3, 250],
    ["`verify` of a 1 GB archive of 38,000 records, against `unzip -t`", small.verify, small.floor, 7, 400],
    ["`inspect` of it, against `unzip -t`", small.inspect, small.floor, 1.3, 400],
  ];
  return rows.flatMap(([figure, ours, floor, goal, mostMb]) => [
    { figure, unit: "s", ours: ours.ms / 1000, floor: floor / 1000, goal },
    { figure: `its peak memory, of ${mostMb} MB`, unit: "MB", ours: ours.memoryMb, floor: mostMb, goal: 1 },
  ]);
}

/** Returns the median times, and the highest memory use of all runs. */
async function readings(folder, dashboards, tiles) {
  const path = join(folder, `gigabyte-${dashboards}.zip`);
  await writeArchive(path, { dashboards, tiles });
  const memoryMb = { verify: 0, inspect: 0 };
  const command = (name) => async () => {
    const result = await runNode([PROGRAM, name, path, "--quiet"]);
    memoryMb[name] = Math.max(memoryMb[name], result.memoryMb);
    return result;
  };
  const tasks = { floor: () => run("unzip", ["-tqq", path]), verify: command("verify"), inspect: command("inspect") };
  const { floor, verify, inspect } = await medians(3, tasks);
  return {
    floor,
    verify: { ms: verify, memoryMb: memoryMb.verify },
    inspect: { ms: inspect, memoryMb: memoryMb.inspect },
  };
}

export async function growth({ folder }) {
  const planOf = async (dashboards) => {
    const path = join(folder, `growth-${dashboards}.zip`);
    await writeArchive(path, { dashboards, tiles: 12, alerts: true });
    return () =>
      withStack(target, ({ url }) => runNode([PROGRAM, "import", path, "--to", url, "--dry-run", "--quiet"]));
  };
  const { floor, ours } = await medians(3, { floor: await planOf(10_000), ours: await planOf(20_000) });
  return [
    {
      figure: "plan of 20,000 dashboards and alerts, against 10,000",
      unit: "s",
      ours: ours / 1000,
      floor: floor / 1000,
      goal: 2.1,
    },
  ];
}

/**
 * Measures the log over a year of backups of 500 dashboards, of which ten change each day. The floor reads the manifest of
 * each zip.
 */
export async function history({ folder }) {
  const repository = join(folder, "year");
  mkdirSync(join(repository, "production"), { recursive: true });
  await writeBackups(join(repository, "production"), { days: 365, dashboards: 500, tiles: 10, edits: 10 });
  const log = [PROGRAM, "log", `${repository}/production`, "--quiet"];
  const { floor, one, all } = await medians(3, {
    floor: () => runNode([script("floor-history.js"), join(repository, "production")]),
    one: () => runNode([...log, "--include", "Dashboard 7"]),
    all: () => runNode(log),
  });
  return [
    {
      figure: "`log` of one of 500 dashboards, 365 backups: parsed manifests",
      unit: "ms",
      ours: one,
      floor,
      goal: 4,
    },
    { figure: "`log` of all of them, 3,640 changes: parsed manifests", unit: "ms", ours: all, floor, goal: 8 },
  ];
}
