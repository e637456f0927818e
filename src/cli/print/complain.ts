import { printable } from "../../telemetry/printable.ts";

/** Deno's words for a file of the kernel's, which is closed to a program that may not do everything. */
const CLOSED = /Requires all access to .*/;

/** Prints on stderr, in one line behind the program's name, what is wrong or missing. */
export function complain(message: string): void {
  console.error(
    `cronjob-controller: ${
      printable(message.replace(CLOSED, "the executable may use no file below /dev, /proc and /sys"))
    }`,
  );
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
