/// <reference lib="dom" />
import { assert, assertEquals } from "@std/assert";
import { openPage, startBrowser } from "../../support/browser.ts";
import { dashboardLink, Standalone, temporaryFolder } from "../../support/program.ts";
import { shellCronJob } from "../../support/shell_cron_job.ts";
import { test } from "../../support/test.ts";

/** Its last words are the time at which they were said. */
const FAILS = shellCronJob("fails", "echo failed at $(date +%s%3N) >&2; exit 3", { spec: { schedule: "@every 3s" } });

/** A machine that is busy shows one of so many as soon as one that is not. */
const MOST_RUNS = 20;

test("a run that fails is on the page within a second, with its exit code and its last words", async () => {
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(`${folder.path}/fails.yaml`, FAILS);
  const args = ["--dashboard-address=127.0.0.1:0", "--apply", `${folder.path}/fails.yaml`];
  await using standalone = await Standalone.start(folder.path, args);
  await using browser = await startBrowser();
  await using opened = await openPage(browser, await dashboardLink(standalone));
  const { page, faults } = opened;
  const row = page.locator(".trouble-row", { hasText: "default/fails" });
  await row.getByText("Failing").waitFor();
  await row.getByText("exit 3").waitFor();
  await row.getByText("failed at").waitFor();
  const delays = await page.evaluate(async (most) => {
    const delays: number[] = [];
    let before = "";
    while (delays.length < most && Math.min(...delays) > 1_000) {
      await new Promise((next) => setTimeout(next, 20));
      const [, at] = /failed at (\d+)/.exec(document.querySelector(".trouble-row")?.textContent ?? "") ?? [];
      // When the first was said, the page was not open yet.
      if (at !== undefined && at !== before && before !== "") delays.push(Date.now() - Number(at));
      before = at ?? before;
    }
    return delays;
  }, MOST_RUNS);
  assert(Math.min(...delays) <= 1_000, `It took ${delays} ms`);
  // The code stays nowhere.
  assertEquals(new URL(page.url()).hash, "");
  assertEquals(faults, []);
}, { sanitize: false });
