/// <reference lib="dom" />
import { assertEquals } from "@std/assert";
import { fullTime } from "../../../src/schedule/full_time.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";
import { assertBecomes, open } from "./support/open.ts";
import { LOAD, SESSION } from "./support/sample_fleet.ts";

test("one switch shows all times by the schedule's clock, the viewer's or UTC", async () => {
  await using opened = await open("#/attention", {}, { timezoneId: "America/New_York" });
  const { page, faults } = opened;
  const since = () => page.locator(".trouble-row", { hasText: "team-a/nightly-report" }).locator(".since").innerText();
  const shows = async (clock: string, ...times: string[]) => {
    await page.getByLabel("Times are shown in").selectOption({ label: clock });
    await assertBecomes(
      async () => [(await since()).split("\n")[0], await page.locator(".axis .lane-name").innerText()],
      times,
    );
  };
  await shows("schedule's time", "since 02:00 Europe/Berlin", "America/New_York");
  await shows("America/New_York", "since 20:00", "America/New_York");
  await shows("UTC", "since 01:00 UTC", "UTC");
  assertEquals(await page.locator(".clock bdi").innerText(), "UTC");
  await page.evaluate(() => location.hash = "#/cronjob/cronjob-controller.dev/v1/team-b/sync");
  await page.getByRole("columnheader", { name: "Time UTC" }).waitFor();
  await page.evaluate(() => location.hash = "#/load");
  await page.getByRole("heading", { name: "Starts in the busiest minute of each five UTC" }).waitFor();
  await page.reload();
  assertEquals(await page.getByLabel("Times are shown in").inputValue(), "UTC");
  assertEquals(faults, []);
}, { sanitize: false });

test("a schedule is said in words where one hovers over it, and on its own page", async () => {
  await using opened = await open("#/all");
  const { page } = opened;
  const schedule = page.getByRole("row", { name: /team-b\/sync/ }).locator("code");
  assertEquals(await schedule.getAttribute("title"), "Every 30 minutes");
  await page.evaluate(() => location.hash = "#/cronjob/cronjob-controller.dev/v1/team-b/sync");
  await page.locator(".head").getByText("Every 30 minutes").waitFor();
}, { sanitize: false });

test("the load is that of the namespace that is chosen, says as of when, and is looked at again", async () => {
  const asked: string[] = [];
  await using opened = await open("#/load", {
    loadOf: (namespaces) => {
      asked.push(namespaces.join());
      return LOAD;
    },
  });
  const { page, faults } = opened;
  await page.getByText("as of Fri 2026-11-20 02:58").waitFor();
  await page.getByLabel("Namespace", { exact: true }).selectOption("team-b");
  await assertBecomes(() => Promise.resolve(asked), ["", "team-b"]);
  await page.getByRole("button", { name: "Look again" }).click();
  await assertBecomes(() => Promise.resolve(asked), ["", "team-b", "team-b"]);
  assertEquals(faults, []);
}, { sanitize: false });

test("the load names the day that begins at midnight, and the CronJob whose runs would not start", async () => {
  const [first, ...others] = LOAD.objects;
  const objects = [{ ...must(first), skipped: { JobAlreadyActive: 1_440 } }, ...others];
  const load = { ...LOAD, objects, load: { ...LOAD.load, skipped: { JobAlreadyActive: 1_440 } } };
  await using opened = await open("#/load", { load });
  const { page } = opened;
  await page.getByRole("rowheader", { name: "Sat 00" }).waitFor();
  await page.locator(".peaks").getByText("1,440 runs").waitFor();
  await page.getByRole("link", { name: `most of ${first?.namespace}/${first?.name}` }).waitFor();
}, { sanitize: false });

test("a load that is not served is no trouble", async () => {
  await using opened = await open("#/load", { load: undefined });
  const { page } = opened;
  await page.getByRole("heading", { name: "The load is not shown here" }).waitFor();
  await page.getByText("There is no such thing").waitFor();
}, { sanitize: false });

test("where the load is not served there is no way to it", async () => {
  await using opened = await open("#/all", { session: { ...SESSION, hasLoad: false } });
  await opened.page.getByRole("link", { name: "All", exact: true }).waitFor();
  await assertBecomes(() => opened.page.locator("nav a").allInnerTexts(), ["Attention", "Timeline", "All"]);
}, { sanitize: false });

test(
  "the most starts in a minute that the load names are in the cell of that minute, and no cell has more",
  async () => {
    await using opened = await open("#/load");
    const { page } = opened;
    const peak = page.locator(".peaks div").first();
    const [count, at] = [
      Number(await peak.locator("b").innerText()),
      await peak.locator("time").getAttribute("datetime"),
    ];
    const cells = page.locator(".heat-map td[title]");
    const all = await cells.evaluateAll((cells) =>
      cells.map((cell) => [(cell as HTMLElement).title, Number(cell.textContent) || 0] as const)
    );
    assertEquals(Math.max(...all.map(([, value]) => value)), count);
    const fiveMinutes = 5 * 60_000;
    const begin = Math.floor(Date.parse(must(at ?? undefined)) / fiveMinutes) * fiveMinutes;
    const [, value] = must(all.find(([title]) => title?.startsWith(`${fullTime(begin, LOAD.timeZone)}:`)));
    assertEquals(value, count);
  },
  { sanitize: false },
);
