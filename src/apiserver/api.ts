import { ownValue } from "../base/own_value.ts";
import { aggregated, AGGREGATED_TYPE, apiGroup, apiGroupList, apiResourceList, apiVersions } from "./discovery.ts";
import { healthAnswer } from "./health.ts";
import { encode } from "./http/encode.ts";
import { type Answer, type ApiRequest, json, text } from "./http/exchange.ts";
import { negotiate, wantsAggregatedDiscovery } from "./http/negotiation.ts";
import { parseResourcePath, type ResourcePath } from "./http/request_path.ts";
import { resourceRequestOf } from "./http/resource_request.ts";
import type { IncludeObject } from "./http/views.ts";
import type { ServerContext, Target } from "./operations/context.ts";
import { handleReview, REVIEWS } from "./operations/reviews.ts";
import { handlePodEviction } from "./operations/pod_eviction.ts";
import { handlePodLog } from "./operations/pod_log.ts";
import { handlePodSession } from "./operations/pod_session.ts";
import { get, listOrWatch } from "./operations/read.ts";
import { handleCreate, handleDelete, handleDeleteCollection, handlePatch, handleReplace } from "./operations/write.ts";
import { openApiDocument, openApiIndex, openApiV2 } from "./openapi/open_api.ts";
import { mediaType } from "./operations/read_body.ts";
import { patchType } from "./patch/patch.ts";
import { badRequest, methodNotAllowed, notFound, Refusal, unknownResource } from "./refusals.ts";
import type { Json, ResourceKind } from "./resource_kind.ts";
import { authorizePath, authorizeResource } from "./security/authorization.ts";
import { withImpersonation } from "./security/impersonation.ts";
import { VERSION_INFO } from "./version.ts";

const PAGE_NOT_FOUND = "404 page not found\n";

/** Answers for paths outside Kubernetes' own; undefined for an unknown path. */
export type Page = (request: ApiRequest) => Answer | undefined;

/** Finds out what a request is about, whether its user may, and who answers it. */
export class Api {
  readonly #context: ServerContext;
  readonly #isReady: () => boolean;
  readonly #pages: Readonly<Record<string, Page>>;

  constructor(
    context: ServerContext,
    { isReady, pages }: { readonly isReady: () => boolean; readonly pages: Readonly<Record<string, Page>> },
  ) {
    this.#context = context;
    this.#isReady = isReady;
    this.#pages = pages;
  }

