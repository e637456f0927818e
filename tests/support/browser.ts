import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** Debian's; CI installs it. */
const CHROMIUM = Deno.env.get("CJC_TEST_CHROMIUM") ?? "/usr/bin/chromium";

/** A page in a real browser, and what went wrong in it: errors of scripts, and what the security policy refused. */
export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  readonly faults: readonly string[];
}

/** A browser that is logged in nowhere. */
export async function startBrowser(): Promise<Browser & AsyncDisposable> {
  // Root has no sandbox of its own.
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  return Object.assign(browser, { [Symbol.asyncDispose]: () => browser.close() });
}

/** A new window, whose cookies no other has. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<TestPage> {
  const context = await browser.newContext({ locale: "en-GB", timezoneId: "Europe/Berlin", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.goto(url);
  return { page, faults, [Symbol.asyncDispose]: () => context.close() };
}
