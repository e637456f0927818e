import type { Access } from "../kube/access.ts";
import { EVENTS, LEASES } from "../kube/resource.ts";

/** Of {@linkcode EventRecorder}, about objects in the namespaces that are watched: a repeat raises the count of the first. */
export const EVENT_ACCESS: readonly Access[] = [
  { resource: EVENTS, verbs: ["create", "patch"], where: "watched" },
];

/** Returns what {@linkcode LeaderElection} asks for. Its Events never repeat: no process leads twice. */
export function leaderElectionAccess(lease: string): readonly Access[] {
  return [
    { resource: LEASES, verbs: ["create"], where: "own" },
    { resource: LEASES, verbs: ["get", "list", "watch", "update"], where: "own", names: [lease] },
    { resource: EVENTS, verbs: ["create"], where: "own" },
  ];
}
