import type { KubeClient, ListOptions } from "./client.ts";
import type { KubeObject } from "./object.ts";
import type { Resource } from "./resource.ts";

/** Objects a page, unless asked otherwise: what client-go's pager uses. */
export const PAGE_SIZE = 500;

/** All objects of a resource, one after the other, as {@linkcode listPages} reads them. */
export async function* listAll<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  options: Omit<ListOptions, "continueToken"> = {},
): AsyncGenerator<T> {
  for await (const page of listPages(client, resource, options)) yield* page;
}

/**
 * All objects of a resource, page by page.
 *
 * @throws {ApiError} as `list` does; `isExpired` when the pages took so long that the server forgot where they began
 */
export async function* listPages<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  options: Omit<ListOptions, "continueToken"> = {},
): AsyncGenerator<T[]> {
  let continueToken: string | undefined;
  do {
    const page = await client.list(resource, { limit: PAGE_SIZE, ...options, ...afterFirst(continueToken) });
    yield page.items;
    continueToken = page.metadata.continue || undefined;
  } while (continueToken !== undefined);
}

/** A continue token stands for a version: naming one besides is refused. */
function afterFirst(continueToken: string | undefined): Partial<ListOptions> {
  return continueToken === undefined
    ? {}
    : { continueToken, resourceVersion: undefined, resourceVersionMatch: undefined };
}
