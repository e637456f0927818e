import type { ActionAnswer, ActionName, ActionResult, Row, Target } from "../../wire.ts";
import { messageOf, post } from "../server.ts";
import { Value } from "../model/value.ts";

export function targetOfRow({ apiVersion, namespace, name }: Row): Target {
  return { apiVersion, namespace, name };
}

/** Targets of one request: with the longest names they stay below the server's limit for a body. */
const BATCH = 100;

/**
 * Does it to the targets, batch by batch. A batch that fails is among the results, unless it is the first.
 *
 * @throws {Refusal} where nothing was done
 */
export async function act(
  action: ActionName,
  { targets, ...fields }: { readonly targets: readonly Target[] } & Readonly<Record<string, unknown>>,
): Promise<readonly ActionResult[]> {
  const results: ActionResult[] = [];
  while (results.length < targets.length) {
    const batch = targets.slice(results.length, results.length + BATCH);
    if (targets.length > BATCH) notice.set({ done: results.length, of: targets.length });
    try {
      results.push(...(await post<ActionAnswer>(`/api/actions/${action}`, { ...fields, targets: batch })).results);
    } catch (error) {
      if (results.length === 0) throw error;
      results.push(...batch.map((target) => ({ target, result: "failed", message: messageOf(error) } as const)));
    }
  }
  return results;
}

/** Does it, and reports the outcome in the notice. */
export async function actAndReport(...given: Parameters<typeof act>): Promise<void> {
  try {
    notice.set({ results: await act(...given) });
  } catch (error) {
    notice.set({ error: messageOf(error) });
  }
}

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
