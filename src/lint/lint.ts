import { scheduleOf } from "../cronjob/api/schedule_reading.ts";
import type { Settings } from "../cronjob/api/settings.ts";
import { type CronJobManifest, cronJobsIn, schedulePath, settingsOf, unknownApi } from "../manifest_files/cron_job.ts";
import type { Manifest, Manifests } from "../manifest_files/parse.ts";
import type { RuntimeName } from "../kubelet/files/run_files.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { partsOf } from "../schedule/exclusions/parts.ts";
import { ScheduleError } from "../schedule/schedule_error.ts";
import { strayAnnotations, unreadableAnnotations } from "./annotation_findings.ts";
import { type Finding, finding, type LintReport, place, type PlacedFinding } from "./finding.ts";
import { hazards } from "./hazards.ts";
import { isBelow, refusals } from "./refusals.ts";
import { runtimeFindings } from "./runtime_findings.ts";
import { scheduleFindings } from "./schedule_findings.ts";
import type { RuleId } from "./rules.ts";
import { sift } from "./suppressions.ts";
import { crowds, namesakes, type Readable } from "./together.ts";

export interface LintOptions {
  /** @default {none} */
  readonly disabled?: ReadonlySet<RuleId>;
  /** The runtime of Pods whose CronJobs choose none. @default {a cluster} */
  readonly runtime?: RuntimeName | undefined;
}

/** Finds what is wrong with every CronJob by itself, and with all of them together. */
export function lint(read: Manifests, now: EpochMs, options: LintOptions = {}): LintReport {
  const { disabled = new Set<RuleId>(), runtime } = options;
  const { manifests, faults } = read;
  const cronJobs = cronJobsIn(manifests);
  const readable: Readable[] = [];
  const findings = [
    ...faults.map(({ source, line, column, reason }) => (
      { ...finding("manifest", "", `Cannot read the manifest: ${reason}`), name: "", source, line, column }
    )),
    ...manifests.flatMap((manifest) => {
      const problem = unknownApi(manifest);
      return problem === undefined ? [] : [place(finding("api-version", "apiVersion", problem), manifest)];
    }),
    ...cronJobs.flatMap((cronJob) => {
      const { findings, parts } = lintOne(cronJob, now, runtime);
      if (parts) readable.push({ cronJob, parts });
      // Findings of disabled rules go first, as finding the line of a field parses its file once more.
      return findings.filter(({ rule }) => !disabled.has(rule)).map((finding) => place(finding, cronJob));
    }),
    ...namesakes(cronJobs),
    ...crowds(readable),
  ];
  const left = sift(findings, read.texts, disabled);
  const sources = [...new Set(left.map(({ source }) => source))].sort();
  const order = (a: PlacedFinding, b: PlacedFinding) =>
    sources.indexOf(a.source) - sources.indexOf(b.source) || a.line - b.line || a.column - b.column;
  return { cronJobs: cronJobs.length, findings: left.sort(order) };
}

/** Returns the errors of one manifest by itself, whatever comments disable: why a server refuses it. */
export function errorsOf(manifest: Manifest, now: EpochMs): readonly PlacedFinding[] {
  const alone = { manifests: [manifest], faults: [], texts: new Map([[manifest.source, ""]]) };
  return lint(alone, now).findings.filter(({ severity }) => severity === "error");
}

/** Returns the findings about one CronJob; its schedules too where they can be read. */
function lintOne(
  written: CronJobManifest,
  now: EpochMs,
  runtime: RuntimeName | undefined,
): { findings: Finding[]; parts?: Readable["parts"] } {
  const refused = refusals(written, now);
  const mistyped = new Set(refused.findings.filter(({ rule }) => rule === "type").map(({ field }) => field));
  const cronJob = { ...written, object: { ...refused.object, spec: refused.object.spec ?? {} } };
  const { settings, missing } = settingsIn(cronJob);
  const unreadable = unreadableAnnotations(settings);
  const ofSchedules = [...missing, ...scheduleFindings(cronJob, settings)];
  const isTemplateWrong = refused.findings.some(({ severity, field }) =>
    severity === "error" && isBelow(field, IN_TEMPLATE)
  );
  const own = [
    ...unreadable,
    ...strayAnnotations(cronJob),
    // `unreadable` names the annotations that cannot be read already.
    ...ofSchedules.filter(({ field }) => !unreadable.some((each) => each.field === field)),
    ...isTemplateWrong ? [] : runtimeFindings(cronJob, runtime),
  ];
  if (ofSchedules.length > 0) return { findings: joined(refused.findings, own, mistyped) };
  const asked = scheduleOf(settings);
  const { base, parts } = partsOf(asked);
  own.push(...hazards({ cronJob: written, settings, asked, base, parts, now }));
  return { findings: joined(refused.findings, own, mistyped), parts };
}

const IN_TEMPLATE: ReadonlySet<string> = new Set(["spec.jobTemplate"]);

/** Reads the settings. `@daily` stands in for a schedule that is missing, so that all else can be judged. */
function settingsIn(cronJob: CronJobManifest): { settings: Settings; missing: Finding[] } {
  try {
    return { settings: settingsOf(cronJob), missing: [] };
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    const object = { ...cronJob.object, spec: { ...cronJob.object.spec, schedule: "@daily" } };
    return {
      settings: settingsOf({ ...cronJob, object }),
      missing: [finding("schedule", schedulePath(cronJob), error.message)],
    };
  }
}

/**
 * Joins the API server's findings about a CronJob and our own. Our errors say more than the server's about the same field,
 * and replace them. A field of the wrong type has no finding but that.
 */
function joined(refused: readonly Finding[], own: readonly Finding[], mistyped: ReadonlySet<string>): Finding[] {
  const ours = own.filter(({ field }) => !isBelow(field, mistyped));
  const said = new Set(ours.filter(({ severity }) => severity === "error").map(({ field }) => field));
  return [...refused.filter(({ rule, field }) => rule !== "invalid" || !isBelow(field, said)), ...ours];
}
