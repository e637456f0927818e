import { ApiError } from "./api_error.ts";
import type { KubeClient, ListOptions } from "./client.ts";
import type { KubeObject } from "./object.ts";
import type { Resource } from "./resource.ts";

/** Objects a page, unless asked otherwise: what client-go's pager uses. */
export const PAGE_SIZE = 500;

/** Yields all objects of a resource, one after the other, as {@linkcode listPages} reads them. */
export async function* listAll<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  options: Omit<ListOptions, "continueToken"> = {},
): AsyncGenerator<T> {
  for await (const page of listPages(client, resource, options)) yield* page;
}

/**
 * Yields all objects of a resource, page by page. Where the pages take so long that the server forgets how all was as they began,
 * the remaining ones show how it is now.
 *
 * @throws {ApiError} as `list` does; `isExpired` where the server does not say how to go on
 */
export async function* listPages<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  options: Omit<ListOptions, "continueToken"> = {},
): AsyncGenerator<T[]> {
  let continueToken: string | undefined;
  do {
    const page: Page<T> = await client.list(resource, { limit: PAGE_SIZE, ...options, ...afterFirst(continueToken) })
      .catch(remainder);
    yield page.items;
    continueToken = page.metadata.continue || undefined;
  } while (continueToken !== undefined);
}

/** A page, as far as it is read. */
interface Page<T> {
  readonly items: T[];
  readonly metadata: { readonly continue?: string };
}

/** With the refusal of a token that has expired comes another, for what lies behind it now. */
function remainder(error: unknown): Page<never> {
  const token = error instanceof ApiError && error.isExpired ? error.status?.metadata.continue : undefined;
  if (typeof token !== "string" || token === "") throw error;
  return { items: [], metadata: { continue: token } };
}

/** A continue token stands for a version: naming one besides is refused. */
function afterFirst(continueToken: string | undefined): Partial<ListOptions> {
  return continueToken === undefined ? {} : { continueToken, resourceVersion: undefined };
}
