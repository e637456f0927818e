import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import { must } from "../../support/expected.ts";
import { eventually } from "../../support/program.ts";
import { test } from "../../support/test.ts";
import type { Canned } from "./support/canned_server.ts";
import { assertBecomes, open, workOn } from "./support/open.ts";
import { detailOf, explainedOf, fineRows, FLEET, NOW, row, runs, SESSION } from "./support/sample_fleet.ts";
import { messagesOf } from "./support/sample_server.ts";

const names = (page: Page) =>
  page.locator("[data-row] a").evaluateAll((links) => links.map((link) => link.textContent));

test("what others wrote is shown as text, whatever it is", async () => {
  const hostile = [
    "<img src=x onerror=alert(1)><script>document.title='taken'</script>",
    "x".repeat(10_000),
    "\u202eevil\u202c عربي",
    "💥🧨👩‍🚀",
    "`${alert(1)}` {{7*7}} &lt;b&gt;",
  ];
  const rows = hostile.map((text, index) =>
    row({
      name: index === 1 ? text : `n${index}`,
      state: "Failing",
      cause: { reason: text, message: text, job: text },
      lastRuns: runs("fff", 60_000, 1_000).map((run) => ({ ...run, reason: text })),
      schedule: text,
    })
  );
  await using opened = await open("#/attention", { rows: messagesOf(rows) }, { viewport: { width: 800, height: 900 } });
  const { page, faults } = opened;
  await page.getByText("live", { exact: true }).waitFor();
  for (const view of ["attention", "all", "timeline"]) {
    await page.evaluate((view) => location.hash = `#/${view}`, view);
    await page.locator(`.view-${view} [data-row]`).first().waitFor();
    assertEquals(await page.locator("main img, main script, main b:has-text('&lt;')").count(), 0, view);
    assert((await page.evaluate(() => document.documentElement.scrollWidth)) <= 800, `${view} is scrolled sideways`);
  }
  await page.evaluate(() => location.hash = "#/attention");
  await page.locator(".cause", { hasText: must(hostile[0]) }).waitFor();
  assert(!(await page.title()).includes("taken"));
  const heights = await page.locator(".trouble-row").evaluateAll((rows) => rows.map((row) => row.clientHeight));
  assert(Math.max(...heights) < 400, `A row is ${Math.max(...heights)} px high`);
  assertEquals(faults, []);
}, { sanitize: false });

test("what others wrote into an object, an Event or a log is shown as text", async () => {
  const text = "<img src=x onerror=alert(1)><script>document.title='taken'</script>\u202eevil\u202c 💥 " +
    "x".repeat(10_000);
  const sync = detailOf("sync")!;
  const explained = explainedOf("sync")!;
  await using opened = await open("#/cronjob/cronjob-controller.dev/v1/team-b/sync", {
    detail: () => ({
      ...sync,
      facts: [{ label: "Schedule", value: text }],
      runs: sync.runs.map((run) => ({ ...run, reason: text })),
      events: [{ lastAt: NOW, isWarning: true, reason: text, message: text, count: 1, about: text }],
      yaml: text,
    }),
    explained: () => ({
      ...explained,
      verdict: { ...explained.verdict, message: text },
      checks: [{ result: "FAIL", message: text }],
      lastLines: [text],
    }),
    logs: [{ kind: "line", pod: text, container: text, text }, { kind: "end" }],
  }, { viewport: { width: 800, height: 900 } });
  const { page, faults } = opened;
  await page.getByRole("log").getByText("onerror").waitFor();
  await page.locator("section:has(#why) > b").getByText("onerror").waitFor();
  assert((await page.getByText("onerror").count()) >= 6);
  assertEquals(await page.locator("main img, main script").count(), 0);
  assert(!(await page.title()).includes("taken"));
  const tooWide = await page.evaluate(() =>
    document.documentElement.scrollWidth <= 800
      ? []
      : Array.from(document.querySelectorAll("main *")).filter((one) => one.getBoundingClientRect().right > 800)
        .map(({ tagName, className }) => `${tagName}.${className}`).slice(0, 8)
  );
  assertEquals(tooWide, []);
  assertEquals(faults, []);
}, { sanitize: false });

test("nothing moves for who asks for that", async () => {
  const moving = async (reducedMotion: "reduce" | "no-preference") => {
    await using opened = await open("#/all", { rows: [{ kind: "start", now: NOW, total: 5_000 }] }, { reducedMotion });
    const { page } = opened;
    await page.getByText("Loading CronJobs").waitFor();
    return await page.evaluate(() => document.getAnimations().length > 0);
  };
  assertEquals([await moving("no-preference"), await moving("reduce")], [true, false]);
}, { sanitize: false });

