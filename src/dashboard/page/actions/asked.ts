// @ts-check
/** @import { ActionName, ActionResult, Row } from "../../wire.ts" */
import { Value } from "../model/value.js";

/** What the visitor is asked about before it is done. @typedef {{ action: ActionName, rows: readonly Row[] }} Asked */

/** @type {Value<Asked | undefined>} */
export const asked = new Value(/** @type {Asked | undefined} */ (undefined));

/** @param {ActionName} action @param {readonly Row[]} rows */
export function askTo(action, rows) {
  asked.set({ action, rows });
}

/** What was done last, until it has been read. @typedef {{ results: readonly ActionResult[] } | { error: string }} Notice */

/** @type {Value<Notice | undefined>} */
export const notice = new Value(/** @type {Notice | undefined} */ (undefined));
