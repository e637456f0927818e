import { ownValue } from "../../runtime/own_value.ts";
import { apiVersionOf, goType } from "../kind_names.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";

/** Types that Kubernetes can read though there is no resource of them here, or not in that version. */
const READABLE: Readonly<Record<string, string>> = {
  "v1": "Binding ComponentStatus Endpoints LimitRange PersistentVolume PersistentVolumeClaim PodTemplate " +
    "ReplicationController ResourceQuota List Status",
  "admissionregistration.k8s.io/v1": "MutatingWebhookConfiguration ValidatingAdmissionPolicy " +
    "ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration",
  "apps/v1": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
  "apps/v1beta1": "ControllerRevision Deployment StatefulSet",
  "apps/v1beta2": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
  "authentication.k8s.io/v1": "SelfSubjectReview TokenRequest TokenReview",
  "authentication.k8s.io/v1beta1": "SelfSubjectReview TokenReview",
  "authorization.k8s.io/v1":
    "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
  "authorization.k8s.io/v1beta1":
    "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
  "autoscaling/v1": "HorizontalPodAutoscaler Scale",
  "autoscaling/v2": "HorizontalPodAutoscaler",
  "batch/v1beta1": "CronJob",
  "coordination.k8s.io/v1beta1": "Lease",
  "discovery.k8s.io/v1": "EndpointSlice",
  "events.k8s.io/v1beta1": "Event",
  "extensions/v1beta1": "DaemonSet Deployment Ingress NetworkPolicy ReplicaSet",
  "networking.k8s.io/v1": "IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR",
  "node.k8s.io/v1": "RuntimeClass",
  "policy/v1": "Eviction PodDisruptionBudget",
  "policy/v1beta1": "Eviction PodDisruptionBudget",
  "rbac.authorization.k8s.io/v1": "ClusterRole ClusterRoleBinding Role RoleBinding",
  "scheduling.k8s.io/v1": "PriorityClass",
  "storage.k8s.io/v1": "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment",
};

/** Types that every group has. */
const OPTIONS = "CreateOptions DeleteOptions GetOptions ListOptions PatchOptions UpdateOptions WatchEvent".split(" ");

/** Types that have no list. */
const UNLISTED = /^(Binding|Eviction|List|Scale|Status|TokenRequest|\w+Review)$/;

/** Definitions have a server of their own in Kubernetes, which reads nothing else, and nothing else reads them. */
const DEFINITIONS: Readonly<Record<string, string>> = { "apiextensions.k8s.io/v1beta1": "CustomResourceDefinition" };
const DEFINITIONS_GROUP = "apiextensions.k8s.io";

/** Where a server's types are put together: its errors say it. */
const SCHEMES = { definitions: "pkg/apiserver/apiserver.go:53", others: "pkg/api/legacyscheme/scheme.go:30" };

/** What an object says it is. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Returns whether an object of that type can be read as one of the kind: whether it is one, or another version of it. */
export function isVersionOf(type: TypeMeta, kind: ResourceKind, known: readonly ResourceKind[]): boolean {
  if (type.kind !== kind.kind) return false;
  if (type.apiVersion === apiVersionOf(kind)) return true;
  // Events are the same in both of their groups.
  const other = known.find((one) => apiVersionOf(one) === type.apiVersion && one.kind === type.kind);
  if (other) return other.storage === kind.storage;
  const group = type.apiVersion.includes("/") ? type.apiVersion.replace(/\/.*/, "") : "";
  const groups = kind.kind === "Event" ? ["", "events.k8s.io"] : [kind.group];
  return groups.includes(group) && isReadable(type, kind, known);
}

/** Says why an object of another kind cannot be one of this. */
export function otherKind(type: TypeMeta, kind: ResourceKind, known: readonly ResourceKind[]): string {
  const { apiVersion, kind: name } = type;
  if (isReadable(type, kind, known)) {
    const version = apiVersion.replace(/.*\//, "");
    return `converting (${version}.${name}) to (${goType(kind)}): unknown conversion`;
  }
  const scheme = kind.group === DEFINITIONS_GROUP ? SCHEMES.definitions : SCHEMES.others;
  return `no kind ${JSON.stringify(name)} is registered for version ${
    JSON.stringify(apiVersion)
  } in scheme "${scheme}"`;
}

/** Returns whether the server that has the kind can read objects of a type. */
function isReadable({ apiVersion, kind: name }: TypeMeta, kind: ResourceKind, known: readonly ResourceKind[]): boolean {
  const ofDefinitions = kind.group === DEFINITIONS_GROUP;
  const resources = known.filter((one) =>
    !one.custom && (one.group === DEFINITIONS_GROUP) === ofDefinitions && apiVersionOf(one) === apiVersion
  );
  const others = ownValue(ofDefinitions ? DEFINITIONS : READABLE, apiVersion)?.split(" ") ?? [];
  const kinds = [...resources.map((one) => one.kind), ...others];
  const lists = kinds.filter((one) => !UNLISTED.test(one)).map((one) => `${one}List`);
  return kinds.length > 0 && [...OPTIONS, ...kinds, ...lists].includes(name);
}

/** Returns what Go says of a version that has more parts than a group and a version. */
export function versionProblem({ apiVersion }: Json): string | undefined {
  return apiVersion?.split("/").length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}
