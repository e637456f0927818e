/** An answer to a request, from `fetch` or over a {@linkcode Socket}. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly headers: {
    get(name: string): string | null;
    has(name: string): boolean;
  };
  /** The whole body. */
  text(): Promise<string>;
}
