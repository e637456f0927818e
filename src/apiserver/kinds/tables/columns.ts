// The columns of `kubectl get`, with the descriptions that kube-apiserver sends along.
import type { PrinterColumn } from "../../resource_kind.ts";

export const NAME: PrinterColumn = {
  ...text(
    "Name",
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
  ),
  format: "name",
};
export const AGE: PrinterColumn = text(
  "Age",
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
);
const CONTAINERS: PrinterColumn = wide(text("Containers", "Names of each container in the template."));
const IMAGES: PrinterColumn = wide(text("Images", "Images referenced by each container in the template."));
const SELECTOR: PrinterColumn = wide(
  text(
    "Selector",
    "A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
  ),
);

export const CRON_JOB_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text("Schedule", "The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron."),
  text(
    "Timezone",
    "The time zone name for the given schedule, see https://en.wikipedia.org/wiki/List_of_tz_database_time_zones. If not specified, this will default to the time zone of the kube-controller-manager process. The set of valid time zone names and the time zone offset is loaded from the system-wide time zone database by the API server during CronJob validation and the controller manager during execution. If no system-wide time zone database can be found a bundled version of the database is used instead. If the time zone name becomes invalid during the lifetime of a CronJob or due to a change in host configuration, the controller will stop creating new new Jobs and will create a system event with the reason UnknownTimeZone. More information can be found in https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones",
  ),
  column(
    "Suspend",
    "boolean",
    "This flag tells the controller to suspend subsequent executions, it does not apply to already started executions.  Defaults to false.",
  ),
  column("Active", "integer", "A list of pointers to currently running jobs."),
  text("Last Schedule", "Information when was the last time the job was successfully scheduled."),
  AGE,
  CONTAINERS,
  IMAGES,
  SELECTOR,
];

export const JOB_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text("Status", "Status of the job."),
  text(
    "Completions",
    "The number of pods which reached phase Succeeded. The value increases monotonically for a given spec. However, it may decrease in reaction to scale down of elastic indexed jobs.",
  ),
  text("Duration", "Time required to complete the job."),
  AGE,
  CONTAINERS,
  IMAGES,
  SELECTOR,
];

export const POD_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text("Ready", "The aggregate readiness state of this pod for accepting traffic."),
  text("Status", "The aggregate status of the containers in this pod."),
  text(
    "Restarts",
    "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.",
  ),
  AGE,
  wide(
    text("IP", "podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet allocated."),
  ),
  wide(
    text(
      "Node",
      "NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for scheduling by the scheduler defined in schedulerName. Once this field is set, the kubelet for this node becomes responsible for the lifecycle of this pod. This field should not be used to express a desire for the pod to be scheduled on a specific node. https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
    ),
  ),
  wide(
    text(
      "Nominated Node",
      "nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be scheduled right away as preemption victims receive their graceful termination periods. This field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to give the resources on this node to a higher priority pod that is created after preemption. As a result, this field may be different than PodSpec.nodeName when the pod is scheduled.",
    ),
  ),
  wide(
    text(
      "Readiness Gates",
      'If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all its containers are ready AND all conditions specified in the readiness gates have status equal to "True" More info: https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates',
    ),
  ),
];

export const EVENT_COLUMNS: readonly PrinterColumn[] = [
  text("Last Seen", "The time at which the most recent occurrence of this event was recorded."),
  text("Type", "Type of this event (Normal, Warning), new types could be added in the future"),
  text(
    "Reason",
    "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.",
  ),
  text("Object", "The object that this event is about."),
  wide(
    text(
      "Subobject",
      'If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: "spec.containers{name}" (where "name" refers to the name of the container that triggered the event) or if no container name is specified "spec.containers[2]" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.',
    ),
  ),
  wide(text("Source", "The component reporting this event. Should be a short machine understandable string.")),
  text("Message", "A human-readable description of the status of this operation."),
  wide(text("First Seen", "The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)")),
  wide(text("Count", "The number of times this event has occurred.")),
  wide(NAME),
];

export const NAMESPACE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text("Status", "The status of the namespace"),
  AGE,
];

export const CONFIG_MAP_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text(
    "Data",
    "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
  ),
  AGE,
];

export const LEASE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text(
    "Holder",
    "holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder identity must be equal to the elected LeaseCandidate.metadata.name field.",
  ),
  AGE,
];

export const SECRET_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text("Type", "What kind of secret this is, which says what keys its data must have."),
  text("Data", "How many keys the data has."),
  AGE,
];

export const SERVICE_ACCOUNT_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text("Secrets", "How many secrets Pods that run as this account may use."),
  AGE,
];

export const NODE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text("Status", "Whether the node is ready."),
  text("Roles", "The roles that the node's labels give it."),
  AGE,
  text("Version", "The version of the node's kubelet."),
  wide(text("Internal-IP", "The node's address inside the cluster.")),
  wide(text("External-IP", "The node's address outside the cluster.")),
  wide(text("OS-Image", "What the node's operating system calls itself.")),
  wide(text("Kernel-Version", "The version of the node's kernel.")),
  wide(text("Container-Runtime", "What runs the node's containers.")),
];

export const CREATED_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  { ...text("Created At", AGE.description), type: "date" },
];

/** A column of a CustomResourceDefinition, or one like it. */
export function column(name: string, type: string, description: string): PrinterColumn {
  return { name, type, format: "", description, priority: 0 };
}

function text(name: string, description: string): PrinterColumn {
  return column(name, "string", description);
}

function wide(shown: PrinterColumn): PrinterColumn {
  return { ...shown, priority: 1 };
}
