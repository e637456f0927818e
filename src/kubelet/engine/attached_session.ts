import type { ContainerSession } from "../../kube/container_session.ts";
import { EngineError, reasonIn } from "./engine_command.ts";
import type { EngineName } from "./engine_kind.ts";

/** How an engine's command ends that could not attach. Containers may end with these codes, too, so its words count. */
const REFUSED: Readonly<Record<EngineName, { readonly code: number; readonly words: RegExp }>> = {
  podman: { code: 125, words: /^Error: /m },
  docker: { code: 1, words: /^(you )?cannot attach to a \w+ container|^Error response from daemon: /im },
};

/** An engine refuses with a line or two. */
const MAX_BEGINNING = 4096;

/**
 * Returns the session of a client that is attached to a container by the engine's command. It ends with 0, as the client
 * sees how the container ended by its status; it rejects where the engine has not attached, as to a container that has
 * ended, so that the client asks for the logs.
 */
export function attachedSession(session: ContainerSession, engine: EngineName): ContainerSession {
  const { stdout, stderr } = session;
  const said = Promise.withResolvers<string>();
  const complaints = listened(stderr ?? stdout, (beginning) => said.resolve(beginning));
  return {
    ...session,
    ...stderr ? { stderr: complaints } : { stdout: complaints },
    ended: session.ended.then(async (code) => {
      const refused = REFUSED[engine];
      if (code !== refused.code) return 0;
      const beginning = await said.promise;
      if (refused.words.test(beginning)) {
        throw new EngineError(`Cannot attach to the container: ${reasonIn(beginning)}`);
      }
      return 0;
    }),
    end() {
      session.end();
      said.resolve("");
    },
  };
}

/** Calls `onEnd` with the beginning of the stream that it returns once all of that has been read. */
function listened(
  stream: ReadableStream<Uint8Array>,
  onEnd: (beginning: string) => void,
): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  let beginning = "";
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (beginning.length < MAX_BEGINNING) beginning += decoder.decode(chunk, { stream: true });
        controller.enqueue(chunk);
      },
      flush: () => onEnd(beginning),
    }),
  );
}
