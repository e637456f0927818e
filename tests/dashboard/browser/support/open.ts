/// <reference lib="dom" />
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { openPage, startBrowser, type TestPage } from "../../../support/browser.ts";
import type { Canned, CannedServer } from "./canned_server.ts";
import { serveSample } from "./sample_server.ts";

interface Opened extends AsyncDisposable {
  readonly server: CannedServer;
  readonly page: Page;
  readonly faults: readonly string[];
}

/** Opens the page of the sample fleet, but for what is given, in a browser of its own. */
export async function open(
  fragment: string,
  given: Partial<Canned> = {},
  options: Parameters<typeof openPage>[2] = {},
): Promise<Opened> {
  const stack = new AsyncDisposableStack();
  const server = stack.use(serveSample(given));
  const browser = stack.use(await startBrowser());
  const { page, faults }: TestPage = stack.use(await openPage(browser, server.url + fragment, options));
  return { server, page, faults, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** What is read becomes so; read again as long as it is not, as a page draws after it hears. */
export async function assertBecomes<T>(read: () => Promise<T>, expected: T): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const found = await read();
    try {
      return assertEquals(found, expected);
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await new Promise((next) => setTimeout(next, 50));
  }
}

/** Moves the pointer over an element, so that the page takes the visitor to be at work there, until it is disposed of. */
export async function workOn(page: Page, selector: string): Promise<AsyncDisposable> {
  const timer = await page.evaluate((selector) => {
    const move = () =>
      document.querySelector(selector)?.dispatchEvent(new PointerEvent("pointermove", { bubbles: true }));
    move();
    return setInterval(move, 100);
  }, selector);
  return { [Symbol.asyncDispose]: () => page.evaluate((timer) => clearInterval(timer), timer) };
}
