import type { Row } from "../../wire.ts";
import { type State, STATES } from "../../../view/cron_job_view.ts";

/** What the visitor looks for: every word must be found, and `state:` and `ns:` hold what may be, divided by commas. */
type Filter = { words: readonly string[]; states: readonly State[]; namespaces: readonly string[] };

export function filterOf(text: string): Filter {
  const filter: { words: string[]; states: State[]; namespaces: string[] } = { words: [], states: [], namespaces: [] };
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [, key, value] = /^(state|ns):(.*)$/i.exec(word) ?? [];
    const values = (value ?? "").split(",").filter(Boolean);
    if (key === undefined) filter.words.push(word.toLowerCase());
    else if (key.toLowerCase() === "ns") filter.namespaces.push(...values);
    else filter.states.push(...values.flatMap(stateNamed));
  }
  return filter;
}

function stateNamed(text: string): State[] {
  return STATES.filter((state) => state.toLowerCase() === text.toLowerCase());
}

/** @returns what `filterOf` reads */
export function textOf({ words, states, namespaces }: Filter): string {
  return [
    ...states.length > 0 ? [`state:${states.map((state) => state.toLowerCase()).join(",")}`] : [],
    ...namespaces.length > 0 ? [`ns:${namespaces.join(",")}`] : [],
    ...words,
  ].join(" ");
}

export function matcherOf({ words, states, namespaces }: Filter): (row: Row) => boolean {
  return (row) =>
    (states.length === 0 || states.includes(row.state)) &&
    (namespaces.length === 0 || namespaces.includes(row.namespace)) &&
    words.every((word) => searchText(row).includes(word));
}

const searchTexts: WeakMap<Row, string> = new WeakMap();

/** What words are looked for in. Kept, as it is typed letter by letter. */
function searchText(row: Row) {
  let text = searchTexts.get(row);
  if (text === undefined) {
    const { namespace, name, schedule, zone, state, cause } = row;
    text = `${namespace}/${name} ${schedule} ${zone} ${state} ${cause?.reason ?? ""} ${cause?.message ?? ""}`
      .toLowerCase();
    searchTexts.set(row, text);
  }
  return text;
}
