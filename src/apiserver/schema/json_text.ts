import { badRequest } from "../refusals.ts";

/** No object that means anything is nested so deeply; one that is could exhaust the stack. */
const MAX_DEPTH = 1000;

/** No answer names more. */
const MAX_COMPLAINTS = 100;

/**
 * Returns the complaints of strict decoding about keys that JSON text gives more than once, by their paths (`data.a`,
 * `spec.containers[0].name`), in the text's order: the first hundred.
 * The text must be JSON: it has been parsed before.
 *
 * @throws {Refusal} 400 for text that is nested too deeply
 */
export function duplicateFields(text: string): string[] {
  const found: string[] = [];
  for (const { path, isRepeated } of fieldsOf(text)) {
    if (isRepeated && found.length < MAX_COMPLAINTS) found.push(`duplicate field ${JSON.stringify(path)}`);
  }
  return found;
}

/** Returns the complaints about fields that the schema does not have: the first hundred. */
export function unknownFields(paths: readonly string[]): string[] {
  return paths.slice(0, MAX_COMPLAINTS).map((path) => `unknown field ${JSON.stringify(path)}`);
}

interface Field {
  readonly path: string;
  /** Whether its object has had the key before. */
  readonly isRepeated: boolean;
}

function* fieldsOf(text: string): Generator<Field> {
  const levels: Level[] = [];
  let level: Level | undefined;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        level = {
          path: level ? pathIn(level) : "",
          step: text.charCodeAt(at) === OPEN_BRACKET ? 0 : undefined,
          keys: new Set(),
        };
        if (levels.push(level) > MAX_DEPTH) throw tooDeep();
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        levels.pop();
        level = levels.at(-1);
        break;
      case COMMA:
        level!.step = typeof level!.step === "number" ? level!.step + 1 : undefined;
        break;
      case QUOTE: {
        const start = at;
        for (at++; text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
        if (!level || level.step !== undefined) break;
        const plain = text.slice(start + 1, at);
        level.step = plain.includes("\\") ? JSON.parse(text.slice(start, at + 1)) as string : plain;
        yield { path: pathIn(level), isRepeated: level.keys.has(level.step) };
        level.keys.add(level.step);
      }
    }
  }
}

/** An object or list that the text is inside of. */
interface Level {
  readonly path: string;
  /** The key or the index of what is read; undefined where a key comes next. */
  step: string | number | undefined;
  readonly keys: Set<string>;
}

/** @throws {Refusal} 400 for a value that is nested too deeply */
export function checkDepth(value: unknown, depth = 0): void {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (typeof value !== "object" || value === null) return;
  for (const each of Object.values(value)) checkDepth(each, depth + 1);
}

function tooDeep() {
  return badRequest(`exceeded max depth of ${MAX_DEPTH}`);
}

const QUOTE = 0x22, BACKSLASH = 0x5c, OPEN_BRACE = 0x7b, CLOSE_BRACE = 0x7d, OPEN_BRACKET = 0x5b, CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;

/** Joined to what leads there, which is not looked at: a path may be long. */
function pathIn({ path, step }: Level): string {
  if (typeof step === "number") return `${path}[${step}]`;
  return path === "" ? step! : `${path}.${step}`;
}
