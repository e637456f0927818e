/** An answer to a request, from `fetch` or over a {@linkcode Socket}. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly headers: Pick<Headers, "get">;
  /** The whole body. */
  text(): Promise<string>;
}
