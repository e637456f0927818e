const RETRY_MS = [1_000, 2_000, 4_000, 8_000];
const LONGEST_RETRY_MS = 15_000;

/** How long to wait before the server is asked again. @param failures before, in a row */
export function retryMs(failures: number): number {
  return RETRY_MS[failures] ?? LONGEST_RETRY_MS;
}

/** Shorter when the browser says that there is a network again. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const online = new AbortController();
  const over = AbortSignal.any([signal, online.signal, AbortSignal.timeout(ms)]);
  addEventListener("online", () => online.abort(), { signal: over });
  if (!over.aborted) await new Promise((done) => over.addEventListener("abort", done));
}
