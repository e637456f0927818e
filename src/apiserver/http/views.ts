import type { EpochMs } from "../../base/epoch_ms.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { parse, type StoredObject } from "../storage/stored_object.ts";
import { notAcceptable, type View } from "./negotiation.ts";

/** The part of an object in the rows of a table, beside the cells. */
export type IncludeObject = "None" | "Metadata" | "Object";

export interface RenderOptions {
  readonly kind: ResourceKind;
  readonly view: View;
  readonly now: EpochMs;
  readonly includeObject: IncludeObject;
}

export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/**
 * Returns one object as JSON, as the client wants it.
 *
 * @param columns whether a table says what its columns are
 */
export function renderObject(stored: StoredObject, options: RenderOptions, columns = true): string {
  const { view, kind } = options;
  if (!view.as && !kind.fromStored) return stored.text;
  const object = viewOf(stored, kind);
  switch (view.as) {
    case "Table": {
      const { resourceVersion } = stored.metadata;
      return JSON.stringify(tableOf([object], { resourceVersion }, options, columns));
    }
    case "PartialObjectMetadataList":
      throw notAcceptable("you requested PartialObjectMetadataList, but the requested object is not a list");
    case "PartialObjectMetadata":
      return JSON.stringify(partialMetadata(object));
    default:
      return JSON.stringify(object);
  }
}

/** Returns a list as JSON. Whole objects are copied as text, without being read. */
export function renderList(items: readonly StoredObject[], metadata: ListMetadata, options: RenderOptions): string {
  const { kind, view } = options;
  switch (view.as) {
    case "Table":
      return JSON.stringify(tableOf(items.map((item) => viewOf(item, kind)), metadata, options));
    case "PartialObjectMetadata":
      throw notAcceptable("you requested PartialObjectMetadata, but the requested object is a list");
    case "PartialObjectMetadataList":
      return JSON.stringify({
        kind: "PartialObjectMetadataList",
        apiVersion: META,
        metadata,
        items: items.length ? items.map((item) => partialMetadata(parse(item))) : null,
      });
    default: {
      const head = typeMeta(kind.listKind, kind), itemHead = typeMeta(kind.kind, kind);
      const meta = JSON.stringify(kind.custom ? { continue: "", ...metadata } : metadata);
      return `${head}"metadata":${meta},"items":[${items.map((item) => listItem(item, kind, itemHead)).join(",")}]}`;
    }
  }
}

/** Returns the object as this kind shows it. */
function viewOf(stored: StoredObject, kind: ResourceKind): Json {
  return kind.fromStored ? kind.fromStored(parse(stored)) : parse(stored);
}

/** Returns how the JSON of an object, or of a list, begins. */
function typeMeta(name: string, kind: ResourceKind): string {
  return `{"kind":${JSON.stringify(name)},"apiVersion":${JSON.stringify(apiVersionOf(kind))},`;
}

/** In lists of built-in kinds the list's own type says what the items are. */
function listItem(stored: StoredObject, kind: ResourceKind, head: string): string {
  if (kind.custom) return kind.fromStored ? JSON.stringify(viewOf(stored, kind)) : stored.text;
  if (kind.fromStored) {
    const { kind: _kind, apiVersion: _apiVersion, ...item } = viewOf(stored, kind);
    return JSON.stringify(item);
  }
  return stored.text.startsWith(head) ? `{${stored.text.slice(head.length)}` : stored.text;
}

/** Returns what is shown of an object to those who asked for its metadata alone. */
export function partialMetadata({ metadata }: Json): Json {
  return { kind: "PartialObjectMetadata", apiVersion: META, metadata };
}

/** Of answers that are not the objects themselves. */
const META = "meta.k8s.io/v1";

/** Returns the table of objects; without `columns` as the later events of a watch have it. */
export function tableOf(
  objects: readonly Json[],
  metadata: Partial<ListMetadata>,
  { kind, now, includeObject }: Omit<RenderOptions, "view">,
  columns = true,
): Json {
  return {
    kind: "Table",
    apiVersion: META,
    metadata,
    columnDefinitions: columns ? kind.table.columns : null,
    rows: objects.map((object) => ({
      ...kind.table.row(object, now),
      object: includeObject === "None" ? null : includeObject === "Object" ? object : partialMetadata(object),
    })),
  };
}
