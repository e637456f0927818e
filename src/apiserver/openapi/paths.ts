import type { Json, ResourceKind } from "../resource_kind.ts";

const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  post: ["dryRun", "fieldManager", "fieldValidation"],
  put: ["dryRun", "fieldManager", "fieldValidation"],
  patch: ["dryRun", "fieldManager", "fieldValidation", "force"],
  delete: ["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"],
  get: [],
};

const VERBS: Readonly<Record<string, string>> = {
  get: "get",
  list: "get",
  create: "post",
  update: "put",
  patch: "patch",
  delete: "delete",
  deletecollection: "delete",
};

/** Kubernetes' word for what an operation does. */
const ACTIONS: Readonly<Record<string, string>> = { ...VERBS, list: "list", deletecollection: "deletecollection" };

/** Returns the paths of one kind: clients look here for the parameters that the server takes, and for a resource's kind. */
export function pathsOf(kind: ResourceKind, schemas: { object: string; list: string }): Record<string, Json> {
  const root = kind.group ? `/apis/${kind.group}/${kind.version}` : `/api/${kind.version}`;
  const collection = `${root}${kind.namespaced ? "/namespaces/{namespace}" : ""}/${kind.plural}`;
  const place = kind.namespaced ? [pathParameter("namespace")] : [];
  const named = [...place, pathParameter("name")];
  const onCollection = ["list", "create", "deletecollection"].filter((verb) => kind.verbs.includes(verb));
  const onObject = ["get", "update", "patch", "delete"].filter((verb) => kind.verbs.includes(verb));
  const operations = (verbs: readonly string[]) =>
    Object.fromEntries(verbs.map((verb) => [VERBS[verb], operation(verb, kind, schemas)]));
  const paths: Record<string, Json> = {
    [collection]: { ...operations(onCollection), parameters: place },
    [`${collection}/{name}`]: { ...operations(onObject), parameters: named },
  };
  if (kind.namespaced) paths[`${root}/${kind.plural}`] = { ...operations(["list"]) };
  for (const { name, verbs, responseKind } of kind.subresources) {
    if (responseKind) continue;
    const known = verbs.filter((verb) => VERBS[verb]);
    paths[`${collection}/{name}/${name}`] = { ...operations(known), parameters: named };
  }
  return paths;
}

function operation(verb: string, kind: ResourceKind, { object, list }: { object: string; list: string }): Json {
  const method = VERBS[verb]!;
  const body = { $ref: `#/components/schemas/${verb === "list" ? list : object}` };
  const sendsObject = verb === "create" || verb === "update";
  return {
    operationId: [verb, kind.group, kind.version, kind.kind].filter(Boolean).join("-"),
    parameters: PARAMETERS[method]!.map((name) => ({ name, in: "query", schema: { type: "string" } })),
    ...(sendsObject ? { requestBody: { content: { "*/*": { schema: body } } } } : {}),
    responses: { "200": { description: "OK", content: { "application/json": { schema: body } } } },
    "x-kubernetes-action": ACTIONS[verb],
    "x-kubernetes-group-version-kind": { group: kind.group, kind: kind.kind, version: kind.version },
  };
}

function pathParameter(name: string): Json {
  return { name, in: "path", required: true, schema: { type: "string" } };
}
