import { Document, parse, visit } from "yaml";
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
      return { code: 200, contentType: "application/yaml", body: yamlOf(JSON.parse(text)), ...options };
    case "protobuf":
      return { code: 200, contentType: PROTOBUF_TYPE, body: answerToProtobuf(JSON.parse(text), kind), ...options };
  }
}

/** As Go writes it: two quotes around what could be a number, a time or a truth value, one around what else needs any. */
function yamlOf(value: unknown): string {
  const document = new Document(value, RULES);
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === "string" && couldBeOther(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ indentSeq: false, lineWidth: 0, singleQuote: true });
}

const RULES = { version: "1.1", sortMapEntries: true, logLevel: "error" } as const;

function couldBeOther(text: string): boolean {
  try {
    const other = parse(text, RULES);
    return other === null || other instanceof Date || !["string", "object"].includes(typeof other);
  } catch {
    return false;
  }
}

/** Returns the answer that says that something is done, where there is no object to show. */
export function succeeded(
  target: Parameters<typeof encode>[1],
  { code = 200, ...more }: { readonly code?: number; readonly details?: object },
): Answer {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", ...more };
  return encode(JSON.stringify(code === 200 ? status : { ...status, code }), target, { code });
}
