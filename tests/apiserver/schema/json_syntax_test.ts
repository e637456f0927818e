import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { jsonSyntaxError } from "../../../src/apiserver/schema/json_syntax.ts";
import { test } from "../../support/test.ts";

const said = (text: string) => jsonSyntaxError(new TextEncoder().encode(text));
const KEY = "looking for beginning of object key string", VALUE = "looking for beginning of value";

const WRONG: readonly (readonly [text: string, said: string])[] = [
  ["", "unexpected end of JSON input"],
  ['{"a":', "unexpected end of JSON input"],
  ['{"a', "unexpected end of JSON input"],
  ["{nope}", `invalid character 'n' ${KEY}`],
  ['{"a":1,}', `invalid character '}' ${KEY}`],
  ["{'a':1}", `invalid character '\\'' ${KEY}`],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"', "invalid character '\"' after object key:value pair"],
  ["[1 2]", "invalid character '2' after array element"],
  ["[1,]", `invalid character ']' ${VALUE}`],
  ["[[],{},]", `invalid character ']' ${VALUE}`],
  ["{}x", "invalid character 'x' after top-level value"],
  ["é", `invalid character 'Ã' ${VALUE}`],
  ["\x7f", `invalid character '\\x7f' ${VALUE}`],
  ["\u009e", `invalid character 'Â' ${VALUE}`],
  ["nope", "invalid character 'o' in literal null (expecting 'u')"],
  ["01", "invalid character '1' after top-level value"],
  ["-a", "invalid character 'a' in numeric literal"],
  ["1.a", "invalid character 'a' after decimal point in numeric literal"],
  ["1e+a", "invalid character 'a' in exponent of numeric literal"],
  ['"\n"', "invalid character '\\n' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
];

for (const [text, message] of WRONG) {
  test(`the text ${JSON.stringify(text)} is no JSON, in Go's words`, () => assertEquals(said(text), message));
}

test("of text that JSON.parse reads nothing is said, and of any other something", () => {
  const texts = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify(value, null, 1)),
    fc.string({ unit: fc.constantFrom(...'{}[]:,"\\u01-.eE+tfnrualse \n') }),
  );
  const isJson = (text: string) => {
    try {
      return JSON.parse(text) !== undefined;
    } catch {
      return false;
    }
  };
  fc.assert(fc.property(texts, (text) => assertEquals(said(text) === undefined, isJson(text))));
});
