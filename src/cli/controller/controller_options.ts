import { PER_CRON_JOB } from "../../cronjob/observer.ts";
import { sizeBytes } from "../flags/amounts.ts";
import { apiOption } from "../flags/api_option.ts";
import { CONNECTION_OPTIONS } from "../flags/connection_options.ts";
import { listenAddress } from "../flags/listen.ts";
import {
  durationMs,
  jobsOption,
  LOG_OPTIONS,
  option,
  type OptionsOf,
  repeatable,
  switchOption,
  wholeNumber,
} from "../flags/options.ts";
import { PING_OPTIONS } from "../flags/receiver_options.ts";
import { CLIENT_OPTIONS } from "./client_options.ts";
import { LEADERSHIP_OPTIONS } from "./leadership_options.ts";
import { WEBHOOK_OPTIONS } from "./webhook_options.ts";

/** The flags of `controller`. */
export const CONTROLLER_OPTIONS = [
  ...CONNECTION_OPTIONS,
  repeatable("--namespace <name>", "only CronJobs of this namespace; none given: all"),
  apiOption({ otherwise: "those that the cluster has and this may watch, and of batch/v1 the adopted ones" }),
  switchOption(
    "--managed-only",
    'of batch/v1, only CronJobs that were adopted: those with the annotation cronjob-controller.dev/managed: "true"',
  ),
  switchOption(
    "--force",
    "of batch/v1, run every CronJob although kube-controller-manager is at work: its own CronJob controller is off",
  ),
  option(
    "--concurrent-syncs <n>",
    "CronJobs settled at the same time, by turns of namespaces; runs that are due start before that, and slow ones come on top",
  ).parsedBy(wholeNumber(1, 10_000), "50"),
  switchOption(
    "--annotate-next-run",
    "keep the next run of batch/v1 CronJobs in the annotation cronjob-controller.dev/next-schedule-time",
  ),
  option(
    "--default-pending-timeout <seconds|duration>",
    "the pendingTimeoutSeconds of CronJobs that say nothing about it, where their API has no default",
  ).parsedBy(durationMs(1_000, 30 * 86_400_000)),
  switchOption(
    "--never-twice",
    "keep the names of Jobs taken where their CronJob says neverTwice, by a finalizer that goes within a minute",
  ),
  switchOption("--default-never-twice", "the same for CronJobs that say nothing about it; implies --never-twice"),
  jobsOption("off"),
  option("--metrics-bind-address <host:port>", "where /metrics is served; no host: all addresses; 0: nowhere")
    .parsedBy(listenAddress, ":8080"),
  option(
    "--health-probe-bind-address <host:port>",
    "where /healthz, /livez and /readyz are served; no host: all addresses; 0: nowhere",
  ).parsedBy(listenAddress, ":8081"),
  option(
    "--dashboard-bind-address <host:port>",
    "where a dashboard is served to people with a bearer token of the cluster; 127.0.0.1:port for kubectl " +
      "port-forward alone, any other address needs a certificate; 0: nowhere",
  ).parsedBy(listenAddress, "0"),
  option("--dashboard-tls-cert-file <file>", "its certificate, PEM; it is served under the names that this one has"),
  option("--dashboard-tls-key-file <file>", "the certificate's private key, PEM"),
  option(
    "--per-cronjob-metrics <level>",
    "what /metrics shows of each CronJob; essential: its next run, its last success, and whatever is not as usual",
  ).oneOf(PER_CRON_JOB).byDefault("essential"),
  option(
    "--history-dir <folder>",
    "where each replica keeps the runs that it sees for 90 days, for history, explain and the dashboard " +
      "(default: nowhere)",
  ),
  option("--history-size <size>", "how large that may grow, the oldest runs go first: 500MiB, 1GiB")
    .parsedBy(sizeBytes, "1GiB"),
  option(
    "--history-peers <url>",
    "the dashboard of all replicas, https://host:port, such as that of their Service: what one did not see it reads there " +
      "from another, with the token of its ServiceAccount (default: each knows its own)",
  ),
  option(
    "--history-peers-ca-file <file>",
    "the CA of that certificate, PEM (default: the CAs that this machine trusts)",
  ),
  ...LEADERSHIP_OPTIONS,
  ...CLIENT_OPTIONS,
  option("--shutdown-grace <seconds|duration>", "how long ending in order may take")
    .parsedBy(durationMs(1_000, 3_600_000), "10s"),
  ...WEBHOOK_OPTIONS,
  ...PING_OPTIONS,
  ...LOG_OPTIONS,
];

export type ControllerOptions = OptionsOf<typeof CONTROLLER_OPTIONS>;
