import type { KubeObject, ObjectName, Patch, Unstored } from "./object.ts";
import type { Resource } from "./resource.ts";
import type { StreamHold } from "./stream_hold.ts";

/** The order in which requests leave when more are wanted than may be in flight: earlier lanes first. */
export type Lane = "lease" | "run" | "status" | "read" | "housekeeping" | "event";

/** The right to have one request in flight at a time. Disposing of it again does nothing. */
export interface Place extends Disposable {
  readonly isHeld: boolean;
  /** How long the request that leaves next has waited for it. */
  readonly waitedMs: number;
  /** Called before each request. Returns whether it may leave at once; else the place is gone, and the request waits for its own. */
  use(): boolean;
}

/** Waits for a place. One of the two is called, once; neither may throw. */
export interface PlaceWaiter {
  /** Called when there is a place, which the waiter disposes of. */
  start(place: Place): void;
  turnAway(reason: unknown): void;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /** @default "read" for reads, "status" for the status subresource, else "housekeeping" */
  lane?: Lane;
}

/** A selection of objects. */
export interface Selection {
  /** Absent: all namespaces. */
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
}

export interface ListOptions extends RequestOptions, Selection {
  /** Objects a page. */
  limit?: number;
  continueToken?: string | undefined;
  /** Called when the request leaves its lane; again when it is sent again. */
  onLeave?: () => void;
  resourceVersion?: string | undefined;
}

export interface ObjectList<T> {
  items: T[];
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

export interface WatchOptions extends RequestOptions, Selection {
  /** Where to go on from; absent: from now, with the present state first. */
  resourceVersion?: string | undefined;
  timeoutSeconds?: number;
  /** Called once the server has accepted, which on a quiet resource is long before the first event. */
  onOpen?: (() => void) | undefined;
  /** Called whenever bytes of events have been received, though they may be held. */
  onReceive?: (() => void) | undefined;
  /** While it is held, events are received and not handed out. */
  hold?: StreamHold | undefined;
}

/** One line of a watch stream. An ERROR line is thrown as an `ApiError` instead. */
export interface WatchEvent<T> {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  object: T;
}

/** Of an object that is created, as far as the answer is to be judged by it. */
export interface OwnedName extends ObjectName {
  /** UID of the owner that it names. */
  ownerUid?: string;
}

/** An object that is parsed only when it is read. */
export interface Unread<T> {
  /** Characters. */
  readonly length: number;
  /** @throws {Error} where it is not of the object after all */
  read(): T;
}

/** The place that a request may leave with. */
export interface PlaceOption {
  /**
   * Serves the request if it is still held. The caller keeps the place for its next request; where this one
   * fails, the place is disposed of. @default it waits for a place of its own
   */
  place?: Place | undefined;
}

export interface WriteOptions extends RequestOptions, PlaceOption {
  subresource?: string | undefined;
  dryRun?: boolean;
  fieldManager?: string | undefined;
  /** How long the server may take; then it stops. @default the server's own */
  timeoutMs?: number;
}

export type CreateOptions = Omit<WriteOptions, "subresource">;

export interface DeleteOptions extends RequestOptions, PlaceOption {
  propagationPolicy?: "Background" | "Foreground" | "Orphan";
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string } | undefined;
}

/**
 * Talks to one API server. Objects are raw JSON: what the server sent is what the caller gets, and what the caller
 * sends is what the server gets, fields that we know nothing of included.
 *
 * An answer is believed only if it is of the object that was asked for: anything else counts as none.
 *
 * @throws {ApiError} from every method, when the server refuses
 */
export interface KubeClient {
  get<T extends KubeObject>(resource: Resource<T>, name: ObjectName, options?: RequestOptions): Promise<T>;
  /** One page. */
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<ObjectList<T>>;
  create<T extends KubeObject>(resource: Resource<T>, object: Unstored<T>, options?: CreateOptions): Promise<T>;
  /**
   * Creates an object that is JSON already, and gives the answer unparsed where its looks are enough: for many at a time.
   * `name` is that of the object.
   */
  createText<T extends KubeObject>(
    resource: Resource<T>,
    name: OwnedName,
    body: string,
    options?: CreateOptions,
  ): Promise<Unread<T>>;
  /** Refused with a conflict if `object.metadata.resourceVersion` is no longer the newest. */
  replace<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  /** Resolves when the server has accepted; the object may stay for a while (finalizers, grace). */
  delete<T extends KubeObject>(resource: Resource<T>, name: ObjectName, options?: DeleteOptions): Promise<void>;
  /** Ends when the server ends it; throws an `ApiError` for an ERROR event; `options.signal` ends it at any time. */
  watch<T extends KubeObject>(resource: Resource<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /**
   * Waits for a place in a lane before there is a request: thousands can wait so at the cost of an object each. It may be
   * there at once.
   */
  whenFree(lane: Lane, namespace: string | undefined, waiter: PlaceWaiter, signal?: AbortSignal): void;
  /** Returns whether the API server takes long to answer requests of a lane in a namespace, as with a slow admission webhook. */
  isSlow(lane: Lane, namespace: string | undefined): boolean;
  /**
   * Opens connections for so many writes that will be wanted at a time in a moment, as far as there are not as many, and as
   * many may be in flight. That it fails is seen by the writes.
   */
  prepare(writes: number): void;
  /** Any other path, such as `/readyz` or a Pod's log. The caller reads the body. */
  raw(path: string, init?: Omit<RequestInit, "signal"> & RequestOptions): Promise<Response>;
}
