import type { Json } from "../../resource_kind.ts";
import { CORE_TYPES } from "../../schema/types/core.ts";
import { atMostBytes, between, each, eachUnique, firstBy, forbid, named, oneOf, REQUIRED, rules } from "./check.ts";
import { hostNetworkPorts, validateContainers } from "./container.ts";
import { ofContainers, type PodScope } from "./pod_scope.ts";
import { type Findings, forbidden, invalidValue, notFound, required } from "./field_errors.ts";
import { IP } from "./ip.ts";
import { labelErrors, subdomainErrors } from "./names.ts";
import { validateAnnotations, validateLabels } from "./object_meta.ts";
import { validateOperatingSystem } from "./operating_system.ts";
import { validatePodAnnotations } from "./pod_annotations.ts";
import { podResource, resourcesOfAll, validateResources } from "./resources.ts";
import { AFFINITY, READINESS_GATES, SCHEDULING_GATES, SPREAD_CONSTRAINTS, TOLERATIONS } from "./scheduling.ts";
import { POD_SECURITY_CONTEXT } from "./security_context.ts";
import { asStruct } from "./spec_diff.ts";
import { validateVolumes } from "./volumes.ts";
import { hostProcesses } from "./windows.ts";

const MAX_INT32 = 2 ** 31 - 1;
const NAME = named(subdomainErrors);
const LABEL = named(labelErrors);

/**
 * Returns what is wrong with a Pod template. `path` is where it stands: `spec.template`. Core `ValidatePodTemplateSpec`.
 */
export function validatePodTemplate(template: Json, path: string): Findings {
  return [
    validateLabels(template.metadata?.labels, `${path}.labels`),
    validateAnnotations(template.metadata?.annotations, `${path}.annotations`),
    validatePodAnnotations(template, `${path}.annotations`),
    validatePodSpec(template.spec, `${path}.spec`),
    template.spec.ephemeralContainers?.length &&
    forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template"),
  ];
}

/** @param podName of a Pod; a template has none */
export function validatePodSpec(spec: Json, path: string, podName?: string): Findings {
  const { errors, valid } = validateVolumes(spec.volumes ?? [], `${path}.volumes`, podName);
  const scope = { spec, volumes: valid };
  return [
    errors,
    RESOURCE_CLAIMS(spec, path),
    validateContainers(spec, path, scope),
    POD_RESOURCES(spec, path, scope),
    hostNetworkPorts(spec, path, podName !== undefined),
    POD_SPEC(spec, path, scope),
    validateOperatingSystem(spec, path),
    variableFiles(spec, path),
  ];
}

const HOST_ALIAS = rules("core ValidateHostAliases", ["ip", IP], ["hostnames", each(NAME)]);

/** Core `validatePodResourceClaim`, which wants one source of the two. */
function claimSource(claim: Json, at: string): Findings {
  const { resourceClaimName: name, resourceClaimTemplateName: template } = claim;
  if ((name === undefined) !== (template === undefined)) return [];
  const which = "`resourceClaimName`";
  const why = name === undefined
    ? `must specify one of: ${which}, \`resourceClaimTemplateName\``
    : `at most one of ${which} or \`resourceClaimTemplateName\` may be specified`;
  return invalidValue(at, asStruct(claim, CORE_TYPES.struct("PodResourceClaim")), why);
}

const RESOURCE_CLAIM = rules(
  "core validatePodResourceClaim",
  ["name", REQUIRED, LABEL],
  claimSource,
  [["resourceClaimName", "resourceClaimTemplateName"], NAME],
);

const RESOURCE_CLAIMS = rules("core validatePodResourceClaims", ["resourceClaims", eachUnique("name", RESOURCE_CLAIM)]);

const NO_CLAIMS = rules("core validatePodResources", [
  "claims",
  forbid("claims cannot be set for Resources at pod-level"),
]);
const POD_RESOURCES = rules("core validatePodResources", [
  "resources",
  NO_CLAIMS,
  (resources, at, scope) => validateResources(resources, at, scope, podResource),
  resourcesOfAll,
]);

