import { formatTime } from "../../schedule/epoch_ms.ts";
import { customKind } from "../kinds/custom.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../kinds/custom_resource_definition.ts";
import type { ServerContext } from "../operations/context.ts";
import { CRD_CLEANUP, remove } from "../operations/delete.ts";
import { BACKGROUND } from "../operations/delete_options.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import type { Transaction } from "../storage/storage.ts";
import { type Change, parse, type StoredObject } from "../storage/stored_object.ts";
import { BackgroundWork } from "./background_work.ts";

/** How many objects are deleted in one write. */
const DELETIONS_PER_WRITE = 200;
const { storage: DEFINITIONS } = CUSTOM_RESOURCE_DEFINITIONS;

/** Serves what CustomResourceDefinitions define, from the moment they are stored. */
export class CustomResources extends BackgroundWork {
  readonly #context: ServerContext;
  /** By the name of the definition. */
  readonly #served = new Map<string, readonly ResourceKind[]>();
  /** `group/plural` of the definitions that are being deleted, with their names. */
  readonly #ending = new Map<string, string>();

  constructor(context: ServerContext) {
    super(context);
    this.#context = context;
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
    const kinds: ResourceKind[] = definition.spec.versions
      .filter(({ served }: Json) => served)
      .map((version: Json) => customKind(definition, version.name));
    for (const kind of before) {
      if (!kinds.some(({ version }) => version === kind.version)) this.#context.registry.remove(kind);
    }
    for (const kind of kinds) this.#context.registry.add(kind);
    this.#served.set(name, kinds);
    const isEnding = definition.metadata.deletionTimestamp !== undefined;
    if (isEnding) this.#ending.set(storageOf(definition), name);
    if (isEnding || !isEstablished(definition)) this.add(name);
  }

  #withdraw(name: string): void {
    for (const kind of this.#served.get(name) ?? []) {
      this.#context.registry.remove(kind);
      this.#context.hub.endAll(kind.storage);
      this.#ending.delete(kind.storage);
    }
    this.#served.delete(name);
  }

  protected override work(tx: Transaction, name: string): void {
    const stored = tx.get(DEFINITIONS, "", name);
    if (!stored) return;
    const definition = parse(stored);
    if (definition.metadata.deletionTimestamp !== undefined) this.#end(tx, stored, definition);
    else if (!isEstablished(definition)) establish(tx, definition);
  }

  /** Deletes the objects of a definition, and once they are gone lets it go too. */
  #end(tx: Transaction, stored: StoredObject, definition: Json): void {
    if (!definition.metadata.finalizers?.includes(CRD_CLEANUP)) return;
    const kind = this.#served.get(stored.name)?.[0];
    const objects = tx.list(storageOf(definition));
    const waiting = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    for (const { namespace, name } of kind ? waiting.slice(0, DELETIONS_PER_WRITE) : []) {
      remove(tx, { kind: kind!, namespace, name, options: BACKGROUND });
    }
    if (waiting.length > DELETIONS_PER_WRITE) this.add(stored.name);
    if (tx.list(storageOf(definition)).length) return;
    definition.metadata.finalizers = definition.metadata.finalizers.filter((each: string) => each !== CRD_CLEANUP);
    if (definition.metadata.finalizers.length) tx.put(DEFINITIONS, definition);
    else tx.delete(stored);
  }
}

function storageOf({ spec }: Json): string {
  return `${spec.group}/${spec.names.plural}`;
}

function establish(tx: Transaction, definition: Json): void {
  const at = formatTime(tx.now);
  definition.status = {
    ...definition.status,
    conditions: [
      condition("NamesAccepted", at, "NoConflicts", "no conflicts found"),
      condition("Established", at, "InitialNamesAccepted", "the initial names have been accepted"),
    ],
    acceptedNames: definition.spec.names,
  };
  tx.put(DEFINITIONS, definition);
}

function isEstablished(definition: Json): boolean {
  return Boolean(
    definition.status?.conditions?.some(({ type, status }: Json) => type === "Established" && status === "True"),
  );
}

function condition(type: string, at: string, reason: string, message: string): Json {
  return { type, status: "True", lastTransitionTime: at, reason, message };
}