test("nothing is scrolled sideways at 320 px", async () => {
  await using opened = await open("#/attention", {}, { viewport: { width: 320, height: 700 } });
  const { page } = opened;
  for (const view of ["attention", "timeline", "all", "load", "cronjob/cronjob-controller.dev/v1/team-b/sync"]) {
    await page.evaluate((view) => location.hash = `#/${view}`, view);
    await page.locator(".loading").waitFor({ state: "hidden" });
    await page.waitForTimeout(300);
    const widest = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(widest <= 320, `${view} is ${widest} px wide`);
  }
}, { sanitize: false });

test("the page says when it loads, when there is nothing, and when one may not look", async () => {
  const worlds: readonly (readonly [rows: Canned["rows"], says: string])[] = [
    [[{ kind: "start", now: NOW, total: 5_000 }], "Loading CronJobs… 0 of 5,000"],
    [messagesOf([]), "There are no CronJobs"],
    [messagesOf(fineRows(3)), "Nothing needs you"],
    [[{ kind: "trouble", reason: "Forbidden", message: "cronjobs is forbidden" }], "You may not list CronJobs here"],
    [[{ kind: "trouble", reason: "Unreachable", message: "connection refused" }], "The API server cannot be asked"],
  ];
  for (const [rows, says] of worlds) {
    await using opened = await open("#/attention", { rows });
    await opened.page.getByText(says).waitFor();
    assertEquals(opened.faults, []);
  }
}, { sanitize: false });

test("the page says how one logs in", async () => {
  await using byCode = await open("", { session: { ...SESSION, isLoggedIn: false } });
  await byCode.page.getByText("Open the link that the program printed").waitFor();
  await using byToken = await open("", { session: { ...SESSION, login: "token", isLoggedIn: false } });
  await byToken.page.getByLabel("Token of the cluster").fill("abc");
  await byToken.page.getByRole("button", { name: "Log in" }).click();
  await byToken.page.getByText("does not accept this token").waitFor();
  assertEquals(
    await byToken.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
    "[{},{}]",
  );
}, { sanitize: false });

test("a page that hears nothing any more keeps what it shows, and says so", async () => {
  await using opened = await open("#/attention");
  const { page, server } = opened;
  await page.getByText("team-b/sync").first().waitFor();
  server.goAway();
  await page.getByText("Offline since").waitFor();
  // A screen reader reads a status again whenever it changes, and this text changes each second.
  await page.getByText("Trying again").waitFor();
  assertEquals(await page.getByRole("status").getByText("Trying again").count(), 0);
  assert((await names(page)).includes("team-b/sync"));
}, { sanitize: false });

test("a row that changes while the server has trouble does not end the trouble", async () => {
  await using opened = await open("#/attention");
  const { page, server } = opened;
  await page.getByText("live", { exact: true }).waitFor();
  server.tell({ kind: "trouble", reason: "Unreachable", message: "connection refused" });
  const banner = page.getByText("What is shown may be old.");
  await banner.waitFor();
  server.tell({ kind: "rows", now: NOW, rows: [row({ namespace: "shop", name: "late", state: "Missed" })] });
  await page.getByText("shop/late").first().waitFor();
  assertEquals(await banner.isVisible(), true);
  server.tell({ kind: "ready", now: NOW });
  await banner.waitFor({ state: "hidden" });
}, { sanitize: false });

test("new trouble is announced to those who listen, and what was there at first is not", async () => {
  await using opened = await open("#/attention");
  const { page, server } = opened;
  await page.getByText("live", { exact: true }).waitFor();
  const said = page.locator("[aria-live=polite]");
  assertEquals(await said.textContent(), "");
  const changed = row({
    namespace: "shop",
    name: "late",
    state: "Missed",
    cause: { reason: "MissSchedule", message: "too late" },
  });
  server.tell({ kind: "rows", now: NOW, rows: [changed] });
  await said.getByText("shop/late: Missed, too late").waitFor({ state: "attached" });
  await assertBecomes(() => page.title(), "(4) CronJobs");
}, { sanitize: false });

test("nothing moves away under the pointer, and all is in its place once it rests", async () => {
  await using opened = await open("#/attention");
  const { page, server } = opened;
  const shown = () => page.locator(".trouble-row h2").evaluateAll((all) => all.map((one) => one.textContent));
  await page.locator(".trouble-row").nth(1).waitFor();
  const work = await workOn(page, ".trouble");
  server.tell({
    kind: "rows",
    now: NOW,
    rows: [row({ name: "worst", state: "Contested" }), { ...must(FLEET[0]), state: "Waiting", needsAttention: false }],
  });
  await page.getByText("default/worst").first().waitFor();
  assertEquals(await shown(), ["team-a/nightly-report", "team-b/sync", "infra/etcd-backup", "default/worst"]);
  await work[Symbol.asyncDispose]();
  await assertBecomes(shown, ["default/worst", "team-b/sync", "infra/etcd-backup"]);
}, { sanitize: false });

