import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

// Runs mutation tests: `npm run mutation -- [--room NAME]... [--share PERCENT] [--seed N] [--static]`. CONTRIBUTING.md says
// when to run them and what to do about survivors.

const ROOT = resolve(import.meta.dirname, "../..");
const REPORTS = join(ROOT, "reports/mutation");
const MIN_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < MIN_NODE) {
  const args = ["--yes", "node@24", fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  process.exit(spawnSync("npx", args, { stdio: "inherit", cwd: ROOT }).status ?? 1);
}

// vitest is a dependency of the project, so peer dependencies are not installed here.
const install = ["install", "--legacy-peer-deps", "--no-audit", "--no-fund", "--prefix", import.meta.dirname];
if (!existsSync(join(import.meta.dirname, "node_modules"))) spawnSync("npm", install, { stdio: "inherit" });

// Node 24 can import TypeScript. An older Node has already exited above.
const { rooms } = await import("./rooms.ts");
const { values } = parseArgs({
  options: {
    room: { type: "string", multiple: true, default: Object.keys(rooms) },
    share: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    static: { type: "boolean", default: false },
  },
});
const share = Number(values.share) / 100;
const unknown = values.room.filter((room) => !Object.hasOwn(rooms, room));
if (unknown.length > 0) fail(`no room ${unknown.join(", ")}; there are ${Object.keys(rooms).join(", ")}`);
if (!(share > 0 && share <= 1)) fail("--share is a percentage, over 0 and up to 100");

process.chdir(ROOT);
const { Stryker } = await import("@stryker-mutator/core");
mkdirSync(REPORTS, { recursive: true });
const lines = [];
for (const room of values.room) {
  // The test processes inherit this variable: vitest.config.ts looks up the room's tests.
  process.env.MUTATION_ROOM = room;
  const results = await new Stryker(optionsFor(room)).runMutationTest();
  const { line, survivors } = describe(room, results);
  lines.push(line);
  writeFileSync(join(REPORTS, `${room}.txt`), `${[line, ...survivors].join("\n")}\n`);
  print(["", line, ...survivors, ""]);
}
print(["", ...lines]);

function optionsFor(room) {
  return {
    mutate: rooms[room].mutate,
    testRunner: "vitest",
    vitest: { configFile: "test/mutation/vitest.config.ts", related: true },
    plugins: ["@stryker-mutator/vitest-runner", join(import.meta.dirname, "sample-checker.js")],
    checkers: share < 1 ? ["sample"] : [],
    sample: { share, seed: values.seed, root: ROOT },
    coverageAnalysis: "perTest",
    // A module creates its constants once, before any test, so each mutant of a constant takes a run of all tests that load the
    // module.
    ignoreStatic: !values.static,
    // Tests should not depend on the words of messages and hints.
    mutator: { excludedMutations: ["StringLiteral"] },
    concurrency: 2,
    // All tests of a room run once before the first mutant, and those of redaction try thousands of texts.
    dryRunTimeoutMinutes: 20,
    // A busy machine is slow. A mutant that never ends costs this time once.
    timeoutMS: 60_000,
    timeoutFactor: 3,
    // vitest removes the types without checking them, and Stryker cannot read a tsconfig.json of TypeScript 7.
    disableTypeChecks: false,
    tsconfigFile: "none.json",
    ignorePatterns: ["dist", "reports", "*.tgz"],
    tempDirName: ".stryker-tmp",
    reporters: ["json"],
    jsonReporter: { fileName: join(REPORTS, `${room}.json`) },
    allowConsoleColors: false,
    warnings: { unknownOptions: false },
  };
}

/** Returns the room's score, its 95 % confidence interval for the score of all mutants, and the surviving mutants. */
function describe(room, results) {
  const count = (...statuses) => results.filter(({ status }) => statuses.includes(status)).length;
  const killed = count("Killed", "Timeout");
  const total = killed + count("Survived", "NoCoverage");
  const [low, high] = wilson(killed, total);
  const tried = share < 1 ? `a sample of ${values.share} %, seed ${values.seed}` : "every mutant";
  const left = `${count("Survived")} survived, ${count("NoCoverage")} met by no test`;
  const ended = `${killed} of ${total} killed, ${count("Timeout")} of them by timeout`;
  const line = `${room}: ${percent(killed / total)} (95 %: ${percent(low)} to ${percent(high)}): ${ended}, ${left}; ${tried}`;
  const survivors = results
    .filter(({ status }) => status === "Survived" || status === "NoCoverage")
    .map(describeMutant)
    .sort((one, other) => (one < other ? -1 : 1));
  return { line, survivors };
}

function describeMutant({ fileName, location: { start, end }, mutatorName, replacement, status }) {
  const file = relative(ROOT, fileName);
  const source = readFileSync(join(ROOT, file), "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  source[source.length - 1] = source.at(-1).slice(0, end.column - 1);
  source[0] = source[0].slice(start.column - 1);
  const short = (text) => {
    const one = text.replaceAll(/\s+/gu, " ");
    return one.length > 160 ? `${one.slice(0, 100)} … ${one.slice(-50)}` : one;
  };
  const mark = status === "NoCoverage" ? " (met by no test)" : "";
  return `${file}:${start.line} ${mutatorName}${mark}: ${short(source.join("\n"))}  →  ${short(replacement ?? "")}`;
}

/** Returns Wilson's interval, which is also right for small samples and near 100 %. */
function wilson(hits, total) {
  if (total === 0) return [0, 1];
  const z = 1.96;
  const rate = hits / total;
  const middle = rate + (z * z) / (2 * total);
  const spread = z * Math.sqrt((rate * (1 - rate)) / total + (z * z) / (4 * total * total));
  const scale = 1 + (z * z) / total;
  return [(middle - spread) / scale, (middle + spread) / scale];
}

function percent(value) {
  return `${Math.round(value * 100)} %`;
}

function print(texts) {
  process.stdout.write(`${texts.join("\n")}\n`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
