import type { Clock } from "../../base/clock.ts";
import { allOf } from "../persist.ts";
import type { RunOfContainer } from "../runtime.ts";
import { namesIn } from "./disk.ts";
import { openRuntimes, type RuntimeOptions } from "../open_runtimes.ts";
import { PodDirectory } from "./pod_directory.ts";

/** A container that outlived the program that started it. */
export interface LeftRun {
  /** `namespace/name` of its Pod. */
  readonly pod: string;
  readonly container: string;
}

/**
 * Ends the containers that the program left running, and resolves once they are gone: with SIGTERM, and after `graceMs`
 * with SIGKILL. No kubelet may be at work on the data dir meanwhile.
 *
 * @throws if some could not be ended; all others are
 */
export async function endLeftRuns(
  dataDir: string,
  { clock, graceMs, ...options }: { readonly clock: Clock; readonly graceMs: number } & Partial<RuntimeOptions>,
): Promise<LeftRun[]> {
  const runtimes = openRuntimes({ clock, dataDir, event: () => {}, ...options });
  const ended: LeftRun[] = [];
  const endRun = async (run: RunOfContainer) => {
    const found = await runtimes.of(run.files).resume(run);
    if (!found || !("ended" in found)) return;
    const { namespace, name } = run.pod.metadata;
    ended.push({ pod: `${namespace}/${name}`, container: run.container.name });
    found.signal("SIGTERM");
    using _kill = clock.schedule(clock.now() + graceMs, () => found.signal("SIGKILL"));
    await found.ended;
  };
  const endPod = async (directory: PodDirectory) => {
    const pod = directory.readPod();
    if (!pod) return;
    const runs = directory.runsOf(pod).flatMap(({ container, runs }) =>
      runs.slice(-1).map((files) => ({ pod, container, files }))
    );
    await allOf(runs.map(endRun));
    // The sandbox goes last, as it takes the containers with it.
    for (const each of new Set(runs.map(({ files }) => runtimes.of(files)))) each.podIsOver?.(pod);
  };
  const podsDirectory = `${dataDir}/pods`;
  try {
    await allOf(namesIn(podsDirectory).map((uid) => endPod(new PodDirectory(podsDirectory, uid))));
  } finally {
    await runtimes.close();
  }
  return ended;
}
