import type { RunOfContainer } from "../runtime.ts";
import type { ProcessIdentity } from "../process/identity.ts";
import type { RunFiles } from "../files/run_files.ts";
import type { InspectedContainer } from "./container_state.ts";

/** How a container's output comes into its log, and by what its end is seen. */
export interface ContainerWatch {
  /** Returns arguments for a container that is to be watched. */
  argsFor(files: RunFiles): readonly string[];
  /** Returns whether a run's container has perhaps been at work. */
  hasBegun(files: RunFiles): boolean;
  /** Called when its container is gone for good, or was never at work. */
  forget(files: RunFiles): void;
  /** Returns the process that ends with a container, as far as it is known without the engine. */
  knownProcess(run: RunOfContainer): ProcessIdentity | undefined;
  /** Returns the process that ends with a container, which the engine takes to be running. */
  processOf(run: RunOfContainer, found: InspectedContainer): ProcessIdentity | undefined;
  /** What is done about a container without that process: its end is looked for, or made. */
  readonly withoutProcess: { readonly kills: boolean; readonly retryMs: number };
  /** Keeps the log of a container at work up to date, where the engine does not. */
  follow(run: RunOfContainer): void;
  /** Resolves once the log of a container that has ended is whole. */
  finish(run: RunOfContainer): Promise<void>;
  /** Stops following. Containers go on. */
  close(): void;
}
