import {
  constructFromEvents,
  defineScalarTag,
  type Event,
  EVENT_ID,
  FAILSAFE_SCHEMA,
  mapTag,
  NOT_RESOLVED,
  parseEvents,
} from "js-yaml";
import { isScalar, type ScalarTag, Schema } from "yaml";
import { KUBECTL_YAML, type YamlDocument, yamlDocuments } from "./yaml_documents.ts";

/**
 * Reads nearly all manifests in a fraction of the time: YAML or JSON without faults, aliases, merged mappings, tags and
 * directives. The positions of fields are found when they are asked for.
 *
 * @returns undefined for all else
 */
export function plainDocuments(text: string): YamlDocument[] | undefined {
  const values = plainValues(text);
  let located: YamlDocument[] | undefined;
  return values?.map((value, i) => ({
    kind: "value",
    value,
    position(path) {
      located ??= yamlDocuments(text);
      const document = located[i]!;
      return document.kind === "value" ? document.position(path) : document.at;
    },
  }));
}

/** Not every reader of YAML takes a lone carriage return for the end of a line. */
const LONE_CARRIAGE_RETURN = /\r(?!\n)/;

function plainValues(source: string): unknown[] | undefined {
  if (LONE_CARRIAGE_RETURN.test(source)) return undefined;
  try {
    const events = parseEvents(source, {});
    if (!events.every(isPlain)) return undefined;
    return constructFromEvents(events, { source, schema: PLAIN_SCHEMA }).filter((value) => (value ?? null) !== null);
  } catch {
    return undefined;
  }
}

function isPlain(event: Event): boolean {
  if (event.type === EVENT_ID.ALIAS) return false;
  if (event.type === EVENT_ID.DOCUMENT) return event.directives.length === 0;
  return event.type === EVENT_ID.POP || event.tagStart < 0 && event.anchorStart < 0;
}

const SCALARS = new Schema({ schema: "yaml-1.1", customTags: KUBECTL_YAML.customTags }).tags
  .filter((tag): tag is ScalarTag & { test: RegExp } =>
    !tag.collection && tag.default === true && tag.test !== undefined
  );

const MERGE_KEY = "<<";

/** Texts, lists and mappings; `SCALARS` says what a text without quotes stands for, as in {@linkcode yamlDocuments}. */
const PLAIN_SCHEMA = FAILSAFE_SCHEMA.withTags(
  {
    ...mapTag,
    addPair(map, key, value) {
      const isPlain = typeof key === "string" && key !== MERGE_KEY;
      return isPlain ? mapTag.addPair(map, key, value) : "not a plain key";
    },
  },
  defineScalarTag("tag:yaml.org,2002:plain", {
    implicit: true,
    identify: () => false,
    resolve(source) {
      const tag = SCALARS.find(({ test }) => test.test(source));
      if (tag === undefined) return NOT_RESOLVED;
      const value = tag.resolve(source, () => {}, {});
      return isScalar(value) ? value.value : value;
    },
  }),
);
