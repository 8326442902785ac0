import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

// `npm run picture`: draws docs/report.png from the report of the sandbox's sample. Needs Debian's chromium, as `npm run
// test:browser` does.
const DASHBOARD = process.argv[2] ?? "Checkout latency";
/** Pixels to show above the dashboard. */
const ABOVE = 130;
const root = fileURLToPath(new URL("../", import.meta.url));
const program = [join(root, "bin/stackferry.js")];
const folder = await mkdtemp(join(tmpdir(), "stackferry-picture-"));
const sandbox = start(["sandbox", "--variant", "self-hosted", "--seed", "sample", "--json"], {});
try {
  const [line] = await once(createInterface(sandbox.stdout), "line");
  const { stack, apiKey } = JSON.parse(line);
  const key = { PRODUCTION_API_KEY: apiKey };
  await finish(["init", "--url", stack, "--api-key-from", "env:PRODUCTION_API_KEY"], key);
  await finish(["export", "--from", "production", "--out", "production.zip"], key);
  await finish(["report", "production.zip", "--out", "production.html"], key);
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1120, height: 700 } });
  await page.goto(pathToFileURL(join(folder, "production.html")).href);
  await page.getByText(DASHBOARD, { exact: true }).first().click();
  await page
    .getByText(DASHBOARD, { exact: true })
    .first()
    .evaluate((title) => title.scrollIntoView());
  await page.mouse.wheel(0, -ABOVE);
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(root, "docs/report.png") });
  await browser.close();
} finally {
  sandbox.kill();
  await rm(folder, { recursive: true, force: true });
}

function start(words, env) {
  const options = { cwd: folder, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] };
  return spawn(process.execPath, [...program, ...words], options);
}

async function finish(words, env) {
  const child = start(words, env);
  child.stdout.resume();
  const [exitCode] = await once(child, "exit");
  if (exitCode !== 0) throw new Error(`${words.join(" ")} ended with ${exitCode}`);
}
