/** One line on a terminal that is written over again and again; nothing where there is no terminal. */
export class ProgressLine implements Disposable {
  readonly #isSeen = Deno.stderr.isTerminal();

  show(text: string): void {
    if (!this.#isSeen) return;
    const { columns } = Deno.consoleSize();
    Deno.stderr.writeSync(new TextEncoder().encode(`\r\x1b[K${text.slice(0, Math.max(0, columns - 1))}`));
  }

  /** Makes room for what is printed otherwise. */
  clear(): void {
    this.show("");
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}
