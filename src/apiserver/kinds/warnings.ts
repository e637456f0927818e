import type { Json } from "../resource_kind.ts";
import { isWhole } from "../../kube/quantity.ts";
import { labelErrors, labelValueErrors } from "./validation/names.ts";

// What kube-apiserver says of objects that it takes, but that will likely surprise.

/** By the path of a Pod spec and metadata, what there is to say of them. */
type Warning = (template: Json, path: Path) => string[];
/** Where something stands in the template: `spec.containers[0]`. */
type Path = (place: string) => string;

/** Only a new Pod is looked at, since little of a Pod can change. */
export function podWarnings(pod: Json, old: Json | undefined): string[] {
  if (old) return [];
  return [...nameWarnings(pod.metadata.name, "the Pod's hostname"), ...templateWarnings(pod, "")];
}

export function jobWarnings({ metadata, spec }: Json, old: Json | undefined): string[] {
  return [
    ...(old ? [] : nameWarnings(metadata.name, "Pod names and hostnames")),
    ...jobSpecWarnings(spec, "spec"),
  ];
}

export function cronJobWarnings({ metadata, spec }: Json, old: Json | undefined): string[] {
  return [
    ...(old ? [] : nameWarnings(metadata.name, "Pod names and hostnames")),
    ...jobSpecWarnings(spec.jobTemplate.spec, "spec.jobTemplate.spec"),
    ...(old && spec.schedule.includes("TZ")
      ? [
        "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, " +
        "see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
      ]
      : []),
  ];
}

