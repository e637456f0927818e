import type { DeleteOptions } from "../../../src/kube/client.ts";
import { keyOf, type KubeObject, makeKey, type ObjectName, type Unstored } from "../../../src/kube/object.ts";
import { type Job, JOBS, type Resource } from "../../../src/kube/resource.ts";
import { type EpochMs, formatTime } from "../../../src/base/epoch_ms.ts";
import { FakeApi, refusal } from "../../runtime/support/fake_api.ts";
import { digestOf } from "./digest.ts";

/** A change of an object, as the server stores it; undefined where it is gone. */
export type OnStored = (resource: Resource, name: string, object: KubeObject | undefined) => void;

/** The API server in memory, with what deletions need: preconditions and finalizers. */
export class ExploredApi extends FakeApi {
  readonly #clock: () => EpochMs;
  readonly #onStored: OnStored;
  /** By resource and name. */
  readonly #stored = new Map<string, { object: KubeObject; digest: number }>();
  #log = 0;

  constructor(now: () => EpochMs, onStored: OnStored) {
    super(now);
    this.#clock = now;
    this.#onStored = onStored;
  }

  /** Distinguishes the objects that there are from all others. */
  get digest(): number {
    return digestOf([...this.#stored].map(([key, { digest }]) => `${key} ${digest}`).sort().join());
  }

  /** Distinguishes the order of all changes so far from all others. */
  get logDigest(): number {
    return this.#log;
  }

  jobs(): Job[] {
    return [...this.#stored].filter(([key]) => key.startsWith(JOBS.plural)).map(([, { object }]) => object as Job);
  }

  override put<T extends KubeObject>(resource: Resource<T>, object: Unstored<T>): T {
    const stored = super.put(resource, object);
    const digest = digestOf(JSON.stringify(stored));
    this.#note(resource, keyOf(stored), { object: stored, digest });
    const { deletionTimestamp, finalizers = [], namespace, name } = stored.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0) this.remove(resource, { namespace, name });
    return stored;
  }

  override remove(resource: Resource, name: ObjectName): void {
    super.remove(resource, name);
    this.#note(resource, makeKey(name.namespace, name.name), undefined);
  }

  override async delete<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    { preconditions }: DeleteOptions = {},
  ): Promise<void> {
    const { metadata } = await this.get(resource, name);
    if (preconditions?.uid && preconditions.uid !== metadata.uid) throw refusal(409, "Conflict", "Another UID");
    this.markDeleted(resource, name);
  }

  /** Deletes an object as any client does: one that has finalizers stays until they are gone. */
  markDeleted(resource: Resource, { namespace, name }: ObjectName): void {
    const found = this.#stored.get(`${resource.plural} ${makeKey(namespace, name)}`);
    if (!found) return;
    const { object } = found;
    if ((object.metadata.finalizers ?? []).length === 0) return this.remove(resource, { namespace, name });
    if (object.metadata.deletionTimestamp !== undefined) return;
    const deletionTimestamp = formatTime(this.#clock());
    this.put(resource, { ...object, metadata: { ...object.metadata, deletionTimestamp } } as Unstored<KubeObject>);
  }

  #note(resource: Resource, key: string, stored: { object: KubeObject; digest: number } | undefined): void {
    const of = `${resource.plural} ${key}`;
    this.#log = digestOf(`${of} ${stored?.digest}`, this.#log);
    if (stored) this.#stored.set(of, stored);
    else this.#stored.delete(of);
    this.#onStored(resource, key, stored?.object);
  }
}
