// @ts-check
/// <reference lib="dom" />
/** @import { ActionAnswer, Row, Target } from "../../wire.ts" */
import { post } from "../server.js";
import { notice } from "./asked.js";

/** @param {Row} row @returns {Target} */
export function targetOfRow({ apiVersion, namespace, name }) {
  return { apiVersion, namespace, name };
}

/** What is left empty is not said. @param {FormData} form */
export function fieldsOf(form) {
  return Object.fromEntries([...form].filter(([, value]) => String(value).trim() !== ""));
}

/** Does it, and reports what became of it. @param {string} action @param {object} body */
export async function act(action, body) {
  try {
    const { results } = /** @type {ActionAnswer} */ (await post(`/api/actions/${action}`, body));
    notice.set({ results });
  } catch (error) {
    notice.set({ error: /** @type {Error} */ (error).message });
  }
}
