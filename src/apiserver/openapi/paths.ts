import type { Json, ResourceKind } from "../resource_kind.ts";

const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  get: [],
  post: ["dryRun", "fieldManager", "fieldValidation"],
  put: ["dryRun", "fieldManager", "fieldValidation"],
  patch: ["dryRun", "fieldManager", "fieldValidation", "force"],
  delete: ["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"],
};

const METHODS: Readonly<Record<string, string>> = {
  get: "get",
  list: "get",
  create: "post",
  update: "put",
  patch: "patch",
  delete: "delete",
  deletecollection: "delete",
};

/** Returns the paths of one kind: clients look here for a resource's kind, and for the parameters that the server takes. */
export function pathsOf(kind: ResourceKind): Record<string, Json> {
  const root = kind.group ? `/apis/${kind.group}/${kind.version}` : `/api/${kind.version}`;
  const collection = `${root}${kind.namespaced ? "/namespaces/{namespace}" : ""}/${kind.plural}`;
  const place = kind.namespaced ? [pathParameter("namespace")] : [];
  const operations = (...verbs: string[]) =>
    Object.fromEntries(
      verbs.filter((verb) => kind.verbs.includes(verb)).map((verb) => [METHODS[verb], operation(METHODS[verb]!, kind)]),
    );
  return {
    [collection]: { ...operations("list", "create", "deletecollection"), parameters: place },
    [`${collection}/{name}`]: {
      ...operations("get", "update", "patch", "delete"),
      parameters: [...place, pathParameter("name")],
    },
  };
}

function operation(method: string, { group, version, kind }: ResourceKind): Json {
  return {
    parameters: PARAMETERS[method]!.map((name) => ({ name, in: "query", schema: { type: "string" } })),
    responses: { "200": { description: "OK" } },
    "x-kubernetes-group-version-kind": { group, kind, version },
  };
}

function pathParameter(name: string): Json {
  return { name, in: "path", required: true, schema: { type: "string" } };
}
