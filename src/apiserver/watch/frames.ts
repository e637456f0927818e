import { Buffer } from "node:buffer";
import { answerToProtobuf } from "../protobuf/answers.ts";
import { encodeWatchEvent } from "../protobuf/envelope.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { partialMetadata, renderObject, type RenderOptions, tableOf } from "../http/views.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import type { Refusal } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";
import { type Change, parse, type StoredObject, toStored } from "../storage/stored_object.ts";

export type EventType = Change["type"];

/** How a watcher wants its events. Watchers with equal forms share the same bytes. */
export type FrameForm = Omit<RenderOptions, "now">;

/** One change on its way to its watchers: each form of it is written once, however many there are. */
export class FrameCache {
  readonly #change: Change;
  readonly #now: EpochMs;
  readonly #frames = new Map<string, Uint8Array>();
  #departed: StoredObject | undefined;

  constructor(change: Change, now: EpochMs) {
    this.#change = change;
    this.#now = now;
  }

  /** @param first of its watcher: only then a table says what its columns are */
  frame(type: EventType, form: FrameForm, first: boolean): Uint8Array {
    const columns = form.view.as === "Table" && first;
    const { kind, view, includeObject } = form;
    const id = `${type} ${kind.group}/${kind.version} ${view.encoding} ${view.as} ${includeObject} ${columns}`;
    return this.#frames.getOrInsertComputed(
      id,
      () => eventFrame(type, this.#objectOf(type), form, this.#now, columns),
    );
  }

  /** An object that left the selection is shown as it was in it, at the version at which it left. */
  #objectOf(type: EventType): StoredObject {
    const { object, previous } = this.#change;
    if (type !== "DELETED" || this.#change.type === "DELETED" || !previous) return object;
    if (!this.#departed) {
      const last = parse(previous);
      last.metadata.resourceVersion = String(object.version);
      this.#departed = toStored({ ...object, text: JSON.stringify(last), metadata: last.metadata });
    }
    return this.#departed;
  }
}

/** Returns the bytes of an event in the form that the client asked for. */
export function eventFrame(
  type: EventType,
  object: StoredObject,
  form: FrameForm,
  now: EpochMs,
  columns: boolean,
): Uint8Array {
  return frameOf(type, renderObject(object, { ...form, now }, columns), form);
}

/** Returns the bytes of a bookmark; `endOfInitialEvents` ends the list that a watch began with. */
export function bookmarkFrame(version: number, form: FrameForm, endOfInitialEvents = false): Uint8Array {
  const metadata: Json = { resourceVersion: String(version) };
  if (endOfInitialEvents) metadata.annotations = { "k8s.io/initial-events-end": "true" };
  const { kind, view } = form;
  const object = view.as === "Table"
    ? tableOf([], metadata, { kind, now: 0, includeObject: "None" }, false)
    : view.as
    ? partialMetadata({ metadata })
    : { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata };
  return frameOf("BOOKMARK", JSON.stringify(object), form);
}

/** Returns the bytes of a refusal that ends the watch. */
export function errorFrame(refusal: Refusal, form: FrameForm): Uint8Array {
  return frameOf("ERROR", JSON.stringify(refusal.toStatus()), form);
}

function frameOf(type: string, object: string, { kind, view }: FrameForm): Uint8Array {
  if (view.encoding === "protobuf") return encodeWatchEvent(type, answerToProtobuf(JSON.parse(object), kind));
  return Buffer.from(`{"type":"${type}","object":${object}}\n`);
}
