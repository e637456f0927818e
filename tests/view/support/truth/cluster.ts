import type { Flavour } from "../../../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../../../src/cronjob/api/types.ts";
import type { KubeClient } from "../../../../src/kube/client.ts";
import type { KubeObject, ObjectKey, Patch } from "../../../../src/kube/object.ts";
import type { Event, Lease } from "../../../../src/kube/resource.ts";
import type { Clock } from "../../../../src/base/clock.ts";
import { EventRecorder } from "../../../../src/runtime/event_recorder.ts";
import { type EpochMs, formatTime, parseTime } from "../../../../src/base/epoch_ms.ts";
import { type Edit, SimulatedServer } from "../../../cronjob/support/simulated_server.ts";
import type { UpstreamEvent } from "../../../support/upstream_cronjob_controller.ts";

const EVENTS_LIVE_MS = 60 * 60_000;
export const KEY = "default/c";

/** Who holds a Lease. */
interface Holding {
  readonly holder: string;
  readonly since: EpochMs;
  readonly annotations?: Record<string, string>;
  /** When the holder went; undefined while it renews. */
  endedAt?: EpochMs;
  isGivenBack?: boolean;
}

/** What an API server knows of a world: one CronJob, its Jobs, Events and Leases, at an instant that a test moves. */
export class Cluster {
  readonly server: SimulatedServer;
  readonly recorder: EventRecorder;
  /** By `namespace/name`. */
  readonly holdings = new Map<string, Holding>();
  readonly #events = new Map<string, Event>();
  #now: EpochMs;

