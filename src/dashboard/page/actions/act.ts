import type { ActionAnswer, ActionName, Row, Target } from "../../wire.ts";
import { post } from "../server.ts";
import { notice } from "./asked.ts";

export function targetOfRow({ apiVersion, namespace, name }: Row): Target {
  return { apiVersion, namespace, name };
}

/** What is left empty is not said. */
export function fieldsOf(form: FormData) {
  return Object.fromEntries([...form].filter(([, value]) => String(value).trim() !== ""));
}

/** Does it, and reports what became of it. */
export async function act(action: ActionName, body: object) {
  try {
    const { results } = await post<ActionAnswer>(`/api/actions/${action}`, body);
    notice.set({ results });
  } catch (error) {
    notice.set({ error: (error as Error).message });
  }
}
