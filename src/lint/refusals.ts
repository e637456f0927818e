import { CRON_JOBS } from "../apiserver/kinds/cron_job.ts";
import { customKind } from "../apiserver/kinds/custom.ts";
import { validateObjectMeta } from "../apiserver/kinds/validation/object_meta.ts";
import { generateName } from "../apiserver/operations/metadata.ts";
import type { FieldError, Json, ResourceKind } from "../apiserver/resource_kind.ts";
import { TypeMismatch } from "../apiserver/schema/typed_object.ts";
import { DEFINED_FLAVOURS, definitionOf } from "../cronjob/api/crd.ts";
import type { Flavour } from "../cronjob/api/flavour.ts";
import type { CronJobManifest } from "../manifest_files/cron_job.ts";
import type { EpochMs } from "../schedule/epoch_ms.ts";
import { errorFinding, type Finding, warningFinding } from "./finding.ts";

const DEFINED = new Map<Flavour, ResourceKind>(
  DEFINED_FLAVOURS.map((flavour) => [flavour, customKind(definitionOf(flavour), flavour.resource.version)]),
);

/** What the API server would refuse about the CronJob, found by the embedded server's own rules. */
export function refusals({ api, object, key }: CronJobManifest, now: EpochMs): Finding[] {
  const namespace = key.split("/")[0];
  const defined = DEFINED.get(api);
  const findings = creationFindings(defined ?? CRON_JOBS, object, namespace, now);
  return defined ? [...findings, ...templateFindings(object, namespace, now)] : findings;
}

function creationFindings(kind: ResourceKind, manifest: Json, namespace: string, now: EpochMs): Finding[] {
  const { object, findings } = read(kind, manifest);
  if (object === undefined) return findings;
  object.metadata = { ...object.metadata, namespace };
  if (!object.metadata.name && object.metadata.generateName) {
    object.metadata.name = generateName(object.metadata.generateName);
  }
  const context = { now, uid: "00000000-0000-0000-0000-000000000000" };
  kind.setDefaults(object);
  kind.prepareForCreate(object, context);
  const errors = [...validateObjectMeta(object.metadata, kind), ...kind.validate(object, context)];
  if (errors.length > 0) {
    return [...findings, ...distinct(errors).map(({ field, message }) => errorFinding("invalid", field, message))];
  }
  // The server warns of what it accepts only.
  return [
    ...findings,
    ...kind.warnings(object, undefined).map((message) => warningFinding("api-warning", "", message)),
  ];
}

/** As kubectl has it, which asks the server to be strict about fields that it does not know. */
function read(kind: ResourceKind, manifest: Json): { object?: Json; findings: Finding[] } {
  try {
    const { object, unknownFields } = kind.read(manifest);
    const findings = unknownFields.map((field) => errorFinding("unknown-field", field, "unknown field"));
    return { object, findings };
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    const field = /Go struct field \w+\.(\S+) of type/.exec(error.message)?.[1] ?? "";
    return { findings: [errorFinding("type", field, error.message)] };
  }
}

/** The CRD takes any Job template; each run would meet what is wrong with it. */
function templateFindings({ spec }: Json, namespace: string, now: EpochMs): Finding[] {
  if (typeof spec?.jobTemplate !== "object" || spec.jobTemplate === null) return [];
  const metadata = { name: "any" };
  const asBatch = { metadata, spec: { schedule: "@daily", jobTemplate: spec.jobTemplate } };
  return creationFindings(CRON_JOBS, asBatch, namespace, now)
    .filter(({ field }) => field.startsWith("spec.jobTemplate"))
    .map((finding) => ({
      ...finding,
      severity: finding.rule === "unknown-field" ? "warning" : finding.severity,
      rule: finding.rule === "unknown-field" ? finding.rule : "job-template",
      message: `${finding.message} (every run's Job would meet this)`,
    }));
}

function distinct(errors: readonly FieldError[]): FieldError[] {
  return [...new Map(errors.map((error) => [`${error.field}\0${error.message}`, error])).values()];
}
