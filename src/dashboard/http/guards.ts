/** What a browser may do with anything that is served: run and load this page's own files, and nothing else. */
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

/** Why a request is refused before its sender is looked up. */
export interface Refused {
  readonly code: 403 | 405 | 413 | 415 | 421;
  readonly reason: string;
  readonly message: string;
}

/** As much as any request of the page holds. */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * Returns whether a request can only come from the page itself, or from a client that isn't a browser: a site that a
 * browser shows beside it can neither read nor write, also if its name leads here.
 *
 * @param origin the server's own, as the request addresses it
 */
export function refusalOf(request: Request, hosts: AllowedHosts): Refused | undefined {
  for (const check of request.method === "POST" ? [...CHECKS, ...CHECKS_OF_POST] : CHECKS) {
    const refused = check(request, hosts);
    if (refused) return refused;
  }
  return undefined;
}

type Check = (request: Request, hosts: AllowedHosts) => Refused | undefined;

const CHECKS: readonly Check[] = [isAddressedToUs, methodIsKnown, isOfNoOtherSite];
const CHECKS_OF_POST: readonly Check[] = [isOfOwnOrigin, isJson, isSmall];

/** A name that an attacker makes lead to this address is no name of ours. */
function isAddressedToUs(request: Request, hosts: AllowedHosts): Refused | undefined {
  // Of a name that is none there is no address: this comes before all that reads it.
  const url = addressOf(request, hosts);
  const header = request.headers.get("host");
  const asked = [url?.host ?? "", ...header === null ? [] : [header.toLowerCase()]];
  if (url && asked.every((host) => isAllowed(host, hosts))) return undefined;
  return { code: 421, reason: "WrongHost", message: `This is not served under the name ${header ?? url?.host}` };
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

function methodIsKnown({ method }: Request): Refused | undefined {
  if (method === "GET" || method === "HEAD" || method === "POST") return undefined;
  return { code: 405, reason: "MethodNotAllowed", message: "Only GET and POST are answered" };
}

/** Browsers say so; who follows a link to the page comes from nowhere or from elsewhere, and gets the page. */
function isOfNoOtherSite(request: Request): Refused | undefined {
  const site = request.headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return undefined;
  if (request.method === "GET" && request.headers.get("sec-fetch-mode") === "navigate" && isPage(request)) {
    return undefined;
  }
  return { code: 403, reason: "OtherSite", message: "This is answered to its own page only" };
}

function isPage({ url }: Request): boolean {
  return new URL(url).pathname === "/";
}

function isOfOwnOrigin(request: Request, hosts: AllowedHosts): Refused | undefined {
  if (request.headers.get("origin") === addressOf(request, hosts)?.origin) return undefined;
  return { code: 403, reason: "OtherOrigin", message: "This is answered to its own page only" };
}

/** A form of another site can send no JSON. */
function isJson(request: Request): Refused | undefined {
  const type = request.headers.get("content-type")?.replace(/;.*/, "").trim().toLowerCase();
  if (type === "application/json") return undefined;
  return { code: 415, reason: "UnsupportedMediaType", message: "Only application/json is taken" };
}

function isSmall(request: Request): Refused | undefined {
  if (Number(request.headers.get("content-length") ?? 0) <= MAX_BODY_BYTES) return undefined;
  return { code: 413, reason: "RequestEntityTooLarge", message: `At most ${MAX_BODY_BYTES} bytes are taken` };
}
