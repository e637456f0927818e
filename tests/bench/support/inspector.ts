/** V8's inspector of another process, over the protocol that browsers' tools speak. */
export class Inspector implements Disposable {
  readonly #socket: WebSocket;
  #nextId = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Connects to a process that was started with `--inspect=ADDRESS`. */
  static async connect(address: string): Promise<Inspector> {
    const [{ webSocketDebuggerUrl }] = await (await fetch(`http://${address}/json`)).json();
    const socket = new WebSocket(webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    return new Inspector(socket);
  }

  /** Collects garbage, and returns the bytes of the heap that are in use afterwards. */
  async heapInUse(): Promise<number> {
    await this.#call("HeapProfiler.collectGarbage");
    return (await this.#call("Runtime.getHeapUsage") as { usedSize: number }).usedSize;
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  #call(method: string): Promise<unknown> {
    const id = this.#nextId++;
    const answered = new Promise((resolve, reject) => {
      const listen = ({ data }: MessageEvent<string>) => {
        const answer = JSON.parse(data);
        if (answer.id !== id) return;
        this.#socket.removeEventListener("message", listen);
        if (answer.error) reject(new Error(`The inspector refused ${method}: ${answer.error.message}`));
        else resolve(answer.result);
      };
      this.#socket.addEventListener("message", listen);
      this.#socket.addEventListener("close", () => reject(new Error("The inspected process has ended")), {
        once: true,
      });
    });
    this.#socket.send(JSON.stringify({ id, method }));
    return answered;
  }
}
