import type { Sink } from "../http/exchange.ts";
import type { FieldSelector } from "../reading/field_selector.ts";
import type { LabelSelector } from "../reading/label_selector.ts";
import { Refusal } from "../refusals.ts";
import type { Change, StoredObject } from "../storage/stored_object.ts";
import { bookmarkFrame, errorFrame, type EventType, type FrameCache, type FrameForm } from "./frames.ts";

/** A watcher that lets more than this wait is cut off. The initial state doesn't count. */
export const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** The objects that a watcher asks for. */
export interface Selection {
  readonly resource: string;
  /** Undefined: of all namespaces. */
  readonly namespace: string | undefined;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
}

/** One open watch. */
export class Watcher {
  readonly #sink: Sink;
  /** Versions up to here have been sent, or are not wanted. */
  #after: number;
  #first = true;
  #allowance = MAX_WAITING_BYTES;
  #ended = false;

  readonly #wantsBookmarks: boolean;

  constructor(
    readonly selection: Selection,
    readonly form: FrameForm,
    sink: Sink,
    { after, wantsBookmarks }: { readonly after: number; readonly wantsBookmarks: boolean },
  ) {
    this.#sink = sink;
    this.#after = after;
    this.#wantsBookmarks = wantsBookmarks;
    sink.onDrain(() => this.#allowance = MAX_WAITING_BYTES);
  }

  /** Whether nothing more is sent: the end has been written, or the client is gone. */
  get ended(): boolean {
    return this.#ended;
  }

  matches(object: StoredObject): boolean {
    return this.selection.labels.matches(object.metadata.labels) && this.selection.fields.matches(object);
  }

  /** Sends frames that no change causes: the initial state, bookmarks. */
  sendInitial(frames: readonly Uint8Array[]): void {
    for (const frame of frames) {
      this.#allowance += frame.length;
      this.#sink.write(frame);
      this.#first = false;
    }
  }

  /** @param missed the change precedes the watch: the client may take its time to read it */
  send(change: Change, frames: FrameCache, { missed = false } = {}): void {
    if (this.#ended || change.object.version <= this.#after) return;
    const { namespace } = this.selection;
    if (namespace !== undefined && namespace !== change.object.namespace) return;
    this.#after = change.object.version;
    const type = this.#seenAs(change);
    if (!type) return;
    const frame = frames.frame(type, this.form, this.#first);
    if (missed) this.#allowance += frame.length;
    this.#sink.write(frame);
    this.#first = false;
    if (this.#sink.waitingBytes > this.#allowance) {
      this.end(new Refusal(410, "Expired", "the watch was too slow: too many events were waiting to be read"));
    }
  }

  /** Sends the version up to which the client has everything, if it asked for bookmarks. */
  bookmark(version: number): void {
    if (!this.#wantsBookmarks || this.#ended || version < this.#after) return;
    this.#sink.write(bookmarkFrame(version, this.form));
  }

  end(refusal?: Refusal): void {
    if (this.#ended) return;
    this.#ended = true;
    if (refusal) this.#sink.write(errorFrame(refusal, this.form));
    this.#sink.end();
  }

  /** Ends the connection even if the client takes nothing. */
  destroy(): void {
    this.#ended = true;
    this.#sink.destroy();
  }

  #seenAs({ type, object, previous }: Change): EventType | undefined {
    const before = previous !== undefined && this.matches(previous);
    const after = type !== "DELETED" && this.matches(object);
    if (after) return before ? "MODIFIED" : "ADDED";
    return before ? "DELETED" : undefined;
  }
}
