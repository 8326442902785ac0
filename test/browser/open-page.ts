import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";

/** Where Debian's package puts it. */
const CHROMIUM = "/usr/bin/chromium";

/** Whether the browser tests can run; says why when they cannot. */
export function hasChromium(): boolean {
  if (existsSync(CHROMIUM)) return true;
  process.stderr.write(`skipped: there is no ${CHROMIUM} (apt-get install chromium)\n`);
  return false;
}

/** A browser to open pages in. Without its sandbox, as tests often run as root in a container. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
}

/** A page that was opened, and what it did that it should not have. */
export interface OpenedPage {
  readonly page: Page;
  /** Console errors, uncaught errors, and requests to anything but the file itself. */
  readonly faults: string[];
}

/** Opens a file. */
export async function openPage(
  browser: Browser,
  file: string,
  { width = 1280, dark = false }: { readonly width?: number; readonly dark?: boolean } = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`file://${file}`)) faults.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${file}`);
  return { page, faults };
}

/** The ids of the rules that axe finds broken, everything on the page open and drawn. */
export async function axeViolations(page: Page): Promise<string[]> {
  const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(`for (const box of document.querySelectorAll("details")) {
    box.open = true;
    box.style.contentVisibility = "visible";
  }`);
  // Put in by the debugger, which the page's policy does not bind; its own scripts are.
  await page.evaluate(source);
  const found: unknown = await page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))",
  );
  return found as string[];
}
