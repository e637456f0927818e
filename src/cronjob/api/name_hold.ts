import type { DeepReadonly, ObjectMeta, Patch } from "../../kube/object.ts";
import { NAME_HOLD } from "./annotations.ts";

type Held = Pick<DeepReadonly<ObjectMeta>, "uid" | "finalizers">;

/** Returns whether our finalizer keeps the name of a Job taken. */
export function holdsName({ finalizers }: Held): boolean {
  return finalizers?.includes(NAME_HOLD) ?? false;
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
