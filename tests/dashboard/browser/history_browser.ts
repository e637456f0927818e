/// <reference lib="dom" />
import { assertEquals, assertStringIncludes } from "@std/assert";
import { SystemClock } from "../../../src/base/clock.ts";
import { historyFor } from "../../../src/cli/controller/dashboard_history.ts";
import { BUSY_PAGE_COMMANDS } from "../../../src/cli/shared/page_commands.ts";
import { BATCH } from "../../../src/cronjob/api/flavour.ts";
import { followChildren } from "../../../src/cronjob/child_cache.ts";
import { ArchiveTables } from "../../../src/run_archive/archive_tables.ts";
import { ClusterArchive } from "../../../src/run_archive/cluster_archive.ts";
import { rowOfRun } from "../../../src/run_archive/rows.ts";
import { startTestApiServer } from "../../support/api_server.ts";
import { openPage, startBrowser } from "../../support/browser.ts";
import { must } from "../../support/expected.ts";
import { temporaryFolder } from "../../support/program.ts";
import { test } from "../../support/test.ts";
import { applyCronJob, startTestDashboard } from "../support/dashboard.ts";
import { assertBecomes } from "./support/open.ts";

const NOW = new Date();
/** The first day of the month before. */
const FIRST = Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() - 1);
const MONTH = new Date(FIRST).toISOString().slice(0, 7);

/** By the day of the month. */
const FAILED: Readonly<Record<number, string>> = {
  5: "exit 28: no space left on device",
  14: "exit 1: connection refused 10.0.3.7:5432",
  23: "exit 1: table orders is locked",
};
/** Nothing watched in these nights. */
const UNWATCHED = [17, 18] as const;

function at(day: number, hour: number): number {
  return FIRST + ((day - 1) * 24 + hour) * 3_600_000;
}

/** Writes down the runs of the nights since the month before, as a replica keeps them. */
function fillArchive(path: string): void {
  using tables = new ArchiveTables(path);
  for (let day = 1; at(day, 2) < Date.now(); day++) {
    if (UNWATCHED.some((night) => night === day)) continue;
    const [time, message] = [at(day, 2), FAILED[day]];
    tables.putRun(rowOfRun({ apiVersion: "batch/v1", namespace: "default", name: "nightly-report" }, {
      scheduledTime: time,
      trigger: "Schedule",
      outcome: message === undefined ? "Succeeded" : "Failed",
      reason: message === undefined ? undefined : "BackoffLimitExceeded",
      message: message && `Job has reached the specified backoff limit: ${message}`,
      job: `nightly-report-${time / 60_000}`,
      startedAt: time + 1_000,
      endedAt: time + 61_000,
    }));
  }
  tables.putWatched({ since: at(1, 0), until: at(16, 22) });
  tables.putWatched({ since: at(18, 12), until: Date.now() });
}

test(
  "the page answers which nights of the month before failed, what they said, and which nights were not watched",
  async () => {
    await using folder = await temporaryFolder();
    const database = `${folder.path}/history.sqlite`;
    fillArchive(database);
    await using api = await startTestApiServer({ ephemeral: true });
    const { client } = api;
    await applyCronJob(client, { name: "nightly-report" });
    const clock = new SystemClock();
    const jobs = followChildren({ client, clock, flavours: [BATCH] });
    const limits = { runsMs: 90 * 86_400_000, bytes: 10_000_000 };
    using archive = new ClusterArchive({ database, clock, jobs, ...limits });
    const commands = { ...BUSY_PAGE_COMMANDS, history: historyFor(archive, clock) };
    await using dashboard = startTestDashboard({ client, clock, commands });
    await using browser = await startBrowser();
    await using opened = await openPage(browser, `${dashboard.origin}/#code=${dashboard.code()}`);
    const { page, faults } = opened;

    await page.getByRole("link", { name: "All", exact: true }).click();
    await page.getByRole("link", { name: "nightly-report" }).first().click();
    await page.getByRole("button", { name: "Month before" }).click();
    await page.getByRole("heading", { name: `Runs of ${MONTH}` }).waitFor();
    await page.locator(".runs-table tr", { hasText: "failed" }).first().waitFor();
    const failed = Object.entries(FAILED).reverse();
    const said = await page.locator(".runs-table tbody tr").allInnerTexts();
    assertEquals(said.length, failed.length);
    for (const [index, [day, message]] of failed.entries()) {
      assertStringIncludes(must(said[index]), `${MONTH}-${day.padStart(2, "0")} 02:00`);
      assertStringIncludes(must(said[index]), message);
    }

    const day = (day: number) => page.locator(`.day-cell[title^="${MONTH}-${String(day).padStart(2, "0")}"]`);
    assertEquals(await page.locator(".day-cell.is-Failed").count(), failed.length);
    await day(14).getByRole("button").click();
    await page.getByRole("heading", { name: `Runs of ${MONTH}-14` }).waitFor();
    await assertBecomes(() => page.locator(".runs-table tbody tr").count(), 1);
    assertStringIncludes(await page.locator(".runs-table tbody").innerText(), must(FAILED[14]));

    await page.getByRole("button", { name: "Logs of" }).click();
    await page.getByText(`no output of it was kept. How it ended: ${FAILED[14]}`).waitFor();

    const [unwatched] = UNWATCHED;
    assertStringIncludes(await day(unwatched).getAttribute("title") ?? "", "history was not kept from");
    await day(unwatched).getByRole("button").click();
    await page.getByText("No run is known.").waitFor();
    await page.getByText("and was not from").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: `Runs of ${MONTH}-${unwatched}` }).waitFor();
    await page.getByRole("button", { name: "Show the newest" }).click();
    await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
    assertEquals(faults, []);
  },
  { sanitize: false },
);
