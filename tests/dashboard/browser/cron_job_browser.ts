/// <reference lib="dom" />
import { assertEquals } from "@std/assert";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";
import { open } from "./support/open.ts";
import { detailOf, FLEET, NOW } from "./support/sample_fleet.ts";

const BACKUP = "#/cronjob/cronjob-controller.dev/v1/infra/etcd-backup";

test("the calendar of a CronJob shows what became of each day of a month", async () => {
  await using opened = await open(BACKUP);
  const { page, faults } = opened;
  const day = (date: string) => page.locator(`.day-cell[title^="${date}"]`);
  await page.locator('.day-cell[title="2026-11-18: 1 succeeded"]').waitFor();
  assertEquals(await day("2026-11-19").getAttribute("title"), "2026-11-19: 1 succeeded");
  assertEquals((await day("2026-11-21").getAttribute("title"))?.endsWith("planned"), true);
  await page.locator(`.day-cell.unknown[title^="2026-11-01"]`).waitFor();
  await page.getByRole("button", { name: "Month before" }).click();
  await page.getByRole("heading", { name: "October 2026" }).waitFor();
  await page.getByRole("button", { name: "Month after" }).click();
  await page.getByRole("heading", { name: "November 2026" }).waitFor();
  assertEquals(await page.getByRole("button", { name: "Month after" }).isDisabled(), true);
  assertEquals(faults, []);
}, { sanitize: false });

test("a CronJob is missed only once all rows are there", async () => {
  await using opened = await open(BACKUP, { rows: [{ kind: "start", now: NOW, total: 2 }] });
  const { page, server } = opened;
  await page.getByText("Loading CronJobs… 0 of 2").waitFor();
  server.tell({ kind: "rows", now: NOW, rows: [must(FLEET[0])] });
  await page.getByText("Loading CronJobs… 1 of 2").waitFor();
  server.tell({ kind: "ready", now: NOW });
  await page.getByText("There is no such CronJob").waitFor();
  const backup = must(FLEET.find(({ name }) => name === "etcd-backup"));
  server.tell({ kind: "rows", now: NOW, rows: [{ ...backup, id: "of-batch", apiVersion: "batch/v1" }] });
  await page.getByText("There is one of batch/v1").getByRole("link").click();
  await page.getByRole("heading", { name: "etcd-backup" }).waitFor();
}, { sanitize: false });

test("the days of a calendar are whole on a phone", async () => {
  await using opened = await open(BACKUP, {}, { viewport: { width: 360, height: 800 } });
  const { page } = opened;
  await page.locator('.day-cell[title="2026-11-18: 1 succeeded"]').waitFor();
  const cut = await page.locator(".day-cell").evaluateAll((days) =>
    days.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length
  );
  assertEquals(cut, 0);
}, { sanitize: false });

test("an incident is copied as Markdown", async () => {
  const sync = "#/cronjob/cronjob-controller.dev/v1/team-b/sync";
  await using opened = await open(sync, {}, { permissions: ["clipboard-read", "clipboard-write"] });
  const { page } = opened;
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  assertEquals(
    text.split("\n")[0]?.replace(/\(http[^)]*\)/, "").replace(/\(1h \d+m ago\)/, "(a while ago)"),
    "**[team-b/sync]** is Failing since Fri 2026-11-20 00:30 UTC (a while ago)",
  );
}, { sanitize: false });

test("an explanation goes as soon as another run is asked about", async () => {
  const sync = "#/cronjob/cronjob-controller.dev/v1/team-b/sync";
  await using opened = await open(sync);
  const { page } = opened;
  const why = page.locator("section:has(#why)");
  await why.locator(".checks").waitFor();
  await page.route(/explain.*job=other/, () => {});
  await page.evaluate((hash) => location.hash = hash, `${sync}?why=other`);
  await why.getByText("Looking…").waitFor();
  assertEquals(await why.locator(".checks").count(), 0);
}, { sanitize: false });

test("the page of a CronJob that can no longer be read says so above what it keeps", async () => {
  let isRefused = false;
  await using opened = await open(BACKUP, { detail: (name) => isRefused ? undefined : detailOf(name) });
  const { page, server } = opened;
  await page.locator("pre.yaml").waitFor();
  isRefused = true;
  server.tell({ kind: "rows", now: NOW, rows: [must(FLEET.find(({ name }) => name === "etcd-backup"))] });
  await page.getByRole("alert").getByText("There is no such thing").waitFor();
  assertEquals(await page.locator("pre.yaml").isVisible(), true);
}, { sanitize: false });

test("the next runs stand where they start, with the time that they are scheduled for", async () => {
  const scheduledTime = Date.parse("2026-11-20T03:00:00Z");
  const detail = (name: string) => {
    const found = detailOf(name);
    return found && { ...found, nextRuns: [{ scheduledTime, startsAt: scheduledTime + 13 * 60_000 + 8_000 }] };
  };
  await using opened = await open(BACKUP, { detail });
  const run = opened.page.locator(".next-runs li");
  await run.waitFor();
  assertEquals(await run.locator("time").evaluateAll((times) => times.map((time) => time.textContent)), [
    "Fri 2026-11-20 04:13:08",
    "Fri 2026-11-20 04:00",
  ]);
}, { sanitize: false });
