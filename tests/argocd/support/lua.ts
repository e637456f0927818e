import { AssertionError } from "@std/assert";

/** Prints a value as JSON: Lua has nothing of its own for it. */
const TO_JSON = `
local function toJson(value)
  if type(value) == "string" then
    return '"' .. value:gsub('[%z\\1-\\31\\\\"]', function(c) return string.format("\\\\u%04x", c:byte()) end) .. '"'
  elseif type(value) ~= "table" then
    return tostring(value)
  end
  local parts, isList = {}, #value > 0
  for key, part in pairs(value) do
    table.insert(parts, isList and toJson(part) or toJson(tostring(key)) .. ":" .. toJson(part))
  end
  return (isList and "[" or "{") .. table.concat(parts, ",") .. (isList and "]" or "}")
end`;

/** Only what Argo CD's sandbox has: no strings' library, and of the system's nothing but the clock. */
const SANDBOX = `
local safeOs = { time = os.time, date = os.date }
local strings = getmetatable("").__index
local function inSandbox(script)
  local write = io.write
  os, io, string, math, debug, loadstring, dofile, loadfile = safeOs, nil, nil, nil, nil, nil, nil, nil
  require = function(name) return name == "os" and safeOs or error("there is no " .. name) end
  getmetatable("").__index = nil
  local result = script()
  getmetatable("").__index, string = strings, strings
  write(toJson(result))
end`;

/** What a script returns for an object, by the lua5.1 on PATH; Argo CD hands the object over as \`obj\`. */
export async function runLua(script: string, object: unknown): Promise<unknown> {
  const program = `${TO_JSON}${SANDBOX}\nobj = ${literal(object)}\ninSandbox(function()\n${script}\nend)`;
  const process = new Deno.Command("lua5.1", { args: ["-"], stdin: "piped", stdout: "piped", stderr: "piped" }).spawn();
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode(program));
  await writer.close();
  const { code, stdout, stderr } = await process.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (code !== 0) throw new AssertionError({ message: `Lua failed: ${text(stderr)}` });
  return JSON.parse(text(stdout));
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(literal).join(",")}}`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields.map(([key, field]) => `[${quoted(key)}]=${literal(field)}`).join(",")}}`;
  }
  return typeof value === "string" ? quoted(value) : String(value);
}

function quoted(text: string): string {
  const bytes = [...new TextEncoder().encode(text)];
  return `"${bytes.map((byte) => `\\${String(byte).padStart(3, "0")}`).join("")}"`;
}
