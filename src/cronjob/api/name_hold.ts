import { isDeepStrictEqual } from "node:util";
import type { Patch } from "../../kube/object.ts";
import { NAME_HOLD } from "./annotations.ts";
import type { Child, ChildMeta } from "./job.ts";

type Held = Pick<ChildMeta, "uid" | "finalizers">;

/** Returns whether our finalizer keeps the name of a Job taken. */
export function holdsName({ finalizers }: Held): boolean {
  return finalizers?.includes(NAME_HOLD) ?? false;
}

/** Returns whether a version of a Job lacks nothing but our finalizer: no news for its CronJob. */
export function isFreed(child: Child, previous: Child | undefined): boolean {
  if (!previous || !holdsName(previous.metadata) || holdsName(child.metadata)) return false;
  const { finalizers, resourceVersion } = child.metadata;
  return isDeepStrictEqual({ ...previous, metadata: { ...previous.metadata, finalizers, resourceVersion } }, {
    ...child,
    metadata: { ...child.metadata, finalizers, resourceVersion },
  });
}

/** Takes our finalizer from a Job. Refused if its finalizers are no longer the same. */
export function freeingPatch({ uid, finalizers }: Held): Patch {
  const path = `/metadata/finalizers/${finalizers?.indexOf(NAME_HOLD)}`;
  return {
    type: "json",
    operations: [
      { op: "test", path: "/metadata/uid", value: uid },
      { op: "test", path, value: NAME_HOLD },
      { op: "remove", path },
    ],
  };
}
