/** How something is, and a word on it. */
export interface Health {
  readonly ok: boolean;
  readonly detail?: string;
}

/**
 * A question about a part of the program, answered at once from what is known.
 *
 * `live` ones fail only where nothing but a new start helps.
 */
export interface HealthCheck {
  readonly name: string;
  readonly live: boolean;
  check(): Health;
}