function nameWarnings(name: string, use: string): string[] {
  const messages = labelErrors(name);
  if (messages.length === 0) return [];
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; ` +
    `a DNS label is recommended: [${messages.join(" ")}]`,
  ];
}

const MANY_COMPLETIONS = 100_000, MUCH_PARALLELISM = 10_000;

/** Job `WarningsForJobSpec`. */
function jobSpecWarnings(spec: Json, path: string): string[] {
  const isHuge = spec.completionMode === "Indexed" && spec.completions > MANY_COMPLETIONS &&
    spec.parallelism > MUCH_PARALLELISM;
  return [
    ...(isHuge
      ? [
        `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, ` +
        "Kubernetes might not be able to track completedIndexes when a big number of indexes fail",
      ]
      : []),
    ...templateWarnings(spec.template, `${path}.template.`),
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
const SECCOMP = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_OF = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR_OF = "container.apparmor.security.beta.kubernetes.io/";
const USE_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const IN_BYTES = ["memory", "ephemeral-storage"];
const NODE_AFFINITY = "spec.affinity.nodeAffinity";
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
const MATCHES_NONE = "a null labelSelector results in matching no pod";

/** Pod `warningsForPodSpecAndMeta`, in its order. */
const WARNINGS: readonly Warning[] = [
  ({ spec }, path) =>
    Object.keys(spec.nodeSelector ?? {}).sort().flatMap((key) =>
      deprecated(key, (why) => `${path(`spec.nodeSelector[${key}]`)}: ${why}`)
    ),
  ({ spec: { affinity } }, path) =>
    (affinity?.nodeAffinity?.[REQUIRED]?.nodeSelectorTerms ?? []).flatMap((term: Json, index: number) =>
      termWarnings(term, path(`${NODE_AFFINITY}.${REQUIRED}.nodeSelectorTerms[${index}]`), false)
    ),
  ({ spec: { affinity } }, path) =>
    (affinity?.nodeAffinity?.[PREFERRED] ?? []).flatMap(({ preference = {} }: Json, index: number) =>
      termWarnings(preference, path(`${NODE_AFFINITY}.${PREFERRED}[${index}].preference`), true)
    ),
  ({ spec }, path) =>
    (spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey, labelSelector }: Json, index: number) => {
      const at = path(`spec.topologySpreadConstraints[${index}]`);
      return [
        ...deprecated(topologyKey, (why) => `${at}.topologyKey: ${topologyKey} is ${why}`),
        ...(labelSelector ? [] : [`${at}.labelSelector: ${MATCHES_NONE}`]),
      ];
    }),
  ({ metadata = {} }, path) =>
    Object.entries(DEPRECATED_ANNOTATIONS).filter(([key]) => Object.hasOwn(metadata.annotations ?? {}, key))
      .map(([key, why]) => `${path(`metadata.annotations[${key}]`)}: ${why}`),
  ({ spec }, path) =>
    (spec.volumes ?? []).flatMap((volume: Json, index: number) =>
      Object.entries(DEPRECATED_VOLUMES).filter(([source]) => volume[source])
        .map(([source, why]) =>
          `${path(`spec.volumes[${index}].${source === "storageos" ? "storageOS" : source}`)}: ${why}`
        )
    ),
  tokenPaths,
  ({ spec }, path) => repeated(spec.hostAliases ?? [], "ip", path("spec.hostAliases")),
  ({ spec }, path) => repeated(spec.imagePullSecrets ?? [], "name", path("spec.imagePullSecrets")),
  ({ spec }, path) =>
    (spec.imagePullSecrets ?? []).flatMap(({ name }: Json, index: number) =>
      name ? [] : [`${path(`spec.imagePullSecrets[${index}].name`)}: invalid empty name ""`]
    ),
  ({ spec }, path) => fractions(spec.overhead, path("spec.overhead")),
  ({ metadata = {}, spec }, path) =>
    metadata.annotations?.[SECCOMP] !== undefined && !spec.securityContext?.seccompProfile
      ? [`${path(`metadata.annotations[${SECCOMP}]`)}: ${USE_SECCOMP}`]
      : [],
  eachContainer(
    ({ securityContext, name }, { metadata = {} }, _at, path) => {
      const key = SECCOMP_OF + name;
      const isSet = metadata.annotations?.[key] !== undefined && !securityContext?.seccompProfile;
      return isSet ? [`${path(`metadata.annotations[${key}]`)}: ${USE_SECCOMP}`] : [];
    },
    appArmor,
    ({ resources = {} }, _template, at) => [
      ...IN_BYTES.flatMap((resource) =>
        ["limits", "requests"].flatMap((list) =>
          fractions({ [resource]: resources[list]?.[resource] }, `${at}.resources.${list}`)
        )
      ),
    ],
    ({ env = [] }, _template, at) => hiddenVariables(env, `${at}.env`),
  ),
  ports,
  ({ spec }, path) =>
    spec.terminationGracePeriodSeconds < 0
      ? [
        `${
          path("spec.terminationGracePeriodSeconds")
        }: must be >= 0; negative values are invalid and will be treated as 1`,
      ]
      : [],
  ({ spec: { affinity } }, path) =>
    ["podAffinity", "podAntiAffinity"].flatMap((kind) => [
      ...(affinity?.[kind]?.[REQUIRED] ?? []).flatMap(({ labelSelector }: Json, index: number) =>
        labelSelector ? [] : [`${path(`spec.affinity.${kind}.${REQUIRED}[${index}]`)}.labelSelector: ${MATCHES_NONE}`]
      ),
      ...(affinity?.[kind]?.[PREFERRED] ?? []).flatMap(({ podAffinityTerm }: Json, index: number) =>
        podAffinityTerm?.labelSelector ? [] : [
          `${path(`spec.affinity.${kind}.${PREFERRED}[${index}]`)}.podAffinityTerm.labelSelector: ${MATCHES_NONE}`,
        ]
      ),
    ]),
];

/** @param prefix before `spec` and `metadata`: empty for a Pod */
function templateWarnings(template: Json, prefix: string): string[] {
  return WARNINGS.flatMap((warning) => warning(template, (place) => prefix + place));
}

function deprecated(label: string, text: (why: string) => string): string[] {
  return Object.hasOwn(DEPRECATED_LABELS, label) ? [text(DEPRECATED_LABELS[label])] : [];
}

/** Node `GetWarningsForNodeSelectorTerm`. */
function termWarnings({ matchExpressions = [] }: Json, at: string, checksValues: boolean): string[] {
  return matchExpressions.flatMap(({ key, values = [] }: Json, index: number) => [
    ...deprecated(key, (why) => `${at}.matchExpressions[${index}].key: ${key} is ${why}`),
    ...(checksValues ? values : []).flatMap((value: string, each: number) =>
      labelValueErrors(value).map((why) =>
        `${at}.matchExpressions[${index}].values[${each}]: ${value} is invalid, ${why}`
      )
    ),
  ]);
}

/** Files that have the place of a ServiceAccount's token. */
function tokenPaths({ spec }: Json, path: Path): string[] {
  const sources: [Json, number][] = (spec.volumes ?? []).flatMap(({ projected }: Json, index: number) =>
    (projected?.sources ?? []).map((source: Json) => [source, index])
  );
  const tokens = new Set(sources.map(([{ serviceAccountToken }]) => serviceAccountToken?.path));
  const shown = { configMap: "configMap", secret: "secrets", downwardAPI: "downwardAPI" };
  return sources.flatMap(([source, index]) =>
    Object.entries(shown).flatMap(([kind, name]) =>
      (source[kind]?.items ?? []).flatMap((item: Json, each: number) =>
        !tokens.has(item.path) ? [] : [
          `${path(`spec.volumes[${index}].projected.sources.${name}[${each}]`)}: ` +
          `has duplicated path with ServiceAccountToken ${JSON.stringify(item.path)}`,
        ]
      )
    )
  );
}

function repeated(items: Json[], field: string, at: string): string[] {
  return items.flatMap((item, index) =>
    items.findIndex((one) => one[field] === item[field]) < index
      ? [`${at}[${index}].${field}: duplicate ${field} ${JSON.stringify(item[field] ?? "")}`]
      : []
  );
}

function fractions(amounts: Json | undefined, at: string): string[] {
  return IN_BYTES.filter((resource) => amounts?.[resource] !== undefined && !isWhole(amounts[resource])).map((
    resource,
  ) =>
    `${at}[${resource}]: fractional byte value ${JSON.stringify(amounts![resource])} is invalid, must be an integer`
  );
}

type ContainerWarning = (container: Json, template: Json, at: string, path: Path) => string[];

function eachContainer(...warnings: ContainerWarning[]): Warning {
  return (template, path) =>
    ["initContainers", "containers"].flatMap((list) =>
      (template.spec[list] ?? []).flatMap((container: Json, index: number) =>
        warnings.flatMap((warning) => warning(container, template, path(`spec.${list}[${index}]`), path))
      )
    );
}

/** Of templates; a Pod's annotation becomes the field. */
function appArmor({ name, securityContext }: Json, { metadata = {}, spec }: Json, _at: string, path: Path): string[] {
  const place = `metadata.annotations[${APP_ARMOR_OF}${name}]`;
  const isSaid = metadata.annotations?.[APP_ARMOR_OF + name] !== undefined;
  const hasField = securityContext?.appArmorProfile || spec.securityContext?.appArmorProfile;
  return isSaid && !hasField && path(place) !== place
    ? [`${path(place)}: deprecated since v1.30; use the "appArmorProfile" field instead`]
    : [];
}

/** A variable that is given twice loses the first when the object is applied: both have the same key. */
function hiddenVariables(variables: Json[], at: string): string[] {
  return variables.flatMap(({ name, value = "", valueFrom }, index) => {
    const reference = `$(${name})`;
    // A variable may build on what it was before.
    const builds = !valueFrom && value !== reference && value.includes(reference);
    if (builds || !variables.slice(0, index).some((earlier) => earlier.name === name)) return [];
    return [
      `${at}[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}

/** Across all containers. */
function ports(template: Json, path: Path): string[] {
  const seen: { at: string; port: Json }[] = [];
  return eachContainer(({ ports = [] }, _template, container) =>
    ports.flatMap((port: Json, index: number) => {
      const at = `${container}.ports[${index}]`,
        { hostIP = "", hostPort = 0, containerPort, protocol, name = "" } = port;
      const struct =
        `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
      const alone = hostIP && !hostPort ? [`${at}: hostIP set without hostPort: ${struct}`] : [];
      const same = seen.filter((other) =>
        other.port.containerPort === containerPort && other.port.protocol === protocol
      );
      seen.push({ at, port });
      return [
        ...alone,
        ...same.flatMap((other) => {
          const { hostIP: otherIP = "", hostPort: otherPort = 0 } = other.port;
          const how = hostIP === otherIP && hostPort === otherPort
            ? "duplicate"
            : hostPort === 0 || otherPort === 0
            ? "overlapping"
            : hostPort === otherPort && (hostIP === "") !== (otherIP === "")
            ? "dangerously ambiguous"
            : undefined;
          return how ? [`${at}: ${how} port definition with ${other.at}`] : [];
        }),
      ];
    })
  )(template, path);
}
