import type { Loose } from "../base/loose.ts";

/** The body of an answer that refuses: Kubernetes' `Status`. */
export interface Status {
  kind: "Status";
  apiVersion: "v1";
  metadata: Record<string, unknown>;
  status: "Success" | "Failure";
  message?: string;
  reason?: string;
  code?: number;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: { reason?: string; message?: string; field?: string }[];
    retryAfterSeconds?: number;
  };
}

/** An API server's refusal. What cannot be reached at all is an `UnreachableError` instead. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status code. */
  readonly code: number;
  /** Kubernetes' reason, such as `NotFound`; empty where the answer was no `Status`. */
  readonly reason: string;
  readonly status: Status | undefined;
  /** From the header `Retry-After`, or from `retryAfterSeconds` in a stream; at most ten seconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: Loose<{ code: number; reason?: string; status?: Status; retryAfterMs?: number; cause?: unknown }>,
  ) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.reason = options.reason ?? options.status?.reason ?? "";
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }

  /**
   * Whether the request may have taken effect all the same: the server failed, or something before it stopped waiting (408)
   * or sent it elsewhere (3xx).
   */
  get isInDoubt(): boolean {
    return this.code < 400 || this.code === 408 || this.code >= 500;
  }

  get isNotFound(): boolean {
    return this.code === 404;
  }

  /** The object changed since it was read (or another precondition failed). */
  get isConflict(): boolean {
    return this.code === 409 && this.reason !== "AlreadyExists";
  }

  get isAlreadyExists(): boolean {
    return this.reason === "AlreadyExists";
  }

  /** The resource version asked for is no longer kept: list again. */
  get isExpired(): boolean {
    return this.code === 410;
  }

  get isInvalid(): boolean {
    return this.code === 422;
  }

  get isUnauthorized(): boolean {
    return this.code === 401;
  }

  get isForbidden(): boolean {
    return this.code === 403;
  }

  get isTooManyRequests(): boolean {
    return this.code === 429;
  }

  /** Nothing can be created in a namespace that is going away. */
  get isNamespaceTerminating(): boolean {
    return this.code === 403 &&
      (this.status?.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");
  }
}

/** Returns undefined for the refusal that says that there is no such object, and throws all else: for `catch`. */
export function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof ApiError && error.isNotFound)) throw error;
}
