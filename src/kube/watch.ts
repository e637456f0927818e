import { Stage } from "../base/abort.ts";
import { parseEvent } from "./answers.ts";
import type { WatchEvent, WatchOptions } from "./client.ts";
import { lineBatches } from "./json_lines.ts";
import type { KubeObject } from "./object.ts";
import { described, query } from "./requests.ts";
import type { Resource } from "./resource.ts";
import { collectionPath } from "./resource_path.ts";
import type { OpenResponse } from "./transport/open_response.ts";
import type { Transport } from "./transport/transport.ts";

/** Opens a watch and yields its events, until the server or `options.signal` ends it. */
export async function* watch<T extends KubeObject>(
  transport: Transport,
  resource: Resource<T>,
  options: WatchOptions,
  component: string | undefined,
): AsyncGenerator<WatchEvent<T>> {
  const { signal } = options;
  if (signal?.aborted) return;
  const request = described("watch", resource, options);
  // Also ends the stream when the caller leaves its loop: nothing else would.
  using stage = new Stage(signal);
  let open: OpenResponse | undefined;
  try {
    open = await transport.open({
      ...request,
      method: "GET",
      path: collectionPath(resource, options.namespace) + query({
        watch: "true",
        allowWatchBookmarks: "true",
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
        resourceVersion: options.resourceVersion,
        timeoutSeconds: options.timeoutSeconds,
      }),
      lane: options.lane ?? "read",
      signal: stage.signal,
      component,
    });
    options.onOpen?.();
    const stream = open;
    const touch = () => stream.touch();
    const { hold, onReceive } = options;
    const onBytes = onReceive ? () => (touch(), onReceive()) : touch;
    const { clock } = transport;
    const expected = { resource, namespace: options.namespace };
    for await (const batch of lineBatches(open.response.body!, { onBytes, hold, signal: open.signal, clock })) {
      for (const line of batch) {
        const event = parseEvent<T>(line, request.action, expected);
        if (signal?.aborted) return;
        yield event;
      }
    }
  } catch (error) {
    if (signal?.aborted || open?.isAbandoned) return;
    throw open ? open.explain(error) : error;
  } finally {
    open?.close();
  }
}
