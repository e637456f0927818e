import type { Access } from "../kube/access.ts";
import { EVENTS, LEASES } from "../kube/resource.ts";

/** The access of {@linkcode EventRecorder}, in watched namespaces: a repeat raises the count of the first Event. */
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
