import type { RuntimeName } from "../../files/run_files.ts";

export type EngineName = Exclude<RuntimeName, "process">;

/** An engine that could not be asked, or that refused. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  /** Of its answer, as Docker's API documents it. Absent where there was no answer: what was asked for may happen yet. */
  readonly status?: number;
  /** Whether it is the network that a container could not be given. */
  readonly isOfNetwork: boolean;

  constructor(message: string, options: ErrorOptions & { status?: number; isOfNetwork?: boolean } = {}) {
    super(message, options);
    this.status = options.status;
    this.isOfNetwork = options.isOfNetwork ?? false;
  }
}

/** There is no such engine on this machine, or none that may be run. */
export class EngineMissing extends EngineError {}
