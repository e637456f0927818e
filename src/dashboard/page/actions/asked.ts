import type { ActionName, ActionResult, Row } from "../../wire.ts";
import { Value } from "../model/value.ts";

/** What the visitor is asked about before it is done. */
export type Asked = { action: ActionName; rows: readonly Row[] };

export const asked: Value<Asked | undefined> = new Value<Asked | undefined>(undefined);

export function askTo(action: ActionName, rows: readonly Row[]) {
  asked.set({ action, rows });
}

/** What was done last, until it has been read. */
export type Notice = { results: readonly ActionResult[] } | { error: string };

export const notice: Value<Notice | undefined> = new Value<Notice | undefined>(undefined);
