import { keyOf, type KubeObject } from "../../src/kube/object.ts";
import type { Cached, ReadOnly, Store } from "../../src/runtime/store.ts";
import { must } from "./expected.ts";
import type { Change, Collection } from "./object_store.ts";

/** Of Jobs: the CronJob that the index finds them by. */
type Owned = Cached & { readonly owner?: { readonly uid: string } | undefined };

interface Reading<Raw, T> {
  readonly read: (object: Raw) => T;
  readonly onChange: (object: T, isGone: boolean) => void;
}

/** A cache that is as far behind as the test lets it be. */
export class LaggingCache<Raw extends KubeObject, T extends Owned> implements Store<T, "owner"> {
  readonly isReady = true;
  readonly #objects = new Map<string, T>();
  readonly #changes: readonly Change[];
  readonly #reading: Reading<Raw, T>;
  #position: number;

  /** Begins with a list of now. */
  constructor({ objects, changes }: Collection, reading: Reading<Raw, T>) {
    this.#changes = changes;
    this.#reading = reading;
    this.#position = changes.length;
    for (const [key, object] of objects) this.#objects.set(key, reading.read(object as Raw));
  }

  get behind(): number {
    return this.#changes.length - this.#position;
  }

  /** Lets so many changes arrive. */
  deliver(count = Infinity): void {
    for (let left = Math.min(count, this.behind); left > 0; left--) {
      const { type, object } = must(this.#changes[this.#position++]);
      this.#see(object, type === "DELETED");
    }
  }

  /** Lists anew: of all that happened meanwhile it shows only this. */
  relist(objects: Iterable<Raw>): void {
    this.#position = this.#changes.length;
    for (const object of objects) this.#see(object, false);
  }

  #see(raw: KubeObject, isGone: boolean): void {
    const object = this.#reading.read(raw as Raw);
    if (isGone) this.#objects.delete(keyOf(raw));
    else this.#objects.set(keyOf(raw), object);
    this.#reading.onChange(object, isGone);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): ReadOnly<T> | undefined {
    return this.#objects.get(key) as ReadOnly<T> | undefined;
  }

  values(): Iterable<ReadOnly<T>> {
    return this.#objects.values() as Iterable<ReadOnly<T>>;
  }

  byIndex(_index: "owner", uid: string): ReadOnly<T>[] {
    return [...this.values()].filter(({ owner }) => owner?.uid === uid);
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }
}
