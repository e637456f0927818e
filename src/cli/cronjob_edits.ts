import { stringify } from "yaml";
import { type CronJobEdit, edited } from "../cronjob/adoption/adoption_edits.ts";
import { BATCH } from "../cronjob/api/flavour.ts";
import { isControlledBy, isMadeForRun, ownerOf } from "../cronjob/api/ownership.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient, ObjectName } from "../kube/client.ts";
import { createKubeClient } from "../kube/http_client.ts";
import { type DeepReadonly, keyOf, makeKey } from "../kube/object.ts";
import { listAll } from "../kube/paging.ts";
import { type Job, JOBS } from "../kube/resource.ts";
import { messageOf } from "../telemetry/message_of.ts";
import { assertReachable, connectionOf } from "./connection.ts";
import type { EditOptions } from "./edit_options.ts";
import { unifiedDiff } from "./unified_diff.ts";
import { VERSION } from "./version.ts";

/** How often an edit is made anew when somebody else wrote first. */
const ATTEMPTS = 5;
/** Another than the controller's, so that it can be seen when somebody last wrote `spec.suspend`. */
const FIELD_MANAGER = "cronjob-controller-adoption";
/** What `kubectl apply` notes about its manifest. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Calls `act` with the CronJobs that are meant. */
export async function withCronJobs(
  options: EditOptions,
  act: (client: KubeClient, names: readonly ObjectName[]) => Promise<void>,
): Promise<void> {
  const connection = await connectionOf(options);
  await using client = createKubeClient(connection, { userAgent: `cronjob-controller/${VERSION} edit` });
  await assertReachable(client, connection.server);
  const namespace = options.namespace ?? connection.namespace ?? "default";
  const names = options.all
    ? await Array.fromAsync(
      listAll(client, BATCH.resource, options.allNamespaces ? {} : { namespace }),
      ({ metadata }) => ({ namespace: metadata.namespace, name: metadata.name }),
    )
    : [...new Set(options.names)].map((name) => ({ namespace, name }));
  if (names.length === 0) {
    console.error(`There are no CronJobs in ${options.allNamespaces ? "any namespace" : `namespace ${namespace}`}`);
  }
  await act(client, names);
}

/** What `edit` gives; undefined if it fails, which is told in a line. The exit code is 1 then. */
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
      : messageOf(error).split("\n")[0];
    console.error(`cronjob-controller: Cannot ${what} ${makeKey(namespace, name)}: ${reason}`);
    Deno.exitCode = 1;
    return undefined;
  }
}

/**
 * Reads a CronJob and makes the edit that `plan` wants of it, in one write that is refused if the CronJob has changed
 * meanwhile; then it is read and planned anew.
 *
 * @param plan gives undefined where nothing is to be written; throws where it must not be
 */
export async function edit(
  client: KubeClient,
  name: ObjectName,
  plan: (cronJob: CronJobObject) => CronJobEdit | undefined | Promise<CronJobEdit | undefined>,
): Promise<CronJobObject> {
  for (let attempts = 1;; attempts++) {
    const cronJob = await client.get(BATCH.resource, name);
    const wanted = await plan(cronJob);
    if (wanted === undefined) return cronJob;
    const { uid, resourceVersion } = cronJob.metadata;
    const body = { metadata: { uid, resourceVersion, annotations: wanted.annotations }, spec: wanted.spec };
    try {
      return await client.patch(BATCH.resource, name, { type: "merge", body }, { fieldManager: FIELD_MANAGER });
    } catch (error) {
      if (attempts === ATTEMPTS || !(error instanceof ApiError && error.isConflict)) throw error;
    }
  }
}

/** The Jobs of CronJobs, listed once for each namespace. */
export class JobsOfNamespaces {
  readonly #lists = new Map<string | undefined, Promise<Job[]>>();

  constructor(readonly client: KubeClient) {}

  /** Those whose owner reference to the CronJob is to say otherwise whether that is their controller. */
  async toHandOver({ metadata }: DeepReadonly<CronJobObject>, { controller }: { controller: boolean }): Promise<Job[]> {
    const { namespace, uid } = metadata;
    let list = this.#lists.get(namespace);
    if (!list) {
      // Their specs and status are most of the bytes.
      const named = ({ metadata }: Job) => ({ metadata }) as Job;
      list = Array.fromAsync(listAll(this.client, JOBS, { namespace }), named);
      this.#lists.set(namespace, list);
    }
    return (await list).filter((job) =>
      ownerOf(BATCH, job)?.uid === uid && isMadeForRun(BATCH, job) && isControlledBy(job, uid) !== controller
    );
  }
}

/** Whether the next `kubectl apply` of the manifest that was applied last makes `spec.suspend` false. */
export function isAppliedUnsuspended({ metadata }: DeepReadonly<CronJobObject>): boolean {
  try {
    return JSON.parse(metadata.annotations?.[LAST_APPLIED] ?? "{}").spec?.suspend === false;
  } catch {
    return false;
  }
}

/** Prints what it was not the last to print: an edit that has to be made anew is mostly the same. */
export function printer(): (text: string) => void {
  let printed: string | undefined;
  return (text) => {
    if (text !== printed) console.log(text);
    printed = text;
  };
}

/** The edit as people read it: what `kubectl get -o yaml` would tell before and after, but for the status. */
export function diffOf(
  cronJob: DeepReadonly<CronJobObject>,
  edit: CronJobEdit,
  { became, jobs }: { became: string; jobs: readonly Job[] },
): string {
  const key = keyOf(cronJob);
  const diff = unifiedDiff(textOf(cronJob), textOf(edited(cronJob, edit)), { from: key, to: `${key} (${became})` });
  if (jobs.length === 0) return diff;
  return `${diff}Jobs that change hands with it: ${jobs.map(({ metadata }) => metadata.name).join(", ")}\n`;
}

function textOf({ metadata, spec }: DeepReadonly<CronJobObject>): string {
  const { annotations, labels, name, namespace } = metadata;
  // kubectl's note of what was applied last repeats the whole object.
  const { [LAST_APPLIED]: _, ...own } = annotations ?? {};
  const object = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { ...(Object.keys(own).length > 0 && { annotations: sorted(own) }), labels, name, namespace },
    spec: sorted(spec as unknown as Record<string, unknown>),
  };
  return stringify(object, { keepUndefined: false });
}

/** As the API server orders keys. */
function sorted<T>(object: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => a < b ? -1 : 1));
}
