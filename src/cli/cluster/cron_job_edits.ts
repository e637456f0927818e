import { createTwoFilesPatch } from "diff";
import { stringify } from "yaml";
import { edited } from "../../cronjob/api/cron_job_edit.ts";
import type { Preview } from "../../cronjob/adoption/jobs_of_namespaces.ts";
import type { CronJobObject } from "../../cronjob/api/types.ts";
import { ApiError } from "../../kube/api_error.ts";
import { type DeepReadonly, keyOf, makeKey, type ObjectName } from "../../kube/object.ts";
import { firstLineOf } from "../../telemetry/message_of.ts";
import { complain } from "../print/complain.ts";

/** The note of `kubectl apply` about its manifest. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Returns what `edit` gives; undefined if it fails, which is printed in a line. The exit code is 1 then. */
export async function attempt<T>(
  what: string,
  { namespace, name }: ObjectName,
  edit: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await edit();
  } catch (error) {
    const reason = error instanceof ApiError && error.isNotFound
      ? "there is no batch/v1 CronJob of this name"
      : firstLineOf(error);
    complain(`Cannot ${what} ${makeKey(namespace, name)}: ${reason}`);
    Deno.exitCode = 1;
    return undefined;
  }
}

/** Returns whether the next `kubectl apply` of the manifest that was applied last makes `spec.suspend` false. */
export function isAppliedUnsuspended({ metadata }: DeepReadonly<CronJobObject>): boolean {
  try {
    return JSON.parse(metadata.annotations?.[LAST_APPLIED] ?? "{}").spec?.suspend === false;
  } catch {
    return false;
  }
}

/**
 * Prints an edit as people read it: what `kubectl get -o yaml` would print before and after, but for the status. An edit
 * that has to be made anew is mostly the same, and then it is not printed again.
 */
export function previewOf(became: string): Preview {
  let printed: string | undefined;
  return (cronJob, edit, jobs) => {
    const key = keyOf(cronJob);
    const [before, after] = [textOf(cronJob), textOf(edited(cronJob, edit))];
    const patch = createTwoFilesPatch(key, `${key} (${became})`, before, after, undefined, undefined, { context: 3 });
    const diff = before === after ? "" : patch.replace(/^=+\n/, "");
    const names = jobs.map(({ metadata }) => metadata.name).join(", ");
    const text = jobs.length === 0 ? diff : `${diff}Jobs that change hands with it: ${names}\n`;
    if (text !== printed) console.log(text);
    printed = text;
  };
}

function textOf({ metadata, spec }: DeepReadonly<CronJobObject>): string {
  const { annotations, labels, name, namespace } = metadata;
  // kubectl's note of what was applied last repeats the whole object.
  const { [LAST_APPLIED]: _, ...own } = annotations ?? {};
  const object = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { ...(Object.keys(own).length > 0 && { annotations: own }), labels, name, namespace },
    spec,
  };
  // As the API server orders keys.
  return stringify(object, { keepUndefined: false, sortMapEntries: true });
}
