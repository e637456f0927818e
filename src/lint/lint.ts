import { FLAVOURS } from "../cronjob/api/flavour.ts";
import { scheduleOf } from "../cronjob/api/schedule_reading.ts";
import type { Settings } from "../cronjob/api/settings.ts";
import {
  type CronJobManifest,
  cronJobsIn,
  exclusionsPath,
  schedulePath,
  settingsOf,
} from "../manifest_files/cron_job.ts";
import { type Manifest, type Manifests, nameOf, textOf } from "../manifest_files/parse.ts";
import type { EpochMs } from "../schedule/epoch_ms.ts";
import { partsOf } from "../schedule/exclusions/parts.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { ScheduleError } from "../schedule/schedule_error.ts";
import { checkTimeZone } from "../schedule/time_zone.ts";
import { leavesTimeoutsOff, timeoutsOff } from "./controllers.ts";
import { errorFinding, type Finding, type LintReport, type PlacedFinding, warningFinding } from "./finding.ts";
import { hazards, topOfTheHour } from "./hazards.ts";
import { refusals } from "./refusals.ts";

/** A CronJob whose schedules can be read, before anything is excluded. */
interface Readable {
  readonly cronJob: CronJobManifest;
  readonly parts: readonly Schedule[];
}

/** Looks at every CronJob by itself, and at all of them together. */
export function lint({ manifests, faults }: Manifests, now: EpochMs): LintReport {
  const cronJobs = cronJobsIn(manifests);
  const isTimeoutOff = leavesTimeoutsOff(manifests);
  const findings: PlacedFinding[] = [
    ...faults.map(({ source, line, column, reason }) => (
      { ...errorFinding("manifest", "", `Cannot read the manifest: ${reason}`), name: "", source, line, column }
    )),
    ...manifests.flatMap((manifest) => unknownApi(manifest).map((finding) => place(finding, manifest))),
  ];
  const readable: Readable[] = [];
  for (const cronJob of cronJobs) {
    const own = timeZoneFindings(cronJob);
    try {
      const settings = settingsOf(cronJob);
      own.push(...annotationFindings(settings));
      if (isTimeoutOff) own.push(...timeoutsOff(cronJob, settings));
      const asked = scheduleOf(settings);
      const { base, parts } = partsOf(asked);
      readable.push({ cronJob, parts });
      own.push(...hazards({ cronJob, settings, asked, base, parts, now }));
    } catch (error) {
      if (!(error instanceof ScheduleError)) throw error;
      if (error.field !== "time-zone" || own.length === 0) {
        const finding = scheduleFinding(cronJob, error);
        // Of an annotation it is said already.
        if (!own.some(({ field, severity }) => severity === "error" && field === finding.field)) own.push(finding);
      }
    }
    findings.push(...joined(refusals(cronJob, now), own).map((finding) => place(finding, cronJob)));
  }
  findings.push(...crowdFindings(readable));
  const sources = [...new Set(findings.map(({ source }) => source))].sort();
  const order = (a: PlacedFinding, b: PlacedFinding) =>
    sources.indexOf(a.source) - sources.indexOf(b.source) || a.line - b.line || a.column - b.column;
  return { cronJobs: cronJobs.length, findings: findings.sort(order) };
}

function scheduleFinding(cronJob: CronJobManifest, { field, message }: ScheduleError): Finding {
  if (!field.startsWith("exclude")) return errorFinding("schedule", schedulePath(cronJob), message);
  return errorFinding("exclude", exclusionsPath(cronJob, field.slice("exclude".length)), message);
}

function place(finding: Finding, { object, source, position }: Manifest): PlacedFinding {
  return { ...finding, ...position(finding.field), source, name: nameOf(object.metadata) };
}

function unknownApi({ object: { apiVersion, kind } }: Manifest): Finding[] {
  const known = FLAVOURS.map(({ resource: { group, version } }) => `${group}/${version}`);
  if (kind !== "CronJob" || known.includes(apiVersion)) return [];
  const gone = apiVersion === "batch/v1beta1" || apiVersion === "batch/v2alpha1" ? "; Kubernetes 1.25 removed it" : "";
  return [
    errorFinding("api-version", "apiVersion", `no CronJob of ${textOf(apiVersion)} is known${gone}: use batch/v1`),
  ];
}

/** By itself, as a bad schedule hides a bad zone. */
function timeZoneFindings({ object: { spec } }: CronJobManifest): Finding[] {
  try {
    if (typeof spec?.timeZone === "string" && spec.timeZone !== "") checkTimeZone(spec.timeZone);
    return [];
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return [errorFinding("time-zone", "spec.timeZone", error.message)];
  }
}

/**
 * The API server's findings and our own about one CronJob. About schedule and zone our own words teach more, and stand
 * in the place of the server's; but where it could not even read a field, that is all there is to say.
 */
function joined(refused: readonly Finding[], own: readonly Finding[]): Finding[] {
  const mistyped = refused.filter(({ rule }) => rule === "type").map(({ field }) => field);
  const said = new Set(own.filter(({ severity }) => severity === "error").map(({ field }) => field));
  return [
    ...refused.filter(({ rule, field }) => rule !== "invalid" || !said.has(field)),
    ...own.filter(({ field }) => !mistyped.some((path) => field === path || field.startsWith(`${path}.`))),
  ];
}

function annotationFindings({ problems }: Settings): Finding[] {
  return problems.map((problem) => {
    const name = /^annotation ([^:]+):/.exec(problem)?.[1] ?? "";
    return errorFinding("annotation", `metadata.annotations[${name}]`, problem);
  });
}

function crowdFindings(readable: readonly Readable[]): PlacedFinding[] {
  const crowd = topOfTheHour(readable.map(({ parts }) => parts)).map((i) => readable[i].cronJob);
  return crowd.slice(0, 1).map((cronJob) => {
    const remedy = cronJob.api.extrasIn === "spec"
      ? "spread them with H for the minute, or with spec.spreadSeconds"
      : "spread them with other minutes, or with the annotation cronjob-controller.dev/schedule and H for the minute";
    const message = `${crowd.length} CronJobs start at the top of the hour (${crowd[0].key}, ${
      crowd[1].key
    }, …): ${remedy}`;
    return place(warningFinding("top-of-the-hour", schedulePath(cronJob), message), cronJob);
  });
}
