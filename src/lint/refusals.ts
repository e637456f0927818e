import { CRON_JOBS } from "../apiserver/kinds/cron_job.ts";
import { customKind } from "../apiserver/kinds/custom.ts";
import { validateObjectMeta } from "../apiserver/kinds/validation/object_meta.ts";
import { generateName } from "../apiserver/operations/metadata.ts";
import { valueAt } from "../apiserver/reading/field_selector.ts";
import type { FieldError, Json, ResourceKind } from "../apiserver/resource_kind.ts";
import { DEFINED_FLAVOURS, definitionOf } from "../cronjob/api/crd.ts";
import type { Flavour } from "../cronjob/api/flavour.ts";
import type { CronJobManifest } from "../manifest_files/cron_job.ts";
import type { EpochMs } from "../schedule/epoch_ms.ts";
import { type Finding, finding } from "./finding.ts";
import { inOwnWords } from "./refusal_words.ts";
import type { RuleId } from "./rules.ts";
import { type Typed, typeFindings } from "./type_findings.ts";
import { unknownFieldMessage } from "./unknown_fields.ts";

const DEFINED = new Map<Flavour, ResourceKind>(
  DEFINED_FLAVOURS.map((flavour) => [flavour, customKind(definitionOf(flavour), flavour.resource.version)]),
);

/** Finds what the API server would refuse about the CronJob by the embedded server's own rules, and all of it at once. */
export function refusals({ api, object, key }: CronJobManifest, now: EpochMs): Typed {
  const [namespace = ""] = key.split("/");
  const defined = DEFINED.get(api);
  const judged = judge(defined ?? CRON_JOBS, object, namespace, now);
  if (!defined) return judged;
  return { ...judged, findings: [...judged.findings, ...templateFindings(judged.object, namespace, now)] };
}

function judge(kind: ResourceKind, manifest: Json, namespace: string, now: EpochMs): Typed {
  const { object: whole, findings } = typeFindings(manifest, kind.schema);
  const { object, unknownFields } = kind.read(whole);
  const mistyped = findings.map(({ field }) => field);
  const errors = faultsOf(object, kind, namespace, now).filter(({ field }) => !isBelow(field, mistyped));
  return {
    object: whole,
    findings: [
      ...findings,
      ...unknownFields.map((field) => finding("unknown-field", field, unknownFieldMessage(field, kind.schema))),
      ...distinct(errors).map((error) =>
        finding("invalid", error.field, inOwnWords(error, valueAt(manifest, error.field)))
      ),
      // The server warns of what it accepts only.
      ...(errors.length + findings.length > 0 ? [] : kind.warnings(object, undefined)).map((message) =>
        finding("api-warning", "", message)
      ),
    ],
  };
}

function faultsOf(object: Json, kind: ResourceKind, namespace: string, now: EpochMs): FieldError[] {
  object.metadata = { ...object.metadata, namespace };
  if (!object.metadata.name && object.metadata.generateName) {
    object.metadata.name = generateName(object.metadata.generateName);
  }
  const context = { now, uid: "00000000-0000-0000-0000-000000000000" };
  kind.setDefaults(object);
  kind.prepareForCreate(object, context);
  return [...validateObjectMeta(object.metadata, kind), ...kind.validate(object, context)];
}

/** Returns whether a field is one of these, or inside one. */
export function isBelow(field: string, paths: readonly string[]): boolean {
  return paths.some((path) =>
    path === "" || field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`)
  );
}

const IN_TEMPLATE: Readonly<Partial<Record<RuleId, RuleId>>> = { "unknown-field": "unknown-template-field" };

/** The CRD takes any Job template; each run would meet what is wrong with it. */
function templateFindings({ spec }: Json, namespace: string, now: EpochMs): Finding[] {
  if (typeof spec?.jobTemplate !== "object" || spec.jobTemplate === null) return [];
  const asBatch = { metadata: { name: "any" }, spec: { schedule: "@daily", jobTemplate: spec.jobTemplate } };
  return judge(CRON_JOBS, asBatch, namespace, now).findings
    .filter(({ field }) => field.startsWith("spec.jobTemplate"))
    .map(({ rule, field, message }) => {
      return finding(IN_TEMPLATE[rule] ?? "job-template", field, `${message} (every run's Job would meet this)`);
    });
}

function distinct(errors: readonly FieldError[]): FieldError[] {
  return [...new Map(errors.map((error) => [`${error.field}\0${error.type}\0${error.detail}`, error])).values()];
}
