const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED_NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const PORT_NAME = /^[-a-z0-9]+$/;
const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;

const DNS_SUBDOMAIN_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
  "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const DNS_LABEL_MESSAGE = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
  "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED_NAME_MESSAGE = "must consist of alphanumeric characters, '-', '_' or '.', " +
  "and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', " +
  "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE_MESSAGE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
  "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', " +
  "regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const CONFIG_KEY_MESSAGE = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' " +
  "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Messages about a name that must be a DNS subdomain. With `prefix` it is a generateName: a trailing `-` is fine. */
export function subdomainErrors(name: string, prefix = false): string[] {
  return check(prefix ? maskTrailingDash(name) : name, 253, DNS_SUBDOMAIN, DNS_SUBDOMAIN_MESSAGE, "characters");
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
  const masked = prefix ? maskTrailingDash(name) : name;
  // A name that is right but for its dots has a message of its own.
  const message = DNS_SUBDOMAIN.test(masked) ? "must not contain dots" : DNS_LABEL_MESSAGE;
  return check(masked, 63, DNS_LABEL, message, "characters");
}

/** Messages about the key of a label or annotation: `name` or `prefix/name`. */
export function qualifiedNameErrors(value: string): string[] {
  const [name = "", prefix, ...more] = value.split("/").reverse();
  if (more.length > 0) {
    return [
      `a valid label key ${QUALIFIED_NAME_MESSAGE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const ofPrefix = prefix ? check(prefix, 253, DNS_SUBDOMAIN, DNS_SUBDOMAIN_MESSAGE, "bytes") : [];
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

/** Returns what is wrong with the value of a label; the empty text is one. */
export function labelValueErrors(value: string): string[] {
  return check(value, 63, LABEL_VALUE, LABEL_VALUE_MESSAGE, "bytes");
}

/** Messages about a key of a ConfigMap's or a Secret's data. */
export function configKeyErrors(value: string): string[] {
  return texts(
    ...check(value, 253, CONFIG_KEY, CONFIG_KEY_MESSAGE, "characters"),
    value === "." || value === ".." ? `must not be '${value}'` : value.startsWith("..") && "must not start with '..'",
  );
}

/** Messages about the name of an environment variable: nearly anything goes. */
export function environmentNameErrors(name: string): string[] {
  const why = "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return texts(!/^[ -<>-~]*$/.test(name) && why);
}

/** Returns what is wrong with the name of a port: an IANA service name. */
export function portNameErrors(name: string): string[] {
  return texts(
    name.length > 15 && "must be no more than 15 characters",
    !PORT_NAME.test(name) && "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
    !/[a-z]/.test(name) && "must contain at least one letter (a-z)",
    name.includes("--") && "must not contain consecutive hyphens",
    /^-|-$/.test(name) && "must not begin or end with a hyphen",
  );
}

/** @param unit what Kubernetes calls bytes, older rules "characters" */
function check(value: string, maxBytes: number, pattern: RegExp, message: string, unit: string): string[] {
  return texts(
    byteLength(value) > maxBytes && `must be no more than ${maxBytes} ${unit}`,
    !pattern.test(value) && message,
  );
}

/** Returns how long a text is as UTF-8, which is what Kubernetes' limits mean. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Messages about the name of a header of HTTP. */
export function headerNameErrors(name: string): string[] {
  const why = "a valid HTTP header must consist of alphanumeric characters or '-' " +
    "(e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
  return texts(!/^[-A-Za-z0-9]+$/.test(name) && why);
}

function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}
