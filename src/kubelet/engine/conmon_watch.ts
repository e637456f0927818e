import type { RunOfContainer } from "../runtime.ts";
import { identityOf, type ProcessIdentity, readProc } from "../process/identity.ts";
import { readText, removeFile } from "../files/disk.ts";
import type { RunFiles } from "../files/run_files.ts";
import { nameOf } from "./container_names.ts";
import type { InspectedContainer } from "./container_state.ts";
import type { ContainerWatch } from "./container_watch.ts";

/** podman's containers have a monitor (`conmon`), which writes their output into the log and ends after them. */
export class ConmonWatch implements ContainerWatch {
  /** Its output goes nowhere, and the engine hears nothing of its end. */
  readonly withoutProcess = { kills: true, retryMs: 1_000 };

  argsFor(files: RunFiles): string[] {
    return ["--log-driver", "k8s-file", "--log-opt", `path=${files.log}`, "--conmon-pidfile", files.monitor];
  }

  hasBegun(files: RunFiles): boolean {
    return readText(files.monitor) !== undefined;
  }

  forget(files: RunFiles): void {
    removeFile(files.monitor);
  }

  knownProcess(run: RunOfContainer): ProcessIdentity | undefined {
    return monitorOf(run, Number(readText(run.files.monitor)));
  }

  processOf(run: RunOfContainer, { State }: InspectedContainer): ProcessIdentity | undefined {
    return monitorOf(run, State.ConmonPid);
  }

  follow(): void {}

  finish(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {}
}

/** Returns what watches a container and ends with it. Its pid may be another process's by now. */
function monitorOf(run: RunOfContainer, pid = 0): ProcessIdentity | undefined {
  const identity = pid > 0 ? identityOf(pid) : undefined;
  return identity && argumentsOf(pid).includes(nameOf(run)) ? identity : undefined;
}

function argumentsOf(pid: number): string[] {
  try {
    return readProc(`${pid}/cmdline`).split("\0");
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
