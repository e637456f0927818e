// Odd objects as requests: each in one of the ways in which a client can hand over an object, some of them spoilt as text too.
import * as fc from "fast-check";
import { must } from "../../support/expected.ts";
import { type Json, type OddKind, oddObjects, soundObject } from "./odd_objects.ts";

export interface OddDocument {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

const COLLECTION: Record<OddKind, string> = {
  TutorialCronJob: "/apis/batch.tutorial.kubebuilder.io/v1/namespaces/odd/cronjobs",
  BatchCronJob: "/apis/batch/v1/namespaces/odd/cronjobs",
  Job: "/apis/batch/v1/namespaces/odd/jobs",
  Pod: "/api/v1/namespaces/odd/pods",
};

/** Of each kind there is one that is written to. */
export const WRITTEN_TO = "written-to";

const WAYS = ["POST", "POST", "POST", "PUT", "status", "merge", "strategic", "apply", "json"] as const;

const CONTENT_TYPES = [
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "text/plain",
  "application/json; charset=utf-16",
  "",
];

/** What becomes of the text of a document. */
const SPOILS: ((text: string) => string | Uint8Array<ArrayBuffer>)[] = [
  (text) => text.slice(0, Math.floor(text.length / 2)),
  (text) => text + text,
  (text) => `\ufeff${text}`,
  (text) => text.replace("{", '{"metadata":{"name":"other"},'),
  (text) => text.replaceAll('"', "'"),
  (text) => `[${text}]`,
  () => "",
  () => "null",
  (text) => new TextEncoder().encode(text).map((byte, i) => i % 97 === 96 ? 0xff : byte),
  (text) => new Uint8Array([0x6b, 0x38, 0x73, 0, ...new TextEncoder().encode(text)]),
];

/** The same documents for the same seed. */
export function oddDocuments(seed: number, count: number): OddDocument[] {
  const choice = fc.record({
    way: fc.constantFrom(...WAYS),
    spoil: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.constantFrom(...SPOILS)),
    contentType: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.constantFrom(...CONTENT_TYPES)),
    query: fc.constantFrom(
      "",
      "",
      "",
      "dryRun=All",
      "fieldValidation=Strict",
      "fieldManager=",
      "dryRun=Some",
      "force=x",
    ),
  });
  const choices = fc.sample(choice, { seed, numRuns: count });
  return oddObjects(seed, count).map(({ kind, object }, i) => {
    const { way, spoil, contentType, query } = must(choices[i]);
    const named = { ...object, metadata: { name: way === "POST" ? `odd-${i}` : WRITTEN_TO, ...object.metadata } };
    const request = requestOf(way, kind, named);
    const text = JSON.stringify(request.body);
    const body = spoil ? spoil(text) : text;
    return {
      method: request.method,
      path: `${COLLECTION[kind]}${request.path}?${query}${way === "apply" ? "&fieldManager=odd" : ""}`,
      contentType: contentType ?? request.contentType,
      body: typeof body === "string" ? new TextEncoder().encode(body) : body,
    };
  });
}

/** What is there to be written to, as requests. */
export function soundDocuments(): OddDocument[] {
  return (Object.keys(COLLECTION) as OddKind[]).map((kind) => {
    const object = soundObject(kind);
    const body = JSON.stringify({ ...object, metadata: { ...object.metadata as Json, name: WRITTEN_TO } });
    const contentType = "application/json";
    return { method: "POST", path: COLLECTION[kind], contentType, body: new TextEncoder().encode(body) };
  });
}

function requestOf(
  way: typeof WAYS[number],
  kind: OddKind,
  object: Json,
): { method: string; path: string; contentType: string; body: unknown } {
  const one = `/${WRITTEN_TO}`;
  switch (way) {
    case "POST":
      return { method: "POST", path: "", contentType: "application/json", body: object };
    case "PUT":
      return { method: "PUT", path: one, contentType: "application/json", body: object };
    case "status":
      return { method: "PUT", path: `${one}/status`, contentType: "application/json", body: object };
    case "merge":
      return { method: "PATCH", path: one, contentType: "application/merge-patch+json", body: object };
    case "strategic": {
      const status = { metadata: object.metadata, status: object.status };
      const path = `${one}/status`;
      return { method: "PATCH", path, contentType: "application/strategic-merge-patch+json", body: status };
    }
    case "apply":
      return { method: "PATCH", path: one, contentType: "application/apply-patch+yaml", body: object };
    case "json": {
      const sound = soundObject(kind);
      const body = Object.keys(sound).map((key) => ({ op: "replace", path: `/${key}`, value: object[key] }));
      return { method: "PATCH", path: one, contentType: "application/json-patch+json", body };
    }
  }
}
