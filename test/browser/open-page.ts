import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";

/** Where Debian's package puts it. Without it these tests fail: `npm run test:browser` was asked for. */
const CHROMIUM = "/usr/bin/chromium";

/** Without its sandbox, as tests often run as root in a container; and with nothing of its own to ask the network for. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser to open pages in, with an empty profile of its own. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
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
