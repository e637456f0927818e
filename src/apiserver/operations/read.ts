import { partitionPoint } from "../../base/partition_point.ts";
import { type Answer, type ApiRequest, json } from "../http/exchange.ts";
import { type ListMetadata, renderList, renderObject } from "../http/views.ts";
import { badRequest, expiredList, expiredPage, futureVersion, notFound } from "../refusals.ts";
import { LATEST, readToken, writeToken } from "../reading/continue_token.ts";
import { isTrue, type ListOptions, parseListOptions, parseVersion } from "../reading/list_options.ts";
import type { StoredObject } from "../storage/stored_object.ts";
import { encode } from "../http/encode.ts";
import { PROTOBUF_TYPE } from "../protobuf/answers.ts";
import type { ServerContext, Target } from "./context.ts";

/** GET of one object. */
export function get(context: ServerContext, target: Target, request: ApiRequest): Answer {
  if (isTrue(request.query.get("export"))) {
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  const version = parseVersion(request.query.get("resourceVersion") ?? "", false) ?? 0;
  if (version > context.storage.lastVersion) throw futureVersion(version, context.storage.lastVersion);
  return encode(renderObject(storedObject(context, target), { ...target, now: context.clock.now() }), target);
}

/** @throws {Refusal} 404 */
export function storedObject({ storage }: ServerContext, { kind, namespace, name }: Target): StoredObject {
  const stored = storage.get(kind.storage, namespace, name);
  if (!stored) throw notFound(kind, name);
  return stored;
}

/** GET of a collection, watches included. */
export function listOrWatch(context: ServerContext, target: Target, request: ApiRequest): Answer {
  const { kind } = target;
  const options = parseListOptions(request.query, kind);
  const namespace = kind.namespaced && target.namespace ? target.namespace : undefined;
  if (options.watch) {
    const { labels, fields } = options;
    const { encoding, as } = target.view;
    // An event has one object, which cannot be shown as a list.
    const form = as === "PartialObjectMetadataList" ? { ...target, view: { encoding, as: undefined } } : target;
    return json("", {
      ...(encoding === "protobuf" && { contentType: `${PROTOBUF_TYPE};stream=watch` }),
      stream: (sink) => context.hub.open({ resource: kind.storage, namespace, labels, fields }, form, options, sink),
    });
  }
  const { items, metadata } = page(context, target, options, namespace);
  return encode(renderList(items, metadata, { ...target, now: context.clock.now() }), target);
}

function page(
  { storage }: ServerContext,
  { kind }: Target,
  options: ListOptions,
  namespace: string | undefined,
): { items: readonly StoredObject[]; metadata: ListMetadata } {
  if (options.continueToken && options.resourceVersion) {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const start = options.continueToken ? readToken(options.continueToken) : undefined;
  const version = start?.version ?? options.resourceVersion ?? 0;
  if (version > storage.lastVersion) throw futureVersion(version, storage.lastVersion);
  const exact = start ? version !== LATEST : isExact(options);
  if (exact && version < storage.compactedVersion) {
    throw start ? expiredPage(writeToken({ ...start, version: LATEST })) : expiredList();
  }
  const shownVersion = exact ? version : storage.lastVersion;
  const all = exact ? storage.listAt(kind.storage, version, namespace) : storage.list(kind.storage, namespace);
  // The answer from a cache, which resourceVersion=0 allows, is never cut into pages.
  const limit = options.resourceVersion === 0 && !start ? 0 : options.limit;
  const { items, rest } = select(all, options, start?.after, limit);
  const after = items.at(-1)?.key;
  const selective = !options.labels.matchesAll || !options.fields.matchesAll;
  return {
    items,
    metadata: {
      resourceVersion: String(shownVersion),
      ...(rest > 0 && after !== undefined ? { continue: writeToken({ version: shownVersion, after }) } : {}),
      ...(rest > 0 && !selective ? { remainingItemCount: rest } : {}),
    },
  };
}

/** Exactly what was at a version: when it says so, and (an old rule) when it is a page from a version. */
function isExact({ resourceVersion, resourceVersionMatch, limit }: ListOptions): boolean {
  if (!resourceVersion) return false;
  return resourceVersionMatch === "Exact" || (resourceVersionMatch === "" && limit > 0);
}

/** @returns one page, and how many objects come after it, of which a selection may pick none */
function select(
  all: readonly StoredObject[],
  { labels, fields }: ListOptions,
  after: string | undefined,
  limit: number,
): { items: readonly StoredObject[]; rest: number } {
  const from = after === undefined ? 0 : partitionPoint(all, ({ key }) => key <= after);
  if (labels.matchesAll && fields.matchesAll) {
    if (limit === 0) return { items: from ? all.slice(from) : all, rest: 0 };
    return { items: all.slice(from, from + limit), rest: Math.max(0, all.length - from - limit) };
  }
  const items: StoredObject[] = [];
  for (let index = from; index < all.length; index++) {
    const object = all[index]!;
    // As in etcd, where it is not known yet whether any of what is left matches.
    if (limit > 0 && items.length === limit) return { items, rest: all.length - index };
    if (labels.matches(object.metadata.labels) && fields.matches(object)) items.push(object);
  }
  return { items, rest: 0 };
}
