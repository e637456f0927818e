import { concat } from "../../../kube/byte_source.ts";
import { EngineError } from "./engine_error.ts";

/** Some of a container's output. */
export interface Frame {
  readonly stream: "stdout" | "stderr";
  readonly bytes: Uint8Array;
}

/** Before each piece of output stand the stream, three zeros and the length. */
const HEADER = 8;

const STDERR = 2;
/** A stream of the engine's own complaints. */
const SYSTEM_ERROR = 3;

/** Divides what comes of a container's output into its streams. */
export class Frames {
  #rest: Uint8Array = new Uint8Array(0);

  /** Whether what has come ends with a frame's end. */
  get isWhole(): boolean {
    return this.#rest.length === 0;
  }

  /** Returns the output in those frames that are whole by now. */
  *read(piece: Uint8Array): Generator<Frame> {
    let bytes = this.#rest.length > 0 ? concat([this.#rest, piece]) : piece;
    const view = () => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let end; bytes.length >= HEADER && (end = HEADER + view().getUint32(4)) <= bytes.length;) {
      const [stream] = bytes;
      const payload = bytes.subarray(HEADER, end);
      if (stream === SYSTEM_ERROR) throw new EngineError(`the engine reports: ${new TextDecoder().decode(payload)}`);
      if (payload.length > 0) yield { stream: stream === STDERR ? "stderr" : "stdout", bytes: payload };
      bytes = bytes.subarray(end);
    }
    this.#rest = bytes.slice();
  }
}
