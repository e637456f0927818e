import type { Access } from "../kube/access.ts";
import { JOBS, PODS } from "../kube/resource.ts";

/** The requests of the Job controller, besides its Events. */
export const JOB_ACCESS: readonly Access[] = [
  { resource: JOBS, verbs: ["get", "list", "watch"], where: "watched" },
  { resource: JOBS, subresource: "status", verbs: ["update"], where: "watched" },
  {
    resource: JOBS,
    subresource: "finalizers",
    verbs: ["update"],
    where: "watched",
    admissionOf: { resource: PODS, verb: "create" },
  },
  { resource: PODS, verbs: ["get", "list", "watch", "create", "patch", "delete"], where: "watched" },
];
