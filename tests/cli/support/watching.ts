import { assertEquals } from "@std/assert";
import type { FakeClock } from "../../support/fake_clock.ts";
import type { Printed } from "./run_command.ts";

/** A command that goes on until it is asked to stop, as a signal would. */
export class Watching implements AsyncDisposable {
  readonly ended: Promise<Printed>;
  #stop = () => {};
  #text = "";

  /** While it is started, console and signals are its own. */
  constructor(run: () => Promise<Printed>) {
    const { addSignalListener, removeSignalListener } = Deno;
    Deno.addSignalListener = (signal, listener) => {
      if (signal === "SIGINT") this.#stop = listener;
    };
    Deno.removeSignalListener = () => {};
    this.ended = run().finally(() => Object.assign(Deno, { addSignalListener, removeSignalListener }));
    const { log, error } = console;
    console.log = (text: string) => this.#print(text, log);
    console.error = (text: string) => this.#print(text, error);
  }

  #print(text: string, go: (text: string) => void): void {
    this.#text += `${text}\n`;
    go(text);
  }

  /** Lets time pass until this was printed; what was printed before does not count again. */
  async waitFor(text: string, clock: FakeClock): Promise<void> {
    const deadline = performance.now() + 120_000;
    while (!this.#text.includes(text)) {
      if (performance.now() > deadline) assertEquals(this.#text, text);
      await clock.advance(250);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    await this.ended;
  }
}
