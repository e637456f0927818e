// @ts-check
import { useLayoutEffect, useState } from "../html.js";

/**
 * Something that several parts of the page show, and that changes.
 *
 * @template T
 */
export class Value {
  /** @type {T} */ #current;
  /** @type {Set<() => void>} */ #listeners = new Set();

  /** @param {T} current */
  constructor(current) {
    this.#current = current;
  }

  get current() {
    return this.#current;
  }

  /** @param {T} next */
  set(next) {
    if (Object.is(next, this.#current)) return;
    this.#current = next;
    for (const listener of [...this.#listeners]) listener();
  }

  /** @param {() => void} listener @returns {() => void} ends it */
  listen(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/**
 * Draws the component again whenever the value changes.
 *
 * @template T
 * @param {Value<T>} value
 * @returns {T}
 */
export function useValue(value) {
  const [, setSeen] = useState(value.current);
  useLayoutEffect(() => {
    const see = () => setSeen(() => value.current);
    see();
    return value.listen(see);
  }, [value]);
  return value.current;
}
