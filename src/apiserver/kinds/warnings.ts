import { isIPv6 } from "node:net";
import { ownValue } from "../../runtime/own_value.ts";
import type { Json } from "../resource_kind.ts";
import { annotated, containerWarnings, fractions } from "./container_warnings.ts";
import { flattened, type Nested } from "./nested.ts";
import { SECCOMP } from "./profile_annotations.ts";
import { all, type Check, each, orElse, repeatedBy, type Rule, rules } from "./validation/check.ts";
import { labelErrors, labelValueErrors } from "./validation/names.ts";
import { overlappingPaths } from "./volume_path_warnings.ts";

// What kube-apiserver says of objects that it takes, but that will likely surprise.

type Warning = Check<string>;
type Warnings = Nested<string>;

/** Only a new Pod is looked at, since little of a Pod can change. */
export function podWarnings(pod: Json, old: Json | undefined): string[] {
  return flattened(!old && [nameWarning(pod.metadata.name, "the Pod's hostname"), TEMPLATE(pod, "")]);
}

/** Returns what is taken, and said in `Warning` headers all the same. */
export function jobWarnings({ metadata, spec }: Json, old: Json | undefined): string[] {
  return flattened([!old && nameWarning(metadata.name, "Pod names and hostnames"), jobSpecWarnings(spec, "spec")]);
}

/** The same of a CronJob and of its Job template. */
export function cronJobWarnings({ metadata, spec }: Json, old: Json | undefined): string[] {
  return flattened([
    !old && nameWarning(metadata.name, "Pod names and hostnames"),
    jobSpecWarnings(spec.jobTemplate.spec, "spec.jobTemplate.spec"),
    old && spec.schedule.includes("TZ") &&
    "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, " +
      "see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
  ]);
}

function nameWarning(name: string, use: string): Warnings {
  const why = labelErrors(name).join(" ");
  return why &&
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${why}]`;
}

const MANY_COMPLETIONS = 100_000, MUCH_PARALLELISM = 10_000;

/** Job `WarningsForJobSpec`. */
function jobSpecWarnings({ completionMode, completions, parallelism, template }: Json, path: string): Warnings {
  return [
    completionMode === "Indexed" && completions > MANY_COMPLETIONS && parallelism > MUCH_PARALLELISM &&
    `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, ` +
      "Kubernetes might not be able to track completedIndexes when a big number of indexes fail",
    TEMPLATE(template, `${path}.template`),
  ];
}

const DEPRECATED_LABELS: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
};
const DEPRECATED_ANNOTATIONS: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};
const DEPRECATED_VOLUMES: Readonly<Record<string, string>> = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
};
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

const told = (...rows: Rule<string>[]): Warning => rules<string>("api/pod warningsForPodSpecAndMeta", ...rows);

/** Node `GetWarningsForNodeSelectorTerm`; the values are looked at where a node is preferred, and elsewhere refused. */
const OLD_LABEL = (field: string): Warning => ({ [field]: label }, at) =>
  deprecated(label, (why) => `${at}.${field}: ${label} is ${why}`);
const BAD_VALUE: Warning = (value, at) => labelValueErrors(value).map((why) => `${at}: ${value} is invalid, ${why}`);
const BAD_VALUES = told(["values", each(BAD_VALUE)]);
const NODE_AFFINITY = told(
  [REQUIRED, told(["nodeSelectorTerms", each(told(["matchExpressions", each(OLD_LABEL("key"))]))])],
  [PREFERRED, each(told(["preference", told(["matchExpressions", each(all(OLD_LABEL("key"), BAD_VALUES))])]))],
);

const SELECTS_NONE: Warning = ({ labelSelector }, at) =>
  !labelSelector && `${at}.labelSelector: a null labelSelector results in matching no pod`;
const POD_AFFINITY = told(
  [REQUIRED, each(SELECTS_NONE)],
  [PREFERRED, each(told(["podAffinityTerm", orElse({}), SELECTS_NONE]))],
);

const VOLUME: Warning = (volume, at) => [
  Object.entries(DEPRECATED_VOLUMES).map(([source, why]) =>
    volume[source] && `${at}.${source === "storageos" ? "storageOS" : source}: ${why}`
  ),
  ["requests", "limits"].map((list) => {
    const place = `${at}.ephemeral.volumeClaimTemplate.spec.resources.${list}`;
    return fractions(volume.ephemeral?.volumeClaimTemplate?.spec?.resources?.[list], place, ["storage"]);
  }),
];

const SCHEDULING = told(
  ["nodeSelector", deprecatedKeys],
  ["affinity", told(["nodeAffinity", NODE_AFFINITY])],
  ["topologySpreadConstraints", each(all(OLD_LABEL("topologyKey"), SELECTS_NONE))],
);
const CONTENTS = told(
  ["volumes", each(VOLUME), overlappingPaths],
  ["hostAliases", repeated("ip")],
  ["imagePullSecrets", repeated("name"), each(({ name }, at) => !name && `${at}.name: invalid empty name ""`)],
  ["overhead", (overhead, at) => fractions(overhead, at)],
);
const NEGATIVE_GRACE: Warning = (seconds, at) =>
  seconds < 0 && `${at}: must be >= 0; negative values are invalid and will be treated as 1`;
const OTHERS = told(
  ["terminationGracePeriodSeconds", NEGATIVE_GRACE],
  ["affinity", told([["podAffinity", "podAntiAffinity"], POD_AFFINITY])],
  ["dnsConfig", told(["nameservers", each(otherForm)])],
  ["hostAliases", each(told(["ip", otherForm]))],
);

/** Pod `warningsForPodSpecAndMeta`, in its order. */
const TEMPLATE = told(
  ["spec", SCHEDULING],
  (template, at) => Object.entries(DEPRECATED_ANNOTATIONS).map(([key, why]) => annotated(template, at, key, why)),
  ["spec", CONTENTS],
  (template, at) =>
    !template.spec.securityContext?.seccompProfile && annotated(template, at, SECCOMP.ofPod, SECCOMP.instead),
  containerWarnings,
  ["spec", OTHERS],
);

function deprecatedKeys(labels: Json, at: string): Warnings {
  return Object.keys(labels).sort().map((key) => deprecated(key, (why) => `${at}[${key}]: ${why}`));
}

function deprecated(label: string, text: (why: string) => string): Warnings {
  const why = ownValue(DEPRECATED_LABELS, label);
  return why && text(why);
}

function repeated(field: string): Warning {
  return (items: Json[], at) => {
    const twins = repeatedBy(items, field);
    return items.map((item, index) =>
      twins.has(item) && `${at}[${index}].${field}: duplicate ${field} ${JSON.stringify(item[field] ?? "")}`
    );
  };
}

/** Apimachinery `GetWarningsForIP`: an address of IPv6 can be written in many ways. */
function otherForm(ip: string, at: string): Warnings {
  if (!isIPv6(ip)) return [];
  const canonical = new URL(`http://[${ip}]`).hostname.slice(1, -1);
  return canonical !== ip &&
    `${at}: IPv6 address ${JSON.stringify(ip)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`;
}
