import { formatTime } from "../../schedule/epoch_ms.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../errors.ts";
import { customKind } from "../kinds/custom.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../kinds/custom_resource_definition.ts";
import type { ServerContext } from "../operations/context.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { type Change, parse } from "../storage/stored_object.ts";

const log = loggerFor("apiserver", "crd");
const { storage: DEFINITIONS } = CUSTOM_RESOURCE_DEFINITIONS;

/** Serves what CustomResourceDefinitions define, from the moment they are stored. */
export class CustomResources {
  readonly #context: ServerContext;
  /** By the name of the definition. */
  readonly #served = new Map<string, readonly ResourceKind[]>();
  #closed = false;

  constructor(context: ServerContext) {
    this.#context = context;
    for (const stored of context.storage.list(DEFINITIONS)) this.#serve(parse(stored));
    context.storage.onChanges((changes) => this.#follow(changes));
  }

  close(): void {
    this.#closed = true;
  }

  #follow(changes: readonly Change[]): void {
    for (const { type, object } of changes) {
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
    if (!isEstablished(definition)) this.#establish(name);
  }

  #withdraw(name: string): void {
    for (const kind of this.#served.get(name) ?? []) {
      this.#context.registry.remove(kind);
      this.#context.hub.endAll(kind.storage);
    }
    this.#served.delete(name);
  }

  #establish(name: string): void {
    if (this.#closed) return;
    this.#context.storage.write((tx) => {
      const stored = tx.get(DEFINITIONS, "", name);
      if (!stored) return;
      const definition = parse(stored);
      if (isEstablished(definition)) return;
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
    }).catch((error) => log.error("cannot establish a definition", { key: name, error: messageOf(error) }));
  }
}

function isEstablished(definition: Json): boolean {
  return Boolean(
    definition.status?.conditions?.some(({ type, status }: Json) => type === "Established" && status === "True"),
  );
}

function condition(type: string, at: string, reason: string, message: string): Json {
  return { type, status: "True", lastTransitionTime: at, reason, message };
}
