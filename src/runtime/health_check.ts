/** The state of a part of the program, with a detail for people. */
export interface Health {
  readonly ok: boolean;
  readonly detail?: string;
}

/** A question about a part of the program, which is answered at once from what is known. */
export interface HealthCheck {
  readonly name: string;
  /** Whether the liveness probe asks it too: it fails only where nothing but a restart helps. */
  readonly live: boolean;
  check(): Health;
}
