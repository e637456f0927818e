import { useLayoutEffect, useState } from "preact/hooks";

/** Something that several parts of the page show, and that changes. */
export class Value<T> {
  #current: T;
  #listeners: Set<() => void> = new Set();

  constructor(current: T) {
    this.#current = current;
  }

  get current() {
    return this.#current;
  }

  set(next: T) {
    if (Object.is(next, this.#current)) return;
    this.#current = next;
    for (const listener of [...this.#listeners]) listener();
  }

  /** @returns ends it */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** A value that the browser keeps from one visit to the next. */
export function keptValue<T>(key: string, read: (text: string) => T): Value<T> {
  const value = new Value(read(localStorage.getItem(key) ?? ""));
  value.listen(() => localStorage.setItem(key, String(value.current)));
  return value;
}

/** Draws the component again whenever the value changes. */
export function useValue<T>(value: Value<T>): T {
  const [, setSeen] = useState(value.current);
  useLayoutEffect(() => {
    const see = () => setSeen(() => value.current);
    see();
    return value.listen(see);
  }, [value]);
  return value.current;
}
