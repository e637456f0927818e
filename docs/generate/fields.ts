import { SETTING_ANNOTATIONS } from "../../src/cronjob/api/annotation_settings.ts";
import { BACKFILL, PAUSE } from "../../src/cronjob/api/annotations.ts";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import { BATCH, type Flavour, PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { annotationOf } from "../../src/cronjob/api/spec_fields.ts";
import { bullets, code, page, prose } from "./markdown.ts";

/** As much of an OpenAPI schema as the definitions use. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
}

/** The fields of `batch/v1` that the CRDs have too; the rest is said in annotations there. */
const KUBERNETES_FIELDS = [
  "schedule",
  "timeZone",
  "startingDeadlineSeconds",
  "concurrencyPolicy",
  "suspend",
  "jobTemplate",
  "successfulJobsHistoryLimit",
  "failedJobsHistoryLimit",
];

export function schemaOf(flavour: Flavour): { readonly spec: Schema; readonly status: Schema } {
  const { versions: [{ schema: { openAPIV3Schema } }] } = definitionOf(flavour).spec as {
    versions: [{ schema: { openAPIV3Schema: Schema } }];
  };
  const { spec, status } = openAPIV3Schema.properties as Record<"spec" | "status", Schema>;
  return { spec, status };
}

/** Every field of a CronJob's spec and status. */
export function fieldsPage(): string {
  const { spec, status } = schemaOf(PRODUCTION);
  const apis = [PRODUCTION, TUTORIAL, BATCH].map(({ apiVersion }) => code(apiVersion));
  return page(
    "Fields",
    `Fields of ${apis[0]} and ${
      apis[1]
    }. The two have the same fields and differ in the defaults of the history limits. ` +
      `${apis[2]} has Kubernetes' own fields; where an annotation is named, it says the same there. ` +
      "Every field but `schedule` and `jobTemplate` is optional. A field without a default has no effect unless it is set.",
    "## spec",
    fieldList(spec, "spec", ([name]) => whereElse(name)),
    "## status",
    `${apis[2]} has \`active\`, \`lastScheduleTime\` and \`lastSuccessfulTime\` alone.`,
    fieldList(status, "status", () => ""),
  );
}

type Field = readonly [name: string, schema: Schema];

function fieldList(schema: Schema, path: string, more: (field: Field) => string): string {
  return Object.entries(schema.properties!).map((field) => {
    const [name, { description = "" }] = field;
    const facts = [factsOf(field[1]), otherDefaults(name), more(field)].filter((text) => text !== "").join(" ");
    const inner = innerOf(field[1]);
    const list = inner.length > 0 ? `\n\n${bullets(inner)}` : "";
    return `### \`${path}.${name}\`\n\n${
      prose(description.replace(/ (All|3|1), if not set\.$/, ""))
    }\n\n${facts}${list}`;
  }).join("\n\n");
}

/** What the two CRDs do not have in common. */
function otherDefaults(name: string): string {
  if (name === "failedJobs") return `${code("Keep")} with ${code(TUTORIAL.apiVersion)}.`;
  if (name === "pendingTimeoutSeconds") return `None with ${code(TUTORIAL.apiVersion)}.`;
  if (!name.endsWith("HistoryLimit")) return "";
  const [production, tutorial] = [PRODUCTION, TUTORIAL].map((flavour) => {
    const { successful, failed } = flavour.historyLimits;
    return `${name.startsWith("successful") ? successful ?? "all" : failed ?? "all"}`;
  });
  return `Default: ${production}; with ${code(TUTORIAL.apiVersion)} ${tutorial}.`;
}

function whereElse(name: string): string {
  if (KUBERNETES_FIELDS.includes(name)) return "";
  const annotation = annotationFor(name);
  return annotation ? `In \`batch/v1\`: annotation ${code(annotation)}.` : "Not in `batch/v1`.";
}

/** Returns the annotation that says what a field says; undefined where none does. */
export function annotationFor(field: string): string | undefined {
  const name = annotationOf(field);
  return SETTING_ANNOTATIONS.has(name) || [PAUSE, BACKFILL].includes(name) ? name : undefined;
}

/** The fields inside a field, each in a line; those of lists have `[]` in their names. */
function innerOf(schema: Schema, path = ""): string[] {
  const { properties = {}, required = [] } = schema.items ?? schema;
  return Object.entries(properties).flatMap(([name, each]) => {
    const need = required.includes(name) ? ["Required."] : [];
    const facts = [prose(each.description ?? ""), factsOf(each), ...need].filter((text) => text !== "");
    const below = each.type === "array" ? `${path}${name}[].` : `${path}${name}.`;
    return [`${code(path + name)}: ${facts.join(" ")}`, ...innerOf(each, below)];
  });
}

/** Type, values, bounds and default, in one line. */
export function factsOf(schema: Schema): string {
  const { type, format, items, enum: values, default: byDefault, minimum, maximum, minItems, maxItems } = schema;
  const kind = type === "array"
    ? `list of ${items?.type}s`
    : format === "date-time"
    ? "RFC 3339 time"
    : type ?? "object";
  const facts = [values ? values.map(code).join(", ") : kind];
  if (minimum !== undefined && minimum > 0) facts.push(`from ${minimum}`);
  if (maximum !== undefined) facts.push(`up to ${maximum}`);
  if (minItems !== undefined || maxItems !== undefined) facts.push(`${minItems ?? 0} to ${maxItems} entries`);
  const text = `(${facts.join(", ")})`;
  return byDefault === undefined ? text : `${text} Default: ${code(String(byDefault))}.`;
}
