import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import stringWidth from "string-width";
import { main } from "../../dist/cli/main.js";
import { startSandbox } from "../../dist/sandbox/start-sandbox.js";

const COMMANDS = [
  ["export", "--from", "production", "--out", "production.zip"],
  ["inspect", "production.zip", "--dashboard", "Service overview"],
  ["import", "production.zip", "--to", "cloud", "--create", "saved-searches", "--yes"],
  ["diff", "production.zip", "cloud"],
];
const COLUMNS = 100;
const CHARACTER = 8.4;
const LINE = 18;
const MARGIN = 16;

/** Returns an SVG of a terminal in which a stack is exported and imported onto another one. */
export async function terminalPicture() {
  const lines = [];
  await withStacks(async (run) => {
    for (const words of COMMANDS) {
      const typed = words.map((word) => (word.includes(" ") ? `"${word}"` : word)).join(" ");
      const { exitCode, stdout } = await run(words);
      if (exitCode !== 0) throw new Error(`stackferry ${typed} exits ${exitCode}`);
      lines.push(
        { typed: `stackferry ${typed}` },
        ...stdout
          .trimEnd()
          .split("\n")
          .map((shown) => ({ shown })),
        {},
      );
    }
  });
  return draw(lines.slice(0, -1));
}

async function withStacks(work) {
  const production = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const cloud = await startSandbox({ variant: "managed", seed: "bare" });
  const cwd = await mkdtemp(join(tmpdir(), "stackferry-picture-"));
  const { organizationId, serviceId, keyId: KEY_ID, keySecret: KEY_SECRET } = cloud;
  const stacks = {
    production: { variant: "self-hosted", baseUrl: production.url, apiKey: "${env:API_KEY}" },
    cloud: {
      variant: "managed",
      baseUrl: cloud.url,
      organizationId,
      serviceId,
      keyId: "${env:KEY_ID}",
      keySecret: "${env:KEY_SECRET}",
    },
  };
  // JSON is also valid YAML.
  await writeFile(join(cwd, "stackferry.yaml"), JSON.stringify({ stacks }));
  const env = { API_KEY: production.apiKey, KEY_ID, KEY_SECRET, XDG_STATE_HOME: cwd };
  try {
    await work(async (words) => {
      let stdout = "";
      const exitCode = await main(
        words,
        io(cwd, env, (text) => (stdout += text)),
      );
      const stable = stdout
        .replaceAll(`${cwd}/`, "")
        .replaceAll(production.url, "http://localhost:8000")
        .replaceAll(cloud.stack, "https://api.example.com/v1/organizations/…/services/…")
        // These values differ from run to run.
        .replaceAll(/\b20\d\d-\d\d-\d\d \d\d:\d\d UTC/g, "2026-11-20 04:15 UTC")
        .replaceAll(/digest [0-9a-f]{64}/g, "digest 5a7170f5…")
        .replaceAll(/\b[0-9a-f]{24}\b/g, "6b00e15be5757e17d9e50091")
        .replaceAll(/\.[0-9a-f]{8}\.journal/g, ".1a2b3c4d.journal")
        .replaceAll(/\(\d+(?:\.\d+)? kB\)/g, "(19 kB)");
      return { exitCode, stdout: stable };
    });
  } finally {
    await Promise.all([production.close(), cloud.close()]);
    await rm(cwd, { recursive: true });
  }
}

function io(cwd, env, onText) {
  return {
    stdout: { write: onText, isTTY: false, columns: COLUMNS },
    stderr: { write: () => {}, isTTY: false, columns: COLUMNS },
    stdin: { isTTY: false, readLine: async () => "" },
    env,
    cwd,
    now: Date.now,
    onSignal: () => () => {},
    exitNow: () => {},
  };
}

function draw(lines) {
  const widest = Math.max(...lines.map(({ typed = "", shown = "" }) => stringWidth(`$ ${typed}${shown}`)));
  const width = Math.ceil(widest * CHARACTER + 2 * MARGIN);
  const height = lines.length * LINE + 2 * MARGIN;
  const rows = lines.map(({ typed, shown = "" }, index) => {
    const y = MARGIN + (index + 0.75) * LINE;
    const text = typed === undefined ? shown : `$ ${typed}`;
    if (text.trim() === "") return "";
    // Fonts differ in width, so each line has an explicit length.
    const length = (stringWidth(text) * CHARACTER).toFixed(1);
    return `<text x="${MARGIN}" y="${y}" textLength="${length}"${typed === undefined ? "" : ' class="typed"'}>${escaped(text)}</text>\n`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal">
<!-- Written by npm run docs. -->
<style>
text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d7dce2; white-space: pre }
.typed { fill: #8fd0ff; font-weight: 600 }
</style>
<rect width="${width}" height="${height}" rx="8" fill="#161b22"/>
${rows.join("")}</svg>
`;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