  constructor(readonly flavour: Flavour, readonly isEmbedded: boolean, start: EpochMs) {
    this.#now = start;
    this.server = new OwningServer(() => this.#now);
    this.recorder = new EventRecorder({
      client: this.#eventClient(),
      clock: this.clock,
      component: "cronjob-controller",
    });
  }

  get now(): EpochMs {
    return this.#now;
  }

  set now(time: EpochMs) {
    this.#now = Math.max(this.#now, time);
  }

  get clock(): Clock {
    return {
      now: () => this.#now,
      monotonic: () => this.#now,
      sleep: () => Promise.resolve(),
      schedule: () => ({ [Symbol.dispose]: () => {} }),
    };
  }

  get cronJob(): CronJobObject {
    return this.server.cronJobs.get(KEY)!;
  }

  /** Events as they have not expired yet. */
  get events(): Event[] {
    return [...this.#events.values()].filter(({ lastTimestamp }) =>
      parseTime(lastTimestamp)! > this.#now - EVENTS_LIVE_MS
    );
  }

  get leases(): Lease[] {
    return [...this.holdings].map(([key, { holder, since, annotations, endedAt, isGivenBack }]) => {
      const [namespace = "", name = ""] = key.split("/");
      // It is renewed every two seconds; a standalone holds it for good.
      const renewed = this.isEmbedded ? since : endedAt ?? Math.floor(this.#now / 2_000) * 2_000;
      return {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: {
          name,
          namespace,
          uid: key,
          resourceVersion: "1",
          creationTimestamp: formatTime(since),
          ...annotations && { annotations },
        },
        spec: {
          holderIdentity: isGivenBack && !this.isEmbedded ? "" : holder,
          leaseDurationSeconds: this.isEmbedded ? 2 ** 31 - 1 : isGivenBack ? 1 : 15,
          acquireTime: microTime(since),
          renewTime: microTime(renewed),
          leaseTransitions: 1,
        },
      };
    });
  }

  /** As client-go writes them: one that repeats another is counted. */
  noteKubernetesEvent({ type, reason, message }: UpstreamEvent): void {
    const id = `${reason} ${message}`;
    const same = this.#events.get(id);
    const time = formatTime(this.#now);
    const { apiVersion, kind, metadata: { name, namespace = "default", uid } } = this.cronJob;
    this.#events.set(id, {
      apiVersion: "v1",
      kind: "Event",
      metadata: {
        name: `${name}.${this.#now.toString(16)}${this.#events.size}`,
        namespace,
        uid: id,
        resourceVersion: "1",
        creationTimestamp: same?.firstTimestamp ?? time,
      },
      involvedObject: { apiVersion, kind, name, namespace, uid },
      type,
      reason,
      message,
      count: (same?.count ?? 0) + 1,
      firstTimestamp: same?.firstTimestamp ?? time,
      lastTimestamp: time,
      source: { component: "cronjob-controller" },
    });
  }

  /** A user's write, as an API server notes it: who wrote a field last owns it. */
  edit(manager: string, edit: UserEdit): void {
    this.server.put("cronjobs", written(this.cronJob, manager, edit, this.#now));
  }

  #eventClient(): KubeClient {
    return {
      createText: (_resource: unknown, { name }: { name: string }, body: string) => {
        const event: Event = JSON.parse(body);
        const metadata = { ...event.metadata, uid: `uid of ${name}`, resourceVersion: "1" };
        if (!this.#events.has(name)) this.#events.set(name, { ...event, metadata });
        return Promise.resolve(body);
      },
      patch: (_resource: unknown, { name }: { name: string }, { body }: { body: Partial<Event> }) => {
        const event = this.#events.get(name);
        if (event) this.#events.set(name, { ...event, ...body });
        return Promise.resolve(event);
      },
    } as never;
  }
}

/** Notes whose field it is when a controller patches one, as an API server does. */
class OwningServer extends SimulatedServer {
  override patch<T extends KubeObject>(collection: string, key: ObjectKey, patch: Patch): T {
    if (patch.type !== "merge") return super.patch(collection, key, patch);
    const { metadata, spec } = patch.body as Edit;
    const before = this.cronJobs.get(key)!;
    const edit = { annotations: metadata?.annotations, spec: spec as UserEdit["spec"] };
    const stored = super.patch<T>(collection, key, patch);
    const { metadata: { managedFields = [] } } = written(before, "cronjob-controller", edit, this.now());
    return this.put(collection, { ...stored, metadata: { ...stored.metadata, managedFields } });
  }
}

function written(before: CronJobObject, manager: string, edit: UserEdit, time: EpochMs): CronJobObject {
  const { annotations = {}, spec = {} } = edit;
  const changed = {
    ...before,
    metadata: {
      ...before.metadata,
      annotations: merged(before.metadata.annotations, annotations),
      generation: before.metadata.generation! + (Object.keys(spec).length > 0 ? 1 : 0),
      managedFields: ownersAfter(before.metadata.managedFields, manager, { annotations, spec, time }),
    },
    spec: merged(before.spec as never, spec as never),
  };
  return JSON.parse(JSON.stringify(changed));
}

/** Fields that a user sets; null takes one away. */
export interface UserEdit {
  readonly annotations?: Readonly<Record<string, string | null>> | undefined;
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns `managedFields` of a CronJob that a user has just made. */
export function ownersOf(cronJob: CronJobObject, manager: string, time: EpochMs): CronJobObject {
  const { annotations = {} } = cronJob.metadata;
  const managedFields = ownersAfter([], manager, { annotations, spec: cronJob.spec as never, time });
  return { ...cronJob, metadata: { ...cronJob.metadata, managedFields } };
}

type Owners = NonNullable<CronJobObject["metadata"]["managedFields"]>;

function ownersAfter(
  owners: Owners | undefined,
  manager: string,
  { annotations = {}, spec = {}, time }: UserEdit & { time: EpochMs },
): Owners {
  const names = [
    ...Object.keys(annotations).map((name) => `a ${name}`),
    ...Object.keys(spec).map((name) => `s ${name}`),
  ];
  const others = (owners ?? []).flatMap((one) => {
    if (one.subresource) return [one];
    const kept = namesIn(one.fieldsV1).filter((name) => !names.includes(name));
    return kept.length === 0 || one.manager === manager ? [] : [{ ...one, fieldsV1: fieldsOf(kept) }];
  });
  const own = (owners ?? []).filter((one) => !one.subresource && one.manager === manager)
    .flatMap(({ fieldsV1 }) => namesIn(fieldsV1));
  const isKept = (name: string) => !(name.startsWith("a ") && annotations[name.slice(2)] === null);
  const fieldsV1 = fieldsOf([...new Set([...own, ...names])].filter(isKept));
  return [...others, { manager, operation: "Update", apiVersion: "batch/v1", time: formatTime(time), fieldsV1 }];
}

type Fields = Record<string, Record<string, Record<string, unknown>>>;

function namesIn(fields: object | undefined): string[] {
  const { "f:metadata": metadata, "f:spec": spec } = (fields ?? {}) as Fields;
  return [
    ...Object.keys(metadata?.["f:annotations"] ?? {}).map((name) => `a ${name.slice(2)}`),
    ...Object.keys(spec ?? {}).map((name) => `s ${name.slice(2)}`),
  ];
}

function fieldsOf(names: readonly string[]): object {
  const of = (mark: string) =>
    Object.fromEntries(names.filter((name) => name.startsWith(mark)).map((name) => [`f:${name.slice(2)}`, {}]));
  return { "f:metadata": { "f:annotations": of("a ") }, "f:spec": of("s ") };
}

function merged<T>(before: Readonly<Record<string, T>> = {}, changes: Readonly<Record<string, T | null>>) {
  return Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null));
}

function microTime(time: EpochMs): string {
  return new Date(time).toISOString().replace("Z", "000Z");
}
