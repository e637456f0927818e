/** Returns the messages about a text: how long it may be, and what it is made of. */
function form(mostBytes: number, pattern: RegExp, message: string): (text: string) => string[] {
  return (text) =>
    texts(byteLength(text) > mostBytes && `must be no more than ${mostBytes} bytes`, !pattern.test(text) && message);
}

const ENDS = "and must begin and end with a letter or digit";
const SUBDOMAIN = form(
  253,
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  `must have lower case letters, digits, '-' and '.' alone, ${ENDS} between dots too, as in example.com`,
);
const LABEL = form(
  63,
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
  `must have lower case letters, digits and '-' alone, ${ENDS}, as in my-name`,
);
const QUALIFIED_NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const QUALIFIED_NAME_MESSAGE = `must have letters, digits, '-', '_' and '.' alone, ${ENDS}, as in my.name`;

/** Returns what is wrong with the value of a label; the empty text is one. */
export const labelValueErrors: (value: string) => string[] = form(
  63,
  /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/,
  `must be empty or have letters, digits, '-', '_' and '.' alone, ${ENDS}`,
);
const CONFIG_KEY = form(253, /^[-._a-zA-Z0-9]+$/, "must have letters, digits, '-', '_' and '.' alone");

/** Messages about a name that must be a DNS subdomain. With `prefix` it is a generateName: a trailing `-` is fine. */
export function subdomainErrors(name: string, prefix = false): string[] {
  return SUBDOMAIN(prefix ? maskTrailingDash(name) : name);
}

/** Messages about a name that must only fit into a path. */
export function pathSegmentErrors(name: string, prefix = false): string[] {
  return texts(
    !prefix && (name === "." || name === "..") && `may not be '${name}'`,
    name.includes("/") && "may not contain '/'",
    name.includes("%") && "may not contain '%'",
  );
}

/** Returns the same for a DNS label. */
export function labelErrors(name: string, prefix = false): string[] {
  return LABEL(prefix ? maskTrailingDash(name) : name);
}

/** Messages about the key of a label or annotation: `name` or `prefix/name`. */
export function qualifiedNameErrors(value: string): string[] {
  const [name = "", prefix, ...more] = value.split("/").reverse();
  if (more.length > 0) return ["must be a name, or a DNS subdomain, '/' and a name, as in example.com/my-name"];
  const ofPrefix = prefix ? SUBDOMAIN(prefix) : [];
  return texts(
    prefix === "" && "prefix part must be non-empty",
    ...ofPrefix.map((message) => `prefix part ${message}`),
    name === "" ? "name part must be non-empty" : name.length > 63 && "name part must be no more than 63 bytes",
    !QUALIFIED_NAME.test(name) && `name part ${QUALIFIED_NAME_MESSAGE}`,
  );
}

/** Returns what is said. */
function texts(...said: readonly (string | false)[]): string[] {
  return said.filter((text) => text !== false);
}

/** Messages about a key of a ConfigMap's or a Secret's data. */
export function configKeyErrors(value: string): string[] {
  return texts(
    ...CONFIG_KEY(value),
    value === "." || value === ".." ? `must not be '${value}'` : value.startsWith("..") && "must not start with '..'",
  );
}

/** Messages about the name of an environment variable: nearly anything goes. */
export function environmentNameErrors(name: string): string[] {
  return texts(!/^[ -<>-~]*$/.test(name) && "must have printable ASCII characters other than '=' alone");
}

/** Returns what is wrong with the name of a port: an IANA service name. */
export function portNameErrors(name: string): string[] {
  return texts(
    name.length > 15 && "must be no more than 15 characters",
    !/^[-a-z0-9]+$/.test(name) && "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
    !/[a-z]/.test(name) && "must contain at least one letter (a-z)",
    name.includes("--") && "must not contain consecutive hyphens",
    /^-|-$/.test(name) && "must not begin or end with a hyphen",
  );
}

/** Returns how long a text is as UTF-8, which is what Kubernetes' limits mean. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}
