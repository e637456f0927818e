/**
 * No answer of the API server: the connection could not be made, broke, or stayed silent for too long; or what came was
 * none to this request. What was asked for may have been done all the same.
 */
export class UnreachableError extends TypeError {
  override readonly name = "UnreachableError";
  /** How long to wait at least before it is asked again, where something did answer. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { readonly cause?: unknown; readonly retryAfterMs?: number | undefined } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}
