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
