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

/** The same for a DNS label. */
export function labelErrors(name: string, prefix = false): string[] {
  const masked = prefix ? maskTrailingDash(name) : name;
  // What is right but for its dots is told so.
  const message = DNS_SUBDOMAIN.test(masked) ? "must not contain dots" : DNS_LABEL_MESSAGE;
  return check(masked, 63, DNS_LABEL, message, "characters");
}

/** Messages about the key of a label or annotation: `name` or `prefix/name`. */
export function qualifiedNameErrors(value: string): string[] {
  const parts = value.split("/");
  const name = parts[parts.length - 1];
  if (parts.length > 2) {
    return [
      `a valid label key ${QUALIFIED_NAME_MESSAGE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const errors: string[] = [];
  if (parts.length === 2) {
    if (parts[0] === "") errors.push("prefix part must be non-empty");
    else {
      const prefix = check(parts[0], 253, DNS_SUBDOMAIN, DNS_SUBDOMAIN_MESSAGE, "bytes");
      errors.push(...prefix.map((message) => `prefix part ${message}`));
    }
  }
  if (name === "") errors.push("name part must be non-empty");
  else if (name.length > 63) errors.push("name part must be no more than 63 bytes");
  if (!QUALIFIED_NAME.test(name)) errors.push(`name part ${QUALIFIED_NAME_MESSAGE}`);
  return errors;
}

export function labelValueErrors(value: string): string[] {
  return check(value, 63, LABEL_VALUE, LABEL_VALUE_MESSAGE, "bytes");
}

/** Messages about a key of a ConfigMap's or a Secret's data. */
export function configKeyErrors(value: string): string[] {
  const errors = check(value, 253, CONFIG_KEY, CONFIG_KEY_MESSAGE, "characters");
  if (value === ".") errors.push("must not be '.'");
  else if (value === "..") errors.push("must not be '..'");
  else if (value.startsWith("..")) errors.push("must not start with '..'");
  return errors;
}

/** Messages about the name of an environment variable: nearly anything goes. */
export function environmentNameErrors(name: string): string[] {
  const bad = [...name].some((character) => character === "=" || character < " " || character > "~");
  return bad
    ? ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
    : [];
}

export function portNameErrors(name: string): string[] {
  const errors: string[] = [];
  if (name.length > 15) errors.push("must be no more than 15 characters");
  if (!PORT_NAME.test(name)) errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(name)) errors.push("must contain at least one letter (a-z)");
  if (name.includes("--")) errors.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) errors.push("must not begin or end with a hyphen");
  return errors;
}

/** @param unit what Kubernetes calls bytes, older rules "characters" */
function check(value: string, maxBytes: number, pattern: RegExp, message: string, unit: string): string[] {
  const errors: string[] = [];
  if (new TextEncoder().encode(value).length > maxBytes) errors.push(`must be no more than ${maxBytes} ${unit}`);
  if (!pattern.test(value)) errors.push(message);
  return errors;
}

/** The name of a header of HTTP. */
export function headerNameErrors(name: string): string[] {
  return /^[-A-Za-z0-9]+$/.test(name) ? [] : [
    "a valid HTTP header must consist of alphanumeric characters or '-' " +
    "(e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
  ];
}

function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}
