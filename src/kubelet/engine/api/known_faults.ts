import { EngineError, type EngineName } from "./engine_error.ts";

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

function reasonIn(text: string): string {
  try {
    const { message = "" } = JSON.parse(text) as { message?: string };
    return message.trim();
  } catch {
    return text.trim();
  }
}
