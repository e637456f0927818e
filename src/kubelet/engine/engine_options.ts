import type { Clock } from "../../base/clock.ts";
import type { Pod } from "../../kube/resource.ts";
import type { EngineApi } from "./api/engine_api.ts";

/** The access of containers to the machine. */
export interface MachineAccess {
  /** The engine's network for Pods. @default the one that the engine is configured for */
  readonly network?: string | undefined;
  /** For the variable TZ of each container; a zone of this machine's shell may mean nothing there. */
  readonly timeZone?: string | undefined;
  /** Paths of the machine that containers may mount what lies under. */
  readonly hostPaths: readonly string[];
  /** Whether containers may be privileged. */
  readonly privileged: boolean;
}

/** The options of an engine's parts. */
export interface EngineOptions extends MachineAccess {
  readonly api: EngineApi;
  readonly clock: Clock;
  readonly event: (pod: Pod, type: "Normal" | "Warning", reason: string, message: string) => void;
  /** The data directory that the containers belong to. */
  readonly dataDir: string;
}
