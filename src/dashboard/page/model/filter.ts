import type { Row } from "../../wire.ts";
import { type State, STATES } from "../../../view/cron_job_view.ts";

/** The visitor's search. A row must have all words and labels, one of the states and one of the namespaces. */
interface Filter {
  readonly words: readonly string[];
  readonly states: readonly State[];
  readonly namespaces: readonly string[];
  /** `team` or `team=payments` */
  readonly labels: readonly string[];
  /** Names that are no state's: with one, no row is found. */
  readonly unknown: readonly string[];
}

/** Reads a search: words, and `state:`, `ns:` and `label:` with values that commas divide. */
export function filterOf(text: string): Filter {
  const words: string[] = [];
  const given: Record<string, string[]> = { state: [], ns: [], label: [] };
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [, key, value] = /^(state|ns|label):(.*)$/i.exec(word) ?? [];
    if (key === undefined) words.push(word.toLowerCase());
    else given[key.toLowerCase()]!.push(...(value ?? "").split(",").filter(Boolean));
  }
  const { state = [], ns: namespaces = [], label: labels = [] } = given;
  const unknown = state.filter((name) => statesNamed(name).length === 0);
  return { words, states: [...new Set(state.flatMap(statesNamed))], namespaces, labels, unknown };
}

/** Returns the states whose names begin with a text, which may still be being typed. */
function statesNamed(text: string): State[] {
  return STATES.filter((state) => state.toLowerCase().startsWith(text.toLowerCase()));
}

/** Returns the text that {@linkcode filterOf} reads as this filter. */
export function textOf({ words, states, namespaces, labels, unknown }: Filter): string {
  const allStates = [...states.map((state) => state.toLowerCase()), ...unknown];
  const keyed = Object.entries({ state: allStates, ns: namespaces, label: labels });
  return [
    ...keyed.filter(([, values]) => values.length > 0).map(([key, values]) => `${key}:${values.join(",")}`),
    ...words,
  ].join(" ");
}

/** Returns the function that says whether a row matches. */
export function matcherOf({ words, states, namespaces, labels, unknown }: Filter): (row: Row) => boolean {
  return (row) =>
    unknown.length === 0 &&
    (states.length === 0 || states.includes(row.state)) &&
    (namespaces.length === 0 || namespaces.includes(row.namespace)) &&
    labels.every((label) => hasLabel(row, label)) &&
    says(row, words);
}

function hasLabel({ labels = {} }: Row, label: string): boolean {
  const [name = "", value] = label.split("=", 2);
  return Object.hasOwn(labels, name) && (value === undefined || labels[name] === value);
}

/** Returns whether the texts of a row contain each of these words. */
function says({ namespace, name, schedule, zone, state, cause }: Row, words: readonly string[]): boolean {
  const said = `${namespace}/${name} ${schedule} ${zone} ${state} ${cause?.reason ?? ""} ${cause?.message ?? ""}`;
  const text = said.toLowerCase();
  return words.every((word) => text.includes(word));
}
