import type { Json } from "../../resource_kind.ts";

/** What containers must know of their Pod. */
export interface PodScope {
  readonly spec: Json;
  readonly volumes: ReadonlyMap<string, Json>;
}