test("rows of all views hold still under the pointer, and move at once where the visitor sorts them", async () => {
  for (const view of ["#/all?sort=name", "#/timeline"]) {
    await using opened = await open(view);
    const { page, server } = opened;
    const shown = () =>
      page.locator("[data-row]").evaluateAll((all) => all.slice(0, 3).map((one) => one.getAttribute("data-row")));
    await page.locator("[data-row]").nth(1).waitFor();
    await using _work = await workOn(page, "[data-row]");
    const before = await shown();
    server.tell({ kind: "rows", now: NOW, rows: [row({ name: "a", namespace: "a", state: "Contested" })] });
    await page.waitForFunction(() => document.title === "(4) CronJobs");
    assertEquals(await shown(), before, view);
    if (!view.startsWith("#/all")) continue;
    await page.getByRole("button", { name: "State" }).click();
    await page.waitForFunction(() => document.querySelector("[data-row]")?.textContent?.includes("a/a"));
  }
}, { sanitize: false });

test("a time of another zone names it at every width, with a space before it", async () => {
  for (const width of [1440, 1100, 390]) {
    await using opened = await open("#/attention", {}, { viewport: { width, height: 900 } });
    const { page } = opened;
    const since = page.locator(".trouble-row", { hasText: "team-b/sync" }).locator(".since");
    assertMatch(must(await since.textContent() ?? undefined), /00:30 UTC/, `${width}`);
    await page.getByRole("link", { name: "All", exact: true }).click();
    const sync = page.getByRole("row", { name: /team-b\/sync/ });
    await eventually(`the row names the zone at ${width} px`, async () => /\bUTC\b/.test(await sync.innerText()));
  }
});

test("timeline and table are as wide as a wide window", async () => {
  await using opened = await open("#/all", {}, { viewport: { width: 2560, height: 900 } });
  const { page } = opened;
  for (const [view, part] of [["All", "table.all"], ["Timeline", ".timeline"]] as const) {
    await page.getByRole("link", { name: view, exact: true }).click();
    const { width = 0 } = await page.locator(part).boundingBox() ?? {};
    assertEquals(width > 2_400, true, `${view} is ${width} px wide`);
  }
});

test("a name that is too long overlaps nothing", async () => {
  const rows = [row({ namespace: "n".repeat(63), name: "m".repeat(52), state: "Failing", since: NOW })];
  for (const width of [1440, 820, 390]) {
    await using opened = await open("#/attention", { rows: messagesOf(rows) }, { viewport: { width, height: 900 } });
    const [name, since] = await Promise.all(
      [".trouble-row h2", ".trouble-row .since"].map((part) => opened.page.locator(part).boundingBox()),
    );
    const isBeside = (name?.x ?? 0) + (name?.width ?? 0) <= (since?.x ?? 0);
    assertEquals(isBeside || (name?.y ?? 0) + (name?.height ?? 0) <= (since?.y ?? 0) + 1, true, `${width}`);
  }
});

test("what may not be done has no button", async () => {
  const rights = { actions: { "cronjob-controller.dev/v1": ["pause" as const] }, mayReadLogs: false };
  await using opened = await open("#/attention", { rights });
  const { page } = opened;
  await page.getByRole("button", { name: "More of team-a/nightly-report" }).click();
  await page.getByRole("button", { name: "Pause…" }).first().waitFor();
  await assertBecomes(() => page.locator(".trouble-row .more .actions").first().innerText(), "Pause…\nExplain");
  await page.getByRole("link", { name: "team-b/sync" }).first().focus();
  await page.keyboard.press("r");
  await page.keyboard.press("p");
  await page.getByRole("dialog").getByText("Pause team-b/sync?").first().waitFor();
}, { sanitize: false });

test("filter and order stand in the address, and the next one who opens it sees the same", async () => {
  await using opened = await open("#/all");
  const { page, server } = opened;
  await page.getByRole("button", { name: /^Failing/ }).click();
  await page.getByRole("button", { name: "Name" }).click();
  await page.getByRole("button", { name: "Name" }).click();
  await page.getByRole("button", { name: /^Blocked/ }).click();
  await assertBecomes(() => names(page), ["team-b/sync", "team-a/nightly-report"]);
  const { hash } = new URL(page.url());
  await page.goto("about:blank");
  await page.goto(server.url + hash);
  await page.getByText("2 of 214").waitFor();
  await assertBecomes(() => names(page), ["team-b/sync", "team-a/nightly-report"]);
}, { sanitize: false });

