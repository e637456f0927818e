import type { PodSpec } from "kubernetes-types/core/v1";
import { engineRefusal, ignoredByEngine } from "./engine/engine_refusal.ts";
import { containersOf, type Refusal } from "./inputs/check.ts";
import { ignoredFields, processRefusal } from "./process/refusal.ts";
import type { RuntimeName } from "./files/run_files.ts";

/**
 * Returns what such a Pod would be refused for by a runtime as it is by default: nothing of the machine is allowed. Which user
 * a plain process may have depends on who starts the program, and is not judged.
 */
export function whatRuntimeRefuses(spec: PodSpec, runtime: RuntimeName): Refusal | undefined {
  return runtime === "process" ? processRefusal(spec) : engineRefusal(spec, { hostPaths: [], privileged: false });
}

/** Returns what has no effect on containers of a runtime as it is by default, each with the container's field. */
export function whatRuntimeIgnores(spec: PodSpec, runtime: RuntimeName): { field: string; what: string }[] {
  const ignored = runtime === "process" ? ignoredFields : ignoredByEngine;
  return containersOf(spec).flatMap(({ container, field }) =>
    ignored(container, spec).map((what) => ({ field, what }))
  );
}
