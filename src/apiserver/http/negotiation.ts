import { ownValue } from "../../base/own_value.ts";
import { PROTOBUF_TYPE } from "../protobuf/answers.ts";
import { Refusal } from "../refusals.ts";

/** The form in which a client wants its answer. */
export interface View {
  readonly encoding: "json" | "yaml" | "protobuf";
  /** Undefined: the objects themselves. */
  readonly as: Transformation | undefined;
}

type Transformation = "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";

const ENCODINGS: Readonly<Record<string, View["encoding"]>> = {
  "application/json": "json",
  "application/yaml": "yaml",
  [PROTOBUF_TYPE]: "protobuf",
};
const TYPES = Object.keys(ENCODINGS);
/** A stream of YAML would have no end between its events. */
const STREAM_TYPES = TYPES.filter((type) => ENCODINGS[type] !== "yaml").map((type) => `${type};stream=watch`);

/** The kind of answer that a request asks for. */
interface Asked {
  readonly watch: boolean;
  /** Whether a definition made the kind. */
  readonly custom: boolean;
  /** Whether it is what the API says of itself. */
  readonly discovery?: boolean;
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
  const accepting = (types: readonly string[]) => `only the following media types are accepted: ${types.join(", ")}`;
  // Routes look at the type alone, before anything else does.
  if (!clauses.some(({ type }) => type === "*/*" || TYPES.includes(type))) {
    throw new Refusal(406, "NotAcceptable", accepting(TYPES), {});
  }
  const view = clauses.flatMap((clause) => TYPES.flatMap((type) => viewOf(clause, type, target) ?? [])).at(0);
  if (view && !(target.watch && view.encoding === "yaml")) return view;
  throw notAcceptable(accepting(view ? STREAM_TYPES : TYPES));
}

/** Returns the refusal of an answer in a form that it cannot have. */
export function notAcceptable(why: string): Refusal {
  return new Refusal(406, "NotAcceptable", why);
}

/** Negotiation `acceptMediaTypeOptions`; undefined where this type is not what the clause asks for. */
function viewOf({ type: wanted, parameters }: Clause, type: string, { custom, discovery }: Asked): View | undefined {
  if (wanted !== type && wanted !== "*/*") return undefined;
  const { as, g: group, v: version, stream, sv: serverVersion } = parameters;
  const encoding = ENCODINGS[type]!;
  if (stream && (stream !== "watch" || encoding === "yaml")) return undefined;
  if (serverVersion && serverVersion !== "v1") return undefined;
  if (as === undefined && group === undefined && version === undefined) {
    // Kubernetes has no message of objects whose fields a definition names.
    return custom && encoding === "protobuf" ? undefined : { encoding, as: undefined };
  }
  if (discovery || group !== "meta.k8s.io" || version !== "v1") return undefined;
  const isKnown = as === "Table"
    ? encoding !== "protobuf"
    : as === "PartialObjectMetadata" || as === "PartialObjectMetadataList";
  return isKnown ? { encoding, as: as as Transformation } : undefined;
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
  return type === "*/*" ? "json" : ownValue(ENCODINGS, type);
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