test("the way back leads to what was typed, however soon one goes on", async () => {
  await using opened = await open("#/all");
  const { page } = opened;
  await page.getByText(/[0-9] CronJobs/).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("sync");
  await page.getByRole("link", { name: "team-b/sync" }).first().click();
  await page.locator(".head").waitFor();
  await page.goBack();
  await page.getByText(/[0-9] of 2/).waitFor();
  await assertBecomes(() => Promise.resolve(new URL(page.url()).hash), "#/all?q=sync");
}, { sanitize: false });

test("of 5,000 rows only those in view are drawn, and a filter is quick", async () => {
  await using opened = await open("#/all", { rows: messagesOf(fineRows(5_000)) });
  const { page } = opened;
  await page.getByText("5,000 CronJobs").waitFor();
  assert((await page.locator("tbody tr").count()) < 60);
  const cdp = await page.context().newCDPSession(page);
  // By the processor, and not by the clock: a machine that is busy does not take longer for it.
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const workedMs = async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return 1_000 * must(metrics.find(({ name }) => name === "TaskDuration")).value;
  };
  const tookMs: number[] = [];
  for (const text of ["s", "sh", "shi", "ship", "ship-", "ship-e", "", "state:waiting", "ns:infra cert"]) {
    const before = await workedMs();
    const [was, is] = await page.evaluate((text) => {
      const count = document.querySelector(".count")!;
      const was = count.textContent;
      const input = document.querySelector<HTMLInputElement>("input[type=search]")!;
      input.value = text;
      input.dispatchEvent(new InputEvent("input", { bubbles: true }));
      // Drawn once this has been left, and laid out as far as it is in view.
      return new Promise<[string | null, string | null]>((done) =>
        setTimeout(() => {
          document.body.getBoundingClientRect();
          done([was, count.textContent]);
        })
      );
    }, text);
    if (was !== is) tookMs.push(await workedMs() - before);
  }
  assert(tookMs.length >= 6 && Math.min(...tookMs) <= 50, `It took ${tookMs.map(Math.round)} ms`);
  await page.mouse.move(400, 400);
  await page.getByRole("button", { name: "Show all" }).click();
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page.locator('tr[aria-rowindex="5001"]').waitFor();
  assert((await page.locator("tbody tr").count()) < 60);
}, { sanitize: false });

test("arrow keys and the pointer move the timeline", async () => {
  await using opened = await open("#/timeline?hours=12");
  const { page, faults } = opened;
  await page.locator(".lane .run").first().waitFor();
  const label = () => page.locator(".axis text").first().textContent();
  const before = await label();
  await page.locator(".timeline").focus();
  await page.keyboard.press("ArrowLeft");
  await eventually("it moves", async () => (await label()) !== before);
  await page.getByRole("button", { name: "Back to now" }).click();
  await eventually("it is where it was", async () => (await label()) === before);
  const time = await page.locator(".lane:not(.axis) .lane-time").nth(3).boundingBox();
  assert(time !== null);
  await page.mouse.move(time.x + 200, time.y + 10);
  await page.mouse.down();
  await page.mouse.move(time.x + 350, time.y + 10, { steps: 4 });
  await page.mouse.up();
  await page.getByRole("button", { name: "Back to now" }).waitFor();
  assertEquals(new URL(page.url()).hash, "#/timeline?hours=12");
  assertEquals(faults, []);
}, { sanitize: false });

test("the timeline hatches where not all runs are known, and its legend says so", async () => {
  await using opened = await open("#/timeline?hours=12");
  const { page, faults } = opened;
  const hatched = page.locator(".lane .unknown");
  await hatched.first().waitFor();
  assertMatch(
    must(await hatched.first().locator("title").textContent() ?? undefined),
    /^Not all runs are known before /,
  );
  await page.getByLabel("Shapes").getByText("not known").waitFor();
  assertEquals(faults, []);
}, { sanitize: false });

test("times are those of the CronJob's zone, and hovering shows the viewer's", async () => {
  await using opened = await open("#/attention", {}, { timezoneId: "America/New_York" });
  const since = opened.page.locator(".trouble-row", { hasText: "team-b/sync" }).locator(".since time").first();
  await assertBecomes(() => since.textContent(), "00:30");
  assertEquals(await opened.page.locator(".trouble-row .since .zone").allTextContents(), [
    "Europe/Berlin",
    "UTC",
    "Europe/Berlin",
  ]);
  assertEquals(
    await since.getAttribute("title"),
    "Fri 2026-11-20 00:30 UTC\nThu 2026-11-19 19:30 America/New_York, where you are",
  );
}, { sanitize: false });
