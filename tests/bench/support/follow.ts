import type { HttpKubeClient } from "../../../src/kube/http_client.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";

/** Calls `see` for what changes from now on. */
export async function follow<T extends KubeObject>(
  client: HttpKubeClient,
  resource: Resource<T>,
  signal: AbortSignal,
  see: (type: string, object: T) => void,
): Promise<void> {
  let { metadata: { resourceVersion } } = await client.list(resource, { limit: 1 });
  const opened = Promise.withResolvers<void>();
  const watch = async () => {
    // An API server ends each watch after a while.
    while (!signal.aborted) {
      const events = client.watch(resource, { resourceVersion, signal, onOpen: opened.resolve });
      for await (const { type, object } of events) {
        resourceVersion = object.metadata.resourceVersion;
        if (type !== "BOOKMARK") see(type, object);
      }
    }
  };
  void watch();
  await opened.promise;
}
