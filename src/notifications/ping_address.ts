import { createHash } from "node:crypto";
import { PING } from "../cronjob/api/annotations.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { Flavour } from "../cronjob/api/flavour.ts";
import type { RunNotice } from "../cronjob/status/events.ts";

/** Where pings go, in the form of Healthchecks: https://healthchecks.io/docs/http_api/ */
export interface PingServer {
  /** The server's URL, such as `https://hc-ping.com`. */
  readonly base: URL;
  /** A project's ping key. */
  readonly key: string;
  /** Whether the server is to make checks that it does not know. */
  readonly creates: boolean;
}

/** The news for a check. `exitCode`: how the run's container ended, a failure unless it is 0. */
type PingSignal = "start" | "success" | "fail" | { readonly exitCode: number };

/** A signal, and the check that it is for. */
export interface Ping {
  /** The slug of the check. */
  readonly slug: string;
  readonly signal: PingSignal;
  readonly runId?: string;
}

/** The longest that Healthchecks takes. */
const LONGEST_SLUG = 100;

/**
 * Returns the slug of a CronJob's check: `namespace_name`, with `_` for each dot in the name, and `__tcj` or `__ccj`
 * behind it for the APIs of that short name. No two CronJobs have the same: neither names nor namespaces have an
 * underscore, and no name has two dots in a row, or ends with one. What is longer than a slug may be ends with a hash in
 * place of its end.
 */
export function slugOf(
  { namespace = "", name }: { readonly namespace?: string; readonly name: string },
  { shortName }: Pick<Flavour, "shortName">,
): string {
  const whole = [`${namespace}_${name.replaceAll(".", "_")}`, ...shortName === undefined ? [] : [shortName]].join("__");
  if (whole.length <= LONGEST_SLUG) return whole;
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, 32);
  return `${whole.slice(0, LONGEST_SLUG - hash.length - 2)}__${hash}`;
}

/** Identifies a run to the server, so that its end is matched with its start: always the same for the same Job. */
export function runIdOf({ uid }: { readonly uid: string }, jobName: string): string {
  const hex = createHash("sha256").update(`${uid} ${jobName}`).digest("hex");
  // Version 8 and the variant of RFC 9562: a UUID of a form of its own.
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

const SIGNALS: Readonly<Partial<Record<RunNotice["outcome"], PingSignal>>> = {
  started: "start",
  succeeded: "success",
  failed: "fail",
};

/**
 * Returns the ping for a CronJob's check when this became of a run; undefined where the CronJob has no label that asks for
 * pings, or the run is a back-fill's.
 */
export function pingFor(
  { flavour, metadata }: Pick<CronJob, "flavour" | "metadata">,
  { outcome, jobName, isBackfill }: RunNotice,
  exitCode: number | undefined,
): Ping | undefined {
  // A Job can fail although its last container did not: by its deadline.
  const signal = outcome === "failed" && exitCode ? { exitCode } : SIGNALS[outcome];
  if (metadata.labels?.[PING] !== "true" || signal === undefined || jobName === undefined || isBackfill) {
    return undefined;
  }
  return { slug: slugOf(metadata, flavour), signal, runId: runIdOf(metadata, jobName) };
}

/** Returns the address of one ping. */
export function pingUrl({ base, key, creates }: PingServer, { slug, signal, runId }: Ping): URL {
  const path = [base.pathname.replace(/\/+$/, ""), encodeURIComponent(key), slug, ...pathOf(signal)].join("/");
  const url = new URL(path, base);
  if (runId !== undefined) url.searchParams.set("rid", runId);
  if (creates) url.searchParams.set("create", "1");
  return url;
}

function pathOf(signal: PingSignal): string[] {
  if (typeof signal === "object") return [String(Math.min(Math.max(signal.exitCode, 0), 255))];
  return signal === "success" ? [] : [signal];
}
