import { useValue, Value } from "./value.ts";

/** How far the server's clock is ahead of the browser's. */
let aheadMs = 0;

/** The time by the server's clock: what it reports is compared with nothing else. */
export function serverNow() {
  return Date.now() + aheadMs;
}

/** @param now the server's, as it has just said */
export function setServerNow(now: number) {
  aheadMs = now - Date.now();
}

const second = new Value(serverNow());
setInterval(() => second.set(serverNow()), 1_000);

/** The time, drawn again every second. */
export function useNow() {
  useValue(second);
  return serverNow();
}
