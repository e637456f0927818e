import type { KubeObject } from "../kube/object.ts";
import type { Informer } from "./informer.ts";
import type { Cached } from "./store.ts";

/** An {@linkcode Informer} as controllers see it, which several of them may share: whatever its objects were read from. */
export type Cache<T extends Cached, IndexName extends string = never> = Pick<
  Informer<KubeObject, IndexName, T>,
  keyof Informer<KubeObject>
>;
