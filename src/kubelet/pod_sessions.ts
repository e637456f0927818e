import type { RunningContainer } from "./runtime.ts";
import type { ContainerSession, SessionRequest } from "../kube/container_session.ts";

/** Runs commands for clients in containers at work. */
export class PodSessions {
  readonly #offers = new Map<string, { readonly running: RunningContainer; readonly open: Set<ContainerSession> }>();

  /** Lets clients run commands in a container until the result is disposed of; that ends their sessions. */
  offer(podUid: string, container: string, running: RunningContainer): Disposable {
    const key = `${podUid}/${container}`;
    const offer = { running, open: new Set<ContainerSession>() };
    this.#offers.set(key, offer);
    return {
      [Symbol.dispose]: () => {
        if (this.#offers.get(key) === offer) this.#offers.delete(key);
        for (const session of offer.open) session.end();
      },
    };
  }

  /** @throws an error worded as Kubernetes does */
  async open(
    { pod, container }: { readonly pod: { readonly uid: string }; readonly container: string },
    request: SessionRequest,
  ): Promise<ContainerSession> {
    const key = `${pod.uid}/${container}`;
    const offer = this.#offers.get(key);
    if (!offer) throw new Error(`unable to upgrade connection: container not found (${JSON.stringify(container)})`);
    const session = await offer.running.open(request);
    offer.open.add(session);
    // The container may have ended meanwhile.
    if (this.#offers.get(key) !== offer) session.end();
    const forget = () => void offer.open.delete(session);
    session.ended.then(forget, forget);
    return session;
  }
}
