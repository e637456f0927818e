/// <reference lib="dom" />
import { assert, assertEquals } from "@std/assert";
import type { DetailRun } from "../../../src/dashboard/wire.ts";
import type { Locator } from "playwright-core";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";
import { assertBecomes, open } from "./support/open.ts";
import { detailOf, fineRows, FLEET, NOW, row } from "./support/sample_fleet.ts";
import { messagesOf } from "./support/sample_server.ts";

const SYNC = "#/cronjob/cronjob-controller.dev/v1/team-b/sync";

test("keys act on the CronJob whose page is shown, and what is selected elsewhere is not in the way", async () => {
  await using opened = await open("#/all");
  const { page, faults } = opened;
  await page.getByLabel("Select infra/etcd-backup").check();
  await page.getByRole("region", { name: "Selection" }).waitFor();
  await page.evaluate((hash) => location.hash = hash, SYNC);
  await page.locator(".head").waitFor();
  await page.getByRole("region", { name: "Selection" }).waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Run now" }).waitFor();
  await page.keyboard.press("r");
  await page.getByRole("dialog", { name: "Run team-b/sync now?" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("p");
  await page.getByRole("dialog", { name: "Pause team-b/sync?" }).waitFor();
  // A key pressed before the page hears that the last dialog is closed.
  await page.evaluate(() => {
    document.querySelector("dialog")?.close();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "r", bubbles: true }));
  });
  await page.getByRole("dialog", { name: "Run team-b/sync now?" }).waitFor();
  assertEquals(faults, []);
}, { sanitize: false });

test("what was done stands above the selection, and not on the next page", async () => {
  const done = () => ({
    results: [{ target: must(FLEET[0]), result: "done" as const, message: "paused" }],
  });
  await using opened = await open("#/all", { done });
  const { page } = opened;
  await page.getByLabel("Select infra/etcd-backup").check();
  const bar = page.getByRole("region", { name: "Selection" });
  await bar.getByRole("button", { name: "Pause…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pause", exact: true }).click();
  const notice = page.locator(".notice");
  await notice.getByText("paused").waitFor();
  const [told, selected] = [must(await notice.boundingBox() ?? undefined), must(await bar.boundingBox() ?? undefined)];
  assert(told.y + told.height <= selected.y, JSON.stringify([told, selected]));
  await page.getByRole("link", { name: "Timeline" }).click();
  await notice.waitFor({ state: "hidden" });
}, { sanitize: false });

test("a state that there is not finds nothing, and the page says so", async () => {
  for (const view of ["all", "timeline", "attention"]) {
    await using opened = await open(`#/${view}?q=state:faling`);
    await opened.page.getByText("No state is called faling.").waitFor();
  }
}, { sanitize: false });

test("marks of direction are shown as they are written, and reorder nothing", async () => {
  const message = "ana paused it: goes \u202eesrever\u202c, until Monday";
  const paused = row({ name: "a", state: "Paused", cause: { reason: "Paused", message } });
  await using opened = await open("#/cronjob/cronjob-controller.dev/v1/default/a", { rows: messagesOf([paused]) });
  const cause = opened.page.locator(".cause");
  await assertBecomes(() => cause.innerText(), "ana paused it: goes \\u202eesrever\\u202c, until Monday");
}, { sanitize: false });

test("an action without a server says that it does not answer", async () => {
  await using opened = await open(SYNC);
  const { page } = opened;
  await page.getByRole("button", { name: "Run now" }).click();
  await page.context().setOffline(true);
  await page.getByRole("dialog").getByRole("button", { name: "Run now" }).click();
  await page.getByRole("alert").getByText("The server does not answer.").waitFor();
}, { sanitize: false });

