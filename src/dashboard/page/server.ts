// @ts-check
/// <reference lib="dom" />
/** @import { Failure, RowsMessage, Session } from "../wire.ts" */

/** The server refused. */
export class Refusal extends Error {
  /** @param {number} code @param {Failure} failure */
  constructor(code, { reason, message }) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** A bearer token, where one logs in by one. It is kept nowhere else: a page that is loaded again asks for it again. */
let token = "";

/** @param {string} text */
export function useToken(text) {
  token = text;
}

/**
 * Asks the server, with what proves who asks.
 *
 * @param {string} path
 * @param {RequestInit} [init]
 */
async function ask(path, init = {}) {
  const headers = new Headers(init.headers);
  if (token !== "") headers.set("authorization", `Bearer ${token}`);
  const response = await fetch(path, { ...init, headers });
  if (!response.ok) throw new Refusal(response.status, await failureOf(response));
  return response;
}

/** @param {Response} response @returns {Promise<Failure>} */
async function failureOf(response) {
  try {
    return await response.json();
  } catch {
    return { reason: "NoAnswer", message: `The server answered ${response.status}` };
  }
}

/** @param {string} path @param {AbortSignal} [signal] */
export async function read(path, signal) {
  return await (await ask(path, { signal })).json();
}

/** @param {string} path @param {object} body */
export async function post(path, body) {
  const response = await ask(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.status === 204 ? undefined : await response.json();
}

/** @returns {Promise<Session>} who is logged in, or how one logs in */
export async function session() {
  const headers = token === "" ? undefined : { authorization: `Bearer ${token}` };
  const response = await fetch("/api/session", { headers });
  if (response.ok || response.status === 401) return await response.json();
  throw new Refusal(response.status, await failureOf(response));
}

/**
 * The lines of a stream, each read as JSON, until it ends.
 *
 * @template T
 * @param {string} path
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<T>}
 */
export async function* lines(path, signal) {
  const response = await ask(path, { signal });
  const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (response.body)
    .pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = /** @type {string} */ (parts.pop());
    for (const part of parts) yield JSON.parse(part);
  }
}
