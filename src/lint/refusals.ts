import { dryRunCreate, kindsWith } from "../apiserver/dry_run.ts";
import type { Json } from "../apiserver/resource_kind.ts";
import { DEFINED_FLAVOURS, definitionOf } from "../cronjob/api/crd.ts";
import type { CronJobManifest } from "../manifest_files/cron_job.ts";
import { splitPath } from "../manifest_files/parse.ts";
import type { Path } from "../manifest_files/yaml_documents.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { nearestWord } from "../schedule/nearest_word.ts";
import { type Finding, finding } from "./finding.ts";
import type { RuleId } from "./rules.ts";

const KINDS = kindsWith(DEFINED_FLAVOURS.map(definitionOf));

/**
 * Finds by the embedded server's own rules all that an API server would refuse about a CronJob. Returns the findings, and the
 * object without values of wrong types.
 */
export function refusals({ api, object, key }: CronJobManifest, now: EpochMs) {
  const [namespace = ""] = key.split("/");
  const judged = judge(object, namespace, now);
  if (!DEFINED_FLAVOURS.includes(api)) return judged;
  return { ...judged, findings: [...judged.findings, ...templateFindings(judged.object, namespace, now)] };
}

function judge(manifest: Json, namespace: string, now: EpochMs) {
  const { object, mistyped, ...run } = dryRunCreate(manifest, { kinds: KINDS, namespace, now });
  const typed = new Set(mistyped.map(({ field }) => field));
  const errors = run.errors.filter(({ field }) => !isBelow(field, typed));
  return {
    object,
    findings: [
      ...mistyped.map(({ field, message }) => finding("type", field, message)),
      ...run.unknownFields.map((field) => finding("unknown-field", field, unknownFieldMessage(field, run.fieldsAt))),
      ...new Map(errors.map(({ field, message }) => [`${field}: ${message}`, finding("invalid", field, message)]))
        .values(),
      ...run.warnings.map((message) => finding("api-warning", "", message)),
    ],
  };
}

/** Places in a CronJob to which misplaced fields often belong, the outermost first. */
const PLACES = ["metadata", "spec", "spec.jobTemplate.spec", "spec.jobTemplate.spec.template.spec"];

/** Returns the message about a field that the API server does not know, with the field that was meant, or its right place. */
function unknownFieldMessage(path: string, fieldsAt: (path: Path) => readonly string[]): string {
  const keys = splitPath(path);
  const name = String(keys.at(-1));
  const siblings = fieldsAt(keys.slice(0, -1));
  const near = nearestWord(name, siblings);
  if (near !== undefined) return `there is no such field: did you mean ${near}?`;
  const place = PLACES.find((place) => fieldsAt(splitPath(place)).includes(name));
  return place === undefined ? "there is no such field" : `there is no such field here: it belongs to ${place}`;
}

/** Returns whether a field is one of these, or inside one. */
export function isBelow(field: string, paths: ReadonlySet<string>): boolean {
  const above = field.matchAll(/[.[]/g).map(({ index }) => field.slice(0, index));
  return paths.has("") || paths.has(field) || above.some((path) => paths.has(path));
}

const IN_TEMPLATE: Readonly<Partial<Record<RuleId, RuleId>>> = { "unknown-field": "unknown-template-field" };

/** Finds faults of the Job template, of which the CRD takes any: the server would refuse each run's Job for them. */
function templateFindings({ spec }: Json, namespace: string, now: EpochMs): Finding[] {
  if (typeof spec?.jobTemplate !== "object" || spec.jobTemplate === null) return [];
  const asBatch = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "any" },
    spec: { schedule: "@daily", jobTemplate: spec.jobTemplate },
  };
  return judge(asBatch, namespace, now).findings
    .filter(({ field }) => field.startsWith("spec.jobTemplate"))
    .map(({ rule, field, message }) => {
      return finding(IN_TEMPLATE[rule] ?? "job-template", field, `${message} (every run's Job would meet this)`);
    });
}
