import { assertEquals } from "@std/assert";
import type { ActionResult } from "../../../src/dashboard/wire.ts";
import { openPage, startBrowser } from "../../support/browser.ts";
import { test } from "../../support/test.ts";
import type { Canned, CannedBody } from "./support/canned_server.ts";
import { row } from "./support/sample_fleet.ts";
import { messagesOf, serveSample } from "./support/sample_server.ts";

type Done = (target: CannedBody["targets"][number], body: CannedBody) => Omit<ActionResult, "target">;

/** A page of these rows, whose server answers actions so, and the bodies that it has got. */
async function startDialogs(rows: Parameters<typeof messagesOf>[0], done: Done, given: Partial<Canned> = {}) {
  const stack = new AsyncDisposableStack();
  const bodies: CannedBody[] = [];
  const server = stack.use(serveSample({
    rows: messagesOf(rows),
    done: (_action, body) => {
      bodies.push(body);
      return { results: body.targets.map((target) => ({ target, ...done(target, body) })) };
    },
    ...given,
  }));
  const browser = stack.use(await startBrowser());
  const { page } = stack.use(await openPage(browser, server.url));
  const inDialog = (name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true });
  return { page, bodies, inDialog, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const HELD = "Forbid: hung-1 has been running for 8m";

test("a run that an active run holds back asks what becomes of that one, and says what came of itself", async () => {
  const hung = row({ name: "hung", state: "Blocked", actions: [{ do: "Wait", job: "hung-1" }] });
  const done: Done = (_target, { overlap }) =>
    overlap === undefined
      ? { result: "left", message: HELD, heldBy: [{ job: "hung-1" }] }
      : { result: "done", message: "asked for a run", job: "hung-2", trigger: "page-1" };
  await using world = await startDialogs([hung], done, { askedRun: { became: "started", job: "hung-2" } });
  const { page, bodies, inDialog } = world;
  await page.getByRole("button", { name: "More of default/hung" }).click();
  await page.getByRole("button", { name: "Run now" }).click();
  await inDialog("Run now").click();
  await page.getByRole("dialog").getByText(HELD).waitFor();
  await inDialog("Delete it and run").click();
  await page.locator(".notice").getByText("Started").waitFor();
  await page.locator(".notice").getByRole("link", { name: "Logs of hung-2" }).waitFor();
  assertEquals(bodies.map(({ overlap, targets: [target] }) => [overlap, target?.heldBy]), [
    [undefined, undefined],
    ["delete", [{ job: "hung-1" }]],
  ]);
});

test("a run that was skipped is said to be skipped", async () => {
  const done: Done = () => ({ result: "done", message: "asked for a run", job: "sync-2", trigger: "page-1" });
  const askedRun = { became: "skipped", message: "another run is active" } as const;
  const sync = row({ name: "sync", state: "Missed", actions: [{ do: "RunNow" }] });
  await using world = await startDialogs([sync], done, { askedRun });
  await world.page.getByRole("button", { name: "Run now" }).click();
  await world.inDialog("Run now").click();
  await world.page.locator(".notice").getByText("Skipped: another run is active").waitFor();
});

test("a pause with a time that is refused keeps its dialog and what was typed", async () => {
  const done: Done = () => ({ result: "failed", message: "until must lie in the future" });
  await using world = await startDialogs([row({ name: "sync", state: "Missed" })], done);
  const { page, inDialog } = world;
  await page.getByRole("button", { name: "More of default/sync" }).click();
  await page.getByRole("button", { name: "Pause…" }).click();
  await page.getByLabel("Reason").fill("migration");
  await inDialog("Pause").click();
  await page.getByRole("alert").getByText("until must lie in the future").waitFor();
  assertEquals(await page.getByLabel("Reason").inputValue(), "migration");
});

test("many CronJobs are paused batch by batch", async () => {
  const rows = Array.from({ length: 450 }, (_, index) => row({ name: `c${index}`, state: "Waiting" }));
  await using world = await startDialogs(rows, () => ({ result: "done", message: "paused" }));
  const { page, bodies, inDialog } = world;
  await page.getByRole("link", { name: "All", exact: true }).click();
  await page.getByText("450 CronJobs").waitFor();
  await page.getByRole("checkbox", { name: "Select all that are shown" }).click();
  await page.getByText("450 selected").waitFor();
  await page.locator(".selection").getByRole("button", { name: "Pause…" }).click();
  await inDialog("Pause").click();
  await page.locator(".notice").getByText("450 of 450 done").waitFor();
  assertEquals(bodies.map(({ targets }) => targets.length), [100, 100, 100, 100, 50]);
});

test("what the spec suspends is resumed by an edit of the spec, a pause by the name of its owner", async () => {
  const rows = [
    row({ name: "off", state: "Suspended", actions: [{ do: "Unsuspend", in: "spec" }] }),
    row({ name: "rest", state: "Paused", actions: [{ do: "Resume", by: "ben" }], pause: { by: "ben" } }),
  ];
  await using world = await startDialogs(rows, () => ({ result: "done", message: "resumed" }));
  const { page, bodies, inDialog } = world;
  await page.getByRole("link", { name: "All", exact: true }).click();
  await page.getByText("2 CronJobs").waitFor();
  await page.getByRole("checkbox", { name: "Select all that are shown" }).click();
  await page.getByText("2 selected").waitFor();
  await page.locator(".selection").getByRole("button", { name: "Resume" }).click();
  await page.getByRole("dialog").getByText("The spec is edited.").waitFor();
  await inDialog("Resume").click();
  await page.locator(".notice").getByText("2 of 2 done").waitFor();
  assertEquals(bodies.map(({ targets }) => targets.map(({ name, of, withForeign }) => [name, of, withForeign])), [
    [["rest", "ben", false], ["off", undefined, true]],
  ]);
});

test("a back-fill that was looked at keeps its choices", async () => {
  const done: Done = () => ({ result: "done", message: "nothing to start", slots: [] });
  await using world = await startDialogs([row({ name: "sync", state: "Missed" })], done);
  const { page, bodies, inDialog } = world;
  await page.getByRole("button", { name: "More of default/sync" }).click();
  await page.getByRole("button", { name: "Back-fill…" }).click();
  await page.getByLabel("Those that failed, too").check();
  for (const _ of [1, 2]) {
    await inDialog("Preview").click();
    await page.getByRole("dialog").getByText("nothing to start").waitFor();
    await inDialog("Back").click();
  }
  assertEquals(bodies.map(({ reprocess }) => reprocess), ["failed", "failed"]);
});

test("of the buttons that cancel a back-fill or not, one alone says that it does", async () => {
  const rows = [row({ name: "a", state: "Missed", backfill: { id: "1", done: 0 } })];
  await using dialogs = await startDialogs(rows, () => ({ result: "done", message: "" }));
  const { page } = dialogs;
  await page.getByRole("button", { name: "More of default/a" }).click();
  await page.getByRole("button", { name: "Cancel the back-fill" }).click();
  const buttons = page.getByRole("dialog").getByRole("button");
  await buttons.first().waitFor();
  assertEquals(await buttons.allInnerTexts(), ["Keep it running", "Cancel the back-fill"]);
}, { sanitize: false });
