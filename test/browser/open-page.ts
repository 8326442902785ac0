import { chromium, type Browser, type Page } from "playwright-core";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The path of Debian's package. Without it, the tests fail, because `npm run test:browser` was run on purpose. */
const CHROMIUM = "/usr/bin/chromium";

/** Turns off the sandbox, because tests often run as root in a container, and all features that would use the network. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts a browser with an empty profile. Its temporary files have a folder of their own, because it may leave some when it is closed. */
export function launch(): Promise<Browser> {
  const env = { ...process.env, TMPDIR: temporaryFolder() };
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS, env });
}

/** An open page, with everything that went wrong in it. */
export interface OpenedPage {
  readonly page: Page;
  /** Console errors, uncaught errors, dialogs, and requests for anything but the file itself. */
  readonly faults: string[];
}

/** Opens a file in a new page. */
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
