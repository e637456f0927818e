import { ACQUIRE_JITTER, type LeaseTimings, misfitOf } from "../../runtime/lease.ts";
import { ConfigError } from "../errors.ts";
import { durationMs, option, type OptionsOf, switchOption } from "../flags/options.ts";

/** By kube-controller-manager's names. */
export const LEADERSHIP_OPTIONS = [
  switchOption(
    "--leader-elect",
    "work only while this is the leader among all that run, so that there may be several",
  ),
  option("--leader-election-id <name>", "the Lease that they compete for").byDefault("cronjob-controller"),
  option(
    "--leader-election-namespace <name>",
    "the namespace of that Lease (default: the Pod's, or the context's)",
  ),
  option(
    "--leader-elect-lease-duration <seconds|duration>",
    "how long the others wait after a renewal that they have seen, before they take over",
  ).parsedBy(durationMs(1_000, 3_600_000), "15s"),
  option(
    "--leader-elect-renew-deadline <seconds|duration>",
    "how long a leader goes on without being able to renew; shorter than the lease duration",
  ).parsedBy(durationMs(100, 3_600_000), "10s"),
  option(
    "--leader-elect-retry-period <seconds|duration>",
    "between two attempts to get the Lease, or to renew it",
  ).parsedBy(durationMs(10, 3_600_000), "2s"),
];

export type LeadershipOptions = OptionsOf<typeof LEADERSHIP_OPTIONS>;

/**
 * Returns which Lease is competed for; undefined for none.
 *
 * @param namespace that the connection names
 * @throws {ConfigError} where no namespace is known
 */
export function leaseNameOf(
  { leaderElect, leaderElectionId: name, leaderElectionNamespace }: LeadershipOptions,
  namespace: string | undefined,
): { name: string; namespace: string } | undefined {
  if (!leaderElect) return undefined;
  const chosen = leaderElectionNamespace || namespace;
  if (chosen) return { name, namespace: chosen };
  throw new ConfigError(
    "--leader-elect needs a namespace for its Lease, and neither a Pod nor a context names one; give " +
      "--leader-election-namespace",
  );
}

/**
 * Returns the three lengths of time together.
 *
 * @throws {ConfigError} where two of them leave no room for each other
 */
export function leaseTimingsOf(options: LeadershipOptions): LeaseTimings {
  const timings = {
    leaseDurationMs: options.leaderElectLeaseDuration,
    renewDeadlineMs: options.leaderElectRenewDeadline,
    retryPeriodMs: options.leaderElectRetryPeriod,
  };
  const misfit = misfitOf(timings);
  if (misfit !== undefined) throw new ConfigError(MISFITS[misfit](timings));
  return timings;
}

const MISFITS: Readonly<Record<keyof LeaseTimings, (timings: LeaseTimings) => string>> = {
  leaseDurationMs: ({ leaseDurationMs }) =>
    `--leader-elect-lease-duration ${seconds(leaseDurationMs)} must be at least 1s`,
  renewDeadlineMs: ({ renewDeadlineMs, leaseDurationMs }) =>
    `--leader-elect-renew-deadline ${seconds(renewDeadlineMs)} must be shorter than --leader-elect-lease-duration ` +
    `${seconds(leaseDurationMs)}: a leader has to stop before another one begins`,
  retryPeriodMs: ({ retryPeriodMs, renewDeadlineMs }) =>
    `--leader-elect-retry-period ${seconds(retryPeriodMs)}, times ${ACQUIRE_JITTER}, must be shorter than ` +
    `--leader-elect-renew-deadline ${seconds(renewDeadlineMs)}: else there is no time to try again`,
};

function seconds(ms: number): string {
  return `${ms / 1_000}s`;
}
