import type { ActionAnswer, ActionName, ActionResult, Row, Target } from "../../wire.ts";
import { messageOf, post } from "../server.ts";
import { notice } from "./asked.ts";

export function targetOfRow({ apiVersion, namespace, name }: Row): Target {
  return { apiVersion, namespace, name };
}

/** Targets of one request: with the longest names they stay below the server's limit for a body. */
const BATCH = 200;

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
