// Measures every figure of the README: `npm run bench`. `-- --only export,start` measures some of them; `--json FILE` names the
// file for the results.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { exporting, growth, history, latency, pace, reading, requests, startUp, waiting } from "./figures.js";

const GROUPS = { start: startUp, requests, pace, waiting, latency, export: exporting, read: reading, growth, history };

const { values } = parseArgs({
  options: { only: { type: "string" }, json: { type: "string", default: "bench.json" } },
});
const wanted = values.only?.split(",") ?? Object.keys(GROUPS);
const folder = mkdtempSync(join(tmpdir(), "stackferry-bench-"));
const rows = [];
try {
  for (const name of wanted) {
    if (GROUPS[name] === undefined) throw new Error(`there is no group ${name}: ${Object.keys(GROUPS).join(", ")}`);
    process.stderr.write(`measuring ${name} …\n`);
    rows.push(...(await GROUPS[name]({ folder })));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const machine = `${cpus().length} × ${cpus()[0]?.model ?? "?"}, Node ${process.versions.node}`;
const shown = (value, unit) =>
  `${unit === "" ? value : value.toFixed(value < 10 ? 2 : 0)}${unit === "" ? "" : ` ${unit}`}`;
const lines = rows.map(({ figure, unit, ours, floor, goal }) => {
  const ratio = ours / floor;
  const short = ratio > goal ? " **short**" : "";
  return `| ${figure} | ${shown(ours, unit)} | ${shown(floor, unit)} | ${ratio.toFixed(2)} | ≤ ${goal}${short} |`;
});
process.stdout.write(
  `${machine}\n\n| what | stackferry | floor | ratio | goal |\n| --- | ---: | ---: | ---: | --- |\n${lines.join("\n")}\n`,
);
const measured = rows.map((row) => ({ ...row, ratio: row.ours / row.floor }));
writeFileSync(
  values.json,
  `${JSON.stringify({ machine, at: new Date().toISOString(), rows: measured }, undefined, 2)}\n`,
);
