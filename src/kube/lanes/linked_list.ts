/** An element of a {@linkcode LinkedList}, of one list at a time. */
export interface Linked<T> {
  previous?: T | undefined;
  next?: T | undefined;
}

/** Elements in order, each of which can be removed without looking at the others. */
export class LinkedList<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first;
  }

  push(element: T): void {
    element.previous = this.#last;
    if (this.#last) this.#last.next = element;
    else this.#first = element;
    this.#last = element;
    this.#size++;
  }

  /** Removes an element, which must be in this list. */
  remove(element: T): void {
    const { previous, next } = element;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    element.previous = element.next = undefined;
    this.#size--;
  }

  shift(): T | undefined {
    const first = this.#first;
    if (first) this.remove(first);
    return first;
  }
}
