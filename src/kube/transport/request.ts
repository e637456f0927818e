import type { Clock } from "../../base/clock.ts";
import type { Lane, Place } from "../client.ts";
import type { Pause } from "../lanes/pause.ts";
import type { RequestLanes, RequestLanesOptions } from "../lanes/request_lanes.ts";

/**
 * Stands before a write, at each attempt. What it throws is thrown by the write, and nothing is sent. What it returns is
 * called afterwards with whether the server has said what became of the write. If not, it may take effect later.
 */
export type WriteGuard = () => void | ((answered: boolean) => void);

/** A request, as the client describes it. */
export interface TransportRequest {
  /** The server's word for what it does, as in RBAC rules. A `raw` request has its HTTP method in small letters. */
  readonly verb: string;
  readonly method: string;
  /** The plural, for metrics; empty for `raw`. */
  readonly resource: string;
  /** Of the object, or of those that are listed. */
  readonly namespace?: string | undefined;
  /** Completes "Cannot …". */
  readonly action: string;
  /** With the query. */
  readonly path: string;
  readonly body?: BodyInit | undefined;
  readonly headers?: Record<string, string>;
  readonly lane: Lane;
  /** The place that it may leave with, if that is still held. */
  readonly place?: Place | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called immediately before the request leaves: what it throws is thrown, and nothing is sent. */
  readonly guard?: WriteGuard | undefined;
  /** The part of the program that asks: the user agent says so. */
  readonly component?: string | undefined;
}

/** The reports of a client about its requests, for metrics and logs. Called synchronously; must not throw. */
export interface RequestObserver {
  /** Called when an HTTP exchange ended (of a watch: when its answer began). `code` is 0 when there was no answer. */
  onRequest?(
    request: { verb: string; resource: string; method: string; host: string; code: number; durationMs: number },
  ): void;
  /** Called when a request left its lane after having waited there. */
  onLaneWait?(wait: { lane: Lane; method: string; host: string; waitMs: number }): void;
  /** Called when a client has been made, whose lanes may be looked at from now on. */
  onLanes?(lanes: LanesView): void;
}

/** The lanes of a client, as they are at the moment. */
export interface LanesView extends Pick<RequestLanes, "limit" | "inFlight" | "waiting"> {
  /** The pauses in which all but leases is held back, because the server refuses requests as too many. */
  readonly pauses: Pick<Pause, "lastedMs" | "until">;
}

/** The parts of a transport. */
export interface TransportOptions extends RequestLanesOptions {
  /** For timeouts, pauses and the re-reading of tokens. Not a fake one where the server's answers take real time. */
  clock: Clock;
  userAgent: string;
  observer?: RequestObserver;
  /** Whether what is forbidden is asked for once, for a client that does not outlive the rights of its user. @default {false} */
  refusesOnce?: boolean;
  /** How long an answer may take, its body included. @default {30_000} */
  timeoutMs?: number;
  /**
   * How long a watch may stay silent before its connection counts as dead. API servers send a bookmark a minute.
   * @default {150_000}
   */
  watchIdleMs?: number;
}
