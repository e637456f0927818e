import { badRequest } from "../refusals.ts";

/** No object that means anything is nested so deeply; one that is could exhaust the stack. */
const MAX_DEPTH = 1000;

/**
 * Returns which keys JSON text gives more than once, as paths (`data.a`, `spec.containers[0].name`), in the text's order.
 * The text must be JSON: it has been parsed before.
 *
 * @throws {Refusal} 400 for text that is nested too deeply
 */
export function duplicateFields(text: string): string[] {
  return new Scanner(text).scan();
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
const COMMA = 0x2c, SPACE = 0x20;

class Scanner {
  readonly #text: string;
  readonly #path: (string | number)[] = [];
  readonly #found: string[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): string[] {
    this.#value();
    return this.#found;
  }

  #peek(): number {
    while (this.#text.charCodeAt(this.#at) <= SPACE) this.#at++;
    return this.#text.charCodeAt(this.#at);
  }

  #value(): void {
    if (this.#path.length > MAX_DEPTH) throw tooDeep();
    switch (this.#peek()) {
      case OPEN_BRACE:
        this.#object();
        break;
      case OPEN_BRACKET:
        this.#list();
        break;
      case QUOTE:
        this.#skipString();
        break;
      default:
        this.#skipWord();
    }
  }

  #object(): void {
    const seen = new Set<string>();
    this.#at++;
    while (this.#peek() !== CLOSE_BRACE) {
      const key = this.#key();
      this.#path.push(key);
      if (seen.has(key)) this.#found.push(pathText(this.#path));
      seen.add(key);
      this.#peek();
      this.#at++; // the colon
      this.#value();
      this.#path.pop();
      if (this.#peek() === COMMA) this.#at++;
    }
    this.#at++;
  }

  #list(): void {
    this.#at++;
    for (let index = 0; this.#peek() !== CLOSE_BRACKET; index++) {
      this.#path.push(index);
      this.#value();
      this.#path.pop();
      if (this.#peek() === COMMA) this.#at++;
    }
    this.#at++;
  }

  #key(): string {
    const start = this.#at;
    const isPlain = this.#skipString();
    return isPlain ? this.#text.slice(start + 1, this.#at - 1) : JSON.parse(this.#text.slice(start, this.#at));
  }

  /** Gives false if there is anything escaped in it. */
  #skipString(): boolean {
    let isPlain = true;
    for (this.#at++;; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        isPlain = false;
        this.#at++;
      }
    }
    this.#at++;
    return isPlain;
  }

  /** A number, `true`, `false` or `null`. */
  #skipWord(): void {
    while (this.#at < this.#text.length) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET) return;
      this.#at++;
    }
  }
}

function pathText(path: readonly (string | number)[]): string {
  return path.map((step, index) => typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`).join("");
}
