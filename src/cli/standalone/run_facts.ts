import { resolve } from "node:path";
import type { PodLogFiles } from "../../kubelet/files/pod_log_files.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Pod } from "../../kube/resource.ts";
import type { LocalFacts } from "../../notifications/facts.ts";
import { readPod } from "../../view/pod_facts.ts";
import { podsOfRun } from "../../view/run_pods.ts";

/**
 * Returns what this machine knows of how the newest Pod of a Job ended. Says nothing where there is none, or it can't be
 * read: notifications go out all the same.
 */
export async function localFactsOf(
  { client, podLogs }: { readonly client: KubeClient; readonly podLogs: PodLogFiles },
  { namespace, jobName }: { readonly namespace: string | undefined; readonly jobName: string },
): Promise<LocalFacts> {
  try {
    const pod = (await podsOfRun(client, { namespace, name: jobName })).at(-1);
    if (!pod) return {};
    const { failure } = readPod(pod);
    const container = failure?.container ?? pod.spec?.containers.at(0)?.name;
    const logFile = container && podLogs.newestFile(pod.metadata.uid, container);
    return { exitCode: failure?.exitCode ?? exitCodeOf(pod), logFile: logFile && resolve(logFile) };
  } catch {
    return {};
  }
}

function exitCodeOf({ status }: Pod): number | undefined {
  return status?.phase === "Succeeded" ? 0 : undefined;
}
