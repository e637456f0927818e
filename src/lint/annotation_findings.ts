import * as names from "../cronjob/api/annotations.ts";
import { SETTING_ANNOTATIONS } from "../cronjob/api/annotation_settings.ts";
import { FLAVOURS } from "../cronjob/api/flavour.ts";
import type { Settings } from "../cronjob/api/settings.ts";
import { RUNTIME_ANNOTATION } from "../kubelet/runtimes.ts";
import type { CronJobManifest } from "../manifest_files/cron_job.ts";
import { editDistance } from "../schedule/edit_distance.ts";
import { nearestWord } from "../schedule/nearest_word.ts";
import { type Finding, finding } from "./finding.ts";

const OURS = `${names.PREFIX}/`;
const KNOWN: readonly string[] = [
  ...Object.values(names).filter((name) => name.startsWith(OURS)),
  ...SETTING_ANNOTATIONS,
  RUNTIME_ANNOTATION,
  ...FLAVOURS.map(({ scheduledTimeAnnotation }) => scheduledTimeAnnotation),
];
/** The names behind the prefix. */
const SHORT_NAMES = KNOWN.filter((name) => name.startsWith(OURS)).map((name) => name.slice(OURS.length));

/** Finds annotations whose values cannot be read. */
export function unreadableAnnotations({ problems }: Settings): Finding[] {
  return problems.map((problem) => {
    const name = /^annotation ([^:\s]+)/.exec(problem)?.[1] ?? "";
    return finding("annotation", `metadata.annotations[${name}]`, problem);
  });
}

/** Finds annotations of this controller that are misspelled, or that stand where they have no effect. */
export function strayAnnotations({ api, object: { metadata, spec } }: CronJobManifest): Finding[] {
  const { metadata: ofJob, spec: job } = spec.jobTemplate ?? {};
  const inJob = "spec.jobTemplate.metadata.annotations", inPod = "spec.jobTemplate.spec.template.metadata.annotations";
  return [
    ...keysOf(metadata?.annotations).flatMap((name) => onCronJob(name, api.extrasIn)),
    ...misplaced("metadata.annotations", metadata?.annotations, OF_POD_TEMPLATE),
    ...misplaced(inJob, ofJob?.annotations, OF_POD_TEMPLATE),
    ...misplaced("metadata.labels", metadata?.labels, OF_CRON_JOB),
    ...misplaced(inJob, ofJob?.annotations, OF_CRON_JOB),
    ...misplaced(inPod, job?.template?.metadata?.annotations, OF_CRON_JOB),
  ];
}

/** Annotations, and the one place where they have an effect. */
interface Belonging {
  readonly names: ReadonlySet<string>;
  readonly place: string;
}

const OF_POD_TEMPLATE: Belonging = { names: new Set([RUNTIME_ANNOTATION]), place: "the Pod template" };
const OF_CRON_JOB: Belonging = { names: SETTING_ANNOTATIONS, place: "metadata.annotations" };

function misplaced(at: string, entries: unknown, { names, place }: Belonging): Finding[] {
  return keysOf(entries).filter((name) => names.has(name)).map((name) =>
    finding("misplaced-annotation", `${at}[${name}]`, `has no effect here: it belongs to ${place}`)
  );
}

function onCronJob(name: string, extrasIn: "spec" | "annotations"): Finding[] {
  const field = `metadata.annotations[${name}]`;
  if (KNOWN.includes(name)) {
    if (extrasIn === "annotations" || !SETTING_ANNOTATIONS.has(name)) return [];
    return [finding("misplaced-annotation", field, `has no effect in this API: ${inSpec(name)}`)];
  }
  const meant = meantBy(name);
  if (meant === undefined && !name.startsWith(OURS)) return [];
  const advice = meant === undefined ? "" : `: did you mean ${meant}?`;
  return [finding("unknown-annotation", field, `this controller knows no such annotation${advice}`)];
}

/** Settings of the spec bear the annotation's name; an edit always drops there what was due before it. */
function inSpec(name: string): string {
  if (name === names.ON_EDIT) return "an edit always drops what was due before";
  const field = name.slice(OURS.length).replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());
  return `set spec.${field}`;
}

/** Returns the annotation whose prefix or name is misspelled, or whose prefix is missing; undefined for none. */
function meantBy(name: string): string | undefined {
  const [prefix, rest] = name.includes("/")
    ? [name.slice(0, name.indexOf("/")), name.slice(name.indexOf("/") + 1)]
    : ["", name];
  const isNear = /^cronjobs?-?controller\b/.test(prefix) || editDistance(prefix, names.PREFIX) <= 3;
  if (isNear) {
    const short = nearestWord(rest, SHORT_NAMES);
    return short === undefined ? undefined : OURS + short;
  }
  // Short names such as "schedule" may be anything.
  return prefix === "" && rest.includes("-") && SETTING_ANNOTATIONS.has(OURS + rest) ? OURS + rest : undefined;
}

function keysOf(value: unknown): string[] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}
