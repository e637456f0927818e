/// <reference lib="dom" />
import { assertEquals } from "@std/assert";
import type { Detail, DetailRun, LogMessage } from "../../../src/dashboard/wire.ts";
import { openPage, startBrowser } from "../../support/browser.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";
import { open } from "./support/open.ts";
import { NOW, row } from "./support/sample_fleet.ts";
import { messagesOf, serveSample } from "./support/sample_server.ts";

const MINUTE = 60_000;

function runOf(index: number): DetailRun {
  const at = NOW - index * MINUTE;
  const job = `sync-${at / MINUTE}`;
  const ends = { startedAt: at, endedAt: at + 1_000, ms: 1_000 };
  return { scheduledTime: at, trigger: "Schedule", outcome: "Failed", reason: "BackoffLimitExceeded", job, ...ends };
}

const RUNS = Array.from({ length: 50 }, (_, index) => runOf(index));
const job = (index: number) => must(must(RUNS[index]).job);

/** As it stands after the run of that index failed. */
function syncAfter(index: number) {
  const lastRuns = RUNS.slice(index, index + 10).map(({ job, ms }, at) => ({
    at: NOW - (index + at) * MINUTE,
    outcome: "Failed" as const,
    ms,
    job,
  }));
  return row({
    name: "sync",
    state: "Failing",
    cause: { reason: "Error", message: "exit 1", job: job(index) },
    lastRuns,
  });
}

const DETAIL: Detail = {
  facts: [],
  runs: RUNS.map((run) => ({ ...run, why: "exit 1" })),
  nextRuns: [],
  yaml: "kind: CronJob\n",
};

const LOGS: readonly LogMessage[] = [
  ...["alpha \u001b]0;title\u0007one", "beta two", "alpha three"].map((text) => ({
    kind: "line" as const,
    pod: "sync-1-abcde",
    container: "main",
    text,
  })),
  { kind: "line", pod: "sync-1-abcde", container: "main", text: "long", isCut: true },
  { kind: "end" },
];

const PATH = "#/cronjob/cronjob-controller.dev/v1/default/sync";

test("the log of a run chosen far down the table comes into view, beside the run", async () => {
  await using server = serveSample({ rows: messagesOf([syncAfter(1)]), detail: () => DETAIL, logs: LOGS });
  await using browser = await startBrowser();
  for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 800 }]) {
    await using opened = await openPage(browser, server.url + PATH, { viewport });
    const { page } = opened;
    const button = page.getByRole("button", { name: `Logs of ${job(40)}` });
    await button.scrollIntoViewIfNeeded();
    await button.click();
    const pane = page.getByRole("log", { name: `Logs of ${job(40)}` });
    await pane.waitFor();
    await page.waitForFunction(() => {
      const { top, bottom } = (document.querySelector("[role=log]") as Element).getBoundingClientRect();
      return bottom > 100 && top < innerHeight - 100;
    });
    const { height = 0 } = await pane.boundingBox() ?? {};
    assertEquals(height < 150, true, `${height} pixels for four lines`);
    // The reason of a run comes into view too.
    await page.getByRole("button", { name: `Explain ${job(40)}` }).click();
    await page.waitForFunction(() => {
      const { top } = (document.getElementById("why") as Element).getBoundingClientRect();
      return top > 0 && top < innerHeight;
    });
  }
});

test("a log stays on its run, and a newer run is offered", async () => {
  await using server = serveSample({ rows: messagesOf([syncAfter(1)]), detail: () => DETAIL, logs: LOGS });
  await using browser = await startBrowser();
  await using opened = await openPage(browser, server.url + PATH);
  const { page } = opened;
  await page.getByRole("log", { name: `Logs of ${job(1)}` }).waitFor();
  server.tell({ kind: "rows", now: NOW, rows: [syncAfter(0)] });
  await page.getByText("A newer run failed:").waitFor();
  await page.getByRole("log", { name: `Logs of ${job(1)}` }).waitFor();
  await page.getByRole("button", { name: `Show ${job(0)}` }).click();
  await page.getByRole("log", { name: `Logs of ${job(0)}` }).waitFor();
  await page.getByText("A newer run").waitFor({ state: "hidden" });
});

