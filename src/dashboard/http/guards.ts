import { RequestError } from "./answers.ts";

/** The permissions of a browser for all that is served: run and load this page's own files, and nothing else. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // Nothing in the page can make markup of a text, whatever a library would do.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Whom a request may be addressed to. */
export interface AllowedHosts {
  /** In small letters; of IPv6 addresses with brackets. */
  readonly names: readonly string[];
  /** Undefined: any, as a port that is forwarded may have another number. */
  readonly port: number | undefined;
  /** As browsers reach it. */
  readonly protocol: "http:" | "https:";
}

/** The names by which this machine reaches itself. */
export const LOOPBACK_NAMES: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** As much as any request of the page holds. */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * Lets a request pass that can only come from the page itself, or from a client that isn't a browser: a site that a
 * browser shows beside it can neither read nor write, also if its name leads here.
 *
 * @throws {RequestError}
 */
export function checkOrigin(request: Request, hosts: AllowedHosts): void {
  const refusal = misaddressed(request, hosts) ?? ofUnknownMethod(request) ?? ofOtherSite(request) ??
    (request.method === "POST" ? ofOtherOrigin(request, hosts) ?? noJson(request) ?? tooLarge(request) : undefined);
  if (refusal) throw refusal;
}

/** A name that an attacker makes lead to this address is no name of ours. */
function misaddressed(request: Request, hosts: AllowedHosts): RequestError | undefined {
  // Of a name that is none there is no address: this comes before all that reads it.
  const url = addressOf(request, hosts);
  const header = request.headers.get("host");
  const asked = [url?.host ?? "", ...header === null ? [] : [header.toLowerCase()]];
  if (url && asked.every((host) => isAllowed(host, hosts))) return undefined;
  return new RequestError(421, "WrongHost", `This is not served under the name ${header ?? url?.host}`);
}

/** Undefined for a name that is none. */
function addressOf({ url }: Request, { protocol }: AllowedHosts): URL | undefined {
  return URL.parse(url.replace(/^https?:/i, protocol)) ?? undefined;
}

function isAllowed(host: string, { names, port, protocol }: AllowedHosts): boolean {
  const [, name, digits] = /^(.+?)(?::(\d+))?$/.exec(host) ?? [];
  if (name === undefined || !names.includes(name)) return false;
  return port === undefined || Number(digits ?? (protocol === "https:" ? 443 : 80)) === port;
}

function ofUnknownMethod({ method }: Request): RequestError | undefined {
  if (["GET", "HEAD", "POST"].includes(method)) return undefined;
  return new RequestError(405, "MethodNotAllowed", "Only GET and POST are answered");
}

const OWN_ONLY = "This is answered to its own page only";

/** Browsers say so; who follows a link to the page comes from nowhere or from elsewhere, and gets the page. */
function ofOtherSite({ headers, method, url }: Request): RequestError | undefined {
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return undefined;
  const isLink = method === "GET" && headers.get("sec-fetch-mode") === "navigate" && new URL(url).pathname === "/";
  return isLink ? undefined : new RequestError(403, "OtherSite", OWN_ONLY);
}

function ofOtherOrigin(request: Request, hosts: AllowedHosts): RequestError | undefined {
  if (request.headers.get("origin") === addressOf(request, hosts)?.origin) return undefined;
  return new RequestError(403, "OtherOrigin", OWN_ONLY);
}

/** A form of another site can send no JSON. */
function noJson({ headers }: Request): RequestError | undefined {
  const type = headers.get("content-type")?.replace(/;.*/, "").trim().toLowerCase();
  if (type === "application/json") return undefined;
  return new RequestError(415, "UnsupportedMediaType", "Only application/json is taken");
}

function tooLarge({ headers }: Request): RequestError | undefined {
  if (Number(headers.get("content-length") ?? 0) <= MAX_BODY_BYTES) return undefined;
  return bodyTooLarge();
}

/** Returns the refusal of a body that is longer than any of the page. */
export function bodyTooLarge(): RequestError {
  return new RequestError(413, "RequestEntityTooLarge", `At most ${MAX_BODY_BYTES} bytes are taken`);
}
