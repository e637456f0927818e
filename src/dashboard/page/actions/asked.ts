import type { ActionName, ActionResult, Row } from "../../wire.ts";
import { Value } from "../model/value.ts";

/** An action that the visitor has to confirm. */
export type Asked = { action: ActionName; rows: readonly Row[] };

export const asked: Value<Asked | undefined> = new Value<Asked | undefined>(undefined);

export function askTo(action: ActionName, rows: readonly Row[]) {
  asked.set({ action, rows });
}

/** A browser says late that a dialog is closed: the next question may be asked by then, and stays. */
export function close(question: Asked) {
  if (asked.current === question) asked.set(undefined);
}

/** The outcome of the last action, until it has been read; or how far an action on many CronJobs has come. */
export type Notice = { results: readonly ActionResult[] } | { error: string } | { done: number; of: number };

export const notice: Value<Notice | undefined> = new Value<Notice | undefined>(undefined);
