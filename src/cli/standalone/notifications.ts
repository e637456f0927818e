import { resolve } from "node:path";
import type { RunEvent } from "../../cronjob/reporter.ts";
import type { PodLogFiles } from "../../kubelet/files/pod_log_files.ts";
import type { KubeClient } from "../../kube/client.ts";
import { splitKey } from "../../kube/object.ts";
import type { Pod } from "../../kube/resource.ts";
import { type NotificationObserver, onlyOf } from "../../notifications/channel.ts";
import type { LocalFacts } from "../../notifications/facts.ts";
import { hookChannel } from "../../notifications/hook_channel.ts";
import type { PingServer } from "../../notifications/ping_address.ts";
import { RunNotifier, type RunNotifierOptions } from "../../notifications/run_notifier.ts";
import { troubleKindsOf, TroubleNotifier } from "../../notifications/trouble_notifier.ts";
import type { RunArchive } from "../../run_archive/archive.ts";
import { readPod } from "../../view/pod_facts.ts";
import { podsOfRun } from "../../view/run_pods.ts";
import { pingsOf } from "../shared/pings.ts";
import type { WorkstationConsole } from "./console.ts";
import type { StandaloneOptions } from "./standalone_options.ts";

/** The reports of runs that the command line asks for, and the parts of a notifier. */
export interface NotifyingParts extends Pick<RunNotifierOptions, "client" | "clock" | "jobs" | "followed"> {
  readonly options: StandaloneOptions;
  readonly pingServer: PingServer | undefined;
  readonly podLogs: PodLogFiles;
  readonly archive: RunArchive;
  readonly say: Pick<WorkstationConsole, "notified" | "notifiesLater">;
}

/** Returns the parts that ping, where pings are asked for, and what is to be called of each run. */
export function standalonePings(
  { options: { pingSlug }, pingServer: server, podLogs, client, clock, followed }: NotifyingParts,
): ReturnType<typeof pingsOf> {
  const exitCodeOf = async ({ cronJob, jobName = "" }: RunEvent) => {
    const { namespace } = splitKey(cronJob);
    return (await localFactsOf({ client, podLogs }, { namespace, jobName })).exitCode;
  };
  return pingsOf({
    clock,
    server,
    slug: pingSlug,
    checks: () => followed.flatMap(({ health }) => health),
    followed,
    exitCodeOf,
  });
}

/** Later parts of the stop have the rest of the grace: a command that hangs must not cost containers theirs. */
const HOOK_DRAIN_MS = 1_000;

/** Returns the parts that run the user's commands, where there are any, and what is to be called with troubles. */
export function hooksOf({ options, podLogs, client, clock, jobs, followed, archive, say }: NotifyingParts) {
  const { onFailure, onRecovery, notifyOn, hookTimeout, hookInterval } = options;
  if (!onFailure && !onRecovery) return { parts: [] };
  const hooks = hookChannel({
    clock,
    commands: { failed: onFailure, recovered: onRecovery },
    timeoutMs: hookTimeout,
    localFactsOf: ({ cronJob: { namespace }, run: { jobName } }) =>
      localFactsOf({ client, podLogs }, { namespace, jobName }),
  });
  const channel = onlyOf(notifyOn, hooks);
  const observer: NotificationObserver = {
    notified: () => {},
    sent: (cronJob) => say.notified(cronJob),
    waits: (cronJob, until) => say.notifiesLater(cronJob, until),
  };
  const parts = { client, clock, jobs, followed, channel, observer };
  const runs = new RunNotifier({ ...parts, history: archive, intervalMs: hookInterval, drainMs: HOOK_DRAIN_MS });
  const kinds = onFailure ? troubleKindsOf(notifyOn) : [];
  if (kinds.length === 0) return { parts: [runs] };
  const troubles = new TroubleNotifier({ client, clock, channel, followed, kinds, observer });
  return { parts: [runs, troubles], onTroubles: troubles.note.bind(troubles) };
}

/**
 * Returns what this machine knows of how the newest Pod of a Job ended. Says nothing where there is none, or it can't be
 * read: notifications go out all the same.
 */
async function localFactsOf(
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