const POD_SPEC = rules(
  "core ValidatePodSpec",
  ["restartPolicy", REQUIRED, oneOf("Always", "OnFailure", "Never")],
  ["dnsPolicy", REQUIRED, oneOf("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")],
  ["nodeSelector", validateLabels],
  ["securityContext", POD_SECURITY_CONTEXT],
  ["affinity", AFFINITY],
  dnsConfig,
  ["readinessGates", READINESS_GATES],
  ["schedulingGates", SCHEDULING_GATES],
  ["topologySpreadConstraints", SPREAD_CONSTRAINTS],
  hostProcesses,
  hostUsers,
  ["hostnameOverride", hostnameOverride],
  [["serviceAccountName", "nodeName"], NAME],
  ["activeDeadlineSeconds", between(1, MAX_INT32)],
  [["hostname", "subdomain"], LABEL],
  ["tolerations", TOLERATIONS],
  ["hostAliases", each(HOST_ALIAS)],
  [["priorityClassName", "runtimeClassName"], NAME],
  ["preemptionPolicy", oneOf("PreemptLowerPriority", "Never")],
  ["overhead", (overhead, at) => validateResources({ limits: overhead }, at)],
);

/** Core `validateFileKeyRefVolumes`: files of variables lie in an emptyDir. */
function variableFiles({ volumes = [], ...spec }: Json, path: string): Findings {
  const byName = firstBy(volumes, "name");
  return ofContainers(spec, path, ({ env = [] }, container) =>
    env.map(({ valueFrom }: Json, index: number) => {
      if (!valueFrom?.fileKeyRef) return [];
      const at = `${container}.env[${index}].valueFrom.fileKeyRef.volumeName`, { volumeName } = valueFrom.fileKeyRef;
      const volume = byName.get(volumeName);
      if (!volume) return notFound(at, volumeName);
      return !volume.emptyDir && invalidValue(at, volumeName, "referenced volume must be of type emptyDir");
    }));
}

/** Core `validateHostUsers`. */
function hostUsers(spec: Json, path: string): Findings {
  return spec.hostUsers === false &&
    Object.entries({ hostNetwork: "hostNetwork", hostPID: "HostPID", hostIPC: "HostIPC" }).map(([field, shown]) =>
      spec[field] && forbidden(`${path}.${shown}`, "when `pod.Spec.HostUsers` is false")
    );
}

const MAX_HOSTNAME_BYTES = 64;

/** Core `validatePodHostName`. */
function hostnameOverride(hostname: string, at: string, { spec }: PodScope): Findings {
  return [
    ["setHostnameAsFQDN", "hostNetwork"].map((field) =>
      spec[field] && forbidden(at, `may not be specified when ${field} is true`)
    ),
    atMostBytes(MAX_HOSTNAME_BYTES)(hostname, at),
    NAME(hostname, at),
  ];
}

const MAX_NAMESERVERS = 3, MAX_SEARCHES = 32, MAX_SEARCH_CHARACTERS = 2048;
const SEARCH_DOMAIN = /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;

/** Core `validatePodDNSConfig`. */
function dnsConfig({ dnsPolicy, dnsConfig: config }: Json, path: string): Findings {
  const at = `${path}.dnsConfig`;
  if (dnsPolicy === "None") {
    if (!config) return required(at, "must provide `dnsConfig` when `dnsPolicy` is None");
    if (!config.nameservers?.length) {
      return required(`${at}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None");
    }
  }
  const { nameservers = [], searches = [], options = [] } = config ?? {};
  const atMost = (field: string, list: string[], length: number, most: number, what: string) =>
    length > most && invalidValue(`${at}.${field}`, list, `must not have more than ${most} ${what}`);
  const inList = "characters (including spaces) in the search list";
  return [
    atMost("nameservers", nameservers, nameservers.length, MAX_NAMESERVERS, "nameservers"),
    each(IP)(nameservers, `${at}.nameservers`),
    atMost("searches", searches, searches.length, MAX_SEARCHES, "search paths"),
    atMost("searches", searches, searches.join(" ").length, MAX_SEARCH_CHARACTERS, inList),
    searches.map((search: string, index: number) => {
      const domain = search === "." ? "a" : search.replace(/\.$/, "");
      return !SEARCH_DOMAIN.test(domain) && invalidValue(`${at}.searches[${index}]`, domain, SEARCH_MESSAGE);
    }),
    options.map(({ name }: Json, index: number) => !name && required(`${at}.options[${index}]`, "must not be empty")),
  ];
}

const SEARCH_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', " +
  "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
