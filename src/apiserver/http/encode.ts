import { stringify } from "yaml";
import { answerToProtobuf, PROTOBUF_TYPE } from "../protobuf/answers.ts";
import type { ResourceKind } from "../resource_kind.ts";
import { type Answer, json } from "./exchange.ts";
import type { View } from "./negotiation.ts";

/** Returns an answer out of JSON text, in the encoding that the client wants. */
export function encode(
  text: string,
  { kind, view: { encoding } }: { readonly kind?: ResourceKind; readonly view: Pick<View, "encoding"> },
  options: Partial<Answer> = {},
): Answer {
  switch (encoding) {
    case "json":
      return json(text, options);
    case "yaml":
      return { code: 200, contentType: "application/yaml", body: stringify(JSON.parse(text), YAML), ...options };
    case "protobuf":
      return { code: 200, contentType: PROTOBUF_TYPE, body: answerToProtobuf(JSON.parse(text), kind), ...options };
  }
}

/** By YAML 1.1, as Go reads it: it has more truth values and times, which text must not be taken for. */
const YAML = { version: "1.1", sortMapEntries: true, indentSeq: false, lineWidth: 0, singleQuote: true } as const;

/** Returns the answer that says that something is done, where there is no object to show. */
export function succeeded(
  target: Parameters<typeof encode>[1],
  { code = 200, ...more }: { readonly code?: number; readonly details?: object },
): Answer {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", ...more };
  return encode(JSON.stringify(code === 200 ? status : { ...status, code }), target, { code });
}
