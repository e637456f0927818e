import type { Answer, ApiRequest } from "../http/exchange.ts";
import { encode, succeeded } from "../http/encode.ts";
import { renderList, renderObject } from "../http/views.ts";
import { patchType, readPatch } from "../patch/patch.ts";
import { details } from "../refusals.ts";
import type { StoredObject } from "../storage/stored_object.ts";
import type { ServerContext, Target } from "./context.ts";
import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { parseDeleteOptions, readDeleteOptions } from "./delete_options.ts";
import { accepted, checkReadable, mediaType, readObject } from "./read_body.ts";
import { parseListOptions } from "../reading/list_options.ts";
import { checkAddressed, type Update, update } from "./update.ts";
import { parseWriteOptions } from "./write_options.ts";

// The handlers of requests that change something: they read the request, write, and answer.

const ORPHANS_WARNING = "child pods are preserved by default when jobs are deleted; " +
  "set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

/** POST to a collection. */
export async function handleCreate(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  checkReadable(request);
  const options = parseWriteOptions(request, "CreateOptions");
  const object = await readObject(context, request, target.kind, options.fieldValidation);
  const { kind, namespace } = target, { manager } = options, { warnings } = request;
  const stored = await context.storage.write((tx) =>
    create(tx, object, { kind, namespace, options, manager, warnings })
  );
  return answer(context, target, stored, 201);
}

/** PUT of an object or one of its subresources. */
export async function handleReplace(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  const options = parseWriteOptions(request, "UpdateOptions");
  const object = await readObject(context, request, target.kind, options.fieldValidation);
  checkAddressed(object, target);
  return await change(context, target, {
    options,
    manager: options.manager,
    warnings: request.warnings,
    change: () => object,
    precondition: { uid: object.metadata.uid },
    ...(target.kind.allowsCreateOnUpdate && !target.subresource ? { createInstead: () => object } : {}),
  });
}

/** PATCH of an object or one of its subresources. */
export async function handlePatch(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  const { kind, subresource } = target;
  const type = patchType(mediaType(request), kind);
  const optionsOf = type === "apply" ? "ApplyOptions" : "PatchOptions";
  const options = parseWriteOptions(request, optionsOf);
  const patch = readPatch(type, await request.body(), {
    ...options,
    kind,
    subresource,
  });
  return await change(context, target, {
    options,
    manager: patch.isApply ? undefined : options.manager,
    warnings: request.warnings,
    change: (live, now) => accepted(request, patch.patch(live, now)),
    ...(patch.create && !subresource ? { createInstead: (now) => accepted(request, patch.create!(now)) } : {}),
  });
}

/** DELETE of an object. */
export async function handleDelete(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  const { kind, namespace, name } = target;
  const options = parseDeleteOptions(await readDeleteOptions(request), request.query);
  const { stored, lingers } = await context.storage.write((tx) => remove(tx, { kind, namespace, name, options }));
  if (!lingers && !kind.gracefulDeletion) {
    return succeeded(target, { details: { ...details(kind, name), uid: stored.metadata.uid } });
  }
  if (options.propagation === undefined && kind.defaultPropagation === "Orphan") request.warnings.push(ORPHANS_WARNING);
  return answer(context, target, stored, lingers && options.orphanDependents === false ? 202 : 200);
}

/** DELETE of a collection, or of what a selector picks from it. */
export async function handleDeleteCollection(
  context: ServerContext,
  target: Target,
  request: ApiRequest,
): Promise<Answer> {
  const { kind, namespace } = target;
  const { labels, fields } = parseListOptions(request.query, kind);
  const options = parseDeleteOptions(await readDeleteOptions(request), request.query);
  const items = await context.storage.write((tx) => {
    const items = tx.list(kind.storage, kind.namespaced ? namespace : undefined)
      .filter((object) => labels.matches(object.metadata.labels) && fields.matches(object));
    for (const { namespace, name } of items) remove(tx, { kind, namespace, name, options });
    return items;
  });
  const render = { ...target, now: context.clock.now() };
  return encode(renderList(items, { resourceVersion: String(context.storage.lastVersion) }, render), target);
}

async function change(
  context: ServerContext,
  { kind, namespace, name, subresource, ...target }: Target,
  wanted: Omit<Update, "kind" | "namespace" | "name" | "subresource">,
): Promise<Answer> {
  const identity = { kind, namespace, name, subresource };
  const { stored, created } = await context.storage.write((tx) => update(tx, { ...identity, ...wanted }));
  return answer(context, { ...target, ...identity }, stored, created ? 201 : 200);
}

function answer(context: ServerContext, target: Target, stored: StoredObject, code: number): Answer {
  return encode(renderObject(stored, { ...target, now: context.clock.now() }), target, { code, name: stored.name });
}
