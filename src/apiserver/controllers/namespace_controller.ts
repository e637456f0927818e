import type { ServerContext } from "../operations/context.ts";
import { remove } from "../operations/delete.ts";
import { BACKGROUND } from "../operations/delete_options.ts";
import { NAMESPACE_STORAGE } from "../operations/namespace_gate.ts";
import type { Transaction } from "../storage/storage.ts";
import { type Change, parse, type StoredObject } from "../storage/stored_object.ts";
import { BackgroundWork } from "./background_work.ts";

const FINALIZER = "kubernetes";
/** How many objects of one namespace are deleted in one write. */
const DELETIONS_PER_WRITE = 200;

/** Empties namespaces that are being deleted, and then lets them go. */
export class NamespaceController {
  readonly #context: ServerContext;
  readonly #work: BackgroundWork;
  readonly #terminating = new Set<string>();

  constructor(context: ServerContext) {
    this.#context = context;
    this.#work = new BackgroundWork(context.storage, context.clock, (tx, name) => this.#empty(tx, name));
    for (const namespace of context.storage.list(NAMESPACE_STORAGE)) this.#consider(namespace);
    context.storage.onChanges((changes) => this.#follow(changes));
  }

  async close(): Promise<void> {
    await this.#work.close();
  }

  #follow(changes: readonly Change[]): void {
    for (const { type, object } of changes) {
      if (object.resource === NAMESPACE_STORAGE) {
        if (type === "DELETED") this.#terminating.delete(object.name);
        else this.#consider(object);
      } else if (type === "DELETED" && this.#terminating.has(object.namespace)) {
        this.#work.add(object.namespace);
      }
    }
  }

  #consider(namespace: StoredObject): void {
    if (namespace.metadata.deletionTimestamp === undefined) return;
    this.#terminating.add(namespace.name);
    this.#work.add(namespace.name);
  }

  #empty(tx: Transaction, name: string): void {
    const stored = tx.get(NAMESPACE_STORAGE, "", name);
    if (!stored || stored.metadata.deletionTimestamp === undefined) return;
    let left = 0;
    let deletions = 0;
    for (const kind of this.#context.registry.stored()) {
      if (!kind.namespaced) continue;
      for (const object of tx.list(kind.storage, name)) {
        left++;
        if (object.metadata.deletionTimestamp !== undefined) continue;
        if (++deletions > DELETIONS_PER_WRITE) return this.#work.add(name);
        remove(tx, { kind, namespace: name, name: object.name, options: BACKGROUND });
        if (!tx.get(kind.storage, name, object.name)) left--;
      }
    }
    if (left === 0) this.#release(tx, stored);
  }

  #release(tx: Transaction, stored: StoredObject): void {
    const namespace = parse(stored);
    namespace.spec.finalizers = (namespace.spec.finalizers ?? []).filter((each: string) => each !== FINALIZER);
    if (namespace.spec.finalizers.length || namespace.metadata.finalizers?.length) tx.put(NAMESPACE_STORAGE, namespace);
    else tx.delete(stored);
  }
}
