import { isIP } from "node:net";
import type { FieldError, Json } from "../../resource_kind.ts";
import { KUBERNETES_TYPES } from "../../schema/kubernetes_types.ts";
import { between, type Check, each, forbid, named, oneOf, REQUIRED, rules } from "./check.ts";
import { hostNetworkPorts, validateContainers } from "./container.ts";
import type { PodScope } from "./pod_scope.ts";
import { duplicate, forbidden, invalidValue, required } from "./field_errors.ts";
import { labelErrors, subdomainErrors } from "./names.ts";
import { validateAnnotations, validateLabels } from "./object_meta.ts";
import { validateOperatingSystem } from "./operating_system.ts";
import { resourcesOfAll, validateResources } from "./resources.ts";
import { AFFINITY, READINESS_GATES, SCHEDULING_GATES, SPREAD_CONSTRAINTS, TOLERATIONS } from "./scheduling.ts";
import { POD_SECURITY_CONTEXT } from "./security_context.ts";
import { asStruct } from "./spec_diff.ts";
import { validateVolumes } from "./volumes.ts";

const MAX_INT32 = 2 ** 31 - 1;
const NAME = named(subdomainErrors);
const LABEL = named(labelErrors);

/** What is wrong with a Pod template. `path` is where it stands: `spec.template`. Core `ValidatePodTemplateSpec`. */
export function validatePodTemplate(template: Json, path: string): FieldError[] {
  return [
    ...validateLabels(template.metadata?.labels, `${path}.labels`),
    ...validateAnnotations(template.metadata?.annotations, `${path}.annotations`),
    ...validatePodSpec(template.spec, `${path}.spec`),
    ...((template.spec.ephemeralContainers ?? []).length > 0
      ? [forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template")]
      : []),
  ];
}

/** @param podName of a Pod; a template has none */
export function validatePodSpec(spec: Json, path: string, podName?: string): FieldError[] {
  const { errors, valid } = validateVolumes(spec.volumes ?? [], `${path}.volumes`, podName);
  const scope = { spec, volumes: valid };
  return [
    ...errors,
    ...RESOURCE_CLAIMS(spec, path, scope),
    ...validateContainers(spec, path, scope),
    ...POD_RESOURCES(spec, path, scope),
    ...hostNetworkPorts(spec, path, podName !== undefined),
    ...POD_SPEC(spec, path, scope),
    ...validateOperatingSystem(spec, path),
  ];
}

const IP: Check = (ip: string, at) =>
  isIP(ip) ? [] : [invalidValue(at, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];

const HOST_ALIAS = rules("core ValidateHostAliases", ["ip", IP], ["hostnames", each(NAME)]);

/** Core `validatePodResourceClaim`, which wants one source of the two. */
function claimSource(claim: Json, at: string): FieldError[] {
  const { resourceClaimName: name, resourceClaimTemplateName: template } = claim;
  if ((name === undefined) !== (template === undefined)) return [];
  const which = "`resourceClaimName`";
  const why = name === undefined
    ? `must specify one of: ${which}, \`resourceClaimTemplateName\``
    : `at most one of ${which} or \`resourceClaimTemplateName\` may be specified`;
  return [invalidValue(at, asStruct(claim, KUBERNETES_TYPES.struct("core.PodResourceClaim")), why)];
}

const RESOURCE_CLAIM = rules(
  "core validatePodResourceClaim",
  ["name", REQUIRED, LABEL],
  ["", claimSource],
  ["resourceClaimName", NAME],
  ["resourceClaimTemplateName", NAME],
);

const RESOURCE_CLAIMS = rules("core validatePodResourceClaims", [
  "resourceClaims",
  each(RESOURCE_CLAIM),
  (claims: Json[], at) =>
    claims.flatMap(({ name }, index) =>
      claims.slice(0, index).some((earlier) => earlier.name === name) ? [duplicate(`${at}[${index}].name`, name)] : []
    ),
]);

const POD_RESOURCES = rules<PodScope>(
  "core validatePodResources",
  [
    "resources",
    rules("core validatePodResources", ["claims", forbid("claims cannot be set for Resources at pod-level")]),
  ],
  ["resources", validateResources],
  ["resources", resourcesOfAll],
);

const POD_SPEC = rules<PodScope>(
  "core ValidatePodSpec",
  ["restartPolicy", REQUIRED, oneOf("Always", "OnFailure", "Never")],
  ["dnsPolicy", REQUIRED, oneOf("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")],
  ["nodeSelector", validateLabels],
  ["securityContext", POD_SECURITY_CONTEXT],
  ["", sharedProcesses],
  ["affinity", AFFINITY],
  ["", dnsConfig],
  ["readinessGates", READINESS_GATES],
  ["schedulingGates", SCHEDULING_GATES],
  ["topologySpreadConstraints", SPREAD_CONSTRAINTS],
  ["", hostUsers],
  ["serviceAccountName", NAME],
  ["nodeName", NAME],
  ["activeDeadlineSeconds", between(1, MAX_INT32)],
  ["hostname", LABEL],
  ["subdomain", LABEL],
  ["tolerations", TOLERATIONS],
  ["hostAliases", each(HOST_ALIAS)],
  ["priorityClassName", NAME],
  ["runtimeClassName", NAME],
  ["preemptionPolicy", oneOf("PreemptLowerPriority", "Never")],
  ["overhead", (overhead: Json, at) => validateResources({ limits: overhead }, at)],
);

function sharedProcesses({ shareProcessNamespace, hostPID }: Json, path: string): FieldError[] {
  return shareProcessNamespace && hostPID
    ? [invalidValue(
      `${path}.securityContext.shareProcessNamespace`,
      true,
      "ShareProcessNamespace and HostPID cannot both be enabled",
    )]
    : [];
}

/** Core `validateHostUsers`. */
function hostUsers(spec: Json, path: string): FieldError[] {
  if (spec.hostUsers !== false) return [];
  return Object.entries({ hostNetwork: "hostNetwork", hostPID: "HostPID", hostIPC: "HostIPC" })
    .filter(([field]) => spec[field])
    .map(([, shown]) => forbidden(`${path}.${shown}`, "when `pod.Spec.HostUsers` is false"));
}

const MAX_NAMESERVERS = 3, MAX_SEARCHES = 32, MAX_SEARCH_CHARACTERS = 2048;
const SEARCH_DOMAIN = /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;

/** Core `validatePodDNSConfig`. */
function dnsConfig({ dnsPolicy, dnsConfig: config }: Json, path: string): FieldError[] {
  const at = `${path}.dnsConfig`;
  if (dnsPolicy === "None") {
    if (!config) return [required(at, "must provide `dnsConfig` when `dnsPolicy` is None")];
    if (!config.nameservers?.length) {
      return [required(`${at}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None")];
    }
  }
  const { nameservers = [], searches = [], options = [] } = config ?? {};
  const tooMuch = (field: string, list: string[], what: string) =>
    invalidValue(`${at}.${field}`, list, `must not have more than ${what}`);
  return [
    ...(nameservers.length > MAX_NAMESERVERS
      ? [tooMuch("nameservers", nameservers, `${MAX_NAMESERVERS} nameservers`)]
      : []),
    ...each(IP)(nameservers, `${at}.nameservers`, undefined),
    ...(searches.length > MAX_SEARCHES ? [tooMuch("searches", searches, `${MAX_SEARCHES} search paths`)] : []),
    ...(searches.join(" ").length > MAX_SEARCH_CHARACTERS
      ? [tooMuch("searches", searches, `${MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list`)]
      : []),
    ...searches.flatMap((search: string, index: number) => {
      const domain = search === "." ? "a" : search.replace(/\.$/, "");
      return SEARCH_DOMAIN.test(domain) ? [] : [invalidValue(`${at}.searches[${index}]`, domain, SEARCH_MESSAGE)];
    }),
    ...options.flatMap(({ name }: Json, index: number) =>
      name ? [] : [required(`${at}.options[${index}]`, "must not be empty")]
    ),
  ];
}

const SEARCH_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', " +
  "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
