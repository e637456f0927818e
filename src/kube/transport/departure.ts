/**
 * Stands before a write, at each attempt. What it throws is thrown by the write, and nothing is sent. What it returns is
 * called afterwards with whether the server has said what became of the write. If not, it may take effect later.
 */
export type WriteGuard = () => void | ((answered: boolean) => void);

/** Lets a request leave if its guard does, and knows afterwards whether it has left. */
export class Departure {
  readonly #guard: WriteGuard | undefined;
  #answered: ReturnType<WriteGuard> = undefined;
  #isWithheld = false;

  constructor(guard: WriteGuard | undefined) {
    this.#guard = guard;
  }

  /** Whether the guard has thrown: nothing was sent. */
  get isWithheld(): boolean {
    return this.#isWithheld;
  }

  /** Called immediately before the request leaves. */
  leaves(): void {
    try {
      this.#answered = this.#guard?.();
    } catch (error) {
      this.#isWithheld = true;
      throw error;
    }
  }

  /** Called once it is known whether the server has said what became of the request. */
  ended(answered: boolean): void {
    this.#answered?.(answered);
  }
}

/** The departure of every request without a guard. */
export const UNGUARDED = new Departure(undefined);