test("a log is searched and downloaded, and says which line is cut", async () => {
  await using server = serveSample({ rows: messagesOf([syncAfter(1)]), detail: () => DETAIL, logs: LOGS });
  await using browser = await startBrowser();
  await using opened = await openPage(browser, server.url + PATH);
  const { page } = opened;
  const log = page.getByRole("log");
  await log.getByText("long … the rest of this line is not shown").waitFor();
  await page.getByLabel("Find in the log").fill("ALPHA");
  await page.getByText("2 of 4 lines.").waitFor();
  await log.getByText("beta").waitFor({ state: "hidden" });
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  const download = await coming;
  assertEquals(download.suggestedFilename(), `${job(1)}.log`);
  const text = await Deno.readTextFile(await download.path());
  assertEquals(text.split("\n").slice(0, 3), [
    "alpha one",
    "beta two",
    "alpha three",
  ]);
});

test("a log of which earlier lines are left out says so once, and how to read all of it", async () => {
  const logs = [
    ...Array.from({ length: 5_001 }, (_, index): LogMessage => ({
      kind: "line",
      pod: "sync-1-abcde",
      container: "main",
      text: `${index}`,
    })),
    { kind: "end" } as const,
  ];
  await using opened = await open(PATH, { rows: messagesOf([syncAfter(1)]), detail: () => DETAIL, logs });
  const { page } = opened;
  await page.getByText("Only the last 5,000 lines are shown, searched and downloaded. All:").waitFor();
  await page.getByText(`cronjob-controller logs sync --run ${job(1)} -n default`, { exact: true }).waitFor();
  assertEquals((await page.getByRole("log").innerText()).split("\n", 1), ["1"]);
  // Beside the table of runs, the reason stays in view below a long log.
  await page.evaluate(() => scrollTo(0, 800));
  await page.waitForFunction(() => document.querySelector("#why ~ b")!.getBoundingClientRect().bottom < innerHeight);
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  assertEquals((await Deno.readTextFile(await (await coming).path())).split("\n", 1), ["1"]);
}, { sanitize: false });

test("no room is kept for the log of a run that wrote nothing", async () => {
  const logs: readonly LogMessage[] = [{ kind: "end" }];
  await using server = serveSample({ rows: messagesOf([syncAfter(1)]), detail: () => DETAIL, logs });
  await using browser = await startBrowser();
  await using opened = await openPage(browser, server.url + PATH);
  await opened.page.getByText("The run wrote nothing.").waitFor();
  const height = await opened.page.getByRole("log").evaluate(({ clientHeight }) => clientHeight);
  assertEquals(height < 60, true, `${height} pixels`);
});

test("a log that breaks off says so, and goes on by itself without a line twice", async () => {
  const lines = (...texts: string[]) =>
    texts.map((text, index): LogMessage => ({
      kind: "line",
      pod: "sync-1-abcde",
      container: "main",
      at: `2026-11-20T12:00:0${index}.000000000Z`,
      text,
    }));
  const answers: LogMessage[][] = [
    lines("one", "two"),
    [{ kind: "trouble", message: "the API server is away" }],
    [...lines("one", "two", "three"), { kind: "end" }],
  ];
  await using server = serveSample({
    rows: messagesOf([syncAfter(1)]),
    detail: () => DETAIL,
    logsNow: () => answers.shift() ?? [],
  });
  await using browser = await startBrowser();
  await using opened = await openPage(browser, server.url + PATH);
  const { page } = opened;
  const log = page.getByRole("log");
  await page.getByText("The log has broken off, and goes on by itself. the API server is away").waitFor();
  assertEquals(await log.textContent(), "one\ntwo");
  await page.getByText("The run has ended.").waitFor();
  assertEquals(await log.textContent(), "one\ntwo\nthree");
});

test("why a log may not be read stays, and is not asked for again", async () => {
  const why = "Cannot read the log of sync-1-abcde/main: pods/log is forbidden";
  for (const rest of [[], [{ kind: "beat" }, { kind: "end" }]] as const) {
    const answers: LogMessage[][] = [[{ kind: "trouble", message: why, isFinal: true }, ...rest]];
    const logsNow = () => answers.shift() ?? [{ kind: "end" } as const];
    await using server = serveSample({ rows: messagesOf([syncAfter(1)]), detail: () => DETAIL, logsNow });
    await using browser = await startBrowser();
    await using opened = await openPage(browser, server.url + PATH);
    await opened.page.getByText(why, { exact: true }).waitFor();
    assertEquals(await opened.page.getByText("The run wrote nothing.").count(), 0);
  }
});
