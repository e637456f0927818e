// @ts-check
/** @import { Row } from "../../wire.ts" */
/** @import { State } from "../../../view/cron_job_view.ts" */
import { STATES } from "./states.js";

/**
 * What the visitor looks for: every word must be found, and `state:` and `ns:` hold what may be, divided by commas.
 *
 * @typedef {{ words: readonly string[], states: readonly State[], namespaces: readonly string[] }} Filter
 */

/** @param {string} text @returns {Filter} */
export function filterOf(text) {
  /** @type {{ words: string[], states: State[], namespaces: string[] }} */
  const filter = { words: [], states: [], namespaces: [] };
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [, key, value] = /^(state|ns):(.*)$/i.exec(word) ?? [];
    const values = (value ?? "").split(",").filter(Boolean);
    if (key === undefined) filter.words.push(word.toLowerCase());
    else if (key.toLowerCase() === "ns") filter.namespaces.push(...values);
    else filter.states.push(...values.flatMap(stateNamed));
  }
  return filter;
}

/** @param {string} text @returns {State[]} */
function stateNamed(text) {
  return STATES.filter((state) => state.toLowerCase() === text.toLowerCase());
}

/** @param {Filter} filter @returns {string} what `filterOf` reads */
export function textOf({ words, states, namespaces }) {
  return [
    ...states.length > 0 ? [`state:${states.map((state) => state.toLowerCase()).join(",")}`] : [],
    ...namespaces.length > 0 ? [`ns:${namespaces.join(",")}`] : [],
    ...words,
  ].join(" ");
}

/** @param {Filter} filter @returns {(row: Row) => boolean} */
export function matcherOf({ words, states, namespaces }) {
  return (row) =>
    (states.length === 0 || states.includes(row.state)) &&
    (namespaces.length === 0 || namespaces.includes(row.namespace)) &&
    words.every((word) => searchText(row).includes(word));
}

/** @type {WeakMap<Row, string>} */
const searchTexts = new WeakMap();

/** What words are looked for in. Kept, as it is typed letter by letter. @param {Row} row */
function searchText(row) {
  let text = searchTexts.get(row);
  if (text === undefined) {
    const { namespace, name, schedule, zone, state, cause } = row;
    text = `${namespace}/${name} ${schedule} ${zone} ${state} ${cause?.reason ?? ""} ${cause?.message ?? ""}`
      .toLowerCase();
    searchTexts.set(row, text);
  }
  return text;
}
