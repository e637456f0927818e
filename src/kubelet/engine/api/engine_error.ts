import { messageOf } from "../../../telemetry/message_of.ts";
import type { RuntimeName } from "../../files/run_files.ts";

export type EngineName = Exclude<RuntimeName, "process">;

/** An engine that could not be asked, or that refused. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  /** Of its answer, as Docker's API documents it. Absent where there was no answer: what was asked for may happen yet. */
  readonly status?: number | undefined;
  /** Whether it is the network that a container could not be given. */
  readonly isOfNetwork: boolean;

  constructor(message: string, options: ErrorOptions & { status?: number; isOfNetwork?: boolean } = {}) {
    super(message, options);
    this.status = options.status;
    this.isOfNetwork = options.isOfNetwork ?? false;
  }
}

/** An answer that says in prose alone what its status should say. */
interface KnownFault {
  readonly says: RegExp;
  /** The status that Docker's API documents for it. */
  readonly status?: number;
  readonly isOfNetwork?: boolean;
}

const KNOWN_FAULTS: readonly KnownFault[] = [
  // podman 4 answers 500.
  { says: /name "?\S+ is already in use/, status: 409 },
  // Both answer 500 whatever keeps a container from its start: netavark, the plugins of CNI, and those of rootless engines.
  {
    says:
      /^(netavark|aardvark|plugin type=|slirp4netns|pasta|error configuring network|setting up network|failed to set up container networking)/i,
    isOfNetwork: true,
  },
];

/** Returns an engine's answer as an error, with the API's own reason. */
export function faultOf(engine: EngineName, status: number, text: string): EngineError {
  const message = reasonIn(text) || `${engine} answered ${status}`;
  const known = KNOWN_FAULTS.find(({ says }) => says.test(message));
  return new EngineError(message, { status, ...known });
}

/** Returns what kept a request from its answer as an error: the request may have arrived. */
export function unreached(engine: EngineName, error: Error): EngineError {
  return new EngineError(`Cannot reach ${engine}: ${messageOf(error.cause ?? error)}`, { cause: error });
}

/** Resolves with undefined where the engine has nothing of that name. */
export async function ifThere<T>(answer: Promise<T>): Promise<T | undefined> {
  return await answer.catch((error) => {
    if (error instanceof EngineError && error.status === 404) return undefined;
    throw error;
  });
}

function reasonIn(text: string): string {
  try {
    const { message = "" } = JSON.parse(text) as { message?: string };
    return message.trim();
  } catch {
    return text.trim();
  }
}
