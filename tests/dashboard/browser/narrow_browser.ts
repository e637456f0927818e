import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import type { ActionAnswer, Row } from "../../../src/dashboard/wire.ts";
import { openPage, startBrowser } from "../../support/browser.ts";
import { test } from "../../support/test.ts";
import { NOW, row } from "./support/sample_fleet.ts";
import { messagesOf, serveSample } from "./support/sample_server.ts";

const NARROW = { width: 320, height: 640 };

/** As long as names may be, and with no place to break them. */
const NAMESPACE = "n".repeat(63);
const NAME = "report-of-everything-that-happened-".padEnd(52, "x");
const JOB = `${NAME}-29394780`;

const HANGING: Row = row({
  namespace: NAMESPACE,
  name: NAME,
  state: "Blocked",
  since: NOW - 3_600_000,
  cause: {
    reason: "JobAlreadyActive",
    message: `concurrencyPolicy Forbid waits for ${JOB}: ${"y".repeat(200)}`,
    job: JOB,
  },
  active: [JOB],
  actions: [{ do: "DeleteJob", job: JOB }],
});
const PAUSED: Row = row({
  namespace: NAMESPACE,
  name: `${NAME.slice(1)}z`,
  state: "Paused",
  cause: { reason: "Paused", message: `ana@example.com paused it: ${"z".repeat(200)}` },
  actions: [{ do: "Resume", by: "ana@example.com" }],
  pause: { by: "ana@example.com" },
});

const PREVIEW: ActionAnswer = {
  results: [{
    target: { apiVersion: HANGING.apiVersion, namespace: NAMESPACE, name: NAME },
    result: "unchanged",
    message: "24 runs would be started, 1 at a time",
    slots: Array.from({ length: 24 }, (_, index) => ({
      scheduledTime: NOW - index * 3_600_000,
      will: index % 3 === 2 ? "skip" as const : "start" as const,
      detail: index % 3 === 2 ? "it has run already" : `${NAME}-2939478${index}`,
    })),
  }],
};

/** What of the dialog that is open lies where no one can bring it into view, or is scrolled sideways. */
async function faultsOfDialog(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const dialog = document.querySelector<HTMLDialogElement>("dialog[open]")!;
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const faults: string[] = [];
    const button = dialog.querySelector(":not([hidden]) > .choices > :last-child")!.getBoundingClientRect();
    if (button.bottom > bottom || button.top < top) faults.push("what carries it out is not in view");
    if (left < 0 || right > innerWidth || top < 0 || bottom > innerHeight) faults.push("the dialog is not in view");
    for (const element of [dialog, ...dialog.querySelectorAll<HTMLElement>("*")]) {
      const box = element.getBoundingClientRect();
      const name = `${element.localName}.${element.className} ${element.textContent?.trim().slice(0, 30)}`;
      if (box.width > 0 && (box.left < left - 0.5 || box.right > right + 0.5)) faults.push(`${name} stands out`);
      const isScrolled = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
      if (isScrolled && getComputedStyle(element).overflowX !== "visible" && element.localName !== "input") {
        faults.push(`${name} is scrolled sideways`);
      }
    }
    return faults;
  });
}

test("dialogs fit into 320 px, whatever the names in them", async () => {
  const rows = messagesOf([
    HANGING,
    PAUSED,
    ...Array.from({ length: 3 }, (_, i) => row({ name: `f${i}`, state: "Failing" })),
  ]);
  await using server = serveSample({ rows, done: () => PREVIEW });
  await using browser = await startBrowser();
  for (const viewport of [NARROW, { width: 320, height: 256 }]) {
    await using opened = await openPage(browser, `${server.url}#/attention`, { viewport, reducedMotion: "reduce" });
    const { page, faults } = opened;
    await page.getByText("live", { exact: true }).waitFor();
    const check = async (name: string) => {
      await page.getByRole("dialog").waitFor();
      const pictures = Deno.env.get("CJC_TEST_PICTURES");
      if (pictures) await page.screenshot({ path: `${pictures}/${name.replace(/\W/g, "")}-${viewport.height}.png` });
      assertEquals(await faultsOfDialog(page), [], `${name} at ${viewport.width} × ${viewport.height}`);
    };
    await page.getByRole("button", { name: /^More of/ }).first().click();
    for (const name of ["Run now", "Pause…", "Delete the Job…", "Back-fill…"]) {
      await page.locator(".trouble-row").first().getByRole("button", { name }).click();
      await check(name);
      // What is carried out by Enter is not asked out of sight.
      const asksAt = await page.locator("dialog h2").evaluate((title) => title.getBoundingClientRect().top);
      if (name === "Run now" || name === "Delete the Job…") assert(asksAt > 0, `${name}: the question is at ${asksAt}`);
      if (name === "Back-fill…") {
        await page.getByRole("button", { name: "Preview" }).click();
        await page.getByRole("button", { name: "Start 16 runs" }).waitFor();
        await check("Preview");
      }
      await page.keyboard.press("Escape");
    }
    await page.getByRole("button", { name: "Keys" }).click();
    await check("Keys");
    await page.keyboard.press("Escape");
    // Of several at once, and of a pause that is someone else's.
    await page.evaluate(() => location.hash = "#/all");
    await page.getByText("5 CronJobs").waitFor();
    await page.getByRole("checkbox", { name: "Select all that are shown" }).check({ force: true });
    for (const name of [/^Pause/, /^Resume/]) {
      await page.locator(".selection").getByRole("button", { name }).click();
      await check(`several ${name.source}`);
      await page.keyboard.press("Escape");
    }
    assertEquals(faults, []);
    assert((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
  }
}, { sanitize: false });
