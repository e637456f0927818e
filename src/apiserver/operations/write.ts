import type { Answer, ApiRequest } from "../http/exchange.ts";
import { encode, succeeded } from "../http/encode.ts";
import { renderList, renderObject, renderUnstored } from "../http/views.ts";
import { patchType, readPatch } from "../patch/patch.ts";
import { details, warnedOf } from "../refusals.ts";
import type { Outcome, ServerContext, Target } from "./context.ts";
import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { parseDeleteOptions, readDeleteOptions } from "./delete_options.ts";
import { dedupeOwners } from "./metadata.ts";
import { checkReadable, mediaType, readObject } from "./read_body.ts";
import { parseListOptions } from "../reading/list_options.ts";
import type { Decoded } from "../schema/decode.ts";
import { checkAddressed, type Update, update } from "./update.ts";
import { parseWriteOptions } from "./write_options.ts";

// The handlers of requests that change something: they read the request, write, and answer.

const ORPHANS_WARNING = "child pods are preserved by default when jobs are deleted; " +
  "set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

/** POST to a collection. */
export async function handleCreate(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  checkReadable(request);
  const options = parseWriteOptions(request.query, request.header("user-agent"), "CreateOptions");
  const { object, warnings } = await readObject(context, request, target.kind, options.fieldValidation);
  const { kind, namespace } = target, { manager } = options;
  warnings.push(...dedupeOwners(object));
  const outcome = await context.storage.write((tx) =>
    warnedOf(warnings, () => create(tx, object, { kind, namespace, options, manager }))
  );
  return answer(context, target, outcome, { code: 201, warnings: [...warnings, ...outcome.warnings] });
}

/** PUT of an object or one of its subresources. */
export async function handleReplace(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  const options = parseWriteOptions(request.query, request.header("user-agent"), "UpdateOptions");
  const body = await readObject(context, request, target.kind, options.fieldValidation);
  const { object, warnings } = body;
  warnings.push(...dedupeOwners(object));
  warnedOf(warnings, () => checkAddressed(object, target));
  return await change(context, target, {
    options,
    manager: options.manager,
    change: () => body,
    precondition: { uid: object.metadata.uid },
    ...(target.kind.allowsCreateOnUpdate && !target.subresource ? { createInstead: () => body } : {}),
  }, warnings);
}

/** PATCH of an object or one of its subresources. */
export async function handlePatch(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  const { kind, subresource } = target;
  const type = patchType(mediaType(request), kind);
  const optionsOf = type === "apply" ? "ApplyOptions" : "PatchOptions";
  const options = parseWriteOptions(request.query, request.header("user-agent"), optionsOf);
  const patch = readPatch(type, await request.body(), {
    ...options,
    kind,
    subresource,
  });
  return await change(context, target, {
    options,
    manager: patch.isApply ? undefined : options.manager,
    change: (live, now) => withoutTwinOwners(patch.patch(live, now)),
    ...(patch.create && !subresource ? { createInstead: (now) => withoutTwinOwners(patch.create!(now)) } : {}),
  });
}

function withoutTwinOwners({ object, warnings }: Decoded): Decoded {
  return { object, warnings: [...warnings, ...dedupeOwners(object)] };
}

/** DELETE of an object. */
export async function handleDelete(context: ServerContext, target: Target, request: ApiRequest): Promise<Answer> {
  const { kind, namespace, name } = target;
  const options = parseDeleteOptions(await readDeleteOptions(request), request.query);
  const outcome = await context.storage.write((tx) => remove(tx, { kind, namespace, name, options }));
  const warnings = options.propagation === undefined && kind.defaultPropagation === "Orphan" ? [ORPHANS_WARNING] : [];
  if (outcome.type === "object") {
    const code = outcome.lingers && options.orphanDependents === false ? 202 : 200;
    return answer(context, target, { unstored: outcome.object }, { code, warnings });
  }
  return succeeded(target, { details: { ...details(kind, name), uid: outcome.uid } });
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
  warnings: readonly string[] = [],
): Promise<Answer> {
  const identity = { kind, namespace, name, subresource };
  const outcome = await context.storage.write((tx) => warnedOf(warnings, () => update(tx, { ...identity, ...wanted })));
  const code = outcome.created ? 201 : 200;
  return answer(context, { ...target, ...identity }, outcome, { code, warnings: outcome.warnings });
}

function answer(context: ServerContext, target: Target, outcome: Outcome, options: Partial<Answer>): Answer {
  const render = { ...target, now: context.clock.now() };
  const text = "stored" in outcome ? renderObject(outcome.stored, render) : renderUnstored(outcome.unstored, render);
  const name = "stored" in outcome ? outcome.stored.name : outcome.unstored.metadata.name;
  return encode(text, target, { ...options, name });
}
