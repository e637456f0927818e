import { controllerOf } from "../../kube/object.ts";
import type { Pod } from "../../kube/resource.ts";
import type { PodDirectory } from "./pod_directory.ts";
import type { RunFiles } from "./run_files.ts";

/** What the containers of a Pod that is gone have written. */
export interface PodLogs {
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** The Job that controlled it. */
  readonly jobUid: string | undefined;
  readonly runs: readonly { readonly container: string; readonly files: RunFiles }[];
}

/** The logs in the directory of a Pod. */
export function logsOf(pod: Pod, directory: PodDirectory): PodLogs {
  const { namespace, name, uid } = pod.metadata;
  const controller = controllerOf(pod);
  return {
    pod: { namespace: namespace!, name, uid },
    jobUid: controller?.kind === "Job" ? controller.uid : undefined,
    runs: directory.runsOf(pod).flatMap(({ container: { name }, runs }) =>
      runs.map((files) => ({ container: name, files }))
    ),
  };
}
