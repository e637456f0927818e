import type { Clock } from "../../base/clock.ts";
import type { Pod } from "../../kube/resource.ts";
import type { EngineApi } from "./api/engine_api.ts";

/** What containers get of the machine. */
export interface MachineAccess {
  /** The engine's network for Pods. @default what the engine is configured for */
  readonly network?: string;
  /** For the variable TZ of each container; a zone of this machine's shell may mean nothing there. */
  readonly timeZone?: string;
  /** Paths of the machine that containers may mount what lies under. */
  readonly hostPaths: readonly string[];
  /** Whether containers may be privileged. */
  readonly privileged: boolean;
}

/** What an engine's parts are made from. */
export interface EngineOptions extends MachineAccess {
  readonly api: EngineApi;
  readonly clock: Clock;
  readonly event: (pod: Pod, type: "Normal" | "Warning", reason: string, message: string) => void;
  /** Whose containers these are. */
  readonly dataDir: string;
}
