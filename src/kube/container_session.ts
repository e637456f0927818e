/** Of a terminal, in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** A command to run in a container for a client. */
export interface SessionRequest {
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly tty: boolean;
}

/** A process that a client talks to. */
export interface ContainerSession {
  /** Absent where the client has asked for none. */
  readonly stdin?: WritableStream<Uint8Array> | undefined;
  readonly stdout: ReadableStream<Uint8Array>;
  /** Absent where all goes to `stdout`, as with a terminal. */
  readonly stderr?: ReadableStream<Uint8Array> | undefined;
  /** Resolves with the exit code, and after {@linkcode end} in any case. Rejects where there is none to be had. */
  readonly ended: Promise<number>;
  resize(size: TerminalSize): void;
  /** Ends what was started for the client. Has no effect when called again. */
  end(): void;
}
