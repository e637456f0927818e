import { after, type Clock } from "../../base/clock.ts";
import { isObject } from "../../base/is_object.ts";
import { ownValue } from "../../base/own_value.ts";
import { RequestError } from "./answers.ts";
import { bodyTooLarge, MAX_BODY_BYTES } from "./guards.ts";

/** The JSON object in the body of a request. Each field is checked as it is read. */
export class Body {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  /** @throws {RequestError} where the body is no JSON object, too long, or does not come in time */
  static async of(request: Request, clock: Clock): Promise<Body> {
    const text = await textOf(request, clock);
    try {
      const fields = JSON.parse(text);
      if (isObject(fields)) return new Body(fields);
    } catch { /* it is no JSON */ }
    throw new RequestError(400, "BadRequest", "The body must be a JSON object");
  }

  /** Undefined where the field is absent or empty. @throws {RequestError} where it is no text, or too long */
  text(name: string): string | undefined {
    const value = this.#field(name);
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "string" && value.length <= MAX_TEXT) return value;
    throw new RequestError(400, "BadRequest", `${name} must be a text of at most ${MAX_TEXT} characters`);
  }

  /** @throws {RequestError} where the text is missing */
  need(name: string): string {
    const text = this.text(name);
    if (text !== undefined) return text;
    throw new RequestError(400, "BadRequest", `${name} is missing`);
  }

  isTrue(name: string): boolean {
    return this.#field(name) === true;
  }

  /** @throws {RequestError} where the field is there and is no such number */
  wholeNumber(name: string, byDefault: number, max: number): number {
    const value = this.#field(name) ?? byDefault;
    if (Number.isInteger(value) && value as number >= 1 && value as number <= max) return value as number;
    throw new RequestError(400, "BadRequest", `${name} must be a whole number from 1 to ${max}`);
  }

  /** @throws {RequestError} where the field is there and has none of these values */
  oneOf<T extends string>(name: string, values: readonly T[], byDefault: T): T {
    const value = this.#field(name) ?? byDefault;
    if (values.includes(value as T)) return value as T;
    throw new RequestError(400, "BadRequest", `${name} must be one of ${values.join(", ")}`);
  }

  /** @throws {RequestError} where there is no list of objects, nor a default */
  list(name: string, byDefault?: readonly []): Body[] {
    const value = this.#field(name) ?? byDefault;
    if (Array.isArray(value) && value.every(isObject)) return value.map((fields) => new Body(fields));
    throw new RequestError(400, "BadRequest", `${name} must be a list of objects`);
  }

  #field(name: string): unknown {
    return ownValue(this.#fields, name);
  }
}

/** The longest text of a field: the reason of a pause needs no more. */
const MAX_TEXT = 1_000;

/** As long as the first request of a connection may take. */
const PATIENCE_MS = 20_000;

async function textOf({ body }: Request, clock: Clock): Promise<string> {
  const late = new AbortController();
  const tooLate = new RequestError(408, "RequestTimeout", `The body has not come within ${PATIENCE_MS / 1000} s`);
  using _timer = after(clock, PATIENCE_MS, () => late.abort(tooLate));
  let text = "";
  for await (const chunk of body?.pipeThrough(new TextDecoderStream(), { signal: late.signal }) ?? []) {
    text += chunk;
    if (text.length > MAX_BODY_BYTES) throw bodyTooLarge();
  }
  return text;
}
