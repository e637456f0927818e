import { type Answer, json } from "../http/exchange.ts";
import { VERSION_INFO } from "../version.ts";
import { createHash } from "node:crypto";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { ComponentSchemas } from "./component_schemas.ts";
import { pathsOf } from "./paths.ts";

/** Part of every hash: a change of the built-in schemas must reach clients that keep documents. */
const FORMAT = "2";

/** `/openapi/v3`: where the document of each group and version is. */
export function openApiIndex(kinds: readonly ResourceKind[]): Json {
  const paths: Record<string, Json> = {};
  for (const [path, members] of byPath(kinds)) {
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(members)}` };
  }
  return { paths };
}

/** Returns the document at `/openapi/v3/<path>`, such as `apis/batch/v1`; undefined for a path that is not there. */
export function openApiDocument(kinds: readonly ResourceKind[], path: string): Json | undefined {
  const members = byPath(kinds).get(path);
  if (!members) return undefined;
  const components = new ComponentSchemas();
  const paths: Record<string, Json> = {};
  for (const kind of members) {
    components.addKind(kind);
    Object.assign(paths, pathsOf(kind));
  }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1.36.2" },
    paths,
    components: { schemas: components.schemas },
  };
}

function byPath(kinds: readonly ResourceKind[]): Map<string, ResourceKind[]> {
  return Map.groupBy(kinds, ({ group, version }) => group ? `apis/${group}/${version}` : `api/${version}`);
}

function hashOf(kinds: readonly ResourceKind[]): string {
  const hash = createHash("sha512").update(FORMAT);
  for (const { group, version, kind, jsonSchema } of kinds) {
    hash.update(JSON.stringify([group, version, kind, jsonSchema]));
  }
  return hash.digest("hex").toUpperCase();
}

const V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
/** `Document { string swagger = 1 }` */
const V2_DOCUMENT = new Uint8Array([0x0a, 3, ...new TextEncoder().encode("2.0")]);

/**
 * Returns the older form, in which nothing is described: clients look there for kinds that the newer one has not, before
 * they say that the server knows no such kind.
 */
export function openApiV2(accept = ""): Answer {
  if (accept.includes(V2_PROTOBUF)) {
    const contentType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    return { code: 200, contentType, body: V2_DOCUMENT };
  }
  return json({ swagger: "2.0", info: { title: "Kubernetes", version: VERSION_INFO.gitVersion }, paths: {} });
}
