import { trueCondition } from "../kinds/conditions.ts";
import { formatTime } from "../../base/epoch_ms.ts";
import { customKind } from "../kinds/custom.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../kinds/custom_resource_definition.ts";
import type { ServerContext } from "../operations/context.ts";
import { CRD_CLEANUP, remove } from "../operations/delete.ts";
import { same } from "../operations/metadata.ts";
import { BACKGROUND } from "../operations/delete_options.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import type { Transaction } from "../storage/storage.ts";
import { type Change, parse, type StoredObject } from "../storage/stored_object.ts";
import { BackgroundWork, dropFinalizer } from "./background_work.ts";
import { hasItsNames, nameConflicts, namedStatus, servedNames } from "./definition_names.ts";

/** How many objects are deleted in one write. */
const DELETIONS_PER_WRITE = 200;
const { storage: DEFINITIONS } = CUSTOM_RESOURCE_DEFINITIONS;

/** Serves what CustomResourceDefinitions define, from the moment they are stored. */
export class CustomResources extends BackgroundWork {
  /** By the name of the definition. */
  readonly #served = new Map<string, readonly ResourceKind[]>();
  /** `group/plural` of the definitions that are being deleted, with their names. */
  readonly #ending = new Map<string, string>();

  constructor(context: ServerContext) {
    super(context);
    for (const stored of context.storage.list(DEFINITIONS)) this.#serve(parse(stored));
  }

  protected override follow(changes: readonly Change[]): void {
    for (const { type, object } of changes) {
      const ending = type === "DELETED" ? this.#ending.get(object.resource) : undefined;
      if (ending) this.add(ending);
      if (object.resource !== DEFINITIONS) continue;
      if (type === "DELETED") this.#withdraw(object.name);
      else this.#serve(parse(object));
    }
  }

  #serve(definition: Json): void {
    const { name } = definition.metadata;
    const before = this.#served.get(name) ?? [];
    const isAccepted = trueCondition(definition, "Established") ||
      nameConflicts(definition, this.#others(name)).length === 0;
    const named = { ...definition, spec: { ...definition.spec, names: servedNames(definition) } };
    const kinds: ResourceKind[] = definition.spec.versions
      .filter(({ served }: Json) => served && isAccepted)
      .map((version: Json) => customKind(named, version.name));
    for (const kind of before) {
      if (!kinds.some(({ version }) => version === kind.version)) this.context.registry.remove(kind);
    }
    for (const kind of kinds) this.context.registry.add(kind);
    this.#served.set(name, kinds);
    const isEnding = definition.metadata.deletionTimestamp !== undefined;
    if (isEnding) this.#ending.set(storageOf(name), name);
    if (isEnding || !hasItsNames(definition)) this.add(name);
  }

  #withdraw(name: string): void {
    for (const kind of this.#served.get(name) ?? []) {
      this.context.registry.remove(kind);
      this.context.hub.endAll(kind.storage);
    }
    this.#served.delete(name);
    this.#ending.delete(storageOf(name));
    this.#judgeOthers(name);
  }

  /** A name may be free now that others wait for. */
  #judgeOthers(name: string): void {
    for (const other of this.#others(name)) if (!hasItsNames(other)) this.add(other.metadata.name);
  }

  /** The other definitions of the group. */
  #others(name: string): Json[] {
    return this.context.storage.list(DEFINITIONS)
      .filter((other) => other.name !== name && groupOf(other.name) === groupOf(name)).map(parse);
  }

  protected override work(tx: Transaction, name: string): void {
    const stored = tx.get(DEFINITIONS, "", name);
    if (!stored) return;
    const definition = parse(stored);
    if (definition.metadata.deletionTimestamp !== undefined) this.#end(tx, stored, definition);
    else this.#name(tx, definition);
  }

  #name(tx: Transaction, definition: Json): void {
    const { name } = definition.metadata;
    const status = namedStatus(definition, this.#others(name), formatTime(tx.now));
    if (same(status, definition.status)) return;
    tx.put(DEFINITIONS, { ...definition, status });
    this.#judgeOthers(name);
  }

  /** Deletes the objects of a definition, and once they are gone lets it go too. */
  #end(tx: Transaction, stored: StoredObject, definition: Json): void {
    if (!definition.metadata.finalizers?.includes(CRD_CLEANUP)) return;
    const kind = this.#served.get(stored.name)?.[0];
    const objects = tx.list(storageOf(stored.name));
    const waiting = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    for (const { namespace, name } of kind ? waiting.slice(0, DELETIONS_PER_WRITE) : []) {
      remove(tx, { kind: kind!, namespace, name, options: BACKGROUND });
    }
    if (waiting.length > DELETIONS_PER_WRITE) this.add(stored.name);
    if (tx.list(storageOf(stored.name)).length) return;
    dropFinalizer(tx, stored, CRD_CLEANUP);
  }
}

/** Returns where the objects of a definition are, whose name is `plural.group`. */
function storageOf(name: string): string {
  return `${groupOf(name)}/${name.slice(0, name.indexOf("."))}`;
}

function groupOf(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}
