import { createTwoFilesPatch } from "diff";
import { stringify } from "yaml";
import { edited } from "../../cronjob/api/cron_job_edit.ts";
import type { Preview } from "../../cronjob/adoption/jobs_of_namespaces.ts";
import type { CronJobObject } from "../../cronjob/api/types.ts";
import { ApiError } from "../../kube/api_error.ts";
import { type DeepReadonly, keyOf, makeKey, type ObjectName } from "../../kube/object.ts";
import { firstLineOf } from "../../telemetry/message_of.ts";
import { complain } from "../print/complain.ts";

/** Holds the manifest as `kubectl apply` last applied it. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Returns the result of `edit`. A failure is printed in a line that names the `verb`, and makes the exit code 1. */
export async function attempt<T>(
  verb: string,
  { namespace, name }: ObjectName,
  edit: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await edit();
  } catch (error) {
    const reason = error instanceof ApiError && error.isNotFound
      ? "there is no batch/v1 CronJob of this name"
      : firstLineOf(error);
    complain(`Cannot ${verb} ${makeKey(namespace, name)}: ${reason}`);
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
 * Returns a preview that prints how an edit changes the YAML, without the status and the metadata that the API server sets.
 * An edit that is made anew is mostly the same, and then not printed again.
 */
export function previewOf(done: "adopted" | "released"): Preview {
  let printed: string | undefined;
  return (cronJob, edit, jobs) => {
    const key = keyOf(cronJob);
    const [before, after] = [textOf(cronJob), textOf(edited(cronJob, edit))];
    const patch = createTwoFilesPatch(key, `${key} (${done})`, before, after, undefined, undefined, { context: 3 });
    const diff = before === after ? "" : patch.replace(/^=+\n/, "");
    const names = jobs.map(({ metadata }) => metadata.name).join(", ");
    const text = jobs.length === 0 ? diff : `${diff}Jobs that change hands with it: ${names}\n`;
    if (text !== printed) console.log(text);
    printed = text;
  };
}

function textOf({ metadata, spec }: DeepReadonly<CronJobObject>): string {
  const { annotations, labels, name, namespace } = metadata;
  // The manifest that was applied last repeats the whole object.
  const { [LAST_APPLIED]: _, ...own } = annotations ?? {};
  const object = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { ...(Object.keys(own).length > 0 && { annotations: own }), labels, name, namespace },
    spec,
  };
  // The API server sorts keys too.
  return stringify(object, { keepUndefined: false, sortMapEntries: true });
}
