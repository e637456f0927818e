import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { openPage, startBrowser } from "../../support/browser.ts";
import { dashboardLink, eventually, kubectlOk, Standalone, temporaryFolder } from "../../support/program.ts";
import { shellCronJob } from "../../support/shell_cron_job.ts";
import { test } from "../../support/test.ts";
import { assertBecomes } from "./support/open.ts";

const FLEET = [
  shellCronJob(
    "yearly",
    "echo started; for i in 1 2 3 4 5 6 7 8 9; do echo tick $i; sleep 0.2; done; echo over",
  ),
  shellCronJob("fails", "echo no such table >&2; exit 3", { spec: { schedule: "@every 20s" } }),
  // Its Pod waits for a Secret that is not there.
  shellCronJob("hangs", "true", {
    spec: { schedule: "@every 5s", concurrencyPolicy: "Forbid" },
    container: { envFrom: [{ secretRef: { name: "none" } }] },
  }),
  shellCronJob("hourly", "true", { spec: { schedule: "0 * * * *", startTime: "2026-01-01T00:00:00Z" } }),
].join("---\n");

interface World extends AsyncDisposable {
  readonly standalone: Standalone;
  readonly page: Page;
  readonly faults: readonly string[];
}

/** The program with CronJobs that run, and its page in a browser. */
async function startWorld(): Promise<World> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  await Deno.writeTextFile(`${folder.path}/fleet.yaml`, FLEET);
  const args = ["--dashboard-address=127.0.0.1:0", "--apply", `${folder.path}/fleet.yaml`];
  const standalone = stack.use(await Standalone.start(folder.path, args));
  const browser = stack.use(await startBrowser());
  const { page, faults } = stack.use(await openPage(browser, await dashboardLink(standalone)));
  await page.getByText("live", { exact: true }).waitFor();
  return { standalone, page, faults, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("one runs, pauses, resumes, deletes a Job and back-fills by the page, and it says what it did", async () => {
  await using world = await startWorld();
  const { page, standalone, faults } = world;
  const notice = page.locator(".notice");
  const inDialog = (name: string | RegExp) => page.getByRole("dialog").getByRole("button", { name });
  /** Carries out what a dialog asks; what is pressed next is pressed on the page beneath it. */
  const confirm = async (name: string | RegExp) => {
    await inDialog(name).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  };

  // A run now, whose logs come as it writes them.
  await page.goto(`${new URL(page.url()).origin}/#/cronjob/cronjob-controller.dev/v1/default/yearly`);
  await page.getByRole("button", { name: "Run now" }).click();
  await confirm("Run now");
  await notice.getByText("default/yearly").waitFor();
  await page.getByRole("log").getByText("tick 1").waitFor();
  await page.getByRole("log").getByText("over").waitFor();
  await page.getByText("The run has ended.").waitFor();

  // Its Job goes; the page remembers how it ended and what it wrote.
  const logsOf = page.getByRole("button", { name: /^Logs of yearly-/ });
  const label = await logsOf.getAttribute("aria-label") ?? "";
  await kubectlOk(standalone.kubeconfig, ["delete", "job", label.replace("Logs of ", ""), "--cascade=foreground"]);
  await page.reload();
  await page.locator(".runs-table").getByText("Succeeded").waitFor();
  await logsOf.click();
  await page.getByRole("log").getByText("over").waitFor();

  // A pause with a reason, and its undoing.
  await page.getByRole("button", { name: "Pause…" }).click();
  await page.getByRole("button", { name: "4 hours" }).click();
  await page.getByLabel("Reason").fill("db migration");
  await confirm("Pause");
  await page.locator(".head .state").getByText("Paused").waitFor();
  await page.locator(".head").getByText("db migration").waitFor();
  await notice.getByRole("button", { name: "Undo" }).click();
  await notice.getByText("resumed").waitFor();
  await page.locator(".head .state").getByText("Waiting").waitFor();

  // Resumed by its button.
  await page.getByRole("button", { name: "Pause…" }).click();
  await page.getByRole("button", { name: "Until I resume it" }).click();
  await confirm("Pause");
  await page.locator(".head .state").getByText("Paused").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await confirm("Resume");
  await page.locator(".head .state").getByText("Waiting").waitFor();
  await notice.getByText("resumed").waitFor();

  // A back-fill starts what its preview said; what was said of another CronJob is not above it.
  await page.goto(`${new URL(page.url()).origin}/#/cronjob/cronjob-controller.dev/v1/default/hourly`);
  await notice.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Back-fill…" }).click();
  // Times of the clock: an hour that begins meanwhile changes nothing.
  const to = await page.getByLabel("To", { exact: true }).inputValue();
  const from = new Date(Date.parse(`${to.replace(" ", "T")}:00Z`) - 3 * 3_600_000).toISOString().slice(0, 16);
  await page.getByLabel("From").fill(from.replace("T", " "));
  await inDialog("Preview").click();
  await inDialog(/^Start [0-9] runs?$/).waitFor();
  const count = Number(/\d/.exec(await inDialog(/^Start/).innerText())?.[0]);
  await confirm(/^Start/);
  await notice.getByText("asked to run").waitFor();
  await page.waitForFunction((count) => document.querySelectorAll(".runs-table .tag").length === count, count);

  // The run that fails is at the top of what needs attention, with its exit code and its last words.
  await page.getByRole("link", { name: "Attention" }).click();
  const failing = page.locator(".trouble-row", { hasText: "default/fails" });
  await failing.getByText("exit 3").waitFor();
  await failing.getByText("no such table").waitFor();
  await failing.getByRole("link", { name: "Logs" }).click();
  await page.getByRole("log").getByText("no such table").waitFor();

  // Why it failed, in a sentence.
  await page.getByRole("heading", { name: "Why" }).waitFor();
  await page.getByRole("region", { name: "Why" }).getByText("fails ran at").waitFor();

  // The day to come.
  await page.getByRole("link", { name: "Load" }).click();
  await page.locator(".heat-map td[title]:not([style*='level: 0'])").first().waitFor();

  // A Job that hangs.
  await page.getByRole("link", { name: "Attention" }).click();
  const hanging = page.locator(".trouble-row", { hasText: "default/hangs" });
  // A Job that takes its place misses the Secret too: the remedy comes first.
  await hanging.getByRole("link", { name: "Explain" }).waitFor();
  await hanging.getByRole("button", { name: "More of" }).click();
  await hanging.getByRole("button", { name: "Delete the Job…" }).click();
  const job = await page.getByRole("dialog").locator("code").innerText();
  await confirm("Delete");
  const jobs = await kubectlOk(standalone.kubeconfig, ["get", "jobs", "-o", "name"]);
  assertEquals(jobs.split("\n").includes(`job.batch/${job}`), false, await notice.innerText());

  // Several at once.
  await page.getByRole("link", { name: "All", exact: true }).click();
  await page.getByLabel("Select default/fails").check();
  await page.getByLabel("Select default/hangs").check();
  const bar = page.getByRole("region", { name: "Selection" });
  await bar.getByText("2 selected").waitFor();
  await bar.getByRole("button", { name: "Pause…" }).click();
  await confirm("Pause");
  await notice.getByText("2 of 2 done").waitFor();
  const paused = await kubectlOk(standalone.kubeconfig, ["get", "cronjobs.cronjob-controller.dev", "-o", "yaml"]);
  assertEquals(paused.match(/cronjob-controller\.dev\/pause:/g)?.length, 3);
  assertEquals(faults, []);
}, { sanitize: false });

test(
  "the keyboard alone finds CronJobs, runs, pauses, resumes and back-fills them, reads logs and deletes a Job",
  async () => {
    await using world = await startWorld();
    const { page, standalone, faults } = world;
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
    /** Goes on to what bears this text. */
    const tabTo = async (text: string | RegExp) => {
      for (let i = 0; i < 80; i++) {
        await press("Tab");
        const label = await page.evaluate(() =>
          document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent?.trim() ?? ""
        );
        if (typeof text === "string" ? label === text : text.test(label)) return;
      }
      throw new Error(`No way leads to ${text}`);
    };
    const closed = () => page.getByRole("dialog").waitFor({ state: "hidden" });
    /** Goes up and down the list, as rows change places, to the row of this name. */
    const goTo = async (name: string) => {
      await page.locator("[data-row]", { hasText: name }).first().waitFor();
      for (let i = 0; i < 80 && await focused() !== name; i++) await press(i % 20 < 10 ? "j" : "k");
      assertEquals(await focused(), name);
    };

    // From what needs attention, to the log of the run that failed.
    await page.locator(".trouble-row", { hasText: "default/fails" }).getByRole("link", { name: "Logs" }).waitFor();
    await goTo("default/fails");
    await press("l");
    await page.getByRole("log").getByText("no such table").waitFor();
    await press("1");

    // The Job that hangs.
    await page.locator(".trouble-row", { hasText: "default/hangs" }).getByText("Explain").waitFor();
    await goTo("default/hangs");
    await tabTo("More of default/hangs");
    await press("Enter");
    await tabTo("Delete the Job…");
    await press("Enter");
    await page.getByRole("dialog").waitFor();
    await press("Enter");
    await closed();

    await press("3");
    await page.getByText("4 CronJobs").waitFor();
    await press("/");
    await page.keyboard.type("yearly");
    await page.getByText("1 of 4").waitFor();
    await press("Escape", "j");
    await assertBecomes(focused, "default/yearly");
    await press("r");
    await page.getByRole("dialog").waitFor();
    await press("Enter");
    await closed();
    await assertBecomes(focused, "default/yearly");
    await press("l");
    await page.getByRole("log").getByText("tick 2").waitFor();
    await page.goBack();
    await page.getByText("1 of 4").waitFor();
    await press("j", "p");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("because");
    await press("Enter");
    await closed();
    await page.locator(".state", { hasText: "Paused" }).waitFor();
    await press("p");
    await page.getByRole("dialog").getByText("Resume default/yearly?").first().waitFor();
    await tabTo("Resume");
    await press("Enter");
    await closed();
    await page.locator(".state", { hasText: "Waiting" }).waitFor();
    await press("p");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("because");
    await press("Enter");
    await closed();
    await page.locator(".state", { hasText: "Paused" }).waitFor();

    // Several at once.
    await press("/");
    await page.keyboard.press("ControlOrMeta+a");
    await press("Delete", "Escape");
    await page.getByText("4 CronJobs").waitFor();
    // A run of it is active again, as its status says too: another one is held back.
    await page.locator("[data-row]", { hasText: "default/hangs" }).locator(".state", { hasText: /Pending|Blocked/ })
      .waitFor();
    const active = ["get", "cronjobs.cronjob-controller.dev/hangs", "-o", "jsonpath={.status.active[*].name}"];
    await eventually("it is active", async () => await kubectlOk(standalone.kubeconfig, active) !== "");
    for (const name of ["default/hangs", "default/fails"]) {
      await goTo(name);
      await press("x");
    }
    await page.getByText("2 selected").waitFor();
    await tabTo("Run now");
    await press("Enter");
    await page.getByRole("dialog").waitFor();
    await press("Enter");
    // The active run of one of them keeps another from starting.
    await page.getByRole("dialog").getByRole("button", { name: "Run beside" }).waitFor();
    await tabTo("Run beside");
    await press("Enter");
    await closed();
    await page.locator(".notice").getByRole("link", { name: /^Logs of hangs-/ }).waitFor();

    // A back-fill.
    await press("/");
    await page.keyboard.type("hourly");
    await page.getByText("1 of 4").waitFor();
    await press("Escape", "j", "Enter");
    await page.locator(".head").getByRole("button", { name: "Back-fill…" }).waitFor();
    await tabTo("Back-fill…");
    await press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("3h");
    await press("Enter");
    await page.getByRole("button", { name: /^Start [0-9]/ }).waitFor();
    await tabTo(/^Start [0-9]/);
    await press("Enter");
    await closed();
    await page.locator(".notice").getByText("asked to run").waitFor();

    await press("?");
    await page.getByRole("dialog").getByText("Next CronJob").waitFor();
    await press("Escape");
    const yaml = await kubectlOk(standalone.kubeconfig, [
      "get",
      "cronjobs.cronjob-controller.dev",
      "yearly",
      "-o",
      "yaml",
    ]);
    assert(yaml.includes("because"));
    assertEquals(faults, []);
  },
  { sanitize: false },
);