test("the namespaces of long names leave the header its height", async () => {
  const rows = [row({ name: "a", namespace: "n".repeat(63), state: "Waiting" }), row({ name: "b", state: "Waiting" })];
  await using opened = await open("#/all", { rows: messagesOf(rows) }, { viewport: { width: 820, height: 900 } });
  const { page } = opened;
  const select = must(await page.getByLabel("Namespace", { exact: true }).boundingBox() ?? undefined);
  assert(select.width <= 200, `${select.width}`);
  assert(must(await page.locator("header").boundingBox() ?? undefined).height <= 130);
}, { sanitize: false });

test("reasons of Events are not broken, planned runs say when, and the command to begin with is whole", async () => {
  const detail = must(detailOf("sync"));
  await using opened = await open(SYNC, { detail: () => detail });
  const { page } = opened;
  const reason = page.locator(".events td:nth-child(2) bdi", { hasText: "SuccessfulCreate" });
  assertEquals(await reason.evaluate((element) => element.getClientRects().length), 1);
  await page.evaluate(() => location.hash = "#/timeline?hours=12");
  const planned = page.locator(".planned:not(.dense) title", { hasText: "planned for Fri 2026-11-20 " });
  await planned.first().waitFor({ state: "attached" });

  await using empty = await open("#/all", { rows: messagesOf([]) });
  const sample = empty.page.locator(".blank pre");
  await sample.waitFor();
  assertEquals(await sample.evaluate((pre) => pre.scrollWidth <= pre.clientWidth), true);
}, { sanitize: false });

test("thousands are grouped", async () => {
  await using opened = await open("#/all", { rows: messagesOf(fineRows(2_074)) });
  const { page } = opened;
  await page.getByText("2,074 CronJobs").waitFor();
  await page.locator(".summary").getByText("2,074 fine").waitFor();
  await page.getByLabel("Select all that are shown").check({ force: true });
  await page.getByText("2,074 selected").waitFor();
}, { sanitize: false });

test("a cause is whole where its row is opened, and in the list of what is held", async () => {
  const message = "secret not found ".repeat(30).trim();
  const rows = [
    row({ name: "stuck", state: "Pending", cause: { reason: "NoSecret", message } }),
    row({ name: "held", state: "Paused", cause: { reason: "Paused", message: "by ana" }, nextRun: undefined }),
  ];
  await using opened = await open("#/attention", { rows: messagesOf(rows) });
  const { page } = opened;
  const cause = page.locator(".trouble-row .cause");
  const isCut = () => cause.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
  assertEquals(await isCut(), true);
  await page.getByRole("button", { name: "More of default/stuck" }).click();
  await assertBecomes(isCut, false);
  await page.getByRole("link", { name: "All" }).click();
  await page.getByRole("row", { name: "default/held" }).getByText("by ana").waitFor();
}, { sanitize: false });

test("what is said of a run is whole in the tables", async () => {
  const nextRun = { kind: "known", scheduledTime: NOW, startsAt: NOW, expected: "Wait" } as const;
  const detail = must(detailOf("sync"));
  const [first, second] = detail.runs;
  const runs: readonly DetailRun[] = [
    { ...must(first), scheduledTime: NOW - 1_001, trigger: "Manual", why: "another run was active then" },
    { ...must(second), outcome: "Running", ms: undefined, startedAt: NOW - 27 * 60_000 },
  ];
  await using opened = await open(
    "#/cronjob/cronjob-controller.dev/v1/default/a",
    {
      rows: messagesOf([row({ name: "a", state: "Running", nextRun })]),
      detail: () => ({ ...detail, runs }),
    },
    { viewport: { width: 1440, height: 900 } },
  );
  const { page } = opened;
  const isCut = (place: Locator) => place.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
  await page.getByText("another run was active then").waitFor();
  assertEquals(await isCut(page.locator(".wide", { has: page.locator(".runs-table") })), false);
  await page.getByRole("link", { name: "All", exact: true }).click();
  assertEquals(await isCut(page.locator(".c-next").getByText("waits if a run is active then")), false);
}, { sanitize: false });
