import { assertEquals } from "@std/assert";
import { openPage, startBrowser } from "../../support/browser.ts";
import { test } from "../../support/test.ts";
import { violationsOf } from "./support/axe.ts";
import { EVERY_STATE } from "./support/sample_fleet.ts";
import { messagesOf, serveSample } from "./support/sample_server.ts";

const PLACES = [
  "#/attention",
  "#/timeline",
  "#/timeline?as=table",
  "#/all",
  "#/all?q=state%3Afailing",
  "#/all?q=nothing-is-called-so",
  "#/load",
  "#/cronjob/cronjob-controller.dev%2Fv1/team-b/sync",
  "#/cronjob/batch%2Fv1/shop/newsletter",
];

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
      await page.waitForTimeout(400);
      assertEquals(await violationsOf(page), [], place);
    }
    await page.evaluate(() => location.hash = "#/attention");
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
    await page.getByText("13 CronJobs").waitFor();
    assertEquals(await violationsOf(page), []);
    await page.evaluate(() => location.hash = "#/attention");
    await page.getByText("Around now").waitFor();
    assertEquals(await violationsOf(page), []);
  }, { sanitize: false });
}
