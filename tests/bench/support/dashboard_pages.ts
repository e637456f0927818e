/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { JOBS, NAMESPACES } from "../../../src/kube/resource.ts";
import { ApiServerProcess } from "../../support/api_server_process.ts";
import { completedAt, failedAt } from "../../support/ended_job.ts";
import { must } from "../../support/expected.ts";
import { startBrowser } from "../../support/browser.ts";
import { PROGRAM, RunningProgram, temporaryFolder } from "../../support/program.ts";
import { inParallel } from "./in_parallel.ts";
import { JOB_SPEC } from "./measured_controller.ts";
import { usageOf } from "./usage.ts";
import { BATCH } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { cronJobOf } from "../../support/cron_job.ts";
import { jobOf } from "../../support/job.ts";

const JOBS_EACH = 4;
const NAMESPACES_COUNT = 50;
const IDLE_MS = 60_000;

/** Opens so many pages over so many CronJobs, and gives what that took. */
export async function measurePages(
  { cronJobs, pages }: { cronJobs: number; pages: number },
): Promise<Record<string, number>> {
  await using folder = await temporaryFolder();
  await using server = await ApiServerProcess.start({ dataDir: `${folder.path}/data`, controllers: [] });
  const { url, caCertificate, token, kubeconfigPath } = server.address;
  await using client = HttpKubeClient.to({ server: url, caCertificates: [caCertificate], token });
  await seed(client, cronJobs);

  const command = [...PROGRAM, "dashboard", "--kubeconfig", kubeconfigPath, "--no-open"];
  await using dashboard = new RunningProgram(command);
  const [link] = await dashboard.waitFor(/http:\S+#code=\S+/);
  const before = usageOf(dashboard.pid).residentMb;
  await using browser = await startBrowser();
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });

  const first = await context.newPage();
  const began = performance.now();
  await first.goto(link);
  await textSeen(first, /\S+-0007/);
  const shownMs = performance.now() - began;
  const paintMs = await first.evaluate(() => {
    // In the browser, where nothing of this module can be called.
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    const loaded = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const files = loaded.filter(({ name }) => name.includes("/page.")).map(({ responseEnd }) => responseEnd);
    return paint!.startTime - Math.max(...files);
  });
  for (let i = 1; i < pages; i++) {
    const page = await context.newPage();
    await page.goto(new URL("/", link).href);
    await textSeen(page, /\S+-0007/);
  }
  const opened = usageOf(dashboard.pid);
  const idle = await idleShare(dashboard.pid);
  const idleMb = usageOf(dashboard.pid).residentMb;

  const changes: number[] = [];
  for (const name of ["cronjob-0101", "cronjob-0202", "cronjob-0303"]) {
    const namespace = namespaceOf(Number(name.slice(-4)));
    const changedAt = performance.now();
    await failARun(client, { namespace, name });
    await textSeen(first, new RegExp(name));
    changes.push(performance.now() - changedAt);
  }
  const keys = await typingMs(first);
  await context.close();
  return {
    "CronJobs": cronJobs,
    "pages open": pages,
    "all shown after (ms)": shownMs,
    "first paint after the page's bytes (ms)": paintMs,
    "a change shows after (ms)": Math.max(...changes),
    "a key in the search shows after, median (ms)": must(keys[keys.length >> 1]),
    "a key in the search shows after, most (ms)": must(keys.at(-1)),
    "share of a core (%)": idle * 100,
    "memory without a page (MB)": before,
    "memory with pages (MB)": idleMb,
    "memory once they were open (MB)": opened.residentMb,
  };
}

/** Seven of them fail, so that the page has something to show at once. */
async function seed(client: HttpKubeClient, count: number): Promise<void> {
  for (let i = 0; i < NAMESPACES_COUNT; i++) {
    await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: `team-${i}` } });
  }
  await inParallel(count, 40, async (i) => {
    const spec = { schedule: `${i % 60} ${i % 24} * * *`, timeZone: "Europe/Berlin", jobTemplate: { spec: JOB_SPEC } };
    const cronJob = cronJobOf(BATCH, { namespace: namespaceOf(i), name: nameOf(i), spec });
    const made = await client.create(BATCH.resource, cronJob, { lane: "run" });
    for (let run = 0; run < JOBS_EACH; run++) await addRun(client, made, run, i % 700 === 7 && run === 0);
  });
}

function namespaceOf(index: number): string {
  return `team-${index % NAMESPACES_COUNT}`;
}

function nameOf(index: number): string {
  return `cronjob-${String(index).padStart(4, "0")}`;
}

/** A run of so many days ago that has ended. */
async function addRun(
  client: HttpKubeClient,
  owner: CronJobObject,
  daysAgo: number,
  hasFailed: boolean,
): Promise<void> {
  const { name, namespace } = owner.metadata;
  const minute = Math.floor(Date.now() / 60_000) - daysAgo * 1_440 - 1;
  const at = new Date(minute * 60_000).toISOString().replace(".000", "");
  const annotations = { [BATCH.scheduledTimeAnnotation]: at };
  const run = jobOf({ namespace: namespace!, name: `${name}-${minute}`, annotations, owner, spec: JOB_SPEC });
  const job = await client.create(JOBS, run, { lane: "run" });
  const status = hasFailed ? failedAt(at) : completedAt(at);
  await client.replace(JOBS, { ...job, status }, { subresource: "status", lane: "run" });
}

async function failARun(client: HttpKubeClient, name: { namespace: string; name: string }): Promise<void> {
  await addRun(client, await client.get(BATCH.resource, name), -1, true);
}

/** Waits until the page shows it. */
async function textSeen(page: Page, pattern: RegExp): Promise<void> {
  await page.waitForFunction((text) => new RegExp(text).test(document.body.innerText), pattern.source, {
    polling: 20,
    timeout: 120_000,
  });
}

/** How long it takes from each key to the picture that follows it, as the browser itself measures: 16 is its least. */
async function typingMs(page: Page): Promise<number[]> {
  await page.bringToFront();
  await page.evaluate(() => location.hash = "#/all");
  await textSeen(page, /[0-9] CronJobs/);
  await page.evaluate(() => {
    const seen = globalThis as unknown as { keysMs: number[] };
    seen.keysMs = [];
    const options: PerformanceObserverInit & { durationThreshold: number } = { type: "event", durationThreshold: 16 };
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === "keydown") seen.keysMs.push(duration);
    }).observe(options);
  });
  await page.keyboard.press("/");
  let count = 0;
  for (const text of ["cronjob-04", "team-7/", "berlin 30", "state:waiting ns:team-7", "nothing"]) {
    await page.keyboard.type(text, { delay: 80 });
    for (const key of ["ControlOrMeta+a", "Delete"]) {
      await page.waitForTimeout(200);
      await page.keyboard.press(key);
    }
    count += text.length + 2;
  }
  await page.waitForTimeout(200);
  const keysMs = await page.evaluate(() => (globalThis as unknown as { keysMs: number[] }).keysMs);
  const quicker = Array.from({ length: Math.max(0, count - keysMs.length) }, () => 16);
  return [...quicker, ...keysMs].sort((a, b) => a - b);
}

/** Of one core. */
async function idleShare(pid: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const before = usageOf(pid).cpuSeconds;
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return (usageOf(pid).cpuSeconds - before) / (IDLE_MS / 1_000);
}
