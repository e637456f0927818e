/// <reference lib="dom" />
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { HISTORY_PAGE_COMMANDS } from "../../../src/cli/shared/page_commands.ts";
import { type CronJobView, STATES } from "../../../src/view/cron_job_view.ts";
import { openPage, startBrowser } from "../../support/browser.ts";
import { test } from "../../support/test.ts";
import { startTestDashboard } from "../support/dashboard.ts";
import { clusterOfEveryState } from "../support/every_state.ts";
import { statusOf } from "../support/told.ts";

/** What people read of a CronJob's state. */
interface Read {
  readonly state: string;
  readonly since: number | undefined;
  readonly cause: string | undefined;
  readonly next: number | string | undefined;
}

test("the page shows the state, since, cause and next run of CronJobs in every state as `status` does", async () => {
  await using cluster = await clusterOfEveryState();
  const { api: { client }, clock } = cluster;
  await using dashboard = startTestDashboard({ client, clock, commands: HISTORY_PAGE_COMMANDS });
  await using browser = await startBrowser();
  await using opened = await openPage(browser, `${dashboard.origin}/#code=${dashboard.code()}`);
  const views = await statusOf(cluster);
  const shown: Record<string, Read> = {};
  for (const view of views) shown[view.name] = await readPage(opened.page, view);
  assertEquals(shown, Object.fromEntries(views.map((view) => [view.name, readStatus(view)])));
  assertEquals(new Set(views.map(({ state }) => state)), new Set(STATES));
  assertEquals(opened.faults, []);
}, { sanitize: false });

/** `status -o json` has its times as text. */
function readStatus({ state, since, cause, nextRun }: CronJobView): Read {
  return {
    state,
    since: since === undefined ? undefined : new Date(since).getTime(),
    cause: cause?.message,
    next: nextRun?.kind === "known" ? new Date(nextRun.startsAt).getTime() : nextRun?.message,
  };
}

/** Reads the head of a CronJob's page. */
async function readPage(page: Page, { apiVersion, namespace, name }: CronJobView): Promise<Read> {
  const fragment = `#/cronjob/${[apiVersion, namespace, name].map(encodeURIComponent).join("/")}`;
  await page.evaluate((fragment) => location.hash = fragment, fragment);
  await page.locator(".head h1", { hasText: new RegExp(`/${name}$`) }).waitFor();
  return await page.evaluate(() => {
    const head = document.querySelector(".head")!;
    const timeIn = (element: Element) => Date.parse(element.querySelector("time")!.dateTime);
    const parts = [...head.querySelector("p.num")!.children];
    const since = parts.find(({ textContent }) => textContent.includes("since"));
    const [, next] = parts.slice(parts.findIndex(({ textContent }) => textContent === "next"));
    return {
      state: head.querySelector("h1")!.previousElementSibling!.textContent.trim(),
      since: since && timeIn(since),
      cause: head.querySelector(".cause bdi")?.textContent,
      next: next!.querySelector("time") ? timeIn(next!) : next!.getAttribute("title") ?? undefined,
    };
  });
}
