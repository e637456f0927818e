import { aggregated, AGGREGATED_TYPE, apiGroup, apiGroupList, apiResourceList, apiVersions } from "./discovery.ts";
import { type Answer, type ApiRequest, json, text } from "./http/exchange.ts";
import { negotiate, wantsAggregatedDiscovery } from "./http/negotiation.ts";
import { parseResourcePath, type ResourcePath } from "./http/request_path.ts";
import { resourceRequestOf } from "./http/resource_request.ts";
import type { IncludeObject } from "./http/views.ts";
import type { ServerContext, Target } from "./operations/context.ts";
import { handleAccessReview, SELF_SUBJECT_ACCESS_REVIEWS } from "./operations/access_review.ts";
import { handleSelfSubjectReview, SELF_SUBJECT_REVIEWS } from "./operations/self_subject_review.ts";
import { handlePodBinding } from "./operations/pod_binding.ts";
import { handlePodLog } from "./operations/pod_log.ts";
import { get, listOrWatch } from "./operations/read.ts";
import { handleCreate, handleDelete, handleDeleteCollection, handlePatch, handleReplace } from "./operations/write.ts";
import { openApiDocument, openApiIndex } from "./openapi/open_api.ts";
import { methodNotAllowed, notFound, unknownResource } from "./refusals.ts";
import { Refusal } from "./refusal.ts";
import type { ResourceKind } from "./resource_kind.ts";
import { authorizePath, authorizeResource, type MayAlso } from "./security/authorization.ts";
import { withImpersonation } from "./security/impersonation.ts";
import { VERSION_INFO } from "./version.ts";

/** Discovery names more of them, as Kubernetes does; `log` and `binding` have handlers of their own. */
const SERVED_SUBRESOURCES = ["", "status", "finalize"];
const PAGE_NOT_FOUND = "404 page not found\n";

/** Finds out what a request is about, whether its user may, and who answers it. */
export class Api {
  readonly #context: ServerContext;
  readonly #isReady: () => boolean;
  readonly #mayAlso: MayAlso | undefined;

  constructor(
    context: ServerContext,
    { isReady, mayAlso }: { readonly isReady: () => boolean; readonly mayAlso?: MayAlso },
  ) {
    this.#context = context;
    this.#isReady = isReady;
    this.#mayAlso = mayAlso;
  }

  async handle(received: ApiRequest): Promise<Answer> {
    const request = withImpersonation(received);
    const path = parseResourcePath(request.path);
    if (path) return await this.#handleResource(path, request);
    authorizePath(request.user, request.method, request.path);
    const found = this.#page(request);
    if (!found) return text(404, PAGE_NOT_FOUND);
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
    return found;
  }

  #page(request: ApiRequest): Answer | undefined {
    const { registry } = this.#context;
    const parts = request.path.split("/").filter(Boolean);
    switch (parts[0]) {
      case "healthz":
      case "livez":
        return text(200, "ok");
      case "readyz":
        return this.#isReady() ? text(200, "ok") : text(500, "not ready\n");
      case "version":
        return parts.length === 1 ? json(VERSION_INFO) : undefined;
      case "openapi":
        return openApi(parts.slice(1), this.#context.registry.all());
      case "api":
      case "apis":
        break;
      default:
        return undefined;
    }
    const core = parts[0] === "api";
    if (parts.length === 1) {
      if (wantsAggregatedDiscovery(request.header("accept"))) {
        return json(aggregated(registry, core ? "core" : "named"), { contentType: AGGREGATED_TYPE });
      }
      return json(core ? apiVersions(request.header("host") ?? "") : apiGroupList(registry));
    }
    const group = core ? "" : parts[1];
    const version = core ? parts[1] : parts[2];
    if (version === undefined) {
      const found = apiGroup(registry, group);
      return found && json(found);
    }
    const list = apiResourceList(registry, group, version);
    if (list) return json(list);
    if (registry.hasGroup(group)) throw unknownResource();
    return undefined;
  }

  async #handleResource(path: ResourcePath, request: ApiRequest): Promise<Answer> {
    const asked = resourceRequestOf(path, request);
    const { verb } = asked;
    authorizeResource(request.user, asked, this.#mayAlso);
    const { registry } = this.#context;
    const kind = registry.find(path.group, path.version, path.plural);
    if (!kind) {
      if (!registry.hasGroup(path.group)) return text(404, PAGE_NOT_FOUND);
      throw unknownResource();
    }
    const subresource = kind.subresources.find(({ name }) => name === path.subresource);
    if (path.subresource && !subresource) throw kind.custom ? notFound(kind, path.name ?? "") : unknownResource();
    if (path.namespace !== undefined && !kind.namespaced) throw unknownResource();
    if (!takes(kind, path, subresource?.verbs ?? kind.verbs, verb)) throw methodNotAllowed();
    const target: Target = {
      kind,
      namespace: path.namespace ?? "",
      name: path.name ?? "",
      subresource: path.subresource ?? "",
      view: negotiate(request.header("accept"), { collection: path.name === undefined && request.method === "GET" }),
      includeObject: (request.query.get("includeObject") ?? "Metadata") as IncludeObject,
    };
    return await this.#perform(verb, target, request, path);
  }

  async #perform(verb: string, target: Target, request: ApiRequest, path: ResourcePath): Promise<Answer> {
    const context = this.#context;
    if (target.kind === SELF_SUBJECT_ACCESS_REVIEWS) {
      return await handleAccessReview(context, target, request, this.#mayAlso);
    }
    if (target.kind === SELF_SUBJECT_REVIEWS) return await handleSelfSubjectReview(context, target, request);
    if (target.subresource === "log") return await handlePodLog(context, target, request);
    if (target.kind.kind === "Pod" && target.subresource === "binding") {
      return await handlePodBinding(context, target, request);
    }
    if (!SERVED_SUBRESOURCES.includes(target.subresource)) throw notImplemented(target);
    switch (verb) {
      case "get":
        return get(context, target, request);
      case "list":
      case "watch":
        return listOrWatch(context, target, request, path.watch);
      case "create":
        return await handleCreate(context, target, request);
      case "update":
        return await handleReplace(context, target, request);
      case "patch":
        return await handlePatch(context, target, request);
      case "delete":
        return await handleDelete(context, target, request);
      case "deletecollection":
        return await handleDeleteCollection(context, target, request);
      default:
        throw methodNotAllowed();
    }
  }
}

/** `/openapi/v3` and the documents that it names. */
function openApi([version, ...path]: readonly string[], kinds: readonly ResourceKind[]): Answer | undefined {
  if (version !== "v3") return undefined;
  if (path.length === 0) return json(openApiIndex(kinds), { contentType: "text/plain; charset=utf-8" });
  const document = openApiDocument(kinds, path.join("/"));
  return document && json(document);
}

function notImplemented({ kind, subresource }: Target): Refusal {
  return new Refusal(
    501,
    "NotImplemented",
    `the embedded API server does not serve ${kind.plural}/${subresource}`,
    {},
  );
}

function takes(kind: ResourceKind, path: ResourcePath, verbs: readonly string[], verb: string): boolean {
  if (!verbs.includes(verb)) return false;
  if (path.watch) return true;
  const onObject = path.name !== undefined;
  // One object needs its namespace, and so does a new one.
  if (
    kind.namespaced && path.namespace === undefined && (onObject || verb === "create" || verb === "deletecollection")
  ) {
    return false;
  }
  if (path.subresource) return true;
  return onObject === ["get", "update", "patch", "delete"].includes(verb);
}
