import { test } from "./test.ts";

/** A row of a table: what it shows, and what it is shown by. */
export type Row<Parts extends readonly unknown[]> = readonly [sentence: string, ...Parts];

/** Declares a test for each row, called `<name>: <sentence>`, so that each can be run alone. */
export function table<Parts extends readonly unknown[]>(
  name: string,
  rows: Iterable<Row<Parts>>,
  check: (...parts: Parts) => void | Promise<void>,
): void {
  const sentences = new Set<string>();
  for (const [sentence, ...parts] of rows) {
    if (sentences.has(sentence)) throw new Error(`Two rows of "${name}" say "${sentence}"`);
    sentences.add(sentence);
    test(`${name}: ${sentence}`, () => check(...parts));
  }
}
