import { Counter, Gauge, Histogram } from "prom-client";
import { CRON_JOB_FAMILIES, NAMESPACE_FAMILIES } from "../../src/cronjob/metric_families.ts";
import { CronJobMetrics } from "../../src/cronjob/metrics.ts";
import { BREACHES } from "../../src/cronjob/decision/expectations.ts";
import type { CronJobState } from "../../src/cronjob/observer.ts";
import { JobMetrics } from "../../src/job/metrics.ts";
import { NotificationMetrics } from "../../src/notifications/metrics.ts";
import { RequestMetrics } from "../../src/kube/request_metrics.ts";
import { QueueMetrics } from "../../src/runtime/queue_metrics.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { code, page, sentence } from "./markdown.ts";

interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: ReadonlySet<string>;
  /** What a label can say, as far as that is known beforehand. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
}

const CRON_JOB_LABELS = ["api_version", "namespace", "cronjob"];
const CRON_JOB = { apiVersion: "v", namespace: "n", name: "c" };

/** A state of which nothing is left out: only then each metric has something to show. */
const ALL_KNOWN: Required<CronJobState> = {
  nextRun: 1,
  lastSchedule: 1,
  lastSuccess: 1,
  lastFailure: 1,
  active: 0,
  isOverdue: false,
  consecutiveFailures: 0,
  notFollowed: { reason: "r", message: "m" },
  unmet: BREACHES,
  durations: { runs: 1, p50Seconds: 1, p95Seconds: 1 },
  backfill: { left: 1, failed: 1 },
  settings: { schedule: "", timeZone: undefined, policy: "Allow", suspended: false },
  isContested: false,
  rival: "r",
};

/** Everything that `/metrics` of a controller shows, with one CronJob about which all there is to say is known. */
async function exposition(): Promise<{ text: string; metrics: Metrics }> {
  const metrics = new Metrics({ version: "v", commit: "c", deno_version: "d", target: "t" });
  new JobMetrics(metrics.registry);
  new NotificationMetrics(metrics.registry, ["webhook", "ping"]);
  const queues = new QueueMetrics(metrics);
  queues.onGet("n", 1);
  queues.onDone("n", 1);
  queues.onReconcile("n", "success", 1);
  const requests = new RequestMetrics(metrics);
  requests.onRequest({ method: "G", host: "h", code: 200, durationMs: 1 });
  requests.onLaneWait({ method: "G", host: "h", waitMs: 1 });
  const cronJobs = new CronJobMetrics(metrics, { perCronJob: "all", now: () => 0 });
  cronJobs.looked(CRON_JOB, ALL_KNOWN);
  return { text: (await Array.fromAsync(metrics.expose())).join(""), metrics };
}

/** Every metric with its type, labels and help. */
export async function metricFamilies(): Promise<Family[]> {
  const { text, metrics } = await exposition();
  const registered = new Map(metrics.registry.getMetricsAsArray().map((metric) => [metric.name, labelNamesOf(metric)]));
  const families: Family[] = [];
  for (const [, name = "", help = ""] of text.matchAll(/^# HELP (\S+) (.*)$/gm)) {
    const [, type = ""] = new RegExp(`^# TYPE ${name} (\\w+)$`, "m").exec(text)!;
    const shown = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, "m").exec(text)?.[1] ?? "";
    const labels = registered.get(name) ??
      [...shown.matchAll(/(\w+)="/g)].map(([, label = ""]) => label).filter((label) => label !== "le");
    families.push({ name, type, help, labels: new Set(labels), values: valuesIn(text, name) });
  }
  return families;
}

/** Placeholders have one letter. */
function valuesIn(text: string, name: string): Map<string, Set<string>> {
  const values = new Map<string, Set<string>>();
  for (const [, shown = ""] of text.matchAll(new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, "gm"))) {
    for (const [, label = "", value = ""] of shown.matchAll(/(\w+)="([^"]{2,})"/g)) {
      if (label !== "le") values.set(label, (values.get(label) ?? new Set()).add(value));
    }
  }
  return values;
}

function labelNamesOf(metric: unknown): readonly string[] {
  const isMetric = metric instanceof Counter || metric instanceof Gauge || metric instanceof Histogram;
  return isMetric ? (metric as unknown as { labelNames: string[] }).labelNames : [];
}

const GROUPS: readonly (readonly [title: string, about: string, isOf: (family: Family) => boolean])[] = [
  [
    "Each namespace",
    "Each has the labels `api_version` and `namespace`. Only the leader shows them. Counts begin with its process.",
    ({ name }) => NAMESPACE_FAMILIES.some((family) => family.name === name),
  ],
  [
    "Each CronJob",
    "Each has the labels `api_version`, `namespace` and `cronjob`. Only the leader shows them. Counts begin with its " +
    "process. `--per-cronjob-metrics` says which are shown: `none`; `essential`, the default; or `all`.",
    ({ labels }) => labels.has("cronjob"),
  ],
  [
    "The Job controller",
    "Names and labels are those of kube-controller-manager. They are there with `--jobs`.",
    ({ name }) => name.startsWith("job_controller_"),
  ],
  [
    "Controllers and their queues",
    "Names are those of client-go and controller-runtime. Controllers are `cronjob` (the tutorial's API), " +
    "`production-cronjob` (`cronjob-controller.dev/v1`), `batch-cronjob` (`batch/v1`), `job` and `job_orphan_pod`.",
    ({ name }) => /^(workqueue|controller_runtime)_/.test(name),
  ],
  [
    "Requests to the API server",
    "A request without an answer has the code `<error>`. More urgent lanes leave first.",
    ({ name }) => /^(rest_client_|cronjob_controller_requests_)/.test(name),
  ],
  ["The program", "All other metrics.", () => true],
];

export async function metricsPage(): Promise<string> {
  let rest = await metricFamilies();
  const parts: string[] = [];
  for (const [title, about, isOf] of GROUPS) {
    parts.push([`## ${title}`, about, rest.filter(isOf).map(familyLine).join("\n")].join("\n\n"));
    rest = rest.filter((family) => !isOf(family));
  }
  return page(
    "Metrics",
    "`/metrics` (`controller --metrics-bind-address`, plain HTTP) shows these in Prometheus' text format.",
    ...parts,
  );
}

/** When a metric of each CronJob is shown. */
function levelOf(name: string): string {
  const family = CRON_JOB_FAMILIES.find((family) => family.name === name);
  if (!family) return "";
  const level = family.essential === undefined
    ? `with ${code("all")}`
    : `with ${code("essential")} ${family.essential}`;
  return ` Shown ${level}.`;
}

function familyLine({ name, type, help, labels, values }: Family): string {
  const own = [...labels].filter((label) => !labels.has("namespace") || !CRON_JOB_LABELS.includes(label));
  const described = own.map((label) => {
    const known = [...values.get(label) ?? []];
    return known.length < 2 ? code(label) : `${code(label)} (${known.join(", ")})`;
  });
  const by = own.length === 0 ? "" : `, by ${described.join(", ")}`;
  return `- ${code(name)} (${type}${by}): ${sentence(help.replaceAll("<", "&lt;"))}${levelOf(name)}`;
}
