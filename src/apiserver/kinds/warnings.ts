import { isIPv6 } from "node:net";
import { ownValue } from "../../runtime/own_value.ts";
import type { Json } from "../resource_kind.ts";
import { annotated, containerWarnings, fractions } from "./container_warnings.ts";
import { flattened, type Nested } from "./nested.ts";
import { SECCOMP } from "./profile_annotations.ts";
import { isRepeated } from "./validation/check.ts";
import { labelErrors, labelValueErrors } from "./validation/names.ts";
import { overlappingPaths } from "./volume_path_warnings.ts";

// What kube-apiserver says of objects that it takes, but that will likely surprise.

type Warnings = Nested<string>;

/** @param prefix what stands before `spec` and `metadata` of a template: nothing of a Pod */
type TemplateWarning = (template: Json, prefix: string) => Warnings;

/** Only a new Pod is looked at, since little of a Pod can change. */
export function podWarnings(pod: Json, old: Json | undefined): string[] {
  return flattened(!old && [nameWarning(pod.metadata.name, "the Pod's hostname"), templateWarnings(pod, "")]);
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
    templateWarnings(template, `${path}.template.`),
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
const NODE_AFFINITY = "spec.affinity.nodeAffinity";
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
const MATCHES_NONE = "labelSelector: a null labelSelector results in matching no pod";

/** Pod `warningsForPodSpecAndMeta`, in its order. */
const WARNINGS: readonly TemplateWarning[] = [
  ({ spec }, prefix) =>
    Object.keys(spec.nodeSelector ?? {}).sort().map((key) =>
      deprecated(key, (why) => `${prefix}spec.nodeSelector[${key}]: ${why}`)
    ),
  ({ spec }, prefix) =>
    (spec.affinity?.nodeAffinity?.[REQUIRED]?.nodeSelectorTerms ?? []).map((term: Json, index: number) =>
      termWarnings(term, `${prefix}${NODE_AFFINITY}.${REQUIRED}.nodeSelectorTerms[${index}]`, false)
    ),
  ({ spec }, prefix) =>
    (spec.affinity?.nodeAffinity?.[PREFERRED] ?? []).map(({ preference = {} }: Json, index: number) =>
      termWarnings(preference, `${prefix}${NODE_AFFINITY}.${PREFERRED}[${index}].preference`, true)
    ),
  ({ spec }, prefix) =>
    (spec.topologySpreadConstraints ?? []).map(({ topologyKey, labelSelector }: Json, index: number) => {
      const at = `${prefix}spec.topologySpreadConstraints[${index}]`;
      return [
        deprecated(topologyKey, (why) => `${at}.topologyKey: ${topologyKey} is ${why}`),
        !labelSelector && `${at}.${MATCHES_NONE}`,
      ];
    }),
  (template, prefix) =>
    Object.entries(DEPRECATED_ANNOTATIONS).map(([key, why]) => annotated(template, prefix, key, why)),
  ({ spec }, prefix) =>
    (spec.volumes ?? []).map((volume: Json, index: number) => {
      const at = `${prefix}spec.volumes[${index}]`, claim = volume.ephemeral?.volumeClaimTemplate?.spec?.resources;
      return [
        Object.entries(DEPRECATED_VOLUMES).map(([source, why]) =>
          volume[source] && `${at}.${source === "storageos" ? "storageOS" : source}: ${why}`
        ),
        ["requests", "limits"].map((list) =>
          fractions(claim?.[list], `${at}.ephemeral.volumeClaimTemplate.spec.resources.${list}`, ["storage"])
        ),
      ];
    }),
  overlappingPaths,
  ({ spec }, prefix) => repeated(spec.hostAliases ?? [], "ip", `${prefix}spec.hostAliases`),
  ({ spec }, prefix) => repeated(spec.imagePullSecrets ?? [], "name", `${prefix}spec.imagePullSecrets`),
  ({ spec }, prefix) =>
    (spec.imagePullSecrets ?? []).map(({ name }: Json, index: number) =>
      !name && `${prefix}spec.imagePullSecrets[${index}].name: invalid empty name ""`
    ),
  ({ spec }, prefix) => fractions(spec.overhead, `${prefix}spec.overhead`),
  (template, prefix) =>
    !template.spec.securityContext?.seccompProfile && annotated(template, prefix, SECCOMP.ofPod, SECCOMP.instead),
  containerWarnings,
  ({ spec }, prefix) =>
    spec.terminationGracePeriodSeconds < 0 &&
    `${prefix}spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
  ({ spec: { affinity } }, prefix) =>
    ["podAffinity", "podAntiAffinity"].map((kind) => [
      (affinity?.[kind]?.[REQUIRED] ?? []).map(({ labelSelector }: Json, index: number) =>
        !labelSelector && `${prefix}spec.affinity.${kind}.${REQUIRED}[${index}].${MATCHES_NONE}`
      ),
      (affinity?.[kind]?.[PREFERRED] ?? []).map(({ podAffinityTerm }: Json, index: number) =>
        !podAffinityTerm?.labelSelector &&
        `${prefix}spec.affinity.${kind}.${PREFERRED}[${index}].podAffinityTerm.${MATCHES_NONE}`
      ),
    ]),
  ({ spec }, prefix) =>
    (spec.dnsConfig?.nameservers ?? []).map((ip: string, index: number) =>
      otherForm(ip, `${prefix}spec.dnsConfig.nameservers[${index}]`)
    ),
  ({ spec }, prefix) =>
    (spec.hostAliases ?? []).map(({ ip }: Json, index: number) =>
      otherForm(ip, `${prefix}spec.hostAliases[${index}].ip`)
    ),
];

function templateWarnings(template: Json, prefix: string): Warnings {
  return WARNINGS.map((warning) => warning(template, prefix));
}

function deprecated(label: string, text: (why: string) => string): Warnings {
  const why = ownValue(DEPRECATED_LABELS, label);
  return why && text(why);
}

/** Node `GetWarningsForNodeSelectorTerm`. */
function termWarnings({ matchExpressions = [] }: Json, at: string, checksValues: boolean): Warnings {
  return matchExpressions.map(({ key, values = [] }: Json, index: number) => [
    deprecated(key, (why) => `${at}.matchExpressions[${index}].key: ${key} is ${why}`),
    checksValues &&
    values.map((value: string, each: number) =>
      labelValueErrors(value).map((why) =>
        `${at}.matchExpressions[${index}].values[${each}]: ${value} is invalid, ${why}`
      )
    ),
  ]);
}

function repeated(items: Json[], field: string, at: string): Warnings {
  return items.map((item, index) =>
    isRepeated(items, index, field) &&
    `${at}[${index}].${field}: duplicate ${field} ${JSON.stringify(item[field] ?? "")}`
  );
}

/** Apimachinery `GetWarningsForIP`: an address of IPv6 can be written in many ways. */
function otherForm(ip: string, at: string): Warnings {
  if (!isIPv6(ip)) return [];
  const canonical = new URL(`http://[${ip}]`).hostname.slice(1, -1);
  return canonical !== ip &&
    `${at}: IPv6 address ${JSON.stringify(ip)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`;
}
