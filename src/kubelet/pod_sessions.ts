import type { RunningContainer } from "./runtime.ts";
import type { ContainerSession, SessionRequest } from "../kube/container_session.ts";

/** Each has processes of its own. */
const MAX_SESSIONS = 64;

/** Runs commands for clients in containers at work. */
export class PodSessions {
  readonly #containers = new Map<string, RunningContainer>();
  readonly #open = new Map<ContainerSession, RunningContainer>();

  /** Lets clients run commands in a container until the result is disposed of; that ends their sessions. */
  offer(podUid: string, container: string, running: RunningContainer): Disposable {
    const key = keyOf(podUid, container);
    this.#containers.set(key, running);
    return {
      [Symbol.dispose]: () => {
        if (this.#containers.get(key) === running) this.#containers.delete(key);
        for (const [session, of] of this.#open) if (of === running) session.end();
      },
    };
  }

  /** @throws an error worded as Kubernetes does */
  async open(
    { pod, container }: { readonly pod: { readonly uid: string }; readonly container: string },
    request: SessionRequest,
  ): Promise<ContainerSession> {
    const running = this.#containers.get(keyOf(pod.uid, container));
    if (!running) throw new Error(`unable to upgrade connection: container not found (${JSON.stringify(container)})`);
    if (this.#open.size >= MAX_SESSIONS) {
      throw new Error(`unable to upgrade connection: ${MAX_SESSIONS} sessions are open, and no more are at a time`);
    }
    const session = await running.open(request);
    this.#open.set(session, running);
    const forget = () => void this.#open.delete(session);
    session.ended.then(forget, forget);
    return session;
  }
}

function keyOf(podUid: string, container: string): string {
  return `${podUid}/${container}`;
}
