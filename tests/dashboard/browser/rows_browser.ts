/// <reference lib="dom" />
import { assertEquals, assertMatch } from "@std/assert";
import type { Locator, Page } from "playwright-core";
import type { Row } from "../../../src/dashboard/wire.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";
import { assertBecomes, open } from "./support/open.ts";
import { NOW, row, runs } from "./support/sample_fleet.ts";
import { messagesOf } from "./support/sample_server.ts";

/** CronJobs that need attention, each for a cause of its own. */
const TROUBLE: readonly Row[] = Array.from({ length: 18 }, (_, index) =>
  row({
    namespace: "team-a",
    name: `nightly-report-${index}`,
    state: "Failing",
    since: NOW - 88 * 60_000,
    ...index > 0 && { lastSuccess: NOW - 118 * 60_000 },
    failuresInARow: { count: 4, atLeast: true },
    cause: {
      reason: "Error",
      message: `exit 1: "connection ${index} was refused by the server: ${
        "no such user ".repeat(index === 14 ? 6 : 0)
      }"`,
    },
    lastRuns: runs("ffffssssss", 30 * 60_000, 12_000),
    actions: [{ do: "ReadLogs", job: `job-${index}` }, { do: "RunNow" }],
  }));

/** Counts the rows that are in the window as a whole. */
const inView = (page: Page) =>
  page.locator(".trouble-row").evaluateAll((rows) =>
    rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length
  );

/** Returns the texts that have no room in their places. */
const cutIn = (places: Locator) =>
  places.evaluateAll((found) =>
    found.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent)
  );

test("15 CronJobs that need attention are in view at 900 px, and more than two on a phone", async () => {
  const views: readonly (readonly [width: number, height: number, least: number])[] = [
    [1440, 900, 15],
    [820, 900, 9],
    [390, 844, 4],
  ];
  for (const [width, height, least] of views) {
    await using opened = await open("#/attention", { rows: messagesOf(TROUBLE) }, { viewport: { width, height } });
    const { page, faults } = opened;
    await page.locator(".trouble-row").first().waitFor();
    await page.getByRole("link", { name: "Logs" }).first().waitFor();
    const pictures = Deno.env.get("CJC_TEST_PICTURES");
    if (pictures) await page.screenshot({ path: `${pictures}/attention-${width}.png` });
    const count = await inView(page);
    assertEquals(count >= least, true, `${count} at ${width} × ${height}`);
    assertEquals(await cutIn(page.locator(width === 1440 ? ".trouble-row > .cause, .since" : ".since")), []);
    const [first, second] = await page.locator(".trouble-row").allTextContents();
    assertMatch(must(first), /at least since 01:30.*no success known *at least 4 in a row/);
    assertMatch(must(second), /at least since 01:30.*succeeded 1h 58m( \ds)? ago *at least 4 in a row/);
    if (width === 1440) await page.getByRole("heading", { name: "Around now 12 of the 18 that need you" }).waitFor();
    assertEquals(faults, []);
  }
}, { sanitize: false });

test("a row has one remedy, and opens for the others", async () => {
  await using opened = await open("#/attention", { rows: messagesOf(TROUBLE) });
  const { page } = opened;
  const first = page.locator(".trouble-row").first();
  await first.getByRole("link", { name: "Logs" }).waitFor();
  await assertBecomes(() => first.locator(".actions > *").allInnerTexts(), ["Logs", "…"]);
  await first.getByRole("button", { name: "More of team-a/nightly-report-0" }).click();
  await assertBecomes(() => first.locator(".more .actions > *").allInnerTexts(), [
    "Run now",
    "Pause…",
    "Back-fill…",
    "Logs",
    "Explain",
  ]);
}, { sanitize: false });

test("CronJobs of one cause are a row, which opens", async () => {
  const alike = ["a", "b", "c"].map((name) =>
    row({
      name,
      state: "Pending",
      since: NOW - 60_000,
      cause: { reason: "ImagePullBackOff", message: `${name}-1 waits: the registry is down`, job: `${name}-1` },
    })
  );
  await using opened = await open("#/attention", { rows: messagesOf([...alike, row({ name: "d", state: "Missed" })]) });
  const { page, faults } = opened;
  const names = () => page.locator(".trouble-row h2").allInnerTexts();
  await page.getByText("and 2 more").waitFor();
  await assertBecomes(names, ["default/a and 2 more", "default/d"]);
  await page.getByRole("button", { name: "More of the 3" }).click();
  await assertBecomes(names, ["default/a and 2 more", "default/a", "default/b", "default/c", "default/d"]);
  await page.getByRole("button", { name: "Select 3" }).click();
  await page.getByRole("region", { name: "Selection" }).getByText("3 selected").waitFor();
  assertEquals(faults, []);
}, { sanitize: false });