  async handle(received: ApiRequest): Promise<Answer> {
    const path = parseResourcePath(received.path);
    const request = withImpersonation(received);
    if (path) return await this.#handleResource(path, request);
    authorizePath(request.user, request.method, request.path);
    const health = healthAnswer(request.path, request.query, this.#isReady);
    if (health) return health;
    const found = this.#page(request);
    if (!found) return text(404, PAGE_NOT_FOUND);
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
    return found;
  }

  #page(request: ApiRequest): Answer | undefined {
    const { registry } = this.#context;
    const parts = request.path.split("/").filter(Boolean);
    switch (parts[0]) {
      case "version":
        return parts.length === 1 ? json(VERSION_INFO) : undefined;
      case "openapi":
        return openApi(parts.slice(1), this.#context.registry.all(), request.header("accept"));
      case "api":
      case "apis":
        break;
      default:
        return Object.hasOwn(this.#pages, parts[0] ?? "") ? this.#pages[parts[0]!]!(request) : undefined;
    }
    const core = parts[0] === "api";
    const [group, version] = core ? ["", parts[1]] : [parts[1], parts[2]];
    if (group === undefined || parts.length === 1) {
      if (wantsAggregatedDiscovery(request.header("accept"))) {
        return json(aggregated(registry, core ? "core" : "named"), { contentType: AGGREGATED_TYPE });
      }
      return described(core ? apiVersions(request.header("host") ?? "") : apiGroupList(registry), request);
    }
    if (version === undefined) {
      const found = apiGroup(registry, group);
      return found && described(found, request);
    }
    const list = parts.length === (core ? 2 : 3) && apiResourceList(registry, group, version);
    if (list) return described(list, request);
    if (registry.hasOwnGroup(group)) throw unknownResource();
    return undefined;
  }

  async #handleResource(path: ResourcePath, request: ApiRequest): Promise<Answer> {
    const asked = resourceRequestOf(path, request);
    const { verb } = asked;
    authorizeResource(request.user, asked, this.#context.mayAlso);
    const { registry } = this.#context;
    const kind = registry.find(path.group, path.version, path.plural);
    if (!kind) {
      if (!registry.hasOwnGroup(path.group)) return text(404, PAGE_NOT_FOUND);
      throw unknownResource();
    }
    if (kind.deprecation !== undefined) request.warnings.push(kind.deprecation);
    const subresource = kind.subresources.find(({ name }) => name === path.subresource);
    if (path.subresource && !subresource) throw kind.custom ? notFound(kind, path.name ?? "") : unknownResource();
    if (path.namespace !== undefined && !kind.namespaced) throw unknownResource();
    if (path.name !== undefined && kind.namespaced && path.namespace === undefined) throw unknownResource();
    const verbs = subresource?.verbs ?? kind.verbs;
    if (request.method === "HEAD" || !takes(kind, path, verbs, verb)) throw methodNotAllowed();
    if (verb === "patch") patchType(mediaType(request), kind);
    const view = negotiate(request.header("accept"), { watch: verb === "watch", custom: kind.custom });
    const target: Target = {
      kind,
      namespace: path.namespace ?? "",
      name: path.name ?? "",
      subresource: path.subresource ?? "",
      view,
      includeObject: view.as === "Table" ? includedObject(request.query.get("includeObject")) : "None",
    };
    return await handlerOf(verb, target)(this.#context, target, request);
  }
}

type Handler = (context: ServerContext, target: Target, request: ApiRequest) => Answer | Promise<Answer>;

const BY_VERB: Readonly<Record<string, Handler>> = {
  get,
  list: listOrWatch,
  watch: listOrWatch,
  create: handleCreate,
  update: handleReplace,
  patch: handlePatch,
  delete: handleDelete,
  deletecollection: handleDeleteCollection,
};

/** Resources and subresources that are not stored and read as all others are. */
const BY_RESOURCE: Readonly<Record<string, Handler>> = {
  "/pods/log": handlePodLog,
  "/pods/exec": handlePodSession,
  "/pods/eviction": handlePodEviction,
  ...Object.fromEntries(REVIEWS.map((kind) => [`${kind.storage}/`, handleReview])),
};

/** Discovery names more of them, as Kubernetes does. */
const STORED = ["", "status", "finalize"];

/** Remedies for subresources that are not served. */
const INSTEAD: Readonly<Record<string, string>> = {
  "pods/attach": ": use kubectl logs -f to follow the output, kubectl exec to run a command in the container",
  "pods/portforward":
    ": connect to the port itself, as processes (and containers with --container-network host) listen on this machine",
};

function handlerOf(verb: string, target: Target): Handler {
  const { kind, subresource } = target;
  const own = BY_RESOURCE[`${kind.storage}/${subresource}`];
  if (own) return own;
  if (!STORED.includes(subresource)) {
    const resource = `${kind.plural}/${subresource}`;
    const message = `the embedded API server does not serve ${resource}${ownValue(INSTEAD, resource) ?? ""}`;
    throw new Refusal(501, "NotImplemented", message, {});
  }
  const handler = ownValue(BY_VERB, verb);
  if (!handler) throw methodNotAllowed();
  return handler;
}

/** A description of the API in the encoding that the client wants; in JSON where it wants protobuf. */
function described(value: Json, request: ApiRequest): Answer {
  const { encoding } = negotiate(request.header("accept"), { watch: false, custom: false, discovery: true });
  return encode(JSON.stringify(value), { view: { encoding: encoding === "yaml" ? "yaml" : "json" } });
}

/** `/openapi/v2`, and `/openapi/v3` with the documents that it names. */
function openApi(
  [version, ...path]: readonly string[],
  kinds: readonly ResourceKind[],
  accept: string | undefined,
): Answer | undefined {
  if (version === "v2" && path.length === 0) return openApiV2(accept);
  if (version !== "v3") return undefined;
  if (path.length === 0) return json(openApiIndex(kinds), { contentType: "text/plain; charset=utf-8" });
  const document = openApiDocument(kinds, path.join("/"));
  return document && json(document);
}

/** Meta `ValidateTableOptions`. */
function includedObject(text: string | null): IncludeObject {
  const policy = text || "Metadata";
  if (policy === "None" || policy === "Metadata" || policy === "Object") return policy;
  const why = `includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: ${why}`);
}

function takes(kind: ResourceKind, path: ResourcePath, verbs: readonly string[], verb: string): boolean {
  if (!verbs.includes(verb)) return false;
  const onObject = path.name !== undefined;
  // A created or deleted object is in a namespace.
  if (kind.namespaced && path.namespace === undefined && (verb === "create" || verb === "deletecollection")) {
    return false;
  }
  if (path.subresource) return true;
  return onObject === ["get", "update", "patch", "delete"].includes(verb);
}
