// KubeJobFailed of kube-prometheus-stack, evaluated by Prometheus over the failed Jobs that `failedJobs: KeepUntilSuccess`
// leaves. The expression is that of kubernetes-mixin, alerts/apps_alerts.libsonnet, as kube-prometheus-stack renders it
// (templates/prometheus/rules-1.14/kubernetes-apps.yaml), where it has to hold for 15 minutes: here it may never hold.
import { assert } from "@std/assert";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { MINUTES, playFailedJobs } from "../cronjob/support/failed_jobs.ts";
import { expectAlerts, type Expectation, type Input } from "./support/promtool.ts";

const ALERT = "KubeJobFailed";
const RULE = { alert: ALERT, expr: 'kube_job_failed{job="kube-state-metrics"} > 0', labels: { severity: "warning" } };
const HISTORIES = 1_000;

/** The labels that kube-state-metrics gives a Job. */
function labelsOf(namespace: string, job_name: string) {
  return { job: "kube-state-metrics", namespace, job_name, condition: "true" };
}

function seriesOf(namespace: string, job: string): string {
  const labels = Object.entries(labelsOf(namespace, job)).map(([name, value]) => `${name}="${value}"`);
  return `kube_job_failed{${labels.join(",")}}`;
}

/** A sample a minute, in promtool's notation. A Job that is gone is not scraped any more. */
function samplesOf(isThere: readonly boolean[]): string {
  return isThere.map((there, minute) => there ? "1" : isThere[minute - 1] ? "stale" : "_").join(" ");
}

test("KubeJobFailed fires while runs fail, and is silent within a minute of the success, in 1,000 histories", async () => {
  const input: Input = {};
  const expected: Expectation[] = Array.from({ length: MINUTES }, (_, minute) => (
    { at: `${minute}m`, alert: ALERT, fires: [] }
  ));
  let ended = 0;
  for (let seed = 0; seed < HISTORIES; seed++) {
    const namespace = `history-${seed}`;
    const there = new Map<string, boolean[]>();
    let minute = 0;
    for await (const now of playFailedJobs(seed, must(FLAVOURS[seed % FLAVOURS.length]))) {
      for (const job of now.there) there.getOrInsertComputed(job, () => Array(MINUTES).fill(false))[minute] = true;
      const { fires } = must(expected[minute]);
      (fires as Record<string, string>[]).push(...now.wanted.map((job) => labelsOf(namespace, job)));
      minute++;
    }
    for (const [job, minutes] of there) {
      input[seriesOf(namespace, job)] = samplesOf(minutes);
      if (!minutes.at(-1)) ended++;
    }
  }
  assert(ended > HISTORIES, `Only ${ended} failed Jobs ever went`);
  await expectAlerts([{ ...RULE, annotations: {} }], input, expected);
});