test("CronJobs whose runs failed with the same last words are a row", async () => {
  const failing = ["a", "b", "c"].map((name) =>
    row({
      name,
      state: "Failing",
      since: NOW - 60_000,
      cause: { reason: "Error", message: "exit 1", job: `${name}-1` },
    })
  );
  await using opened = await open("#/attention", { rows: messagesOf(failing) });
  const { page, faults } = opened;
  await assertBecomes(() => page.locator(".trouble-row h2").allInnerTexts(), ["default/a and 2 more"]);
  await assertBecomes(() => page.locator(".trouble-row .cause").allInnerTexts(), [
    "exit 1 error: connection refused 10.0.3.7:5432",
  ]);
  assertEquals(faults, []);
  await page.evaluate(() => location.hash = "#/cronjob/cronjob-controller.dev/v1/default/a");
  await assertBecomes(
    () => page.locator(".head .cause").allInnerTexts(),
    ["exit 1 error: connection refused 10.0.3.7:5432"],
  );
}, { sanitize: false });

test("the last words of a run are said once where the cause says them too", async () => {
  const message = "exit 1: error: connection refused 10.0.3.7:5432";
  const cause = { reason: "Error", message, job: "a-1" };
  const rows = messagesOf([row({ name: "a", state: "Failing", since: NOW - 60_000, cause })]);
  await using opened = await open("#/attention", { rows });
  const { page } = opened;
  await assertBecomes(
    () =>
      page.evaluate(() =>
        performance.getEntriesByType("resource").filter(({ name }) => name.includes("/api/logs")).length
      ),
    1,
  );
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  assertEquals(await page.locator(".trouble-row .cause").allInnerTexts(), [message]);
}, { sanitize: false });

test("a CronJob of which an annotation is ignored is marked in the lists, and says why in its head", async () => {
  const note = 'annotation cronjob-controller.dev/retries is ignored: "many" must be a whole number';
  const rows = messagesOf([row({ name: "a", state: "Missed", notes: [note] }), row({ name: "b", state: "Waiting" })]);
  for (const view of ["attention", "all"]) {
    await using opened = await open(`#/${view}`, { rows });
    const mark = opened.page.getByText("ignores an annotation");
    await mark.waitFor();
    assertEquals([await mark.count(), await mark.getAttribute("title")], [1, note]);
  }
  await using opened = await open("#/cronjob/cronjob-controller.dev/v1/default/a", { rows });
  await opened.page.locator(".head").getByText(note).waitFor();
}, { sanitize: false });

test("of CronJobs of one name in two APIs the lists name the API", async () => {
  const twin = row({ name: "a", state: "Missed", id: "twin", apiVersion: "batch/v1" });
  const rows = messagesOf([row({ name: "a", state: "Missed" }), twin, row({ name: "b", state: "Waiting" })]);
  for (const [view, names] of [["attention", ".trouble-row h2"], ["all", "td.c-name"]] as const) {
    await using opened = await open(`#/${view}`, { rows });
    const expected = [
      "default/a cronjob-controller.dev/v1",
      "default/a batch/v1",
      ...view === "all" ? ["default/b"] : [],
    ];
    await assertBecomes(() => opened.page.locator(names).allInnerTexts(), expected);
  }
}, { sanitize: false });

test("where the right to a remedy is missing, the command for it can be copied", async () => {
  const command = "kubectl annotate ccj/a -n default --overwrite cronjob-controller.dev/suspend-";
  const paused = row({
    name: "a",
    state: "Suspended",
    actions: [{ do: "Unsuspend", in: "annotation" }],
  });
  const rights = { actions: {}, mayReadLogs: false };
  await using opened = await open("#/cronjob/cronjob-controller.dev/v1/default/a", {
    rows: messagesOf([paused]),
    rights,
  }, { permissions: ["clipboard-read", "clipboard-write"] });
  const { page } = opened;
  await page.locator(".remedy").getByText(command).waitFor();
  await page.locator(".remedy").getByRole("button", { name: "Copy" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assertEquals(await page.evaluate(() => navigator.clipboard.readText()), command);
}, { sanitize: false });
