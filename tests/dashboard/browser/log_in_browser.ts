/// <reference lib="dom" />
import { assertEquals } from "@std/assert";
import { test } from "../../support/test.ts";
import { assertBecomes, open } from "./support/open.ts";
import { fineRows, row, SESSION } from "./support/sample_fleet.ts";
import { messagesOf } from "./support/sample_server.ts";

const FORBIDDEN = [{
  kind: "trouble" as const,
  reason: "Forbidden" as const,
  message: "You may not list and watch CronJobs in all namespaces",
}];

test("a visitor who may not look at all namespaces names theirs, and goes back to all", async () => {
  const rows = (namespaces: readonly string[]) =>
    namespaces.join() === "team-a,infra" ? messagesOf(fineRows(3)) : FORBIDDEN;
  await using opened = await open("#/all", { rowsOf: rows });
  const { page, faults } = opened;
  await page.getByText("You may not list CronJobs here").waitFor();
  await assertBecomes(() => page.locator(".summary").innerText(), "– need you\n– running\n– paused\n– fine");
  await assertBecomes(() => page.evaluate(() => document.activeElement?.getAttribute("name")), "namespaces");
  await page.keyboard.type("Team-A, infra");
  await page.keyboard.press("Enter");
  await page.getByText("3 CronJobs").waitFor();
  await page.reload();
  await page.getByText("3 CronJobs").waitFor();
  await page.getByRole("button", { name: "in team-a, infra" }).click();
  await page.getByText("You may not list CronJobs here").waitFor();
  assertEquals(faults, []);
}, { sanitize: false });

test("the address of a CronJob names the namespace of a visitor who may not look at all of them", async () => {
  const one = row({ namespace: "team-a", name: "backup", state: "Waiting" });
  const rows = (namespaces: readonly string[]) => namespaces.join() === "team-a" ? messagesOf([one]) : FORBIDDEN;
  await using opened = await open("#/cronjob/cronjob-controller.dev/v1/team-a/backup", { rowsOf: rows });
  const { page } = opened;
  await page.getByRole("heading", { name: "team-a/backup" }).waitFor();
  await page.getByRole("button", { name: "in team-a" }).waitFor();
}, { sanitize: false });

test("a ServiceAccount that may not look at all namespaces looks at its own first", async () => {
  const one = row({ namespace: "team-a", name: "backup", state: "Missed" });
  const rows = (namespaces: readonly string[]) => namespaces.join() === "team-a" ? messagesOf([one]) : FORBIDDEN;
  const session = { ...SESSION, user: "system:serviceaccount:team-a:history" };
  await using opened = await open("#/attention", { rowsOf: rows, session });
  const { page } = opened;
  await page.getByRole("heading", { name: "team-a/backup" }).waitFor();
  await page.getByRole("button", { name: "in team-a" }).click();
  await page.getByLabel("Namespaces that you may look at").waitFor();
}, { sanitize: false });

test("a visitor forgets a token, and gives another", async () => {
  await using opened = await open("#/all", { session: { ...SESSION, login: "token" } });
  const { page } = opened;
  await page.getByText("214 CronJobs").waitFor();
  const loaded = page.waitForEvent("load");
  await page.getByRole("button", { name: "Log out" }).click();
  await loaded;
}, { sanitize: false });

test(
  "the page of who is not logged in names the command for a link, and sees that another tab has logged in",
  async () => {
    let isLoggedIn = false;
    await using opened = await open("#/all", { sessionNow: () => ({ ...SESSION, isLoggedIn }) });
    const { page } = opened;
    await page.getByText("cronjob-controller dashboard --data-dir FOLDER").waitFor();
    isLoggedIn = true;
    // Again and again: the page may listen a moment after it shows its text.
    await page.evaluate(() => void setInterval(() => dispatchEvent(new Event("focus")), 100));
    await page.getByText("214 CronJobs").waitFor();
  },
  { sanitize: false },
);

test("a login link that is opened in the tab of the page logs in, and its code leaves the address", async () => {
  const [who, code] = [{ ...SESSION, isLoggedIn: false }, "x".repeat(22)];
  const given = { sessionNow: () => who, logIn: (sent: unknown) => void (who.isLoggedIn = sent === code) };
  await using opened = await open("#/all", given);
  const { page, server } = opened;
  await page.getByText("cronjob-controller dashboard --data-dir FOLDER").waitFor();
  await page.goto(`${server.url}#code=${code}`);
  await page.getByRole("heading", { name: "What needs you" }).waitFor({ state: "attached" });
  assertEquals(page.url(), server.url);
}, { sanitize: false });

test("a page that another version of the program answers says so, and keeps what it shows", async () => {
  let version = "1.0.0";
  const rows = [...messagesOf([row({ name: "a", state: "Missed" })])];
  await using opened = await open("#/all", { rows, sessionNow: () => ({ ...SESSION, version }) });
  const { page, server, faults } = opened;
  await page.getByText("default/a").waitFor();
  version = "2.0.0";
  rows.length = 0;
  server.drop();
  await page.getByText("The program was upgraded:").waitFor();
  await page.getByText("default/a").waitFor();
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByText("Loading CronJobs").waitFor();
  assertEquals([await page.getByText("upgraded").count(), faults], [0, []]);
}, { sanitize: false });
