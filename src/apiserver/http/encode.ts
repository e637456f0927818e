import { stringify } from "yaml";
import { type Answer, json } from "./exchange.ts";
import type { View } from "./negotiation.ts";

/** An answer out of JSON text, in the encoding that the client wants. */
export function encode(text: string, view: View, options: Partial<Answer> = {}): Answer {
  if (view.encoding === "json") return json(text, options);
  return { code: 200, contentType: "application/yaml", body: stringify(JSON.parse(text)), ...options };
}
