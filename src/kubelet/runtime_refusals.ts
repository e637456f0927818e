import type { PodSpec } from "kubernetes-types/core/v1";
import { engineRefusal, ignoredByEngine } from "./engine/engine_refusal.ts";
import { containersOf, type Refusal } from "./inputs/check.ts";
import { ignoredFields, processRefusal } from "./process/refusal.ts";
import type { RuntimeName } from "./files/run_files.ts";

/**
 * Returns why a runtime with its default settings, which allow nothing of the machine, refuses a Pod. It does not judge the
 * user of a plain process, which depends on the user who starts the program.
 */
export function refusalByRuntime(spec: PodSpec, runtime: RuntimeName): Refusal | undefined {
  return runtime === "process" ? processRefusal(spec) : engineRefusal(spec, { hostPaths: [], privileged: false });
}

/** Returns the fields that have no effect in a runtime with its default settings, each with the path of its container. */
export function fieldsIgnoredByRuntime(spec: PodSpec, runtime: RuntimeName): { field: string; what: string }[] {
  const ignored = runtime === "process" ? ignoredFields : ignoredByEngine;
  return containersOf(spec).flatMap(({ container, field }) =>
    ignored(container, spec).map((what) => ({ field, what }))
  );
}
