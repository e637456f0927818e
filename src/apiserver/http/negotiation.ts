import { PROTOBUF_TYPE } from "../protobuf/answers.ts";
import { Refusal } from "../refusals.ts";

/** The form in which a client wants its answer. */
export interface View {
  readonly encoding: "json" | "yaml" | "protobuf";
  /** Undefined: the objects themselves. */
  readonly as: "Table" | "PartialObjectMetadata" | undefined;
}

const TEXTS = ["application/json", "application/yaml"];

/** What an answer is asked of. */
interface Asked {
  readonly collection: boolean;
  /** Whether a definition made the kind. */
  readonly custom: boolean;
}

function available({ collection, custom }: Asked): string[] {
  const encodings = custom ? TEXTS : [...TEXTS, PROTOBUF_TYPE];
  const streams = encodings.filter((type) => type !== "application/yaml").map((type) => `${type};stream=watch`);
  return collection ? [...encodings, ...streams] : encodings;
}

interface Clause {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Returns the best of what an Accept header names that the server can do.
 *
 * @throws {Refusal} 406
 */
export function negotiate(accept: string | undefined, target: Asked): View {
  const clauses = parseAccept(accept ?? "");
  if (!clauses.length) return { encoding: "json", as: undefined };
  for (const { type, parameters } of clauses) {
    const encoding = encodingOf(type);
    if (!encoding) continue;
    const as = transformation(parameters, target.collection);
    if (as === "unknown" || (encoding === "protobuf" && !hasMessage(as, target))) continue;
    return { encoding, as };
  }
  if (clauses.some(({ type, parameters }) => encodingOf(type) && parameters.as)) {
    throw new Refusal(
      406,
      "NotAcceptable",
      `only the following media types are accepted: ${available({ ...target, collection: false }).join(", ")}`,
    );
  }
  throw new Refusal(
    406,
    "NotAcceptable",
    `406: Not Acceptable\n\nAvailable representations: ${available(target).join(", ")}`,
    {},
  );
}

/** Kubernetes has no message of a Table, nor of objects whose fields a definition names. */
function hasMessage(as: View["as"], { custom }: Asked): boolean {
  return as === undefined ? !custom : as === "PartialObjectMetadata";
}

/** Returns the encoding of an answer that every client must be able to read, whatever it asked for. */
export function encodingOfStatus(accept: string | undefined): View["encoding"] {
  return parseAccept(accept ?? "").map(({ type }) => encodingOf(type)).find((encoding) => encoding) ?? "json";
}

/** Returns whether an Accept header asks for aggregated discovery before it asks for the plain form. */
export function wantsAggregatedDiscovery(accept: string | undefined): boolean {
  const first = parseAccept(accept ?? "").find(({ type, parameters }) =>
    encodingOf(type) === "json" &&
    (!parameters.as || (parameters.as === "APIGroupDiscoveryList" && parameters.v === "v2"))
  );
  return first?.parameters.as === "APIGroupDiscoveryList";
}

function encodingOf(type: string): View["encoding"] | undefined {
  if (type === "application/json" || type === "*/*") return "json";
  if (type === PROTOBUF_TYPE) return "protobuf";
  return type === "application/yaml" ? "yaml" : undefined;
}

function transformation(parameters: Clause["parameters"], collection: boolean): View["as"] | "unknown" {
  if (!parameters.as) return undefined;
  if (parameters.g !== "meta.k8s.io" || parameters.v !== "v1") return "unknown";
  if (parameters.as === "Table") return "Table";
  return parameters.as === (collection ? "PartialObjectMetadataList" : "PartialObjectMetadata") ||
      parameters.as === "PartialObjectMetadata"
    ? "PartialObjectMetadata"
    : "unknown";
}

/** Best first: by quality, then as written. */
function parseAccept(accept: string): Clause[] {
  return accept.split(",").filter((part) => part.trim())
    .map((part, order) => {
      const [type = "", ...rest] = part.split(";").map((piece) => piece.trim());
      const parameters = Object.fromEntries(rest.map((piece) => piece.split("=", 2).map((text) => text.trim())));
      return { type: type.toLowerCase(), parameters, order, quality: Number(parameters.q ?? 1) };
    })
    .sort((a, b) => b.quality - a.quality || a.order - b.order);
}
