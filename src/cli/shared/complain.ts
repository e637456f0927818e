import { printable } from "../../telemetry/printable.ts";

/** Prints on stderr, in one line behind the program's name, what is wrong or missing. */
export function complain(message: string): void {
  console.error(`cronjob-controller: ${printable(message)}`);
}

/** Complaints that are printed once each, however often there is a reason. */
export class Complaints {
  readonly #printed = new Set<string>();

  /** Whether there has been any. */
  get isAny(): boolean {
    return this.#printed.size > 0;
  }

  once(message: string): void {
    if (!this.#printed.has(message)) complain(message);
    this.#printed.add(message);
  }
}
