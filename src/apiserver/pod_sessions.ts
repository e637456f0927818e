import type { ContainerSession, SessionRequest } from "../kube/container_session.ts";

/** Where the server gets sessions from: from what runs containers. */
export interface PodSessionSource {
  /** @throws an error with a message for the client */
  open(
    target: { readonly pod: { readonly name: string; readonly uid: string }; readonly container: string },
    request: SessionRequest,
  ): Promise<ContainerSession>;
}
