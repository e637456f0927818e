import { goEscaped } from "../go_text.ts";

const ENDED = "unexpected end of JSON input";
const KEY = "looking for beginning of object key string";

/** Returns what Go's reader says of text that is no JSON; undefined for text that is. */
export function jsonSyntaxError(text: Uint8Array): string | undefined {
  try {
    new Reader(text).readAll();
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
  return undefined;
}

/** Reads as Go does, to find where a text is no JSON any more. Values are left to `JSON.parse`. */
class Reader {
  /** A character a byte, as Go looks at bytes. */
  readonly #text: string;
  #at = 0;

  constructor(text: Uint8Array) {
    this.#text = Array.from(text, (byte) => String.fromCharCode(byte)).join("");
  }

  readAll(): void {
    // What ends each object and list that is open: texts can be nested more deeply than functions can.
    const open: string[] = [];
    do {
      const start = this.#next();
      if (start === "{" || start === "[") {
        this.#at++;
        const end = start === "{" ? "}" : "]";
        open.push(end);
        if (this.#next() !== end) {
          if (start === "{") this.#key();
          continue;
        }
      } else this.#scalar(start);
      while (open.length > 0 && this.#next() === open.at(-1)) {
        open.pop();
        this.#at++;
      }
      const end = open.at(-1);
      if (end === undefined) break;
      this.#next();
      this.#take(/,/, end === "}" ? "after object key:value pair" : "after array element");
      if (end === "}") this.#key();
    } while (true);
    if (this.#next() !== "") this.#fail("after top-level value");
  }

  #key(): void {
    if (this.#next() !== '"') this.#fail(KEY);
    this.#string();
    this.#next();
    this.#take(/:/, "after object key");
  }

  #scalar(start: string): void {
    if (start === '"') return this.#string();
    if (/[-\d]/.test(start)) return this.#number();
    const word = ["true", "false", "null"].find((one) => one[0] === start);
    if (!word) this.#fail("looking for beginning of value");
    this.#at++;
    for (const letter of word.slice(1)) {
      this.#take(new RegExp(letter), `in literal ${word} (expecting '${letter}')`);
    }
  }

  #string(): void {
    this.#at++;
    for (this.#plain(); this.#here !== '"'; this.#plain()) {
      this.#take(/\\/, "in string literal");
      if (this.#here !== "u") this.#take(/["\\/bfnrt]/, "in string escape code");
      else {
        this.#at++;
        for (let digit = 0; digit < 4; digit++) this.#take(/[\da-f]/i, "in \\u hexadecimal character escape");
      }
    }
    this.#at++;
  }

  #plain(): void {
    while (this.#here >= " " && this.#here !== '"' && this.#here !== "\\") this.#at++;
  }

  #number(): void {
    this.#skip(/-?/y);
    const isZero = this.#here === "0";
    this.#take(/\d/, "in numeric literal");
    if (!isZero) this.#skip(/\d*/y);
    if (this.#here === ".") {
      this.#at++;
      this.#take(/\d/, "after decimal point in numeric literal");
      this.#skip(/\d*/y);
    }
    if (/[eE]/.test(this.#here)) {
      this.#skip(/[eE][-+]?/y);
      this.#take(/\d/, "in exponent of numeric literal");
      this.#skip(/\d*/y);
    }
  }

  get #here(): string {
    return this.#text.charAt(this.#at);
  }

  /** Returns the character after what is blank. */
  #next(): string {
    this.#skip(/[ \t\r\n]*/y);
    return this.#here;
  }

  #skip(sticky: RegExp): void {
    sticky.lastIndex = this.#at;
    this.#at += sticky.exec(this.#text)![0].length;
  }

  #take(wanted: RegExp, where: string): void {
    if (!wanted.test(this.#here)) this.#fail(where);
    this.#at++;
  }

  #fail(where: string): never {
    throw new SyntaxError(this.#here === "" ? ENDED : `invalid character '${goEscaped(this.#here)}' ${where}`);
  }
}
