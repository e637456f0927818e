import type { ServerContext } from "../operations/context.ts";
import { remove } from "../operations/delete.ts";
import { BACKGROUND } from "../operations/delete_options.ts";
import { NAMESPACE_STORAGE } from "../operations/namespace_gate.ts";
import type { Json } from "../resource_kind.ts";
import type { Transaction } from "../storage/storage.ts";
import { type Change, parse, type StoredObject } from "../storage/stored_object.ts";
import { BackgroundWork, change } from "./background_work.ts";
import { type Remainder, remainderName, terminatingConditions } from "./namespace_conditions.ts";

const FINALIZER = "kubernetes";
/** How many objects of one namespace are deleted in one write. */
const DELETIONS_PER_WRITE = 200;

/** Empties namespaces that are being deleted, and then lets them go. */
export class NamespaceController extends BackgroundWork {
  readonly #terminating = new Set<string>();

  constructor(context: ServerContext) {
    super(context);
    for (const namespace of context.storage.list(NAMESPACE_STORAGE)) this.#consider(namespace);
  }

  protected override follow(changes: readonly Change[]): void {
    for (const { type, object } of changes) {
      if (object.resource === NAMESPACE_STORAGE) {
        if (type === "DELETED") this.#terminating.delete(object.name);
        else this.#consider(object);
      } else if (type === "DELETED" && this.#terminating.has(object.namespace)) {
        this.add(object.namespace);
      }
    }
  }

  #consider(namespace: StoredObject): void {
    if (namespace.metadata.deletionTimestamp === undefined) return;
    this.#terminating.add(namespace.name);
    this.add(namespace.name);
  }

  protected override work(tx: Transaction, name: string): void {
    const stored = tx.get(NAMESPACE_STORAGE, "", name);
    if (!stored || stored.metadata.deletionTimestamp === undefined) return;
    const resources: string[] = [], finalizers: string[] = [];
    let deletions = 0;
    for (const kind of this.context.registry.stored()) {
      if (!kind.namespaced) continue;
      for (const object of tx.list(kind.storage, name)) {
        if (object.metadata.deletionTimestamp === undefined) {
          if (++deletions > DELETIONS_PER_WRITE) return this.add(name);
          remove(tx, { kind, namespace: name, name: object.name, options: BACKGROUND });
        }
        const left = tx.get(kind.storage, name, object.name);
        if (!left) continue;
        resources.push(remainderName(kind));
        for (const finalizer of left.metadata.finalizers ?? []) finalizers.push(finalizer);
      }
    }
    if (resources.length === 0) this.#release(tx, stored);
    else this.#tellWhatIsLeft(tx, stored, { resources, finalizers });
  }

  #tellWhatIsLeft(tx: Transaction, stored: StoredObject, remainder: Remainder): void {
    const namespace = parse(stored);
    const before = namespace.status.conditions ?? [];
    const conditions = terminatingConditions(remainder, before, tx.now);
    if (messages(conditions) === messages(before)) return;
    namespace.status.conditions = conditions;
    tx.put(NAMESPACE_STORAGE, namespace);
  }

  #release(tx: Transaction, stored: StoredObject): void {
    change(tx, stored, ({ spec }) => {
      spec.finalizers = (spec.finalizers ?? []).filter((each: string) => each !== FINALIZER);
    });
  }
}

function messages(conditions: readonly Json[]): string {
  return conditions.map(({ message }) => message).join("\n");
}
