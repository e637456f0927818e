import { assertEquals } from "@std/assert";
import { openPage, startBrowser } from "../../support/browser.ts";
import { test } from "../../support/test.ts";
import { violationsOf } from "./support/axe.ts";
import type { Canned } from "./support/canned_server.ts";
import { EVERY_STATE, fineRows, NOW, SESSION } from "./support/sample_fleet.ts";
import { messagesOf, serveSample } from "./support/sample_server.ts";

const PLACES = [
  "#/attention",
  "#/timeline",
  "#/all",
  "#/all?q=state%3Afailing",
  "#/all?q=nothing-is-called-so",
  "#/load",
  "#/cronjob/cronjob-controller.dev/v1/team-b/sync",
  "#/cronjob/batch/v1/shop/newsletter",
];

/** What a page shows that has no CronJobs to show, and by which words one knows it. */
const BLANKS: Readonly<Record<string, Partial<Canned>>> = {
  "Loading CronJobs": { rows: [{ kind: "start", now: NOW, total: 5_000 }] },
  "There are no CronJobs": { rows: messagesOf([]) },
  "Nothing needs you": { rows: messagesOf(fineRows(3)) },
  "You may not list CronJobs here": {
    rows: [{ kind: "trouble", reason: "Forbidden", message: "cronjobs is forbidden" }],
  },
  "The API server cannot be asked": {
    rows: [{ kind: "trouble", reason: "Unreachable", message: "connection refused" }],
  },
  "Open the link that the program printed": { session: { ...SESSION, isLoggedIn: false } },
  "Token of the cluster": { session: { ...SESSION, isLoggedIn: false, login: "token" } },
};

const LOOKS = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  "forced colours": { forcedColors: "active" },
} as const;

for (const [look, options] of Object.entries(LOOKS)) {
  test(`axe finds nothing wrong with any view, in ${look}`, async () => {
    await using server = serveSample();
    await using browser = await startBrowser();
    await using opened = await openPage(browser, server.url, { ...options, reducedMotion: "reduce" });
    const { page, faults } = opened;
    await page.getByText("live", { exact: true }).waitFor();
    for (const place of PLACES) {
      await page.evaluate((place) => location.hash = place, place);
      await page.locator(".loading").waitFor({ state: "hidden" });
      await page.waitForTimeout(400);
      assertEquals(await violationsOf(page), [], place);
    }
    await page.evaluate(() => location.hash = "#/attention");
    await page.getByRole("button", { name: /^More of/ }).first().click();
    for (const button of ["Pause…", "Run now", "Delete the Job…", "Back-fill…", "Keys"]) {
      await page.getByRole("button", { name: button }).first().click();
      await page.getByRole("dialog").waitFor();
      assertEquals(await violationsOf(page), [], button);
      await page.keyboard.press("Escape");
    }
    assertEquals(faults, []);
  }, { sanitize: false });

  test(`axe finds nothing wrong with any state, in ${look}`, async () => {
    await using server = serveSample({ rows: messagesOf(EVERY_STATE) });
    await using browser = await startBrowser();
    await using opened = await openPage(browser, `${server.url}#/all`, { ...options, reducedMotion: "reduce" });
    const { page } = opened;
    await page.getByText(`${EVERY_STATE.length} CronJobs`).waitFor();
    assertEquals(await violationsOf(page), []);
    await page.evaluate(() => location.hash = "#/attention");
    await page.getByText("Around now").waitFor();
    assertEquals(await violationsOf(page), []);
  }, { sanitize: false });

  test(`axe finds nothing wrong where there are no CronJobs to show, in ${look}`, async () => {
    await using browser = await startBrowser();
    for (const [says, given] of Object.entries(BLANKS)) {
      await using server = serveSample(given);
      await using opened = await openPage(browser, server.url, options);
      await opened.page.getByText(says).first().waitFor();
      assertEquals(await violationsOf(opened.page), [], says);
    }
    await using server = serveSample();
    await using opened = await openPage(browser, server.url, options);
    await opened.page.getByText("team-b/sync").first().waitFor();
    server.goAway();
    await opened.page.getByText("Offline since").waitFor();
    assertEquals(await violationsOf(opened.page), [], "offline");
  }, { sanitize: false });
}
