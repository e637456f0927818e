import type { Json } from "../../resource_kind.ts";

/** What containers must know of their Pod. */
export interface PodScope {
  readonly spec: Json;
  readonly volumes: ReadonlyMap<string, Json>;
}

/** Returns what `find` returns of each container of a Pod spec, init containers first. */
export function ofContainers<T>(spec: Json, path: string, find: (container: Json, at: string) => T): T[] {
  return ["initContainers", "containers"].flatMap((list) =>
    (spec[list] ?? []).map((container: Json, index: number) => find(container, `${path}.${list}[${index}]`))
  );
}
